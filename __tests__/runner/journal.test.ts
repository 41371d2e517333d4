import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { MemoryChange, NoteChange } from '../../src/memory/change.js';
import type { RunEvent } from '../../src/run/dependencies.js';
import {
  createJournal,
  keepCheck,
  readPending,
  readUnfinishedCheck,
  readUnfinishedRun,
  wasReported,
} from '../../src/runner/journal.js';
import { isNothingPending } from '../../src/runner/runner.js';
import { setProcessEnv } from '../helpers/process-env.js';
import { parseFileCommand } from '../helpers/runner-files.js';
import { tempDir, writeFiles } from '../helpers/temp.js';

let stateFile: string;

/** When everything was put into the journal. */
const AT = new Date('2026-02-03T04:05:06Z');

/** Changes as the post step gets them. */
const left = (...changes: readonly MemoryChange[]) =>
  changes.map((change) => ({ ...change, again: AT }));

beforeEach(() => {
  const folder = tempDir('state');
  writeFiles(folder, { state: '' });
  stateFile = join(folder, 'state');
  setProcessEnv({ GITHUB_STATE: stateFile });
});

/** The environment the runner gives to the post step. */
function postEnv(): Readonly<Record<string, string>> {
  const state = parseFileCommand(readFileSync(stateFile, 'utf8'));
  return Object.fromEntries(Object.entries(state).map(([name, value]) => [`STATE_${name}`, value]));
}

function append(id: string, text = 'An entry.\n\n'): Extract<MemoryChange, { kind: 'append' }> {
  return { kind: 'append', path: 'bot.md', id, text };
}

