import { describe, expect, it } from '@jest/globals';
import { changeThreads, type ThreadChange } from '../../../../src/adapters/github/posting/end-threads.js';
import { fetchReviewThreads } from '../../../../src/adapters/github/reading/review-threads.js';
import { formatMark } from '../../../../src/core/sanitize/mark.js';
import { endMarkOf, outdatedNote } from '../../../../src/review/markers.js';
import { noAbort } from '../../../helpers/github-client-fake.js';
import { ANSWER_LOST } from '../../../helpers/github-faults.js';
import { seedReview } from '../../../helpers/github-review-seed.js';
import { findingLine } from '../../../helpers/marks.js';
import { denied, type Hello, startHello } from '../hello-fixture.js';

const BOT = 'github-actions[bot]';
const PATCH = 'PATCH /repos/{owner}/{repo}/pulls/comments/{comment_id}';
const REPLY = 'POST /repos/{owner}/{repo}/pulls/{pull_number}/comments/{comment_id}/replies';
const HEAD = 'f'.repeat(40);
/** The hidden line of a reply. */
const replied = (how: string) => formatMark({ kind: 'reply', how, head: HEAD, lane: 'trusted' });
const MARKER = findingLine({ id: '0123456789abcdef', agent: 'bot' });
const BODY = `${MARKER}\nThird is wrong.`;

async function helloWithTwo() {
  const hello = await startHello();
  hello.repo.contents = 'read';
  const comments = [3, 4].map((line) => ({ path: 'src/a.ts', line, body: BODY }));
  seedReview(hello.repo, { pull: 42, author: BOT, comments });
  return hello;
}

async function change({ client, place }: Hello, parts: Partial<ThreadChange> = {}) {
  const { threads } = await fetchReviewThreads(client, place, noAbort());
  const end = { to: 'resolve', mark: 'outdated', note: outdatedNote(HEAD), reply: '' } as const;

  const changes = threads.map(({ id, first, replies }) => ({
    id,
    first,
    replied: replies.map(({ body }) => body),
    ...end,
    ...parts,
  }));
  return await changeThreads(client, { ...place, changes, head: HEAD, lane: 'trusted' }, noAbort());
}

/** The comments that findings began, each with who resolved it and its mark. */
function marks({ repo: { talk } }: Hello) {
  return talk.reviewComments
    .filter(({ inReplyTo }) => inReplyTo === undefined)
    .map(({ id, body }) => [talk.resolved.get(id), endMarkOf(body)]);
}

function replies({ repo: { talk } }: Hello): readonly string[] {
  return talk.reviewComments.flatMap(({ inReplyTo, body }) => (inReplyTo === undefined ? [] : [body]));
}

describe('a conversation that has ended', () => {
  it('is resolved if the token can resolve it', async () => {
    const hello = await helloWithTwo();
    hello.repo.contents = 'write';
    expect(await change(hello)).toEqual({ kind: 'changed' });
    expect(marks(hello)).toEqual([
      [BOT, undefined],
      [BOT, undefined],
    ]);
    expect(replies(hello)).toEqual([]);
  });

  it('is marked as ended in its first comment if the token cannot resolve it, once', async () => {
    const hello = await helloWithTwo();
    expect(await change(hello)).toEqual({ kind: 'changed' });
    const [first] = hello.repo.talk.reviewComments;
    expect(first?.body).toBe(
      `${MARKER}\n<!-- axe-action {"kind":"end","how":"outdated","lane":"trusted"} -->\n*Outdated: as of fffffff this line is no longer part of the change.*\n\nThird is wrong.`,
    );
    const said = first?.body;
    await change(hello);
    expect(first?.body).toBe(said);
    expect(hello.github.calls().filter((call) => call === 'POST /graphql resolveReviewThread')).toHaveLength(
      2,
    );
  });

  it('is answered first, once for each commit', async () => {
    const hello = await helloWithTwo();
    hello.repo.contents = 'write';
    hello.github.fail({ route: REPLY, ...ANSWER_LOST });
    for (const _ of [1, 2]) await change(hello, { mark: 'settled', reply: 'Settled by fffffff: bound now.' });
    expect(replies(hello)).toEqual(Array(2).fill(`${replied('settled')}\nSettled by fffffff: bound now.`));
    expect(marks(hello).map(([by]) => by)).toEqual([BOT, BOT]);
  });

  it('is only answered if it has to stay open', async () => {
    const hello = await helloWithTwo();
    hello.repo.contents = 'write';
    await change(hello, { to: 'leave', mark: 'withdrawn', reply: 'I take this back.' });
    expect(replies(hello)).toHaveLength(2);
    expect(marks(hello)).toEqual([
      [undefined, undefined],
      [undefined, undefined],
    ]);
  });

  it('is done if the answer was lost', async () => {
    const hello = await helloWithTwo();
    hello.github.fail({ route: PATCH, ...ANSWER_LOST });
    expect(await change(hello)).toEqual({ kind: 'changed' });
    expect(marks(hello).map(([, mark]) => mark)).toEqual(['outdated', 'outdated']);
  });

  it('that cannot be changed is reported with what is missing', async () => {
    const hello = await helloWithTwo();
    hello.github.fail(denied(PATCH, 'pull_requests=write'));
    expect(await change(hello)).toMatchObject({
      kind: 'failed',
      remedy: expect.stringContaining('pull-requests: write'),
    });
  });
});

describe('a conversation that is reopened', () => {
  const BACK = { to: 'reopen', note: '', reply: 'Back since fffffff.' } as const;

  it('is reopened if the token can do so', async () => {
    const hello = await helloWithTwo();
    hello.repo.contents = 'write';
    await change(hello);
    await change(hello, BACK);
    expect(marks(hello)).toEqual([
      [undefined, undefined],
      [undefined, undefined],
    ]);
    expect(replies(hello)).toEqual(Array(2).fill(`${replied('back')}\nBack since fffffff.`));
  });

  it('is no longer marked as ended, whatever the token can do by now', async () => {
    for (const contents of ['read', 'write'] as const) {
      const hello = await helloWithTwo();
      await change(hello);
      hello.repo.contents = contents;
      await change(hello, BACK);
      expect(marks(hello).map(([, mark]) => mark)).toEqual([undefined, undefined]);
      expect(hello.repo.talk.reviewComments[0]?.body).toBe(BODY);
    }
  });
});
