import { describe, expect, it } from '@jest/globals';
import { type KeptFinding, type PullRecord, readCopy } from '../../src/findings/kept-finding.js';
import { publishedLine } from '../../src/run/views/published.js';
import { denied, type Hello } from '../github/hello-fixture.js';
import { seedReaction } from '../helpers/github-review-seed.js';
import {
  CODE,
  type PostScene,
  placed,
  publish,
  push,
  readPull,
  repeat,
  settle,
  startPull,
  type Wanted,
} from './post-scene.js';
import { NOW } from './threads.js';

const LATER = new Date('2026-11-22T12:00:00Z');
const REPLY = 'POST /repos/{owner}/{repo}/pulls/{pull_number}/comments/{comment_id}/replies';
const REVIEW = 'POST /repos/{owner}/{repo}/pulls/{pull_number}/reviews';
const DISMISS = 'PUT /repos/{owner}/{repo}/pulls/{pull_number}/reviews/{review_id}/dismissals';
const BOT = 'github-actions[bot]';
const QUIET: Wanted = { review: { summary: 'Looked again.' } };

/** Pull request 42 with a review of these findings. */
async function reviewed(findings = [placed()], scene: PostScene = {}): Promise<Hello> {
  const hello = await startPull();
  await publish(hello, { findings, review: { summary: 'Stop.' } }, scene);
  return hello;
}

const textOf = (body: string) => body.split('\n').slice(1).join('\n');

/** What the first conversation and the first review came to; replies without their hidden lines. */
function state({ repo: { talk } }: Hello) {
  const [first] = talk.reviewComments;
  const replies = talk.reviewComments.filter(({ inReplyTo }) => inReplyTo === first?.id);
  return {
    review: talk.reviews[0]?.state,
    resolvedBy: talk.resolved.get(first?.id ?? 0),
    replies: replies.map(({ body }) => textOf(body).replace(/\bF(?=[A-Z]*\d)[A-Z0-9]{4}\b/g, 'F')),
  };
}

function resolve({ repo: { talk } }: Hello, login: string): void {
  talk.resolved.set(talk.reviewComments[0]?.id ?? 0, login);
}

function thumbsDown({ repo }: Hello): void {
  const of = repo.talk.reviewComments[0]?.id ?? 0;
  seedReaction(repo, { on: 'review-comment', of, author: 'hubot', content: '-1' });
}

/** What is kept of the finding. */
function decided(kept: PullRecord | undefined) {
  return kept?.findings.find(({ title }) => title === 'It is wrong');
}

/** The last text that a run added to the conversation, with its hidden line. */
function lastText({ repo: { talk } }: Hello): string {
  return talk.reviewComments.at(-1)?.body ?? '';
}

const LOCKED = { route: REPLY, status: 422, body: { message: 'Locked' }, times: 9 };
const RESOLVING = 'resolving it takes `contents: write`.';

