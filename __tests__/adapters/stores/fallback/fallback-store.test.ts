import { describe, expect, it } from '@jest/globals';
import type { CommitResult, Unreadable } from '../../../../src/adapters/stores/backend.js';
import { createFallbackStore } from '../../../../src/adapters/stores/fallback/fallback-store.js';
import type { Change } from '../../../../src/core/memory/change.js';
import { withFacts } from '../../../../src/core/memory/state.js';
import type { MemoryStore } from '../../../../src/core/memory/store.js';
import { describeMemoryStore, type StorePlace, textOf } from '../contract.js';
import { append, entryText, forget, idsIn, plainEntry, stateOf } from '../entries.js';
import { createFakePlace, type FakePlace, type PlaceFaults } from '../fake-place.js';
import { adding, shown } from '../notes-contract.js';

const never = new AbortController().signal;
const MODES = ['auto', 'fixed'] as const;
const wanted = { paths: ['bot.md'], lastN: 0, count: true };

const NOTES_FOLDER = 'projects/p-12345678/notes/';
const NOTE_IN_FOLDER = `${NOTES_FOLDER}auth.md`;

const denial: CommitResult = {
  kind: 'failed',
  reason: 'denied',
  message: 'the token cannot write',
  remedy: 'Add `permissions: contents: write`.',
};
const outage: Unreadable = {
  kind: 'unreadable',
  reason: 'error',
  message: 'answered 502',
  remedy: 'Try again.',
};

/** How a place treats a run. */
function faultsOf(state: string): PlaceFaults {
  switch (state) {
    case 'denied':
      return { commit: () => denial };
    case 'unreadable':
      return { read: () => outage };
    case 'unreadable at first':
      return unreadableOnce();
    case 'in conflict':
      return { commit: () => ({ kind: 'conflict' }) };
    case 'too slow':
      return { commit: () => ({ kind: 'failed', reason: 'timeout', message: 'no answer in time' }) };
    default:
      return {};
  }
}

/** A write to such a place would go through, and would do harm. */
function unreadableOnce(): PlaceFaults {
  const answers = [outage];
  return { read: () => answers.shift() };
}

function textIn(place: FakePlace, path = 'bot.md'): string {
  return place.tree.get(path) ?? '';
}

function fallbackOver(
  places: readonly FakePlace[],
  { mode = 'auto', faults = [] }: { mode?: 'auto' | 'fixed'; faults?: readonly PlaceFaults[] } = {},
): MemoryStore {
  return createFallbackStore({ tiers: places.map((place, index) => place.open(faults[index])), mode });
}

for (const mode of MODES) {
  describeMemoryStore(`a fallback store (${mode}) whose first store is fine`, async () => {
    const [repo, cache] = [createFakePlace('repo'), createFakePlace('cache')];
    return storePlace(repo, () => fallbackOver([repo, cache], { mode }));
  });
}

describeMemoryStore('a fallback store (auto) whose first store cannot be written', async () => {
  const [repo, cache] = [createFakePlace('repo'), createFakePlace('cache')];
  return storePlace(cache, () => fallbackOver([repo, cache], { faults: [faultsOf('denied')] }));
});

function storePlace(place: FakePlace, open: () => MemoryStore): StorePlace {
  return {
    open,
    put: async (path, text) => {
      place.tree = new Map([...place.tree, [path, text]]);
      place.version += 1;
    },
    text: async (path) => place.tree.get(path),
  };
}

