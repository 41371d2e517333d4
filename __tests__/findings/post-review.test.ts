import { describe, expect, it } from '@jest/globals';
import type { BufferedPublications } from '../../src/findings/buffered-publications.js';
import { readCopy, saidRevsIn } from '../../src/findings/kept-finding.js';
import { formatUnposted } from '../../src/report/views/unposted.js';
import { publishedLine } from '../../src/run/views/published.js';
import { denied, type Hello } from '../github/hello-fixture.js';
import { seedReview } from '../helpers/github-review-seed.js';
import { findingLine } from '../helpers/marks.js';
import { type PostScene, placed, publish, readPull, settle, startPull } from './post-scene.js';

const REVIEW = 'POST /repos/{owner}/{repo}/pulls/{pull_number}/reviews';
const REVIEWED: Partial<BufferedPublications> = {
  findings: [placed()],
  review: { summary: 'One thing.' },
};
const QUIET: Partial<BufferedPublications> = { review: { summary: 'Again.' } };
const ASKED = { agent: 'bot/reply-9' };
const OTHER = placed({ title: 'Rows are lost', body: 'A retry drops them.', category: 'data' });

/** The reviews that say something, without their hidden lines. */
function texts({ repo }: Hello): readonly string[] {
  return repo.talk.reviews.flatMap(({ body }) =>
    body === '' ? [] : [body.split('\n').slice(2).join('\n')],
  );
}