describe('the conversation of a finding that has ended', () => {
  const NOTHING = () => undefined;
  const NOTED = 'Noted: F is dismissed, and not raised again on this line. Undo: `/axe reopen F`.';
  const SAID_SO = 'F is not raised again on this line, as `hubot` said: It is bound now.';
  const IN_WORDS = settle('dismissed', 'It is wrong', 'hubot');
  it.each<[string, Wanted, (hello: Hello) => void, string, string]>([
    ['is fixed', settle('fixed'), NOTHING, '✅ F is settled by HEAD: It is bound now.', 'model'],
    ['is wrong', settle('wrong'), NOTHING, 'I take F back: It is bound now.', 'model'],
    ['a person dismissed in words', IN_WORDS, NOTHING, SAID_SO, 'person'],
    ['a person dismissed by 👎', QUIET, thumbsDown, NOTED, 'person'],
  ])(
    'that %s is resolved, then said, and no review asks for changes',
    async (_, ...[wanted, before, text, by]) => {
      const hello = await reviewed();
      before(hello);
      const head = push(hello, CODE);
      const calls = hello.github.calls().length;
      const { part, warnings, kept, open } = await publish(hello, wanted);
      const said = text.replace('HEAD', head.slice(0, 7));
      expect(state(hello)).toEqual({ review: 'DISMISSED', resolvedBy: BOT, replies: [said] });
      const outcome = { by, rev: 2, saw: { resolvedBy: BOT } };
      expect([warnings, open, decided(kept)]).toMatchObject([[], 0, outcome]);
      expect(lastText(hello)).toContain('"rev":2');
      const done = hello.github.calls().slice(calls);
      expect(done.indexOf('POST /graphql resolveReviewThread')).toBeLessThan(
        done.findIndex((call) => call.endsWith('/replies')),
      );
      expect(publishedLine(part)).toMatch(
        /^Posted a review on #42\. (Settled 1 earlier finding|1 earlier finding dismissed)\.$/,
      );
      expect(hello.repo.talk.reviews.map(({ body }) => body).join()).toMatch(
        /- (✅|✖️) \[It is wrong\]/,
      );
    },
  );

  it('is said to be open where the token may not resolve it, once', async () => {
    const hello = await reviewed();
    hello.repo.contents = 'read';
    const { kept } = await publish(hello, settle('wrong'));
    expect(decided(kept)).toMatchObject({ state: 'settled', saw: { down: [] } });
    for (const again of [QUIET, settle('wrong')]) await publish(hello, again);
    const reply = `I take F back: It is bound now.\n\nThe conversation stays open: ${RESOLVING}`;
    expect(state(hello)).toEqual({ review: 'DISMISSED', resolvedBy: undefined, replies: [reply] });
    expect((await readPull(hello)).open).toEqual([]);
    // GitHub says with the conversation that it would refuse.
    expect(hello.github.calls()).not.toContain('POST /graphql resolveReviewThread');
  });

  it('is untouched by a run that has read what strangers wrote: the claim is said once a commit', async () => {
    const hello = await reviewed();
    for (const _ of [1, 2]) await publish(hello, settle('fixed'), { word: 'fork' });
    const claim = /^F looks done as of .*\n\nF stays open: only people end findings on a fork\.$/;
    const replies = [expect.stringMatching(claim)];
    expect(state(hello)).toEqual({ review: 'CHANGES_REQUESTED', resolvedBy: undefined, replies });
    expect((await readPull(hello)).open).toHaveLength(1);
  });

  it('is left to people where they have ended it on a fork', async () => {
    const hello = await reviewed();
    thumbsDown(hello);
    const { open } = await publish(hello, QUIET, { word: 'fork' });
    expect([open, state(hello)]).toMatchObject([0, { review: 'DISMISSED', resolvedBy: undefined }]);
    expect(state(hello).replies).toEqual([expect.stringMatching(/^Noted: .*\.$/)]);
  });

  it('is not answered where a person resolved it, which ends the finding', async () => {
    const hello = await reviewed();
    resolve(hello, 'hubot');
    const { kept, open } = await publish(hello, QUIET);
    expect([open, decided(kept)]).toMatchObject([
      0,
      { by: 'person', login: 'hubot', why: 'resolved', isMute: true },
    ]);
    expect(state(hello)).toEqual({ review: 'DISMISSED', resolvedBy: 'hubot', replies: [] });
  });

  it.each<[string, (hello: Hello) => void, RegExp]>([
    [
      'an answer is refused',
      ({ github }) => github.fail(LOCKED),
      /^1 answer in .* could not be posted: /,
    ],
    [
      'a review is not dismissed',
      ({ github }) => github.fail(denied(DISMISS, 'pull_requests=write')),
      /^a review that asks for changes was not dismissed: /,
    ],
  ])('is a warning, and the run goes on, where %s', async (_, fail, warning) => {
    const hello = await reviewed();
    fail(hello);
    const { warnings } = await publish(hello, settle('fixed'));
    expect(warnings).toEqual([expect.stringMatching(warning)]);
    expect(hello.repo.talk.reviews.map(({ body }) => body).join()).toContain('Looked again.');
  });

  it('is told by the next run if neither answer nor review could be posted, and once', async () => {
    const hello = await reviewed();
    hello.github.fail({ ...LOCKED, times: 1 });
    hello.github.fail({ ...LOCKED, route: REVIEW, times: 1 });
    await publish(hello, settle('fixed'));
    expect(state(hello).replies).toEqual([]);
    for (const _ of [1, 2]) await publish(hello, QUIET);
    expect(state(hello).replies).toEqual([expect.stringMatching(/^✅ F is settled by /)]);
  });
});