describe('a save of a run that has read before', () => {
  it('reports why the first store refused and what would change that, once (C3 34, C3 48)', async () => {
    const repo = createFakePlace('repo');
    const cache = createFakePlace('cache');
    const fallback = fallbackOver([repo, cache], { faults: [faultsOf('denied')] });
    expect(await fallback.write([append('a')], never)).toEqual({
      kind: 'saved',
      attempts: 1,
      location: 'cache@1',
      store: 'cache',
      notices: [
        'Memory went to the Actions cache, since the token cannot write the memory branch. Add `permissions: contents: write`.',
      ],
    });
  });

  it('keeps the notices of the store that accepted it', async () => {
    const made: CommitResult = { kind: 'committed', version: '1', notices: ['The branch was created.'] };
    const places = [createFakePlace('cache'), createFakePlace('repo')];
    const fallback = fallbackOver(places, { faults: [faultsOf('denied'), { commit: () => made }] });
    expect(await fallback.write([append('a')], never)).toMatchObject({
      notices: [expect.stringContaining('since the token cannot write'), 'The branch was created.'],
    });
  });

  it('fails with the message of the first store and the place where the entry is kept', async () => {
    const places = [createFakePlace('cache'), createFakePlace('repo')];
    const fallback = fallbackOver(places, { mode: 'fixed', faults: [faultsOf('denied')] });
    expect(await fallback.write([append('a')], never)).toEqual({
      ...denial,
      kept: {
        store: 'repo',
        location: 'repo@1',
        url: 'https://github.com/octocat/hello/blob/axe-memory/bot.md',
      },
    });
  });

  it.each([
    [
      'another trouble',
      'too slow',
      'the token cannot write; the Actions cache did not take it either: no answer in time',
    ],
    ['the same trouble', 'denied', 'the token cannot write'],
  ])('fails with the message of the first store if the second has %s', async (_, second, message) => {
    const places = [createFakePlace('repo'), createFakePlace('cache')];
    for (const mode of MODES) {
      const fallback = fallbackOver(places, { mode, faults: [faultsOf('denied'), faultsOf(second)] });
      expect(await fallback.write([append('a')], never)).toEqual({ ...denial, message });
    }
  });

  it('adds nothing in the whole run to a store that could not be read once (C3 38)', async () => {
    const repo = createFakePlace('repo', { 'bot.md': entryText('old') });
    const cache = createFakePlace('cache');
    const fallback = fallbackOver([repo, cache], { faults: [faultsOf('unreadable at first')] });
    await fallback.read(wanted, never);
    await fallback.read({ ...wanted, paths: ['other.md'] }, never);
    expect(await fallback.write([append('a', { path: 'other.md' })], never)).toMatchObject({
      kind: 'saved',
      store: 'cache',
      notices: [
        expect.stringContaining('could not be read, so nothing was added to it (answered 502). Try again.'),
      ],
    });
    expect(repo.version).toBe(0);
  });

  it.each([
    ['auto', 0],
    ['fixed', 1],
  ] as const)('calls no store after the run is stopped, in %s (C3 54)', async (mode, folds) => {
    const stop = new AbortController();
    const [repo, cache] = [createFakePlace('repo'), createFakePlace('cache')];
    const commit = (): CommitResult => {
      stop.abort();
      return { kind: 'failed', reason: 'timeout', message: 'stopped' };
    };
    const fallback = fallbackOver([repo, cache], { mode, faults: [{ commit }] });
    await fallback.read(wanted, never);
    const before = cache.reads.length;
    for (let time = 0; time < 2; time += 1) {
      expect(await fallback.write([append('a')], stop.signal)).toMatchObject({
        kind: 'failed',
        reason: 'timeout',
      });
    }
    expect(cache.reads).toHaveLength(before + folds);
    expect(cache.version).toBe(0);
  });

  it('does nothing for no changes', async () => {
    const [repo, cache] = [createFakePlace('repo'), createFakePlace('cache', { 'bot.md': entryText('a') })];
    expect(await fallbackOver([repo, cache]).write([], never)).toMatchObject({ kind: 'saved', attempts: 0 });
    expect([repo.version, cache.version]).toEqual([0, 0]);
  });
});