describe('a review', () => {
  it('is posted with its comments, and holds the record', async () => {
    const hello = await startPull();
    const { part, warnings, kept } = await publish(hello, REVIEWED);
    const { id, handle } = placed().finding;
    expect(warnings).toEqual([]);
    expect(part).toMatchObject({
      isReview: true,
      url: expect.stringMatching(/#pullrequestreview-\d+$/),
      records: [{ id, handle, state: 'open', isNew: true }],
      review: { open: [{ id }], isBlocking: true, unposted: [] },
    });
    expect(publishedLine(part)).toBe(
      'Asked for changes on #42 with 1 comment: src/a.ts:2. 1 open: 1 major.',
    );
    expect(kept?.findings).toMatchObject([{ id, rev: 1, handle, line: 2, words: 'own' }]);
    expect(hello.repo.talk.reviews).toMatchObject([
      { state: 'CHANGES_REQUESTED', commit: hello.headSha },
    ]);
    expect(readCopy(hello.repo.talk.reviews[0]?.body ?? '')?.findings).toMatchObject([{ id }]);
    expect(saidRevsIn(hello.repo.talk.reviewComments[0]?.body ?? '')).toEqual([{ id, rev: 1 }]);
  });

  it('does not repeat what is open', async () => {
    const hello = await startPull();
    await publish(hello, REVIEWED);
    const again = {
      findings: [placed({ id: '1'.repeat(16), category: 'data' })],
      review: QUIET.review,
    };
    const { part, open } = await publish(hello, again);
    expect([publishedLine(part), open, texts(hello)]).toEqual([
      '1 open: 1 major. Nothing is new. Not repeated: 1 open.',
      1,
      [expect.anything()],
    ]);
  });

  it('never approves, whether it found something or not', async () => {
    const hello = await startPull();
    await publish(hello, QUIET);
    await publish(hello, REVIEWED);
    expect(hello.repo.talk.reviews.map(({ state }) => state)).toEqual([
      'COMMENTED',
      'CHANGES_REQUESTED',
    ]);
  });

  it('is posted even if a stranger has posted it with our marker', async () => {
    const hello = await startPull();
    const body = `${findingLine(placed().finding)}\nWrong.`;
    seedReview(hello.repo, {
      pull: 42,
      author: 'monalisa',
      comments: [{ path: 'src/a.ts', line: 2, body }],
    });
    await publish(hello, REVIEWED);
    expect(hello.repo.talk.reviewComments).toHaveLength(2);
  });

  it.each<[string, Partial<BufferedPublications>, PostScene, number]>([
    ['is posted once where there is nothing new', QUIET, {}, 1],
    ['is posted once for a mention too', QUIET, ASKED, 1],
    ['is posted by each agent', QUIET, { agent: 'bot-2' }, 2],
    ['is posted once more for a new finding', REVIEWED, {}, 2],
  ])('%s', async (_, buffered, scene, number) => {
    const hello = await startPull();
    await publish(hello, QUIET);
    const { part } = await publish(hello, buffered, scene);
    expect(texts(hello)).toHaveLength(number);
    expect(part).toMatchObject({ isReview: true });
  });

  it('after a mention has a name of its own', async () => {
    const hello = await startPull();
    await publish(hello, QUIET, ASKED);
    expect(hello.repo.talk.reviews[0]?.body).toContain('"agent":"bot/reply\\u002d9"');
  });

  it('is posted for findings that are not from the change, which stay out of everything else', async () => {
    const hello = await startPull();
    const preexisting = [1, 2, 3, 4, 5, 6].map((line) => {
      return { ...placed({ line, title: `Fault ${line}`, code: 'old();' }).finding };
    });
    const { part, open, kept } = await publish(hello, { preexisting });
    expect(texts(hello)).toEqual([
      expect.stringContaining('<summary>6 findings not from this change</summary>'),
    ]);
    expect([open, part.records, kept]).toEqual([0, [], undefined]);
    expect(formatUnposted({ posts: [], ...part }, String)).toBe(
      '**1 finding not from this change**\n\n**`src/a.ts:6`** (major, correctness): Fault 6\n\nWrong.',
    );
  });

  it('holds what is beyond `max-comments`, which lives on like all others', async () => {
    const hello = await startPull();
    const { part } = await publish(hello, { findings: [placed(), OTHER] }, { maxComments: 0 });
    const line = 'Asked for changes on #42. 2 findings in the text of the review. 2 open: 2 major.';
    expect([publishedLine(part), hello.repo.talk.reviewComments]).toEqual([line, []]);
    const titles = (await readPull(hello)).open.map(({ title }) => title);
    expect(titles).toEqual(['It is wrong', 'Rows are lost']);
    const { open } = await publish(hello, settle('fixed'));
    expect(open).toBe(1);
    expect(texts(hello)[1]).toMatch(
      /Rows are lost.* — still open\n- ✅ It is wrong · .* — settled by /,
    );
  });
});

it('a finding on a line that has a conversation begins its own', async () => {
  const hello = await startPull();
  const mild = placed({ severity: 'minor' });
  await publish(hello, { findings: [mild], review: { summary: 'One.' } });
  const wanted = { findings: [OTHER], review: { summary: 'Stop.' } };
  const { part, warnings } = await publish(hello, wanted);
  const { reviewComments, reviews } = hello.repo.talk;
  expect([warnings, reviewComments.map(({ inReplyTo }) => inReplyTo)]).toEqual([
    [],
    [undefined, undefined],
  ]);
  expect(part.review).toMatchObject({ isBlocking: true, open: [{ title: 'Rows are lost' }, {}] });
  expect(reviews.map(({ state }) => state)).toContain('CHANGES_REQUESTED');
  const threads = (await readPull(hello)).open.map(({ thread }) => thread?.id);
  expect(new Set(threads).size).toBe(2);
});

describe('a review that is not posted', () => {
  it('stays in the summary', async () => {
    const hello = await startPull();
    const { part, warnings } = await publish(hello, REVIEWED, { isOver: false });
    expect([warnings, hello.repo.talk.reviews]).toEqual([[], []]);
    expect(part).toMatchObject({
      isReview: false,
      isUnposted: true,
      review: { unposted: [{}] },
    });
    expect(formatUnposted({ posts: [], ...part }, String)).toMatch(
      /^\*\*Review, not posted\*\*\n\nOne thing\..*Wrong\./s,
    );
    expect(formatUnposted({ posts: [], ...part }, String, 'One thing.')).not.toContain(
      'One thing.',
    );
  });

  it('does not free a pull request that a review before it blocks', async () => {
    const hello = await startPull();
    await publish(hello, REVIEWED);
    const { part } = await publish(hello, settle('fixed'), { isOver: false });
    expect(part.review).toMatchObject({ open: [], isBlocking: true });
  });

  it('is a warning with the line to add, is shown on the lines, and is said by the next run', async () => {
    const hello = await startPull();
    hello.github.fail({ ...denied(REVIEW, 'pull_requests=write'), times: 1 });
    const findings = [placed({ suggestion: 'return 1' })];
    const { part, warnings, kept } = await publish(hello, { ...REVIEWED, findings });
    expect(warnings).toEqual([
      expect.stringMatching(/^the review was not posted: .*`pull-requests: write`/),
    ]);
    expect(part).toMatchObject({ isReview: true, review: { open: [{}], unposted: [{}] } });
    expect([kept?.findings, formatUnposted({ posts: [], ...part }, String)]).toEqual([
      [expect.objectContaining({ title: 'It is wrong', rev: 1, state: 'open' })],
      expect.stringMatching(
        /^\*\*Review, not posted\*\*\n\nOne thing\.\n\n\*\*Findings not posted as comments\*\*.*: It is wrong\n\nWrong\.\n\nSuggested:\n\n```\nreturn 1\n```$/s,
      ),
    ]);
    const next = await publish(hello, QUIET, { record: kept });
    expect(publishedLine(next.part)).toBe(
      'Asked for changes on #42 with 1 comment: src/a.ts:2. 1 open: 1 major.',
    );
    expect(next.part.records).toMatchObject([{ title: 'It is wrong', state: 'open' }]);
    await publish(hello, QUIET, { record: next.kept });
    expect(hello.repo.talk.reviewComments).toHaveLength(1);
  });
});
