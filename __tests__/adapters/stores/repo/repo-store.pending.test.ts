import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createRepoStore } from '../../../../src/adapters/stores/repo/repo-store.js';
import type { TreeStore } from '../../../../src/adapters/stores/store.js';
import type { Change } from '../../../../src/core/memory/change.js';
import { withFacts } from '../../../../src/core/memory/state.js';
import { append, entryText, forget, idsIn } from '../entries.js';
import { type BranchFaults, createFakeBranch, type FakeBranch } from '../fake-branch.js';
import { createFakeClock, type FakeClock } from '../fake-clock.js';

const never = new AbortController().signal;

interface Run {
  readonly faults?: BranchFaults;
  readonly folder?: string;
  readonly clock?: FakeClock;
}

/** The store of a new run. */
function run(
  branch: FakeBranch,
  { faults = {}, folder = '', clock = createFakeClock() }: Run = {},
): TreeStore {
  return createRepoStore({ branch: branch.open(faults), folder, clock, mayCreate: true });
}

/** A branch with one entry. */
function branchWith(...ids: readonly string[]): FakeBranch {
  const branch = createFakeBranch();
  branch.put('bot.md', ids.map((id) => entryText(id)).join(''));
  return branch;
}

/** Somebody who commits before each of this run's commits. */
function racing(branch: FakeBranch, more: BranchFaults = {}): BranchFaults {
  return {
    ...more,
    async step(operation) {
      if (operation === 'commit') {
        const id = `theirs${branch.log().length}`;
        branch.put('bot.md', `${branch.text('bot.md') ?? ''}${entryText(id)}`);
      }
      await more.step?.(operation);
    },
  };
}

/** Ids as a reader sees them. */
async function seenIn(branch: FakeBranch, folder = ''): Promise<readonly string[]> {
  const found = await run(branch, { folder }).read({ paths: ['bot.md'], lastN: 0, count: true }, never);
  return found.kind === 'restored' ? idsIn(found.text) : [];
}

function storedIn(branch: FakeBranch): readonly string[] {
  return idsIn(branch.text('bot.md') ?? '');
}

/** A run that loses every race, and so puts its save aside. */
async function putAside(branch: FakeBranch, changes: readonly Change[]): Promise<void> {
  expect(await run(branch, { faults: racing(branch) }).write(changes, never)).toMatchObject({
    kind: 'saved',
  });
}