describe('the conversation of a finding that is open', () => {
  const CRITICAL = { severity: 'critical' } as const;
  const ON_LINE_2 = { line: 2, code: 'const total = sum(rows);' };

  it('is opened where it is back, and asks for changes again', async () => {
    const hello = await reviewed();
    await publish(hello, settle('fixed'));
    const head = push(hello, CODE, 'e'.repeat(40));
    const { part, kept } = await publish(hello, repeat(), { now: LATER });
    const replies = [{}, `F is back as of ${head.slice(0, 7)}.`];
    expect(state(hello)).toMatchObject({ resolvedBy: undefined, replies });
    expect(decided(kept)).toMatchObject({ state: 'open', by: 'model', rev: 3 });
    expect(publishedLine(part)).toContain('1 earlier finding came back.');
    expect(part).toMatchObject({ review: { open: [{}], isBlocking: true } });
    const body = expect.stringContaining('- ↩️ [It is wrong](');
    expect(hello.repo.talk.reviews.at(-2)).toMatchObject({ state: 'CHANGES_REQUESTED', body });
  });

  it.each<[string, Wanted, Partial<KeptFinding>, string]>([
    ['is worse', repeat('It is wrong', CRITICAL), CRITICAL, 'critical'],
    ['is on a changed line', repeat('It is wrong', ON_LINE_2), { line: 2 }, 'major'],
  ])('is told where it %s, once', async (_, wanted, mark, severity) => {
    const hello = await reviewed();
    const changed = CODE.replace(/.*sort.*\n/, '').replace(/count\(rows, key\)/, 'sum(rows)');
    push(hello, severity === 'major' ? changed : CODE);
    const { kept } = await publish(hello, wanted);
    expect(decided(kept)).toMatchObject({ rev: 2, ...mark });
    expect(state(hello).replies).toEqual([`F is still there as of ddddddd, and ${severity}.`]);
    expect((await readPull(hello)).open).toMatchObject([{ toldRev: 2, isGone: false, ...mark }]);
    expect(publishedLine((await publish(hello, wanted)).part)).toMatch(
      /^1 open: 1 \w+\. Nothing is new\. Not repeated: 1 open\.$/,
    );
  });

  it('is opened where somebody closed it who cannot end the finding', async () => {
    const hello = await reviewed();
    resolve(hello, 'monalisa');
    const { kept, open } = await publish(hello, QUIET);
    expect([open, decided(kept)]).toMatchObject([1, { state: 'open', rev: 1 }]);
    expect(state(hello)).toEqual({
      review: 'CHANGES_REQUESTED',
      resolvedBy: undefined,
      replies: [],
    });
  });

  it('is named in the review where the token may not open it', async () => {
    const hello = await reviewed();
    resolve(hello, 'monalisa');
    hello.repo.contents = 'read';
    await publish(hello, { findings: [placed({ line: 24, title: 'Late' })], ...QUIET });
    expect(hello.repo.talk.reviews.at(-1)?.body).toMatch(
      /It is wrong · `src\/a\.ts:2` · F.... — still open/,
    );
  });
});

describe('a review that asks for changes', () => {
  const PUSHED = { head: 'f'.repeat(40) };
  const MINOR = placed({ line: 24, title: 'Slow', severity: 'minor' });

  it.each<[string, Wanted, PostScene, string, boolean]>([
    ['stays while a finding is open that asks for it', QUIET, {}, 'CHANGES_REQUESTED', true],
    ['is taken back where none is that is bad enough', settle('fixed'), {}, 'DISMISSED', false],
    [
      'stays where `block-on` is milder',
      settle('fixed'),
      { blockOn: 'minor' },
      'CHANGES_REQUESTED',
      true,
    ],
    [
      'is taken back where `block-on` is stricter',
      QUIET,
      { blockOn: 'critical' },
      'DISMISSED',
      false,
    ],
    ['stays for another agent', QUIET, { agent: 'bot-2' }, 'CHANGES_REQUESTED', false],
    [
      'stays where the newest commit is another',
      settle('fixed'),
      PUSHED,
      'CHANGES_REQUESTED',
      true,
    ],
  ])('%s', async (_, ...[wanted, scene, expected, isBlocking]) => {
    const hello = await reviewed([placed(), MINOR]);
    hello.repo.comparisons.set(`${hello.baseSha}...${'f'.repeat(40)}`, CODE);
    const { part } = await publish(hello, wanted, scene);
    expect([hello.repo.talk.reviews[0]?.state, part.review?.isBlocking]).toEqual([
      expected,
      isBlocking,
    ]);
  });

  it.each<[string, Wanted, boolean]>([
    ['the same finding', QUIET, false],
    ['one that blocks nothing', { findings: [MINOR] }, false],
    ['another one that blocks', { findings: [placed({ line: 24, title: 'Leak' })] }, true],
    ['one that is worse than it was', repeat('It is wrong', { severity: 'critical' }), true],
  ])('that a person dismissed decides about %s: %#', async (_, wanted, isAsked) => {
    const hello = await reviewed();
    const { reviews } = hello.repo.talk;
    reviews.splice(
      0,
      1,
      ...reviews.slice(0, 1).map((one) => ({ ...one, submittedAt: NOW.toISOString() })),
    );
    for (const review of reviews)
      Object.assign(review, { state: 'DISMISSED', dismissedBy: 'octocat' });
    const { part } = await publish(hello, wanted, { now: LATER });
    expect(part.review?.isBlocking).toBe(isAsked);
    expect(reviews.some((one) => one.state === 'CHANGES_REQUESTED')).toBe(isAsked);
  });
});

