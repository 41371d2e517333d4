import { describe, expect, it } from '@jest/globals';
import { commitMessage } from '../../../../src/adapters/stores/repo/commit-message.js';
import { createRepoStore } from '../../../../src/adapters/stores/repo/repo-store.js';
import type { TreeStore } from '../../../../src/adapters/stores/store.js';
import type { BranchCommit, BranchTrouble } from '../../../../src/core/memory/branch.js';
import { forgottenIds } from '../../../../src/core/memory/state.js';
import { describeMemoryStore, textOf } from '../contract.js';
import { append, entryText, forget, idsIn, plainEntry, stateOf } from '../entries.js';
import { type BranchFaults, createFakeBranch, type FakeBranch } from '../fake-branch.js';
import { createFakeClock, type FakeClock } from '../fake-clock.js';

const never = new AbortController().signal;

interface Run {
  readonly faults?: BranchFaults;
  readonly folder?: string;
  readonly clock?: FakeClock;
  readonly mayCreate?: boolean;
  readonly isShared?: boolean;
  readonly isBusy?: boolean;
}

/** The store of a new run. */
function run(
  branch: FakeBranch,
  {
    faults = {},
    folder = '',
    clock = createFakeClock(),
    mayCreate = true,
    isShared = false,
    isBusy = false,
  }: Run = {},
): TreeStore {
  return createRepoStore({ branch: branch.open(faults), folder, clock, mayCreate, isShared, isBusy });
}

async function read(store: TreeStore, paths: readonly string[] = ['bot.md']) {
  return await store.read({ paths, lastN: 0, count: true }, never);
}

function idsOf(branch: FakeBranch, path = 'bot.md'): readonly string[] {
  return idsIn(branch.text(path) ?? '');
}

describe.each([
  ['at the top of a branch', '', true],
  ['in a folder of a branch', '.axe/memory', true],
  ['in a folder of a branch beside which nothing is put', '.axe/memory', false],
])('%s', (where, folder, hasPending) => {
  describeMemoryStore(`a repo store ${where}`, async () => {
    const branch = createFakeBranch();
    const at = (path: string) => (folder === '' ? path : `${folder}/${path}`);
    const open = () => run(branch, { folder, faults: { hasPending } });
    return {
      open,
      put: async (path, text) => branch.put(at(path), text),
      async text(path) {
        if (branch.pending.length === 0) return branch.text(at(path));
        // What was put aside is where every run reads it.
        const found = await open().readTree(never);
        return found.kind === 'tree' ? found.tree.get(path) : undefined;
      },
    };
  });
});