it.each([
  ['fine', 'fine', 'repo', 'repo'],
  ['fine', 'denied', 'repo', 'repo'],
  ['fine', 'unreadable', 'repo', 'repo'],
  ['fine', 'absent', 'repo', 'repo'],
  ['denied', 'fine', 'cache', 'denied, kept in cache'],
  ['denied', 'denied', 'denied', 'denied'],
  ['denied', 'unreadable', 'denied', 'denied'],
  ['denied', 'absent', 'denied', 'denied'],
  ['unreadable at first', 'fine', 'cache', 'error, kept in cache'],
  ['unreadable at first', 'denied', 'error', 'error'],
  ['unreadable at first', 'unreadable', 'error', 'error'],
  ['unreadable at first', 'absent', 'error', 'error'],
  ['in conflict', 'fine', 'cache', 'conflict, kept in cache'],
  ['in conflict', 'denied', 'conflict', 'conflict'],
  ['in conflict', 'unreadable', 'conflict', 'conflict'],
  ['in conflict', 'absent', 'conflict', 'conflict'],
  ['too slow', 'fine', 'cache', 'timeout, kept in cache'],
  ['too slow', 'denied', 'timeout', 'timeout'],
  ['too slow', 'unreadable', 'timeout', 'timeout'],
  ['too slow', 'absent', 'timeout', 'timeout'],
])(
  'C3 53: a save ends, with the first store %s and the second %s, as auto: %s, and as fixed: %s',
  async (...row) => {
    const [first, second, ...expected] = row;
    for (const [index, mode] of MODES.entries()) {
      const repo = createFakePlace('repo', { 'bot.md': entryText('old') });
      const cache = createFakePlace('cache');
      const places = second === 'absent' ? [repo] : [repo, cache];
      const fallback = fallbackOver(places, { mode, faults: [faultsOf(first), faultsOf(second)] });
      await fallback.read(wanted, never);
      const result = await fallback.write([append('new')], never);
      const place = result.kind === 'saved' ? (result.store ?? fallback.kind) : result.kept?.store;
      const kept = place === undefined ? '' : `, kept in ${place}`;
      expect(result.kind === 'saved' ? place : `${result.reason}${kept}`).toBe(expected[index]);
      expect(idsIn(textIn(repo))).toEqual(place === 'repo' ? ['old', 'new'] : ['old']);
      expect(idsIn(textIn(cache))).toEqual(place === 'cache' ? ['new'] : []);
      if (result.kind === 'saved') expect(result.notices ?? []).toHaveLength(place === 'cache' ? 1 : 0);
    }
  },
);

