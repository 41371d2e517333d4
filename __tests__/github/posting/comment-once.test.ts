import { expect, it } from '@jest/globals';
import { commentOnce } from '../../../src/github/posting/comment-once.js';
import { formatMark } from '../../../src/safety/mark.js';
import { noAbort } from '../../helpers/github-client-fake.js';
import { BAD_GATEWAY, BAD_GATEWAY_AFTER_EFFECT } from '../../helpers/github-faults.js';
import { denied, deniedQuery, type Hello, NAME, startHello } from '../hello-fixture.js';

const POST = 'POST /repos/{owner}/{repo}/issues/{issue_number}/comments';
const mark = { kind: 'reply', run: '1/1', lane: 'trusted' } as const;
const marker = formatMark(mark);

async function say({ client, place }: Hello, number = 42) {
  return await commentOnce(client, { ...place, number, mark, body: 'Done.' }, noAbort());
}

it.each([
  ['a pull request', 42],
  ['an issue', 7],
])('a comment exists once on %s', async (_, number) => {
  const hello = await startHello();
  hello.github.addIssue(NAME, { number: 7 });
  const result = await say(hello, number);
  expect(result).toMatchObject({ kind: 'published', created: true });
  expect(await say(hello, number)).toEqual({ ...result, created: false });
  expect(hello.repo.comments).toMatchObject([{ issue: number, body: `${marker}\nDone.` }]);
});

it('C8 98: somebody else’s comment with the marker does not count', async () => {
  const hello = await startHello();
  hello.github.addComment(NAME, { issue: 42, author: 'monalisa', body: marker });
  expect(await say(hello)).toMatchObject({ created: true });
});

it.each([
  ['is not repeated if it exists', BAD_GATEWAY_AFTER_EFFECT],
  ['is repeated if it is not', BAD_GATEWAY],
])('C5 70: a comment whose answer was lost %s', async (_, fault) => {
  const hello = await startHello();
  hello.github.fail({ route: POST, ...fault });
  expect(await say(hello)).toMatchObject({ kind: 'published', created: true });
  expect(hello.repo.comments).toHaveLength(1);
});

it.each([
  [
    'to write',
    denied(POST, 'issues=write; pull_requests=write'),
    'Add `issues: write` or `pull-requests: write`',
  ],
  ['to look', deniedQuery(), 'Add `issues: write`'],
])('the missing permission is reported %s', async (_, fault, remedy) => {
  const hello = await startHello();
  hello.github.fail(fault);
  expect(await say(hello)).toMatchObject({ kind: 'failed', remedy: expect.stringContaining(remedy) });
});
