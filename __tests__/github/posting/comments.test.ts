import { describe, expect, it } from '@jest/globals';
import {
  type MarkedComment,
  publishComment,
  replyInThread,
  setThreadResolved,
} from '../../../src/github/posting/comments.js';
import { formatMark } from '../../../src/safety/mark.js';
import { noAbort } from '../../helpers/github-client-fake.js';
import { BAD_GATEWAY, BAD_GATEWAY_AFTER_EFFECT } from '../../helpers/github-faults.js';
import { seedReply, seedReview } from '../../helpers/github-review-seed.js';
import { type Hello, NAME, startHello } from '../hello-fixture.js';

const COMMENT = 'POST /repos/{owner}/{repo}/issues/{issue_number}/comments';
const REPLY = 'POST /repos/{owner}/{repo}/pulls/{pull_number}/comments/{comment_id}/replies';
const UPDATE = 'PATCH /repos/{owner}/{repo}/issues/comments/{comment_id}';
const mark = { kind: 'answer', agent: 'bot' } as const;
const marker = formatMark(mark);

/** A pull request on which somebody has begun a conversation on a line. */
async function start() {
  const hello = await startHello();
  const comment = { path: 'src/a.ts', line: 2, body: 'Why?' };
  const [first = 0] = seedReview(hello.repo, {
    pull: 42,
    author: 'hubot',
    comments: [comment],
  }).comments;
  const question = seedReply(hello.repo, first, { author: 'hubot', body: '@axe why?' });
  return { ...hello, first, question };
}

type Scene = Awaited<ReturnType<typeof start>>;
type Post = (scene: Scene, changes?: Partial<MarkedComment>) => ReturnType<typeof publishComment>;

const below =
  (isOnce: boolean): Post =>
  ({ client, place }, changes) =>
    publishComment(client, { ...place, mark, body: 'Done.', ...changes }, isOnce, noAbort());
const sticky = below(false);
const once = below(true);
const inThread: Post = ({ client, place, question }, changes) =>
  replyInThread(
    client,
    { ...place, commentId: question, mark, body: 'Done.', ...changes },
    noAbort(),
  );

function ours({ repo }: Scene) {
  return [...repo.comments, ...repo.talk.reviewComments].filter(({ body }) =>
    body.startsWith(marker),
  );
}

const forgeComment = ({ github }: Scene) =>
  void github.addComment(NAME, { issue: 42, author: 'monalisa', body: marker });
const forgeReply = ({ repo, first }: Scene) =>
  void seedReply(repo, first, { author: 'monalisa', body: marker });

describe.each<[string, Post, string, (scene: Scene) => void]>([
  ['a sticky comment', sticky, COMMENT, forgeComment],
  ['a comment that exists once', once, COMMENT, forgeComment],
  ['a reply in a thread', inThread, REPLY, forgeReply],
])('%s', (_, post, route, forge) => {
  it('is posted once, with its mark', async () => {
    const scene = await start();
    const result = await post(scene);
    expect(result).toMatchObject({ created: true });
    expect(await post(scene)).toEqual({ ...result, created: false });
    expect(ours(scene)).toMatchObject([{ body: `${marker}\nDone.` }]);
  });

  it('C8 98: is never somebody else’s with the mark', async () => {
    const scene = await start();
    forge(scene);
    expect(await post(scene)).toMatchObject({ created: true });
    expect(ours(scene).map(({ body }) => body)).toEqual([marker, `${marker}\nDone.`]);
  });

  it.each([
    ['not repeated if it exists', BAD_GATEWAY_AFTER_EFFECT],
    ['repeated if it does not', BAD_GATEWAY],
  ])('C5 70: is %s after a lost answer', async (_, fault) => {
    const scene = await start();
    scene.github.fail({ route, ...fault });
    expect(await post(scene)).toMatchObject({ created: true });
    expect(ours(scene)).toHaveLength(1);
  });

  it('C5 70: is abandoned after the second lost answer', async () => {
    const scene = await start();
    scene.github.fail({ route, ...BAD_GATEWAY, times: 9 });
    await expect(post(scene)).rejects.toMatchObject({
      remedy: expect.stringContaining('githubstatus'),
    });
    expect(scene.github.calls().filter((call) => call === route)).toHaveLength(2);
  });
});

it.each([
  ['updated if it is among the last 300', 299, false],
  ['posted anew if it is older', 300, true],
])('a sticky comment is %s', async (_, later, created) => {
  const scene = await start();
  await sticky(scene);
  for (let count = 0; count < later; count += 1)
    scene.github.addComment(NAME, { issue: 42, author: 'hubot', body: 'LGTM' });
  expect(await sticky(scene, { body: 'Newer.' })).toMatchObject({ created });
  expect(ours(scene).at(-1)).toMatchObject({ body: `${marker}\nNewer.` });
});

it.each([
  ['another agent’s', formatMark({ ...mark, agent: 'bot-security' })],
  ['one that only quotes the mark', `> ${marker}`],
])('a sticky comment is not %s', async (_, body) => {
  const scene = await start();
  scene.github.addComment(NAME, { issue: 42, author: 'github-actions[bot]', body });
  expect(await sticky(scene)).toMatchObject({ created: true });
});

it('a sticky comment is created if it was deleted just now', async () => {
  const scene = await start();
  await sticky(scene);
  scene.github.fail({ route: UPDATE, status: 404, body: { message: 'Not Found' } });
  expect(await sticky(scene)).toMatchObject({ created: true });
});

it.each([
  ['of its first comment', ({ first }: Scene) => first],
  ['whose first comment was deleted', () => 1],
])('a reply is posted in the thread %s', async (_, firstOf) => {
  const scene = await start();
  const { client, place, question, first } = scene;
  const reply = { ...place, commentId: question, firstId: firstOf(scene), mark, body: 'Because.' };
  expect(await replyInThread(client, reply, noAbort())).toMatchObject({ created: true });
  expect(ours(scene)).toMatchObject([{ inReplyTo: first }]);
});

it.each<[string, (hello: Hello) => void, boolean]>([
  ['is resolved, opened, and either twice', () => undefined, true],
  [
    'is left alone without the right',
    ({ repo }) => Object.assign(repo, { contents: 'read' }),
    false,
  ],
  [
    'is changed where the answer was lost',
    ({ github }) => github.fail({ route: 'POST /graphql', ...BAD_GATEWAY_AFTER_EFFECT }),
    true,
  ],
])('a conversation %s', async (_, before, isChanged) => {
  const scene = await start();
  const { client, repo, first } = scene;
  before(scene);
  for (const isResolved of [true, true, false, false]) {
    expect(await setThreadResolved(client, { id: `PRRT_${first}`, isResolved }, noAbort())).toBe(
      isChanged,
    );
    expect(repo.talk.resolved.has(first)).toBe(isChanged && isResolved);
  }
});