describe('entries kept in a lower store', () => {
  it.each(MODES)('move up with the next save, of both lanes, in %s', async (mode) => {
    const repo = createFakePlace('repo', { 'bot.md': `preamble by hand\n\n${entryText('old')}` });
    const cache = createFakePlace('cache');
    const tainted = [append('t'), append('t', { path: 'untrusted/bot.md', result: 'words of its own' })];
    const refused = fallbackOver([repo, cache], { mode, faults: [faultsOf('denied')] });
    await refused.write(tainted, never);
    const fallback = fallbackOver([repo, cache], { mode });
    await fallback.read(wanted, never);
    expect(await fallback.write([append('new')], never)).toEqual({
      kind: 'saved',
      attempts: 1,
      location: 'repo@1',
      url: 'https://github.com/octocat/hello/blob/axe-memory/bot.md',
    });
    expect(textIn(repo)).toBe(`preamble by hand\n\n${entryText('old')}${entryText('t')}${entryText('new')}`);
    expect(textIn(repo, 'untrusted/bot.md')).toBe(entryText('t', 'words of its own'));
  });

  it.each(MODES)('move up once, and then cost nothing but the entry, in %s', async (mode) => {
    const repo = createFakePlace('repo');
    const cache = createFakePlace('cache', {
      'bot.md': entryText('kept') + plainEntry('of axe'),
      'untrusted/bot.md': entryText('apart'),
      'bot.state.md': stateOf('gone'),
    });
    await fallbackOver([repo, cache], { mode }).write([append('a')], never);
    const [once, ...others] = [textIn(repo), textIn(repo, 'untrusted/bot.md'), textIn(repo, 'bot.state.md')];
    await fallbackOver([repo, cache], { mode }).write([append('b')], never);
    expect(textIn(repo)).toBe(once + entryText('b'));
    expect([textIn(repo, 'untrusted/bot.md'), textIn(repo, 'bot.state.md')]).toEqual(others);
    expect(await fallbackOver([repo, cache], { mode }).write([append('b')], never)).toMatchObject({
      attempts: 0,
    });
    expect([repo.version, cache.version]).toEqual([2, 0]);
  });

  it.each(MODES)('do not restore what the upper store forgot, in %s', async (mode) => {
    const repo = createFakePlace('repo', { 'bot.md': entryText('a'), 'bot.state.md': stateOf('x') });
    const cache = createFakePlace('cache', { 'bot.md': entryText('x') + entryText('y') });
    await fallbackOver([repo, cache], { mode }).write([append('b')], never);
    expect([...idsIn(textIn(repo))].sort()).toEqual(['a', 'b', 'y']);
  });

  it.each([
    ['with', { 'bot.md': entryText('y') }, ['a', 'b', 'y']],
    ['without', {}, ['a', 'b']],
  ])('lose what was forgotten below, %s a run log there', async (_, files, expected) => {
    for (const mode of MODES) {
      const repo = createFakePlace('repo', { 'bot.md': entryText('a') + entryText('x') });
      const cache = createFakePlace('cache', { ...files, 'bot.state.md': stateOf('x') });
      await fallbackOver([repo, cache], { mode }).write([append('b')], never);
      expect([...idsIn(textIn(repo))].sort()).toEqual(expected);
      expect(textIn(repo, 'bot.state.md')).toContain('- forgotten x');
      expect([...repo.tree.keys()].sort()).toEqual(['bot.md', 'bot.state.md']);
    }
  });

  it.each(MODES)('can be forgotten by the save that moves them up, in %s', async (mode) => {
    const repo = createFakePlace('repo', { 'bot.md': entryText('a') });
    const cache = createFakePlace('cache', { 'bot.md': entryText('x') });
    await fallbackOver([repo, cache], { mode }).write(forget(['x']), never);
    await fallbackOver([repo, cache], { mode }).write([append('b')], never);
    expect(idsIn(textIn(repo))).toEqual(['a', 'b']);
    expect(idsIn(textOf(await fallbackOver([repo, cache]).read(wanted, never)))).toEqual(['a', 'b']);
  });

  it.each(MODES)('move up with a save that changes only the state, in %s', async (mode) => {
    const repo = createFakePlace('repo', { 'bot.md': entryText('a') });
    const cache = createFakePlace('cache', {
      'bot.md': entryText('k'),
      'bot.state.md': '- spend 2026-02 usd=1\n',
    });
    const rewrite = (text: string) => withFacts(text, [{ kind: 'head', key: '7', rest: 'sha=abc' }]);
    await fallbackOver([repo, cache], { mode }).write(
      [{ kind: 'rewrite', path: 'bot.state.md', rewrite }],
      never,
    );
    expect(idsIn(textIn(repo))).toEqual(['a', 'k']);
    expect(textIn(repo, 'bot.state.md')).toBe('- spend 2026-02 usd=1\n- head 7 sha=abc\n');
  });

  it.each(MODES)('do not hide where the entry of the run went, in %s', async (mode) => {
    const repo = createFakePlace('repo');
    const cache = createFakePlace('cache', { 'bot.state.md': stateOf('x'), 'bot.md': entryText('k') });
    const entry = append('a', { path: 'untrusted/bot.md' });
    expect(await fallbackOver([repo, cache], { mode }).write([entry], never)).toMatchObject({
      url: 'https://github.com/octocat/hello/blob/axe-memory/untrusted/bot.md',
    });
  });

  it.each(MODES)('are looked up once if a backup is changed too, in %s', async (mode) => {
    const repo = createFakePlace('repo', { 'bot.md': entryText('x'), 'bot.md.bak': entryText('x') });
    const cache = createFakePlace('cache', { 'bot.md': entryText('k'), 'bot.md.bak': entryText('old') });
    const rewrite = () => '';
    const changes: readonly Change[] = [...forget(['x']), { kind: 'rewrite', path: 'bot.md.bak', rewrite }];
    await fallbackOver([repo, cache], { mode }).write(changes, never);
    expect([textIn(repo), textIn(repo, 'bot.md.bak')]).toEqual([entryText('k'), '']);
    expect(cache.reads).toEqual([['bot.md', 'bot.state.md', 'untrusted/bot.md', 'untrusted/bot.state.md']]);
  });

  it.each(MODES)('are not duplicated by saving them again without provenance, in %s', async (mode) => {
    const [repo, cache] = [createFakePlace('repo'), createFakePlace('cache')];
    const entry: Change = { kind: 'append', path: 'bot.md', id: 'n', text: plainEntry('no provenance') };
    await fallbackOver([repo, cache], { mode, faults: [faultsOf('denied')] }).write([entry], never);
    await fallbackOver([repo, cache], { mode }).write([entry], never);
    expect(textIn(cache)).toBe(entry.text);
    expect(textIn(repo)).toBe(entry.text);
  });

  it.each(MODES)('are those of the same agents only, and never move down, in %s', async (mode) => {
    const files = {
      'bot.md': entryText('a'),
      'bot.state.md': stateOf('x'),
      'untrusted/bot.md': entryText('u'),
    };
    const repo = createFakePlace('repo', files);
    const cache = createFakePlace('cache', { 'other.md': entryText('o') });
    await fallbackOver([repo, cache], { mode }).write([append('b')], never);
    await fallbackOver([repo, cache], { mode, faults: [faultsOf('denied')] }).write([append('c')], never);
    expect([...repo.tree.keys()].sort()).toEqual(['bot.md', 'bot.state.md', 'untrusted/bot.md']);
    expect(Object.fromEntries(cache.tree)).toEqual({ 'other.md': entryText('o'), 'bot.md': entryText('c') });
  });

  it('move up from every lower store', async () => {
    const places = (['repo', 'cache', 'cache'] as const).map((kind, index) =>
      createFakePlace(kind, { 'bot.md': entryText(`of-${index}`) }),
    );
    await fallbackOver(places).write([append('a')], never);
    expect(places.map((place) => idsIn(textIn(place)))).toEqual([
      ['of-0', 'of-1', 'of-2', 'a'],
      ['of-1'],
      ['of-2'],
    ]);
  });

  it('never cost a run its own entry', async () => {
    const full: CommitResult = { kind: 'failed', reason: 'error', message: 'more than it takes' };
    const [cache, repo] = [createFakePlace('cache'), createFakePlace('repo', { 'bot.md': entryText('k') })];
    const answers = [full];
    const fallback = fallbackOver([cache, repo], {
      mode: 'fixed',
      faults: [{ commit: () => answers.shift() }],
    });
    expect(await fallback.write([append('a')], never)).toMatchObject({ kind: 'saved' });
    expect(idsIn(textIn(cache))).toEqual(['a']);
    await fallback.write([append('b')], never);
    expect([...idsIn(textIn(cache))].sort()).toEqual(['a', 'b', 'k']);
  });

  it('are requested once by a run that read them, and again after that run has added to them', async () => {
    const [repo, cache] = [createFakePlace('repo'), createFakePlace('cache')];
    const denials = [undefined, denial];
    const fallback = fallbackOver([repo, cache], { faults: [{ commit: () => denials.shift() }] });
    await fallback.read(wanted, never);
    await fallback.write([append('a')], never);
    expect(cache.reads).toHaveLength(1);
    await fallback.write([append('b')], never);
    expect(idsIn(textIn(cache))).toEqual(['b']);
    await fallback.write([append('c')], never);
    expect([...idsIn(textIn(repo))].sort()).toEqual(['a', 'b', 'c']);
  });

  it.each([
    ['a new note', {}, 1, []],
    ['a note that both have', { [NOTE_IN_FOLDER]: 'kept in the cache\n' }, 1, ['kept in the cache']],
    ['a note of a folder that was not read', {}, 2, [], 'projects/p-12345678/daily/'],
  ])(
    'are requested from the cache again only if they were not read: %s',
    async (_, kept, reads, folded, folder = NOTES_FOLDER) => {
      const [repo, cache] = [createFakePlace('repo'), createFakePlace('cache', kept)];
      const fallback = fallbackOver([repo, cache]);
      await fallback.read({ ...wanted, alongside: [folder] }, never);
      const saved = await fallback.write([append('a'), adding(NOTE_IN_FOLDER, 'new\n')], never);
      expect(saved.kind).toBe('saved');
      expect(cache.reads).toHaveLength(reads);
      for (const text of [...folded, 'new']) expect(textIn(repo, NOTE_IN_FOLDER)).toContain(text);
    },
  );
});