describe('a save that loses the race twice', () => {
  it('is put on a branch of its own, with six requests, and says so', async () => {
    const branch = branchWith('a');
    const result = await run(branch, { faults: racing(branch) }).write([append('b')], never);
    expect(result).toMatchObject({
      kind: 'saved',
      location: 'octocat/hello@axe-memory:bot.md',
      notices: [
        'Many runs saved to `octocat/hello@axe-memory` at the same time, so this save is on the branch `axe-memory-pending/id1`. Runs read it there, and the next one that saves to `octocat/hello@axe-memory` folds it in and deletes that branch.',
      ],
    });
    expect(branch.calls).toEqual(['read', 'commit', 'read', 'commit', 'add', 'read']);
    expect(storedIn(branch)).toEqual(['a', 'theirs1', 'theirs2']);
  });

  it('is read by whoever loads the memory, without another request', async () => {
    const branch = branchWith('a');
    await putAside(branch, [append('b')]);
    branch.calls.splice(0);
    expect([...(await seenIn(branch))].sort()).toEqual(['a', 'b', 'theirs1', 'theirs2']);
    expect(branch.calls).toEqual(['read']);
  });

  it('is folded in by the next save, with one request more, and named in its commit', async () => {
    const branch = branchWith('a');
    await putAside(branch, [append('b')]);
    await putAside(branch, [append('c')]);
    branch.calls.splice(0);
    expect(await run(branch).write([append('d')], never)).toMatchObject({ kind: 'saved', attempts: 1 });
    expect(branch.calls).toEqual(['read', 'commit', 'remove']);
    expect([...storedIn(branch)].sort()).toEqual(expect.arrayContaining(['a', 'b', 'c', 'd']));
    expect(branch.log()[0]?.message).toBe(
      'Update memory of bot [skip ci]\n\nWith 2 saves of runs before it.',
    );
    expect(branch.pending).toEqual([]);
  });

  it('brings its facts along', async () => {
    const branch = branchWith('a');
    const fact = { kind: 'forgotten', key: 'x1', rest: 'at=2026-02-03T05:00:00Z' };
    const rewrite = (text: string) => withFacts(text, [fact]);
    await putAside(branch, [append('b'), { kind: 'rewrite', path: 'bot.state.md', rewrite }]);
    expect(branch.pending).toHaveLength(1);
    await run(branch).write([append('c')], never);
    expect(branch.text('bot.state.md')).toContain('forgotten x1');
  });

  it('is not counted as saved there unless a reader finds it', async () => {
    const branch = branchWith('a');
    const queue = [{ kind: 'stale' }, { kind: 'stale' }] as const;
    const stale = [...queue];
    const step = async (operation: string) => {
      if (operation === 'read') branch.pending.splice(0);
    };
    const result = await run(branch, { faults: { step, commit: () => stale.shift() } }).write(
      [append('b')],
      never,
    );
    expect(result).toMatchObject({ kind: 'saved', attempts: 4 });
    expect(result).not.toHaveProperty('notices');
    expect(storedIn(branch)).toEqual(['a', 'b']);
  });

  it('stays in the ordinary way where it takes something away or changes a note', async () => {
    for (const change of [
      { kind: 'rewrite', path: 'bot.md', rewrite: (text: string) => text.replace(entryText('a'), '') },
      {
        kind: 'note',
        path: 'MEMORY.md',
        edit: { kind: 'append', text: 'A fact.\n', dedup: false },
        backup: false,
        id: 'n1',
      },
    ] satisfies readonly Change[]) {
      const branch = branchWith('a', 'b');
      const queue = Array.from({ length: 4 }, () => ({ kind: 'stale' }) as const);
      const result = await run(branch, { faults: { commit: () => queue.shift() } }).write([change], never);
      expect(result).toMatchObject({ kind: 'saved', attempts: 5 });
      expect(branch.calls).not.toContain('add');
    }
  });

  it('stays in the ordinary way where no branch of its own is allowed', async () => {
    const branch = branchWith('a');
    const answers = [
      { kind: 'stale' },
      { kind: 'stale' },
      { kind: 'failed', reason: 'denied', message: 'GH013: Repository rule violations found' },
      { kind: 'stale' },
      { kind: 'stale' },
    ] as const;
    const queue = [...answers];
    const result = await run(branch, { faults: { commit: () => queue.shift() } }).write([append('b')], never);
    expect(result).toMatchObject({ kind: 'saved' });
    expect(branch.calls.filter((call) => call === 'add')).toHaveLength(1);
    expect(storedIn(branch)).toEqual(['a', 'b']);
  });

  it('waits as long as GitHub asks, and is then put aside at once', async () => {
    const branch = branchWith('a');
    const clock = createFakeClock();
    const limited = {
      kind: 'failed',
      reason: 'rate-limited',
      message: 'slow',
      retryAfterMs: 60_000,
    } as const;
    const queue = [limited];
    const faults = { commit: () => queue.shift() };
    expect(await run(branch, { clock, faults }).write([append('b')], never)).toMatchObject({ kind: 'saved' });
    expect(clock.slept).toEqual([60_000]);
    expect(branch.calls).toEqual(['read', 'commit', 'add', 'read']);
    expect(await seenIn(branch)).toEqual(['a', 'b']);
  });
});

describe('a save under a limit', () => {
  const limited = { kind: 'failed', reason: 'rate-limited', message: 'slow', retryAfterMs: 60_000 } as const;

  it('asks again for its one request, and for nothing else, as long as there is time', async () => {
    const branch = branchWith('a');
    const clock = createFakeClock();
    const queue = [limited, limited, limited];
    const store = createRepoStore({
      branch: branch.open({ commit: () => queue.shift() }),
      folder: '',
      clock,
      mayCreate: true,
      budgetMs: 300_000,
    });
    expect(await store.write([append('b')], never)).toMatchObject({ kind: 'saved' });
    expect(clock.slept).toEqual([60_000, 60_000, 60_000]);
    expect(branch.calls).toEqual(['read', 'commit', 'add', 'add', 'add', 'read']);
  });

  it('says so where its time is over', async () => {
    const branch = branchWith('a');
    const faults = { commit: () => limited };
    expect(await run(branch, { faults }).write([append('b')], never)).toEqual({
      kind: 'failed',
      reason: 'rate-limited',
      message: 'slow',
    });
    expect(branch.calls).toEqual(['read', 'commit', 'add']);
  });
});