it.each<[PostScene, boolean]>([
  [{}, true],
  [{ lines: undefined }, false],
])('a run asks for changes later only where the change is known: %#', async (scene, isAsked) => {
  const hello = await reviewed([placed()], { blockOn: 'critical' });
  await publish(hello, {}, scene);
  expect(hello.repo.talk.reviews.some(({ state }) => state === 'CHANGES_REQUESTED')).toBe(isAsked);
});

describe('a copy that was cut', () => {
  /** The newest review had no room for a finding that nobody knows any more. */
  async function cut(): Promise<Hello> {
    const hello = await reviewed();
    for (const review of hello.repo.talk.reviews)
      review.body = review.body.replace('"heard":[]', '"heard":[],"isCut":true');
    return hello;
  }
  const stateOf = ({ repo }: Hello) => {
    const [review] = repo.talk.reviews;
    return [review?.state, readCopy(review?.body ?? '')?.isCut];
  };

  it('keeps its request for changes until the whole change was read', async () => {
    const hello = await cut();
    const { part } = await publish(hello, settle('wrong'), { extent: 'part' });
    expect([part.review?.isBlocking, ...stateOf(hello)]).toEqual([true, 'CHANGES_REQUESTED', true]);
    expect(readCopy(hello.repo.talk.reviews[1]?.body ?? '')).toMatchObject({ isCut: true });
  });

  it('says so no more after that', async () => {
    const hello = await cut();
    const { part } = await publish(hello, settle('wrong'));
    expect([part.review?.isBlocking, stateOf(hello)[0]]).toEqual([false, 'DISMISSED']);
    const copy = readCopy(hello.repo.talk.reviews[1]?.body ?? '');
    expect([copy?.findings.length, copy?.isCut]).toEqual([1, undefined]);
  });
});

describe('what is kept of findings', () => {
  it('is the conversation once it was read, and a stranger’s gesture as one', async () => {
    const hello = await reviewed();
    hello.repo.contents = 'read';
    await publish(hello, settle('fixed'));
    resolve(hello, 'monalisa');
    const { kept } = await publish(hello, QUIET);
    const [comment] = hello.repo.talk.reviewComments;
    const saw = { resolvedBy: 'monalisa', down: [] };
    expect(decided(kept)).toMatchObject({ thread: `PRRT_${comment?.id}`, state: 'settled', saw });
  });

  it.each([
    ['does not know the pull request, since no save came through', false, 'settled'],
    ['knows it', true, 'open'],
  ])('is in the newest review too while the state %s', async (_, isKnown, copied) => {
    const hello = await reviewed();
    const { kept } = await publish(hello, QUIET, { keepsState: true });
    resolve(hello, 'hubot');
    await publish(hello, QUIET, { keepsState: true, record: isKnown ? kept : undefined });
    const copy = readCopy(hello.repo.talk.reviews[0]?.body ?? '');
    expect(copy?.findings.map(({ state: now }) => now)).toEqual([copied]);
  });

  it('is without a state in the newest review, also where nothing is said', async () => {
    const hello = await reviewed();
    resolve(hello, 'hubot');
    await publish(hello, QUIET);
    expect(hello.repo.talk.reviews).toHaveLength(1);
    const body = hello.repo.talk.reviews[0]?.body ?? '';
    expect(readCopy(body)?.findings).toMatchObject([{ state: 'settled', login: 'hubot' }]);
    expect(body).toContain('It is wrong');
    hello.repo.talk.resolved.clear();
    expect((await publish(hello, QUIET)).open).toBe(1);
  });
});