describe('a read of several stores', () => {
  const both = () => [
    createFakePlace('repo', { 'bot.md': entryText('a') + entryText('b') }),
    createFakePlace('cache', { 'bot.md': entryText('b') + entryText('c'), 'other.md': entryText('o') }),
  ];

  it('returns their entries as one log, each once, and both places', async () => {
    expect(await fallbackOver(both()).read(wanted, never)).toEqual({
      kind: 'restored',
      text: entryText('a') + entryText('b') + entryText('c'),
      loaded: 3,
      total: 3,
      truncated: undefined,
      location: 'repo@0 and cache@0',
      places: [
        { location: 'repo@0', store: 'repo', url: 'https://github.com/octocat/hello/blob/axe-memory/bot.md' },
        { location: 'cache@0', store: 'cache' },
      ],
      url: 'https://github.com/octocat/hello/blob/axe-memory/bot.md',
      store: 'repo',
      warnings: [],
    });
  });

  it('returns the place of the store that holds entries', async () => {
    const read = async (...places: FakePlace[]) => await fallbackOver(places).read(wanted, never);
    const cache = createFakePlace('cache', { 'bot.md': entryText('c') });
    expect(await read(createFakePlace('repo'), cache)).toMatchObject({ location: 'cache@0', store: 'cache' });
    expect(await read(createFakePlace('repo'), createFakePlace('cache'))).toEqual({
      kind: 'empty',
      location: 'repo@0',
      url: 'https://github.com/octocat/hello/blob/axe-memory/bot.md',
      store: 'repo',
      warnings: [],
    });
  });

  it('uses the first alone in fixed mode (D34)', async () => {
    const [repo, cache] = [createFakePlace('repo'), createFakePlace('cache', { 'bot.md': entryText('c') })];
    const result = await fallbackOver([repo, cache], { mode: 'fixed' }).read(wanted, never);
    expect(result).toMatchObject({ kind: 'empty', location: 'repo@0' });
    expect(result).not.toHaveProperty('store');
    expect(cache.reads).toEqual([]);
  });

  it('leaves out what one of them forgot', async () => {
    const repo = createFakePlace('repo', { 'bot.md': entryText('a'), 'bot.state.md': stateOf('c') });
    const cache = createFakePlace('cache', { 'bot.md': entryText('c'), 'bot.state.md': stateOf('a') });
    expect(idsIn(textOf(await fallbackOver([repo, cache]).read(wanted, never)))).toEqual([]);
  });

  it('returns both lanes of both stores on request', async () => {
    const repo = createFakePlace('repo', { 'bot.md': entryText('a'), 'untrusted/bot.md': entryText('u') });
    const cache = createFakePlace('cache', { 'bot.md': entryText('b'), 'untrusted/bot.md': entryText('v') });
    const request = { ...wanted, paths: ['untrusted/bot.md', 'bot.md'] };
    const ids = idsIn(textOf(await fallbackOver([repo, cache]).read(request, never)));
    expect([...ids].sort()).toEqual(['a', 'b', 'u', 'v']);
    expect(idsIn(textOf(await fallbackOver([repo, cache]).read(wanted, never)))).toEqual(['a', 'b']);
  });

  it.each([
    ['the first', 0, 'repo', 'cache'],
    ['the second', 1, 'cache', 'repo'],
  ] as const)('warns if %s cannot be read', async (_, broken, name, other) => {
    const faults = [0, 1].map((index) => faultsOf(index === broken ? 'unreadable' : 'fine'));
    expect(await fallbackOver(both(), { faults }).read(wanted, never)).toMatchObject({
      kind: 'restored',
      loaded: 2,
      store: other,
      warnings: [
        {
          code: 'memory-store-notice',
          message: `${name === 'repo' ? 'the memory branch' : 'the Actions cache'} could not be read, so this run does without it and adds nothing to it: answered 502.`,
          remedy: 'Try again.',
        },
      ],
    });
  });

  it('does not report a second store that this runner does not offer (C3 33)', async () => {
    const absent = { read: (): Unreadable => ({ ...outage, reason: 'unavailable' }) };
    expect(await fallbackOver(both(), { faults: [{}, absent] }).read(wanted, never)).toMatchObject({
      warnings: [],
    });
    expect(await fallbackOver(both(), { faults: [absent] }).read(wanted, never)).toMatchObject({
      warnings: [{ code: 'memory-store-notice' }],
    });
  });

  it('fails with the message of the first if none can be read', async () => {
    const other = {
      read: (): Unreadable => ({ kind: 'unreadable', reason: 'unavailable', message: 'no cache here' }),
    };
    const faults = [faultsOf('unreadable'), other];
    expect(await fallbackOver(both(), { faults }).read(wanted, never)).toEqual({
      kind: 'failed',
      location: 'repo@?',
      url: 'https://github.com/octocat/hello/blob/axe-memory/bot.md',
      message: 'answered 502; the Actions cache could not be read either: no cache here',
      remedy: 'Try again.',
    });
    expect(await fallbackOver(both(), { mode: 'fixed', faults }).read(wanted, never)).toMatchObject({
      kind: 'failed',
      message: 'answered 502',
    });
  });

  it('refuses a path outside the tree, and treats no store as broken', async () => {
    const fallback = fallbackOver(both());
    expect(await fallback.read({ ...wanted, paths: ['../bot.md'] }, never)).toMatchObject({ kind: 'failed' });
    expect(await fallback.write([append('d', { path: '../bot.md' })], never)).toMatchObject({
      kind: 'failed',
      reason: 'error',
    });
    expect(await fallback.write([append('d')], never)).toMatchObject({ kind: 'saved', location: 'repo@1' });
  });
});

