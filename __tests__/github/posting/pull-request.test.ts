import { describe, expect, it } from '@jest/globals';
import {
  COMMIT_MARK,
  listClosedPulls,
  type ProposedPull,
  proposePull,
} from '../../../src/github/posting/pull-request.js';
import { formatMark } from '../../../src/safety/mark.js';
import { HELLO, noAbort } from '../../helpers/github-client-fake.js';
import { denied, type Hello, NAME, startHello } from '../hello-fixture.js';

const POST = 'POST /repos/{owner}/{repo}/pulls';
const BRANCH = 'axe-gc/bot';
const mark = { kind: 'gc', agent: 'bot', lane: 'untrusted' } as const;
const marker = formatMark(mark);

async function propose({ client }: Hello, changes: Partial<ProposedPull> = {}) {
  const pull = {
    repository: HELLO,
    branch: BRANCH,
    message: 'Carry out what gc suggests',
    files: new Map([['axe/skills/bot/SKILL.md', 'Look twice.\n']]),
    mark,
    title: 'Look twice',
    body: 'Because.',
  };
  return await proposePull(client, { ...pull, ...changes }, noAbort());
}

function pullsOf({ repo }: Hello) {
  return [...repo.pulls.values()].filter(({ head }) => head.ref === BRANCH);
}

describe('a proposal', () => {
  it('is opened once and then updated, one commit on top of the default branch', async () => {
    const hello = await startHello();
    expect(await propose(hello)).toMatchObject({ created: true });
    expect(pullsOf(hello)).toMatchObject([
      { title: 'Look twice', body: `${marker}\nBecause.`, base: { ref: 'main' } },
    ]);
    hello.github.commit(NAME, { 'README.md': 'Newer.\n' }, { branch: 'main' });
    const files = new Map([['axe/skills/bot/SKILL.md', 'Look thrice.\n']]);
    expect(await propose(hello, { title: 'Look thrice', files })).toMatchObject({ created: false });
    expect(pullsOf(hello)).toMatchObject([{ title: 'Look thrice' }]);
    expect(hello.github.files(NAME, BRANCH)).toEqual({
      ...hello.github.files(NAME, 'main'),
      'axe/skills/bot/SKILL.md': 'Look thrice.\n',
    });
    const [newest] = hello.github.history(NAME, BRANCH);
    expect(JSON.stringify(newest)).toContain(COMMIT_MARK);
  });

  it('does not throw away what somebody else has committed to its branch', async () => {
    const hello = await startHello();
    await propose(hello);
    hello.github.commit(NAME, { 'mine.md': 'Mine.\n' }, { branch: BRANCH });
    await expect(propose(hello)).rejects.toMatchObject({
      message: `another author has committed to the branch \`${BRANCH}\``,
    });
    expect(hello.github.files(NAME, BRANCH)['mine.md']).toBe('Mine.\n');
  });

  it('whose marker a person removed stays unchanged, and so does its branch', async () => {
    const hello = await startHello();
    await propose(hello);
    const [theirs] = pullsOf(hello);
    if (theirs === undefined) throw new Error('no pull request');
    hello.repo.pulls.set(theirs.number, { ...theirs, body: 'Mine now.' });
    const head = hello.repo.branches.get(BRANCH);
    const files = new Map([['axe/skills/bot/SKILL.md', 'Look thrice.\n']]);
    await expect(propose(hello, { files })).rejects.toMatchObject({
      message: expect.stringMatching(
        /the hidden first line was removed from \S+\/pull\/\d+, so it is left as it is$/,
      ),
      remedy: expect.stringContaining('Merge or close it'),
    });
    expect([pullsOf(hello).length, hello.repo.branches.get(BRANCH)]).toEqual([1, head]);
  });

  it('that was closed without being merged is reported, the others are not', async () => {
    const hello = await startHello();
    for (const patch of [{}, { mergedAt: '2026-01-02T03:04:05Z' }]) {
      await propose(hello);
      for (const pull of pullsOf(hello))
        if (pull.state === 'open') hello.repo.pulls.set(pull.number, { ...pull, ...patch, state: 'closed' });
    }
    await propose(hello, { title: 'Still open' });
    expect(await listClosedPulls(hello.client, HELLO, BRANCH, noAbort())).toEqual([
      {
        url: expect.stringContaining('/pull/43'),
        body: `${marker}\nBecause.`,
      },
    ]);
  });

  it.each([
    ['to open it', denied(POST, 'pull_requests=write'), 'Add `pull-requests: write`'],
    [
      'to make the branch',
      denied('POST /repos/{owner}/{repo}/git/refs', 'contents=write'),
      'Add `contents: write`',
    ],
    [
      'by the setting of the repository',
      {
        ...denied(POST, ''),
        body: { message: 'GitHub Actions is not permitted to create or approve pull requests.' },
      },
      'Allow GitHub Actions to create pull requests',
    ],
  ])('reports what is missing %s', async (_, fault, remedy) => {
    const hello = await startHello();
    hello.github.fail(fault);
    await expect(propose(hello)).rejects.toMatchObject({ remedy: expect.stringContaining(remedy) });
    expect(pullsOf(hello)).toEqual([]);
    expect(hello.repo.branches.has(BRANCH)).toBe(false);
  });
});