describe('the calls to GitHub', () => {
  it('are one read and one commit for each change', async () => {
    const branch = createFakeBranch();
    branch.put('bot.md', entryText('a'));
    expect(
      await run(branch).write([append('b'), append('b', { path: 'untrusted/bot.md' })], never),
    ).toMatchObject({
      kind: 'saved',
      attempts: 1,
    });
    expect(branch.calls).toEqual(['read', 'commit']);
    expect(branch.log()).toHaveLength(2);
  });

  it('are one read to load both lanes, and to find that nothing has to be written', async () => {
    const branch = createFakeBranch();
    branch.put('bot.md', entryText('a'));
    await read(run(branch), ['untrusted/bot.md', 'bot.md']);
    await run(branch).write([append('a')], never);
    expect(branch.calls).toEqual(['read', 'read']);
  });

  it('do not check how the branch grew while nothing is missing', async () => {
    const branch = createFakeBranch();
    branch.put('bot.md', entryText('a'));
    const store = run(branch);
    await read(store);
    await run(branch).write([append('b')], never);
    await store.write([append('c')], never);
    expect(branch.calls).not.toContain('growth');
    expect(idsOf(branch)).toEqual(['a', 'b', 'c']);
  });

  it('are one commit for a save after a read, if nobody has saved in between', async () => {
    const branch = createFakeBranch();
    branch.put('bot.md', entryText('a'));
    const store = run(branch);
    await read(store);
    expect(await store.write([append('b')], never)).toMatchObject({ kind: 'saved', attempts: 1 });
    expect(branch.calls).toEqual(['read', 'commit']);
    await store.write([append('c')], never);
    expect(branch.calls).toEqual(['read', 'commit', 'read', 'commit']);
    expect(idsOf(branch)).toEqual(['a', 'b', 'c']);
  });

  it('are another read and commit if somebody has saved since the read', async () => {
    const branch = createFakeBranch();
    branch.put('bot.md', entryText('a'));
    const store = run(branch);
    await read(store);
    branch.put('bot.md', `${branch.text('bot.md')}${entryText('theirs')}`);
    await store.write([append('b')], never);
    expect(branch.calls).toEqual(['read', 'commit', 'read', 'commit']);
    expect(idsOf(branch)).toEqual(['a', 'theirs', 'b']);
  });

  it('include a read before each save to a branch that many save to', async () => {
    const branch = createFakeBranch();
    branch.put('bot.md', entryText('a'));
    const store = run(branch, { isBusy: true });
    await read(store);
    await store.write([append('b')], never);
    expect(branch.calls).toEqual(['read', 'read', 'commit']);
  });

  it('include a read before a save to files that were not read', async () => {
    const branch = createFakeBranch();
    branch.put('bot.md', entryText('a'));
    const store = run(branch);
    await read(store);
    await store.write([append('b', { path: 'untrusted/bot.md' })], never);
    expect(branch.calls).toEqual(['read', 'read', 'commit']);
  });

  it('include a read before it is said that there is nothing to save', async () => {
    const branch = createFakeBranch();
    branch.put('bot.md', entryText('a'));
    const store = run(branch);
    await read(store);
    branch.head = undefined;
    await store.write([append('a')], never);
    expect(idsOf(branch)).toEqual(['a']);
  });

  it('write only changed files below the folder', async () => {
    const branch = createFakeBranch();
    branch.put('README.md', 'hello');
    branch.put('.axe/memory/bot.md', entryText('a'));
    await run(branch, { folder: './.axe/memory/' }).write(
      [append('a'), append('b', { path: 'other.md' })],
      never,
    );
    expect([...(branch.head?.files.keys() ?? [])]).toEqual([
      'README.md',
      '.axe/memory/bot.md',
      '.axe/memory/other.md',
    ]);
    expect(branch.text('README.md')).toBe('hello');
  });

  it.each(['../x', 'a/../../b', 'a//b', 'a\\b'])(
    'are not made for the folder %j: it leads out of the branch',
    (folder) => {
      expect(() => run(createFakeBranch(), { folder })).toThrow('is not a folder of a repository');
    },
  );
});

describe('the places of entries', () => {
  const url = 'https://github.com/octocat/hello/blob/axe-memory/deep/bot.md';

  it('name repository, branch and file, with a link', async () => {
    const branch = createFakeBranch();
    const store = run(branch, { folder: 'deep' });
    const within = { root: 'octocat/hello@axe-memory:deep', separator: '/' };
    const place = { location: 'octocat/hello@axe-memory:deep/bot.md', within, url };
    expect(await store.write([append('a')], never)).toMatchObject({ kind: 'saved', ...place });
    expect(await read(store)).toMatchObject({ kind: 'restored', ...place });
    expect(await store.readTree(never)).toMatchObject({ location: 'octocat/hello@axe-memory:deep' });
    expect(await run(branch).readTree(never)).toMatchObject({ location: 'octocat/hello@axe-memory' });
  });

  it('have no link if there is nothing', async () => {
    const result = await read(run(createFakeBranch()));
    expect(result).toEqual({
      kind: 'empty',
      location: 'octocat/hello@axe-memory:bot.md',
      within: { root: 'octocat/hello@axe-memory', separator: ':' },
      warnings: [],
    });
  });
});