describe('the journal', () => {
  it('gives the post step what the main step left, byte for byte', async () => {
    const changes = [append('1', 'größer\r\n"q" \\ 🙂 %0A ::error::\u2028\n'), append('2')];
    await createJournal('', () => AT).pending(changes);
    expect(await readPending(postEnv())).toEqual(left(...changes));
  });

  it('keeps changes to notes, which come back marked as possibly carried out', async () => {
    const edits: readonly NoteChange['edit'][] = [
      { kind: 'append', text: '日本語\n', dedup: true, head: '# Daily Note - 2026-03-01\n\n' },
      { kind: 'append', text: 'x', dedup: false },
      { kind: 'overwrite', text: '' },
      { kind: 'delete' },
    ];
    const changes = edits.map((edit, index): NoteChange => {
      return { kind: 'note', path: 'MEMORY.md', edit, backup: index > 1, id: `n${index}` };
    });
    const journal = createJournal('', () => AT);
    await journal.pending([append('1'), ...changes]);
    await journal.done(changes.slice(0, 1));
    expect(await readPending(postEnv())).toEqual(left(append('1'), ...changes.slice(1)));
  });

  it('keeps the unsaved entries of the other agents in the run (D16)', async () => {
    const journal = createJournal('', () => AT);
    await Promise.all([
      journal.pending([append('1')]),
      journal.pending([append('2'), append('3')]),
    ]);
    await journal.done([append('2')]);
    expect(await readPending(postEnv())).toEqual(left(append('1'), append('3')));
    await Promise.all([journal.done([append('1')]), journal.pending([append('4')])]);
    expect(await readPending(postEnv())).toEqual(left(append('3'), append('4')));
    await journal.done([append('3'), append('4')]);
    expect(await readPending(postEnv())).toEqual([]);
  });

  it('keeps both entries of a tainted run, which have one id, and completes each separately (D19)', async () => {
    const journal = createJournal('', () => AT);
    const apart = { ...append('1'), path: 'apart/bot.md' };
    await journal.pending([append('1'), apart]);
    expect(await readPending(postEnv())).toEqual(left(append('1'), apart));
    await journal.done([append('1')]);
    expect(await readPending(postEnv())).toEqual(left(apart));
  });

  it('keeps the latest version of each fact of a state', async () => {
    const journal = createJournal('', () => AT);
    const fact = (text: string) => ({ kind: 'facts', path: 'bot.state.md', text }) as const;
    await journal.pending([
      fact('- {"kind":"spent","v":1,"id":"1","usd":0.25,"at":1}\n'),
      append('1'),
    ]);
    await journal.pending([fact('- {"kind":"spent","v":1,"id":"1","usd":0.5,"at":2}\n')]);
    expect(await readPending(postEnv())).toEqual([
      ...left(append('1')),
      fact('- {"kind":"spent","v":1,"id":"1","usd":0.5,"at":2}\n'),
    ]);
    await journal.done([append('1'), fact('- {"kind":"spent","v":1,"id":"1","usd":0.5,"at":2}\n')]);
    expect(isNothingPending(postEnv())).toBe(true);
  });

  it('keeps facts that were not in a save, such as the cost of the run', async () => {
    const journal = createJournal('', () => AT);
    const fact = (text: string) => ({ kind: 'facts', path: 'bot.state.md', text }) as const;
    const cost = '- {"kind":"spent","v":1,"id":"1","usd":0.5,"at":1}\n';
    const heard = '- {"kind":"heard","v":1,"pull":2,"ids":[],"review":7,"at":1}\n';
    await journal.pending([fact(cost)]);
    await journal.pending([fact(heard)]);
    await journal.done([fact(heard)]);
    expect(await readPending(postEnv())).toEqual([fact(cost)]);
  });

  it('adds up the facts of a state that come one after the other', async () => {
    const journal = createJournal('', () => AT);
    const fact = (text: string) => ({ kind: 'facts', path: 'bot.state.md', text }) as const;
    await journal.pending([fact('- {"kind":"spent","v":1,"id":"1","usd":0.5,"at":1}\n')]);
    await journal.pending([fact('- {"kind":"posted","v":1,"id":"1","ids":[7],"at":2}\n')]);
    expect(await readPending(postEnv())).toEqual([
      fact(
        '- {"kind":"spent","v":1,"id":"1","usd":0.5,"at":1}\n- {"kind":"posted","v":1,"id":"1","ids":[7],"at":2}\n',
      ),
    ]);
  });

  it('says how far a run has come that has not reported its end', async () => {
    const journal = createJournal(tempDir('temp'));
    expect(await readUnfinishedRun(postEnv())).toBeUndefined();
    await journal.begin();
    expect(isNothingPending(postEnv())).toBe(false);
    expect(await readUnfinishedRun(postEnv())).toEqual({ posted: [], found: '', accepted: [] });

    const seen: RunEvent[] = [];
    const reporter = journal.followEvents({ event: (event) => void seen.push(event) });
    await journal.spent(0.25);
    await journal.found('A fault.'.repeat(20_000));
    reporter.event({ kind: 'posted', url: 'https://a.test/#reply', isReview: false });
    await journal.spent(0.5);
    expect(await readUnfinishedRun(postEnv())).toEqual({
      costUsd: 0.5,
      posted: ['https://a.test/#reply'],
      found: 'A fault.'.repeat(20_000),
      accepted: [],
    });
    expect(readFileSync(stateFile, 'utf8').length).toBeLessThan(2000);

    // What was found is posted with the review, also if nobody knows its address.
    reporter.event({ kind: 'posted', url: undefined, isReview: true });
    await journal.spent(0.75);
    expect(await readUnfinishedRun(postEnv())).toEqual({
      costUsd: 0.75,
      posted: ['https://a.test/#reply'],
      found: '',
      accepted: [],
    });
    expect(seen).toHaveLength(2);
    await journal.end();
    expect([await readUnfinishedRun(postEnv()), isNothingPending(postEnv())]).toEqual([
      undefined,
      true,
    ]);
  });

  it('forgets what was found with the rest of a run that wrote a secret, but not its cost', async () => {
    const journal = createJournal();
    await journal.begin();
    await journal.spent(0.25);
    await journal.found('A fault.');
    await journal.accepted([{ kind: 'facts', path: 'bot.state.md', text: 'A fault.' }]);
    await journal.forget();
    expect(await readUnfinishedRun(postEnv())).toEqual({
      costUsd: 0.25,
      posted: [],
      found: '',
      accepted: [],
    });
  });

  it('lets the post step end at once if, and only if, there is nothing to save', async () => {
    expect(isNothingPending(postEnv())).toBe(true);
    expect(await readPending({})).toEqual([]);
    const journal = createJournal(tempDir('temp'));
    await journal.pending([append('1')]);
    expect(isNothingPending(postEnv())).toBe(false);
    await journal.pending([append('2', 'x'.repeat(200 * 1024))]);
    expect(isNothingPending(postEnv())).toBe(false);
    await journal.done([append('1'), append('2')]);
    expect(isNothingPending(postEnv())).toBe(true);
    const check = { owner: 'octocat', name: 'hello', headSha: 'a1', agent: 'bot' };
    await keepCheck(check);
    expect([readUnfinishedCheck(postEnv()), isNothingPending(postEnv())]).toEqual([check, false]);
    await keepCheck(undefined);
    expect(isNothingPending(postEnv())).toBe(true);
  });

  it('keeps in a file what is too large for an environment variable', async () => {
    const temp = tempDir('temp');
    const large = Array.from({ length: 40 }, (_, index) =>
      append(String(index), 'ö'.repeat(32 * 1024)),
    );
    const journal = createJournal(temp, () => AT);
    await journal.pending(large);
    expect(readFileSync(stateFile, 'utf8').length).toBeLessThan(1000);
    expect(await readPending(postEnv())).toEqual(left(...large));
    await journal.done(large.slice(1));
    expect(await readPending(postEnv())).toEqual(left(...large.slice(0, 1)));
    await journal.pending(large);
    rmSync(temp, { recursive: true });
    expect(await readPending(postEnv())).toEqual([]);
  });
});

it.each([undefined, '', 'false', 'TRUE'])(
  'nothing counts as reported if the state is %j',
  (state) => {
    expect(wasReported(state === undefined ? {} : { STATE_told: state })).toBe(false);
  },
);