describe('the whole tree of several stores', () => {
  const files = () => [
    createFakePlace('repo', { 'bot.md': entryText('a'), 'bot.state.md': stateOf('x') }),
    createFakePlace('cache', { 'bot.md': entryText('x') + entryText('b'), 'other.md': entryText('o') }),
  ];

  it.each(MODES)('includes all of them, in %s', async (mode) => {
    const result = await fallbackOver(files(), { mode }).readTree(never);
    expect(result).toMatchObject({
      kind: 'tree',
      location: 'repo@0 and cache@0',
      places: [{ location: 'repo@0' }, { location: 'cache@0' }],
      warnings: [],
      parts: [{ store: 'repo' }, { store: 'cache' }],
    });
    expect(result.kind === 'tree' && Object.fromEntries(result.tree)).toEqual({
      'bot.md': entryText('a') + entryText('b'),
      'bot.state.md': stateOf('x'),
      'other.md': entryText('o'),
    });
  });

  it.each(MODES)('comes with a warning for a store that cannot be read, in %s', async (mode) => {
    const faults = [faultsOf('unreadable')];
    const result = await fallbackOver(files(), { mode, faults }).readTree(never);
    expect(result).toMatchObject({
      kind: 'tree',
      location: 'cache@0',
      store: 'cache',
      warnings: [
        {
          code: 'memory-store-notice',
          message: 'the memory branch could not be read and is missing here: answered 502.',
          remedy: 'Try again.',
        },
      ],
    });
  });

  it('fails if none can be read', async () => {
    const faults = [
      faultsOf('unreadable'),
      { read: (): Unreadable => ({ ...outage, message: 'no cache here' }) },
    ];
    expect(await fallbackOver(files(), { faults }).readTree(never)).toEqual({
      kind: 'failed',
      location: 'repo@?',
      message: 'answered 502; the Actions cache could not be read either: no cache here',
      remedy: 'Try again.',
    });
  });
});