describe('C3 45: a missing branch', () => {
  it('is read as empty, and is not created by reading', async () => {
    const branch = createFakeBranch();
    expect(await read(run(branch))).toMatchObject({ kind: 'empty' });
    expect(await run(branch).readTree(never)).toMatchObject({ kind: 'tree', tree: new Map() });
    expect(branch.head).toBeUndefined();
  });

  it.each([
    [false, ['The branch `octocat/hello@axe-memory` was created to keep memory.']],
    [
      true,
      [
        expect.stringMatching(
          /^The branch `octocat\/hello@axe-memory` was created .*\. The repository is public, so everybody can read .*`memory-repo`/,
        ),
      ],
    ],
  ])('is created with a notice, public: %s', async (isPublic, notices) => {
    const branch = createFakeBranch();
    branch.isPublic = isPublic;
    expect(await run(branch).write([append('a')], never)).toMatchObject({ kind: 'saved', notices });
    expect(branch.log()).toMatchObject([{ parent: undefined, message: 'Update memory of bot [skip ci]' }]);
    expect(await run(branch).write([append('b')], never)).not.toHaveProperty('notices');
  });

  it('gets the entries of two runs that create it at once, on one branch', async () => {
    const branch = createFakeBranch();
    // The second looks before the first has created it, and creates after.
    let wait = Promise.resolve<unknown>(undefined);
    const slow = run(branch, {
      faults: { step: async (operation) => void (operation === 'create' && (await wait)) },
    });
    wait = run(branch).write([append('a')], never);
    const result = await slow.write([append('b')], never);
    expect(result).toMatchObject({ kind: 'saved', attempts: 2 });
    expect(result).not.toHaveProperty('notices');
    expect(branch.calls.filter((call) => call === 'create')).toHaveLength(2);
    expect(idsOf(branch)).toEqual(['a', 'b']);
    expect(branch.log()).toHaveLength(2);
  });

  it('is not created if the caller forbids it', async () => {
    const branch = createFakeBranch();
    expect(await run(branch, { mayCreate: false }).write([append('a')], never)).toEqual({
      kind: 'failed',
      reason: 'unavailable',
      message: 'there is no branch `octocat/hello@axe-memory`',
      remedy: expect.stringContaining('`memory-branch`'),
    });
    expect(branch.calls).toEqual(['read']);
  });
});

describe('races and lost answers', () => {
  it('apply the change to the newer version when somebody else was first (C3 46)', async () => {
    const branch = createFakeBranch();
    branch.put('bot.md', entryText('a'));
    let meddle = true;
    const step = async (operation: string) => {
      if (operation === 'commit' && meddle) {
        meddle = false;
        branch.put('bot.md', `${branch.text('bot.md')}${entryText('theirs')}`);
      }
    };
    expect(await run(branch, { faults: { step } }).write([append('b')], never)).toMatchObject({
      attempts: 2,
    });
    expect(idsOf(branch)).toEqual(['a', 'theirs', 'b']);
  });

  it('end after nine stale answers (C3 46)', async () => {
    const branch = createFakeBranch();
    let left = 9;
    const commit = () => {
      left -= 1;
      return left >= 0 ? ({ kind: 'stale' } as const) : undefined;
    };
    const faults = { commit, hasPending: false };
    expect(await run(branch, { faults }).write([append('a')], never)).toMatchObject({ attempts: 10 });
  });

  it.each([
    ['a commit', true],
    ['a creation', false],
  ])('do not write the entry twice when the answer to %s was lost (C3 47)', async (_, exists) => {
    const branch = createFakeBranch();
    if (exists) branch.put('bot.md', plainEntry('one'));
    let lost = true;
    const commit = (): (BranchCommit & { kind: 'unknown' }) | undefined => {
      if (!lost) return undefined;
      lost = false;
      return { kind: 'unknown', message: 'socket hang up' };
    };
    expect(await run(branch, { faults: { commit } }).write([append('a')], never)).toMatchObject({
      kind: 'saved',
    });
    expect(idsOf(branch)).toEqual(['a']);
    expect(branch.log()).toHaveLength(exists ? 2 : 1);
  });

  it('keep the bytes of a person who edits by hand meanwhile (C3 52)', async () => {
    const branch = createFakeBranch();
    branch.put('bot.md', entryText('a') + entryText('b'));
    const edited = `A note of mine  \r\n\r\n${entryText('b').replace('done', 'done, and checked\t')}`;
    const step = async (operation: string) => {
      if (operation === 'commit' && branch.text('bot.md') !== edited) branch.put('bot.md', edited);
    };
    const store = run(branch, { faults: { step } });
    await read(store);
    expect(await store.write([append('c')], never)).toMatchObject({ kind: 'saved' });
    expect(branch.text('bot.md')).toBe(edited + entryText('c'));
    expect(branch.calls).toContain('growth');
  });
});

