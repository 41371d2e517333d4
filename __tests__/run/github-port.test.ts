import { expect, it } from '@jest/globals';
import { createGitHubPort } from '../../src/run/github.js';
import { deniedQuery, type Hello, startHello } from '../github/hello-fixture.js';
import { noAbort } from '../helpers/github-client-fake.js';
import { seedReaction, seedReview } from '../helpers/github-review-seed.js';
import { findingLine, reviewLine } from '../helpers/marks.js';
import { pullRequest } from '../helpers/triggers.js';

const OURS = 'github-actions[bot]';
const port = (client: Hello['client']) => createGitHubPort(client, pullRequest());

async function talkedOf(): Promise<Hello> {
  const hello = await startHello();
  const comments = [{ path: 'src/a.ts', line: 3, body: `${findingLine()}\nThird is wrong.` }];
  const body = `${reviewLine({ agent: 'bot', head: hello.headSha })}\nOne.`;
  const { comments: ids } = seedReview(hello.repo, { pull: 42, author: OURS, body, comments });
  seedReview(hello.repo, { pull: 42, author: 'monalisa', body });
  const on = { on: 'review-comment', of: ids[0] ?? 0, author: 'hubot', content: '-1' } as const;
  seedReaction(hello.repo, { ...on, createdAt: '2026-02-03T04:05:06Z' });
  hello.github.addComment('octocat/hello', { issue: 42, author: 'hubot', body: '/axe done FQ7K2' });
  return hello;
}

it('what is said on a pull request is read once for the beginning of a run, and again where that is asked for', async () => {
  const { client, repo } = await talkedOf();
  const github = port(client);
  const resolved = async (isFresh: boolean) => {
    const answer = await github?.said(42, { isFresh }, noAbort());
    return answer?.kind === 'read' ? answer.seen.threads.map(({ resolvedBy }) => resolvedBy) : [];
  };
  expect(await resolved(false)).toEqual([undefined]);
  repo.talk.resolved.set(repo.talk.reviewComments[0]?.id ?? 0, 'hubot');
  expect([await resolved(false), await resolved(true)]).toEqual([[undefined], ['hubot']]);
});

it('files of a commit are read in one request, and what cannot be read is not missing', async () => {
  const { client, github, headSha } = await startHello();
  const large = 'x\n'.repeat(400_000);
  const files = { 'small.ts': 'four\n', 'large.ts': large, 'logo.png': new Uint8Array([0, 1, 2]) };
  const sha = github.commit('octocat/hello', files, { branch: 'topic' });
  const before = github.calls().length;
  const paths = ['small.ts', 'none.ts', 'large.ts', 'logo.png'];
  const read = async (commit: string) => [
    ...((await port(client)?.filesAt(commit, paths, noAbort())) ?? []),
  ];
  expect(await read(sha)).toEqual([
    ['small.ts', 'four\n'],
    ['none.ts', null],
    ['large.ts', undefined],
    ['logo.png', undefined],
  ]);
  expect(github.calls().length).toBe(before + 1);

  const unread = paths.map((path) => [path, undefined]);
  expect(await read('0'.repeat(40))).toEqual(unread);
  github.fail(deniedQuery());
  expect(await read(headSha)).toEqual(unread);
});

it('what is said on a pull request is unread with the remedy where GitHub refuses it, and ends with the signal', async () => {
  const { client, github } = await startHello();
  const reason = new Error('time is up');
  await expect(port(client)?.said(42, { isFresh: true }, AbortSignal.abort(reason))).rejects.toBe(
    reason,
  );
  github.fail(deniedQuery());
  expect(await port(client)?.said(42, { isFresh: true }, noAbort())).toEqual({
    kind: 'unread',
    message: expect.stringContaining('Add `pull-requests: read` under `permissions:` of the job.'),
  });
});