describe('a fallback store', () => {
  it('has the kind of its first store, and needs one', () => {
    expect(fallbackOver([createFakePlace('cache'), createFakePlace('repo')]).kind).toBe('cache');
    expect(() => createFallbackStore({ tiers: [], mode: 'auto' })).toThrow('at least one tier');
  });

  it('drops the history of the first store that has one', async () => {
    const { dropHistory: _, ...plain } = createFakePlace('cache').open();
    const fallback = createFallbackStore({ tiers: [plain, createFakePlace('repo').open()], mode: 'fixed' });
    expect(await fallback.dropHistory?.(never)).toMatchObject({ kind: 'saved', location: 'repo@repo anew' });
    expect(createFallbackStore({ tiers: [plain], mode: 'auto' })).not.toHaveProperty('dropHistory');
  });
});

describe('notes kept in a lower store', () => {
  const PAD = 'projects/p-12345678/SCRATCHPAD.md';
  const UNDER = ['MEMORY.md', PAD, 'projects/p-12345678/daily/'];

  it('are read together in auto, and each store that cannot be read is neither read nor written', async () => {
    const repo = createFakePlace('repo', { 'MEMORY.md': 'A\n' });
    const cache = createFakePlace('cache', { 'MEMORY.md': 'B\n' });
    expect(await shown(fallbackOver([repo, cache]), UNDER)).toEqual({ 'MEMORY.md': 'A\nB\n' });
    const broken = fallbackOver([repo, cache], { faults: [unreadableOnce()] });
    expect(await shown(broken, UNDER)).toEqual({ 'MEMORY.md': 'B\n' });
    expect(await broken.write([adding('MEMORY.md', 'C')], never)).toMatchObject({
      kind: 'saved',
      store: 'cache',
    });
    expect([repo.version, cache.version]).toEqual([0, 1]);
  });
});

describe('the notes that are read alongside a log', () => {
  it.each([
    ['auto', 'Tabs.\nNo push on Fridays.\n'],
    ['fixed', 'Tabs.\n'],
  ] as const)('come in mode %s with the log', async (mode, notes) => {
    const repo = createFakePlace('repo', { 'bot.md': entryText('a'), 'MEMORY.md': 'Tabs.\n' });
    const cache = createFakePlace('cache', { 'MEMORY.md': 'No push on Fridays.\n' });
    const store = fallbackOver([repo, cache], { mode });
    const found = await store.read({ ...wanted, alongside: ['MEMORY.md'] }, never);
    expect(textOf(found)).toBe(entryText('a'));
    expect(found.kind === 'restored' && Object.fromEntries(found.alongside ?? [])).toEqual({
      'MEMORY.md': notes,
    });
  });

  it('are refused outside of the tree', async () => {
    const store = fallbackOver([createFakePlace('repo')]);
    expect(await store.read({ ...wanted, alongside: ['../x/'] }, never)).toMatchObject({ kind: 'failed' });
  });
});