describe('an error', () => {
  const denied: BranchTrouble = {
    kind: 'failed',
    reason: 'denied',
    message: 'no',
    remedy: '`contents: write`',
  };
  const limited: BranchTrouble = {
    kind: 'failed',
    reason: 'rate-limited',
    message: 'slow',
    retryAfterMs: 12_000,
  };

  it('of reading is a failure, not an empty memory, and nothing is written (C3 38, 48)', async () => {
    const branch = createFakeBranch();
    branch.put('bot.md', entryText('a'));
    const store = run(branch, { faults: { read: () => denied } });
    expect(await read(store)).toEqual({
      kind: 'failed',
      message: 'no',
      remedy: '`contents: write`',
      location: 'octocat/hello@axe-memory:bot.md',
      within: { root: 'octocat/hello@axe-memory', separator: ':' },
    });
    expect(await store.readTree(never)).toMatchObject({ kind: 'failed', message: 'no' });
    expect(await store.write([append('b')], never)).toEqual(denied);
    expect(branch.calls).not.toContain('commit');
  });

  it('of writing ends at once with its remedy (C3 48)', async () => {
    const branch = createFakeBranch();
    const clock = createFakeClock();
    expect(
      await run(branch, { clock, faults: { commit: () => denied } }).write([append('a')], never),
    ).toEqual(denied);
    expect(clock.slept).toEqual([]);
  });

  it.each(['read', 'commit'] as const)('by a rate limit of a %s is waited for (C3 49)', async (call) => {
    const branch = createFakeBranch();
    const clock = createFakeClock();
    const left = [limited, limited];
    const faults = { [call]: () => left.shift() };
    expect(await run(branch, { clock, faults }).write([append('a')], never)).toMatchObject({ kind: 'saved' });
    expect(clock.slept).toEqual([12_000, 12_000]);
  });

  it.each(['read', 'commit'] as const)(
    'by a rate limit of a %s for 40 minutes ends at once (C3 49)',
    async (call) => {
      const clock = createFakeClock();
      const faults = { [call]: () => ({ ...limited, retryAfterMs: 2_400_000 }) };
      expect(await run(createFakeBranch(), { clock, faults }).write([append('a')], never)).toEqual({
        kind: 'failed',
        reason: 'rate-limited',
        message: 'slow',
      });
      expect(clock.slept).toEqual([]);
    },
  );

  it('is returned as a value when the run is stopped or the port throws (C3 54)', async () => {
    const branch = createFakeBranch();
    const controller = new AbortController();
    const step = async (operation: string) => void (operation === 'create' && controller.abort());
    expect(await run(branch, { faults: { step } }).write([append('a')], controller.signal)).toMatchObject({
      kind: 'failed',
      reason: 'timeout',
    });
    const broken = (): never => {
      throw new Error('bug');
    };
    expect(await run(branch, { faults: { commit: broken } }).write([append('a')], never)).toMatchObject({
      reason: 'error',
      message: 'bug',
    });
    expect(await read(run(branch, { faults: { read: broken } }))).toMatchObject({
      kind: 'failed',
      message: 'bug',
    });
    expect(branch.head).toBeUndefined();
  });
});

