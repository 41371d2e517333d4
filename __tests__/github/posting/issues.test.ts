import { expect, it } from '@jest/globals';
import {
  addReaction,
  findOrCreateIssue,
  type ReactionSubject,
  setLabels,
} from '../../../src/github/posting/issues.js';
import { formatMark } from '../../../src/safety/mark.js';
import { HELLO, noAbort } from '../../helpers/github-client-fake.js';
import { BAD_GATEWAY, BAD_GATEWAY_AFTER_EFFECT } from '../../helpers/github-faults.js';
import { seedReview } from '../../helpers/github-review-seed.js';
import { type Hello, NAME, startHello } from '../hello-fixture.js';

const POST = 'POST /repos/{owner}/{repo}/issues';
const BOT = 'github-actions[bot]';
const mark = { kind: 'report', agent: 'nightly' } as const;
const marker = formatMark(mark);

async function report(
  { client }: Hello,
  changes: { readonly title?: string; readonly body?: string } = {},
) {
  const issue = {
    repository: HELLO,
    mark,
    title: 'Nightly report',
    body: 'All well.',
    labels: ['report'],
  };
  return await findOrCreateIssue(client, { ...issue, ...changes }, noAbort());
}

it('a report is opened once and then updated', async () => {
  const hello = await startHello();
  const url = 'https://github.com/octocat/hello/issues/43';
  expect(await report(hello)).toEqual({ number: 43, url, created: true });
  expect(hello.repo.talk.labelsOf.get(43)).toEqual(['report']);
  const changes = { title: 'Report', body: `Bad.\n${marker}` };
  expect(await report(hello, changes)).toMatchObject({ number: 43, created: false });
  expect([...hello.repo.issues.values()]).toMatchObject([{ number: 43, ...changes, author: BOT }]);
});

it.each([
  ['somebody else’s issue with the marker', { author: 'monalisa', body: marker }],
  ['an issue of ours without it', { author: BOT, body: 'All well.' }],
])('a report is never stored in %s', async (_, issue) => {
  const hello = await startHello();
  hello.github.addIssue(NAME, { number: 7, ...issue });
  expect(await report(hello)).toMatchObject({ created: true });
  expect(hello.repo.issues.get(7)?.body).toBe(issue.body);
});

it('a report stays closed if somebody closed it', async () => {
  const hello = await startHello();
  await report(hello);
  hello.repo.talk.closedIssues.add(43);
  expect(await report(hello)).toMatchObject({ number: 44, created: true });
});

it.each([
  ['is not repeated if the issue exists', BAD_GATEWAY_AFTER_EFFECT],
  ['is repeated if it is not', BAD_GATEWAY],
])('C5 70: a creation whose answer was lost %s', async (_, fault) => {
  const hello = await startHello();
  hello.github.fail({ route: POST, ...fault });
  expect(await report(hello)).toMatchObject({ number: 43, created: true });
  expect(hello.repo.issues.size).toBe(1);
});

it.each<[string, string, (hello: Hello) => ReactionSubject]>([
  ['a pull request', '{issue_number}', () => ({ kind: 'issue', number: 42 })],
  [
    'a comment',
    'comments/{comment_id}',
    ({ github }) => {
      const id = github.addComment(NAME, { issue: 42, author: 'hubot', body: '@axe go' });
      return { kind: 'issue-comment', id };
    },
  ],
  [
    'a comment on a line',
    'comments/{comment_id}',
    ({ repo }) => {
      const comments = [{ path: 'src/a.ts', line: 2, body: '@axe go' }];
      const [id = 0] = seedReview(repo, { pull: 42, author: 'hubot', comments }).comments;
      return { kind: 'review-comment', id };
    },
  ],
])('a reaction exists once on %s, even after a lost answer', async (_, path, subjectOf) => {
  const hello = await startHello();
  const subject = subjectOf(hello);
  const room = subject.kind === 'review-comment' ? 'pulls' : 'issues';
  const route = `POST /repos/{owner}/{repo}/${room}/${path}/reactions`;
  hello.github.fail({ route, ...BAD_GATEWAY_AFTER_EFFECT });
  for (const _ of [1, 2])
    await addReaction(
      hello.client,
      { repository: hello.place.repository, subject, content: 'eyes' },
      noAbort(),
    );
  expect(hello.repo.talk.reactions).toHaveLength(1);
});

const ADD = 'POST /repos/{owner}/{repo}/issues/{issue_number}/labels';
const REMOVE = 'DELETE /repos/{owner}/{repo}/issues/{issue_number}/labels/{name}';

async function start(labels: readonly string[] = []): Promise<Hello> {
  const hello = await startHello();
  hello.repo.talk.labels.push('bug', 'Area: API', 'good/first');
  hello.repo.talk.labelsOf.set(42, [...labels]);
  return hello;
}

async function change(
  { client, place }: Hello,
  add: readonly string[],
  remove: readonly string[] = [],
) {
  return await setLabels(client, place, { add, remove }, noAbort());
}

it('existing labels are added in their own spelling, and unknown ones are not', async () => {
  const hello = await start();
  expect(await change(hello, ['BUG', 'area: api', 'good/first', 'nonsense', 'bug'])).toEqual({
    added: ['bug', 'Area: API', 'good/first'],
    removed: [],
    unknown: ['nonsense'],
  });
  expect(hello.repo.talk.labelsOf.get(42)).toEqual(['bug', 'Area: API', 'good/first']);
  expect(hello.repo.talk.labels).not.toContain('nonsense');
});

it('existing labels are removed, and labels in both lists are added', async () => {
  const hello = await start(['bug', 'Area: API']);
  expect(await change(hello, ['bug'], ['Bug', 'area: api', 'good/first'])).toEqual({
    added: [],
    removed: ['Area: API'],
    unknown: [],
  });
  expect(hello.repo.talk.labelsOf.get(42)).toEqual(['bug']);
});

it.each<[string, string, string[], string[], string[]]>([
  ['adding', ADD, ['good/first'], [], ['bug', 'good/first']],
  ['removing', REMOVE, [], ['bug'], []],
])('C5 70: %s is done even if the answer was lost', async (_, ...[route, add, remove, left]) => {
  const hello = await start(['bug']);
  hello.github.fail({ route, ...BAD_GATEWAY_AFTER_EFFECT });
  expect(await change(hello, add, remove)).toMatchObject({ added: add, removed: remove });
  expect(hello.repo.talk.labelsOf.get(42)).toEqual(left);
});