describe('what others put aside', () => {
  it('never brings back what was forgotten meanwhile', async () => {
    const branch = branchWith('a');
    await putAside(branch, [append('b')]);
    await run(branch).write([...forget(['b'])], never);
    expect(await seenIn(branch)).not.toContain('b');
    expect(storedIn(branch)).not.toContain('b');
    expect(branch.pending).toEqual([]);
  });

  it('is left to the runs of its own folder', async () => {
    const branch = createFakeBranch();
    branch.put('one/bot.md', entryText('a'));
    let number = 0;
    const step = async (operation: string) => {
      number += 1;
      if (operation === 'commit') branch.put('two/bot.md', entryText(`t${number}`));
    };
    await run(branch, { folder: 'one', faults: { step } }).write([append('b')], never);
    expect(branch.pending).toHaveLength(1);
    await run(branch, { folder: 'two' }).write([append('c')], never);
    expect(branch.pending).toHaveLength(1);
    expect(await seenIn(branch, 'two')).not.toContain('b');
    expect(await seenIn(branch, 'one')).toEqual(['a', 'b']);
    await run(branch, { folder: 'one' }).write([append('d')], never);
    expect(branch.pending).toEqual([]);
    expect(await seenIn(branch, 'one')).toEqual(['a', 'b', 'd']);
  });

  it('stays where it is until all of its files are read', async () => {
    const branch = branchWith('a');
    await putAside(branch, [append('b'), append('b', { path: 'untrusted/bot.md' })]);
    await run(branch).write([append('c')], never);
    expect(storedIn(branch)).toContain('b');
    expect(branch.pending).toHaveLength(1);
    await run(branch).write([append('d'), append('d', { path: 'untrusted/bot.md' })], never);
    expect(branch.pending).toEqual([]);
    expect(idsIn(branch.text('untrusted/bot.md') ?? '')).toEqual(['b', 'd']);
  });

  it('does not make a save fail whose time ends while it tidies up', async () => {
    const branch = branchWith('a');
    await putAside(branch, [append('b')]);
    const controller = new AbortController();
    const step = async (operation: string) => {
      if (operation === 'remove') controller.abort();
    };
    const result = await run(branch, { faults: { step } }).write([append('c')], controller.signal);
    expect(result).toMatchObject({ kind: 'saved' });
    expect(branch.pending).toHaveLength(1);
    await run(branch).write([append('d')], never);
    expect(storedIn(branch).filter((id) => id === 'b')).toEqual(['b']);
    expect(branch.pending).toEqual([]);
  });

  it('never costs a run its own entry', async () => {
    const branch = branchWith('a');
    await putAside(branch, [append('b')]);
    const queue = [{ kind: 'failed', reason: 'error', message: 'GH009: secret detected' } as const];
    const result = await run(branch, { faults: { commit: () => queue.shift() } }).write([append('c')], never);
    expect(result).toMatchObject({ kind: 'saved' });
    expect(storedIn(branch)).toContain('c');
    expect(branch.pending).toHaveLength(1);
  });

  it('counts only as far as it can be memory', async () => {
    const branch = branchWith('a');
    const files = new Map([
      ['../x.md', 'x'],
      ['.github/workflows/x.yml', 'on: push'],
    ]);
    branch.pending.push({ id: 'r', name: 'r', files });
    await run(branch).write([append('b')], never);
    expect([...(branch.head?.files.keys() ?? [])]).toEqual(['bot.md']);
    expect(branch.pending).toHaveLength(1);
  });
});

describe('a run that dies', () => {
  /** The steps of a run that loses two races, with what is before and behind each. */
  it('at any step of putting a save aside or of folding it in loses nothing that was acknowledged, and doubles nothing', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 8 }),
        fc.integer({ min: 1, max: 6 }),
        fc.integer({ min: 0, max: 3 }),
        async (diesAt, nextDiesAt, others) => {
          const branch = branchWith('a');
          const due = new Set(['a']);
          for (let index = 0; index < others; index += 1) {
            await putAside(branch, [append(`o${index}`)]);
            due.add(`o${index}`);
          }
          await dying(branch, { id: 'b', diesAt, isRaced: true }, due);
          await dying(branch, { id: 'c', diesAt: nextDiesAt, isRaced: false }, due);
          const seen = await seenIn(branch);
          expect(seen).toEqual(expect.arrayContaining([...due]));
          expect(new Set(seen).size).toBe(seen.length);
          await run(branch).write([append('d')], never);
          const stored = storedIn(branch);
          expect(stored).toEqual(expect.arrayContaining([...due, 'd']));
          expect(new Set(stored).size).toBe(stored.length);
          expect(branch.pending).toEqual([]);
        },
      ),
      { numRuns: 300 },
    );
  });
});

interface Dying {
  readonly id: string;
  readonly diesAt: number;
  readonly isRaced: boolean;
}

/** What the run was told is saved is due from then on. */
async function dying(branch: FakeBranch, { id, diesAt, isRaced }: Dying, due: Set<string>): Promise<void> {
  let steps = 0;
  let died = () => {};
  const death = new Promise<void>((resolve) => {
    died = resolve;
  });
  const step = async () => {
    steps += 1;
    if (steps !== diesAt) return;
    died();
    await new Promise<never>(() => {});
  };
  const faults = isRaced ? racing(branch, { step }) : { step };
  const saved = run(branch, { faults })
    .write([append(id)], never)
    .then((result) => {
      if (result.kind === 'saved') due.add(id);
    });
  await Promise.race([saved, death]);
}