describe('C3 50: an entry of the tree that is not a memory file (D17)', () => {
  const link = { kind: 'refused', reason: 'it is a symbolic link' } as const;

  it.each(['bot.md', 'bot.state.md', 'untrusted/bot.md'])(
    'is neither read nor overwritten at %s',
    async (path) => {
      const branch = createFakeBranch();
      branch.put('bot.md', entryText('a'));
      branch.put(path, link);
      const before = branch.head;
      const store = run(branch);
      expect(await read(store, ['untrusted/bot.md', 'bot.md'])).toMatchObject({
        kind: 'failed',
        message: `\`octocat/hello@axe-memory:${path}\` is not a memory file: it is a symbolic link`,
        remedy: expect.stringContaining('never overwritten'),
      });
      const both = [append('b'), append('b', { path: 'untrusted/bot.md' })];
      expect(await store.write(both, never)).toMatchObject({ kind: 'failed', reason: 'error' });
      expect(branch.head).toBe(before);
    },
  );

  it('does not affect other files', async () => {
    const branch = createFakeBranch();
    branch.put('other.md', link);
    expect(await run(branch).write([append('a')], never)).toMatchObject({ kind: 'saved' });
    expect(branch.head?.files.get('other.md')).toBe(link);
  });

  it('in place of a note is left alone, blocks the note and nothing else (D54)', async () => {
    const branch = createFakeBranch();
    branch.put('MEMORY.md', link);
    branch.put('bot.md', entryText('a'));
    const found = await run(branch).read(
      { paths: ['bot.md'], lastN: 0, count: false, alongside: ['MEMORY.md'] },
      never,
    );
    expect(found).toMatchObject({
      kind: 'restored',
      loaded: 1,
      blocked: [
        { path: 'MEMORY.md', reason: 'refused', message: expect.stringContaining('a symbolic link') },
      ],
    });
    expect(await run(branch).readTree(never, ['MEMORY.md'])).toMatchObject({
      kind: 'tree',
      blocked: [{ path: 'MEMORY.md' }],
    });
  });

  it('is not overwritten by a backup', async () => {
    const branch = createFakeBranch();
    branch.put('MEMORY.md', 'old\n');
    branch.put('MEMORY.md.bak', link);
    let meddle = true;
    const step = async (operation: string) => {
      if (operation === 'commit' && meddle) {
        meddle = false;
        branch.put('MEMORY.md', 'theirs\n');
      }
    };
    const rewrite = () => 'mine\n';
    expect(
      await run(branch, { faults: { step } }).write([{ kind: 'rewrite', path: 'MEMORY.md', rewrite }], never),
    ).toMatchObject({ kind: 'failed', message: expect.stringContaining('MEMORY.md.bak') });
    expect(branch.text('MEMORY.md')).toBe('theirs\n');
    expect(branch.head?.files.get('MEMORY.md.bak')).toBe(link);
  });

  it('is left out of the whole tree, with a warning', async () => {
    const branch = createFakeBranch();
    branch.put('bot.md', entryText('a'));
    branch.put('bot.md.bak', entryText('old'));
    branch.put('linked.md', link);
    branch.put('run.sh', 'rm -r');
    const result = await run(branch).readTree(never);
    expect(result.kind === 'tree' && [...result.tree.keys()]).toEqual(['bot.md', 'bot.md.bak']);
    expect(result).toMatchObject({
      warnings: [
        {
          code: 'memory-store-notice',
          message: expect.stringMatching(
            /"linked\.md" \(it is a symbolic link\), "run\.sh" \(it is not an `\.md` file\)/,
          ),
        },
      ],
    });
  });

  it('includes files beyond the limit of the whole tree', async () => {
    const branch = createFakeBranch();
    branch.put('big.md', 'x'.repeat(8 * 1024 * 1024));
    branch.put('last.md', 'y');
    const result = await run(branch).readTree(never);
    expect(result.kind === 'tree' && [...result.tree.keys()]).toEqual(['big.md']);
    expect(result).toMatchObject({ warnings: [{ message: expect.stringContaining('"last.md"') }] });
  });
});

