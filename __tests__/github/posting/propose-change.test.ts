import { describe, expect, it } from '@jest/globals';
import { listClosedPulls, proposeChange } from '../../../src/github/posting/propose-change.js';
import { HELLO, noAbort } from '../../helpers/github-client-fake.js';
import { denied, type Hello, NAME, startHello } from '../hello-fixture.js';

const POST = 'POST /repos/{owner}/{repo}/pulls';
const BRANCH = 'axe/bot/7';
const PATH = 'notes/skill.md';
const mark = { kind: 'change', agent: 'bot', lane: 'trusted' } as const;

type Change = Parameters<typeof proposeChange>[1];

async function propose({ client }: Hello, text = 'Look twice.\n', changes: Partial<Change> = {}) {
  const change = {
    repository: HELLO,
    base: 'main',
    branch: BRANCH,
    edits: new Map([[PATH, { before: undefined, after: new TextEncoder().encode(text) }]]),
    message: 'Look',
    title: 'Look twice',
    body: 'Because.',
    mark,
  };
  return await proposeChange(client, { ...change, ...changes }, noAbort());
}

function pullsOf({ repo }: Hello) {
  return [...repo.pulls.values()].filter(({ head }) => head.ref.startsWith(BRANCH));
}

describe('a proposed change', () => {
  it('is opened once and then updated, one commit on top of the newest base', async () => {
    const hello = await startHello();
    expect(await propose(hello)).toMatchObject({ created: true, branch: BRANCH, isByJob: true });
    hello.github.commit(NAME, { 'README.md': 'Newer.\n' }, { branch: 'main' });
    expect(await propose(hello, 'Look thrice.\n', { title: 'Look thrice' })).toMatchObject({
      created: false,
    });
    expect(pullsOf(hello)).toMatchObject([{ title: 'Look thrice', base: { ref: 'main' } }]);
    const files = hello.github.files(NAME, 'main');
    expect(hello.github.files(NAME, BRANCH)).toEqual({ ...files, [PATH]: 'Look thrice.\n' });
    expect([...hello.repo.branches.keys()].filter((name) => name.startsWith(BRANCH))).toEqual([BRANCH]);
  });

  it.each<[string, (hello: Hello) => void]>([
    [
      'to which somebody has committed',
      ({ github }) => github.commit(NAME, { mine: 'Mine.\n' }, { branch: BRANCH }),
    ],
    [
      'whose pull request lost its marker',
      (hello) => {
        for (const pull of pullsOf(hello)) hello.repo.pulls.set(pull.number, { ...pull, body: 'Mine now.' });
      },
    ],
  ])('leaves a branch alone %s, and takes the next one', async (_, touch) => {
    const hello = await startHello();
    await propose(hello);
    touch(hello);
    const head = hello.repo.branches.get(BRANCH);
    expect(await propose(hello, 'Look thrice.\n')).toMatchObject({ created: true, branch: `${BRANCH}-2` });
    expect(hello.repo.branches.get(BRANCH)).toBe(head);
    expect(await propose(hello, 'Look again.\n')).toMatchObject({ created: false, branch: `${BRANCH}-2` });
  });

  it.each([
    ['that people gave another base, and goes into that', {}, 'next'],
    ['that has another base than is asked for, and moves it', { isBaseAsked: true }, 'main'],
  ])('updates one %s', async (_, asked, base) => {
    const hello = await startHello();
    await propose(hello);
    const newest = hello.github.commit(NAME, { 'README.md': 'Next.\n' }, { branch: 'next' });
    for (const pull of pullsOf(hello))
      hello.repo.pulls.set(pull.number, { ...pull, base: { ...pull.base, ref: 'next' } });
    expect(await propose(hello, 'Look thrice.\n', asked)).toMatchObject({ created: false, branch: BRANCH });
    expect(pullsOf(hello)).toMatchObject([{ base: { ref: base } }]);
    const parent = base === 'next' ? newest : hello.repo.branches.get('main');
    expect(hello.github.history(NAME, BRANCH)[0]?.parents).toEqual([parent]);
  });

  it('takes the branch of one that people closed for the next, which is new', async () => {
    const hello = await startHello();
    for (const patch of [{}, { mergedAt: '2026-01-02T03:04:05Z' }]) {
      await propose(hello);
      for (const pull of pullsOf(hello))
        if (pull.state === 'open') hello.repo.pulls.set(pull.number, { ...pull, ...patch, state: 'closed' });
    }
    expect(await propose(hello)).toMatchObject({ created: true, branch: BRANCH });
    // Of the closed ones those that were not merged are told.
    expect(await listClosedPulls(hello.client, HELLO, BRANCH, noAbort())).toEqual([
      { url: expect.stringContaining('/pull/43'), body: expect.stringContaining('\nBecause.') },
    ]);
  });

  it('finds those that were closed on the branches with a number, too', async () => {
    const hello = await startHello();
    hello.github.commit(NAME, { mine: 'Mine.\n' }, { branch: BRANCH });
    await propose(hello);
    for (const pull of pullsOf(hello)) hello.repo.pulls.set(pull.number, { ...pull, state: 'closed' });
    hello.repo.branches.delete(`${BRANCH}-2`);
    expect(await listClosedPulls(hello.client, HELLO, BRANCH, noAbort())).toHaveLength(1);
  });

  it.each([
    ['to open it', denied(POST, 'pull_requests=write'), 'Add `pull-requests: write`'],
    [
      'to make the branch',
      denied('POST /repos/{owner}/{repo}/git/refs', 'contents=write'),
      'Add `contents: write`',
    ],
  ])('reports what is missing %s', async (_, fault, remedy) => {
    const hello = await startHello();
    hello.github.fail(fault);
    await expect(propose(hello)).rejects.toMatchObject({ remedy: expect.stringContaining(remedy) });
    expect(pullsOf(hello)).toEqual([]);
    expect(hello.repo.branches.has(BRANCH)).toBe(false);
  });
});