describe('a backup before an overwrite that would lose text', () => {
  it('is written next to the file, over an older one', async () => {
    const branch = createFakeBranch();
    branch.put('MEMORY.md', 'old\n');
    branch.put('MEMORY.md.bak', 'older\n');
    let meddle = true;
    const step = async (operation: string) => {
      if (operation === 'commit' && meddle) {
        meddle = false;
        branch.put('MEMORY.md', 'theirs\n');
      }
    };
    const rewrite = () => 'mine\n';
    const store = run(branch, { faults: { step } });
    expect(await store.write([{ kind: 'rewrite', path: 'MEMORY.md', rewrite }], never)).toMatchObject({
      attempts: 2,
    });
    expect([branch.text('MEMORY.md'), branch.text('MEMORY.md.bak')]).toEqual(['mine\n', 'theirs\n']);
    expect(branch.head?.message).toBe('Update memory of notes [skip ci]');
  });
});

describe('C3 51: a branch that is deleted or force-pushed while a run is at work', () => {
  const gone = /was deleted or force-pushed/;

  /** A run has read two entries; then somebody does something to the branch. */
  async function meddled(meddle: (branch: FakeBranch) => void | Promise<void>, options: Run = {}) {
    const branch = createFakeBranch();
    branch.put('bot.md', entryText('a', 'done', 1) + entryText('b', 'done', 2));
    branch.put('other.md', entryText('x'));
    const store = run(branch, options);
    await read(store);
    await meddle(branch);
    return { branch, store };
  }

  it('is created again with what the run had read, but not with files of others', async () => {
    const { branch, store } = await meddled((it) => {
      it.head = undefined;
    });
    expect(await store.write([append('c')], never)).toMatchObject({
      kind: 'saved',
      notices: [expect.stringContaining('was created'), expect.stringMatching(gone)],
    });
    expect(idsOf(branch)).toEqual(['a', 'b', 'c']);
    expect([...(branch.head?.files.keys() ?? [])]).toEqual(['bot.md']);
  });

  it('is not created again if the caller forbids it', async () => {
    const { branch, store } = await meddled(
      (it) => {
        it.head = undefined;
      },
      { mayCreate: false },
    );
    expect(await store.write([append('c')], never)).toMatchObject({ kind: 'failed', reason: 'unavailable' });
    expect(branch.head).toBeUndefined();
  });

  it('gets back what the run had read if others put something else there', async () => {
    const { branch, store } = await meddled((it) =>
      it.forcePush({ 'bot.md': entryText('b', 'done', 2) + entryText('new', 'done', 3) }),
    );
    expect(await store.write([append('c')], never)).toMatchObject({ notices: [expect.stringMatching(gone)] });
    expect(idsOf(branch)).toEqual(['a', 'b', 'new', 'c']);
  });

  it('gets back what was read between the read and the commit of one write', async () => {
    const branch = createFakeBranch();
    branch.put('bot.md', entryText('a'));
    let forced = false;
    const step = async (operation: string) => {
      if (operation === 'commit' && !forced) {
        forced = true;
        branch.forcePush({ 'bot.md': entryText('new') });
      }
    };
    expect(await run(branch, { faults: { step } }).write([append('c')], never)).toMatchObject({
      attempts: 2,
    });
    expect([...idsOf(branch)].sort()).toEqual(['a', 'c', 'new']);
  });

  it('stays protected over conflicts, until it is committed', async () => {
    const { branch, store } = await meddled((it) => it.forcePush({ 'bot.md': entryText('n1') }), {
      faults: {
        step: async (operation) => {
          if (operation === 'commit' && branchOf.current?.text('bot.md') === entryText('n1'))
            branchOf.current.put('bot.md', entryText('n1') + entryText('n2'));
        },
      },
    });
    branchOf.current = branch;
    expect(await store.write([append('c')], never)).toMatchObject({ attempts: 2 });
    expect([...idsOf(branch)].sort()).toEqual(['a', 'b', 'c', 'n1', 'n2']);
  });
  const branchOf: { current?: FakeBranch } = {};

  it('shows a second read of the run what the first one saw, with a warning', async () => {
    const { store } = await meddled((it) => it.forcePush({ 'bot.md': entryText('new', 'done', 3) }));
    const result = await read(store);
    expect(idsIn(textOf(result))).toEqual(['a', 'b', 'new']);
    expect(result).toMatchObject({
      warnings: [{ code: 'memory-store-notice', message: expect.stringMatching(gone) }],
    });
  });

  it('gets nothing back that somebody removed by a commit', async () => {
    const { branch, store } = await meddled((it) => it.put('bot.md', entryText('b', 'done', 2)));
    const result = await store.write([append('c')], never);
    expect(result).toMatchObject({ kind: 'saved' });
    expect(result).not.toHaveProperty('notices');
    expect(idsOf(branch)).toEqual(['b', 'c']);
  });

  it('gets nothing back that was forgotten and purged', async () => {
    const { branch, store } = await meddled(async (it) => {
      await run(it).write(forget(['a']), never);
      expect(await run(it).dropHistory?.(never)).toMatchObject({ kind: 'saved' });
    });
    expect(await store.write([append('c')], never)).not.toHaveProperty('notices');
    expect(idsOf(branch)).toEqual(['b', 'c']);
    expect(branch.calls).not.toContain('growth');
  });

  it('keeps forgotten what the run knows to be forgotten, if an older version is pushed', async () => {
    const branch = createFakeBranch();
    branch.put('bot.md', entryText('b'));
    branch.put('bot.state.md', stateOf('a'));
    const store = run(branch);
    await read(store);
    branch.forcePush({ 'bot.md': entryText('a') + entryText('b') });
    expect(await store.write([append('c'), append('a')], never)).toMatchObject({ kind: 'saved' });
    expect(idsOf(branch)).toEqual(['b', 'c']);
    expect([...forgottenIds(branch.text('bot.state.md') ?? '')]).toEqual(['a']);
  });

  it('does not count as restored what a person put back that was forgotten', async () => {
    const branch = createFakeBranch();
    branch.put('bot.md', entryText('a') + entryText('b'));
    branch.put('bot.state.md', stateOf('a'));
    const store = run(branch);
    expect(await read(store)).toMatchObject({ text: entryText('b'), warnings: [] });
    await run(branch).write([append('c')], never);
    expect(await store.write([append('d')], never)).not.toHaveProperty('notices');
    expect(branch.calls).not.toContain('growth');
    expect(idsIn(textOf(await read(store)))).toEqual(['b', 'c', 'd']);
  });

  it('is not written while nobody can tell how it grew', async () => {
    const trouble: BranchTrouble = { kind: 'failed', reason: 'unavailable', message: '502' };
    const { branch, store } = await meddled((it) => it.forcePush({}), { faults: { growth: () => trouble } });
    expect(await store.write([append('c')], never)).toEqual(trouble);
    expect(branch.text('bot.md')).toBeUndefined();
  });

  it('does not get the run’s own work back twice: what it wrote counts as read', async () => {
    const { branch, store } = await meddled(() => {});
    await store.write([append('c')], never);
    branch.head = undefined;
    await store.write([append('d')], never);
    expect(idsOf(branch)).toEqual(['a', 'b', 'c', 'd']);
    branch.put('bot.md', entryText('d'));
    await store.write([append('e')], never);
    expect(idsOf(branch)).toEqual(['d', 'e']);
  });
});

describe('dropping the history', () => {
  it('replaces all commits with one, with the same files', async () => {
    const branch = createFakeBranch();
    for (const id of ['a', 'b', 'c']) await run(branch).write([append(id)], never);
    const files = branch.head?.files;
    expect(await run(branch).dropHistory?.(never)).toMatchObject({
      kind: 'saved',
      location: 'octocat/hello@axe-memory',
    });
    expect(branch.log()).toMatchObject([
      { parent: undefined, message: expect.stringMatching(/\[skip ci\]$/), files },
    ]);
    await run(branch).write([append('d')], never);
    expect(idsOf(branch)).toEqual(['a', 'b', 'c', 'd']);
  });

  it('includes what somebody commits meanwhile', async () => {
    const branch = createFakeBranch();
    branch.put('bot.md', entryText('a'));
    let meddle = true;
    const step = async (operation: string) => {
      if (operation === 'squash' && meddle) {
        meddle = false;
        await run(branch).write([append('b')], never);
      }
    };
    expect(await run(branch, { faults: { step } }).dropHistory?.(never)).toMatchObject({
      kind: 'saved',
      attempts: 2,
    });
    expect(idsOf(branch)).toEqual(['a', 'b']);
    expect(branch.log()).toHaveLength(1);
  });

  it('is refused if other files are on the branch', async () => {
    const branch = createFakeBranch();
    branch.put('bot.md', entryText('a'));
    branch.put('bot.md', entryText('b'));
    expect(await run(branch, { isShared: true }).dropHistory?.(never)).toMatchObject({
      kind: 'failed',
      message: expect.stringContaining('other things than memory'),
      remedy: expect.stringContaining('`memory-branch: axe-memory`'),
    });
    expect(branch.log()).toHaveLength(2);
    expect(branch.calls).toEqual([]);
  });

  it('does nothing without a branch, and reports errors', async () => {
    const branch = createFakeBranch();
    expect(await run(branch).dropHistory?.(never)).toMatchObject({ kind: 'saved' });
    const denied: BranchTrouble = { kind: 'failed', reason: 'denied', message: 'no', remedy: 'ask' };
    expect(await run(branch, { faults: { read: () => denied } }).dropHistory?.(never)).toEqual(denied);
    branch.put('bot.md', entryText('a'));
    expect(await run(branch, { faults: { commit: () => denied } }).dropHistory?.(never)).toEqual(denied);
  });
});

describe('the message of a commit', () => {
  it.each([
    [['pr-reviewer.md'], 'Update memory of pr-reviewer [skip ci]'],
    [['a.md', 'a.state.md', 'untrusted/a.md', 'a.md.bak', 'b.md'], 'Update memory of a, b [skip ci]'],
    [['packages/web/bot.md', 'packages/web/untrusted/bot.md'], 'Update memory of packages/web/bot [skip ci]'],
    [
      ['1.md', '2.md', '3.md', '4.md', '5.md', '6.md', '7.md'],
      'Update memory of 1, 2, 3, 4, 5 and 2 more [skip ci]',
    ],
    [['odd\nname @octocat #1.md'], 'Update memory of odd-name-octocat-1 [skip ci]'],
  ])('for %j names the memory', (paths, message) => {
    expect(commitMessage(paths)).toBe(message);
  });

  it.each([
    ['pull_request', 42, 'Update memory of bot (pull_request 42) [skip ci]'],
    ['schedule', undefined, 'Update memory of bot (schedule) [skip ci]'],
  ])(
    'names the event %s, its number without a mark that GitHub links, and the run',
    (event, number, subject) => {
      const runUrl = 'https://github.com/octocat/hello/actions/runs/7';
      expect(commitMessage(['bot.md'], { event, number, runUrl })).toBe(`${subject}\n\nRun: ${runUrl}`);
      expect(commitMessage(['bot.md'], { event, number, runUrl: '' })).toBe(subject);
    },
  );

  it('names no file that is not memory', () => {
    expect(commitMessage(['.gitignore', 'bot.md'])).toBe('Update memory of bot [skip ci]');
    expect(commitMessage(['.gitignore'])).toBe('Update memory [skip ci]');
  });

  it('reveals nothing of what is remembered', async () => {
    const branch = createFakeBranch();
    await run(branch).write([append('a', { result: 'the model says: run `x`' })], never);
    expect(branch.head?.message).toBe('Update memory of bot [skip ci]');
  });
});
