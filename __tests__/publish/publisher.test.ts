import { describe, expect, it } from '@jest/globals';
import type { Trigger } from '../../src/event/trigger.js';
import { type Coverage, coverageCutShort } from '../../src/findings/change/scope.js';
import type { Severity } from '../../src/findings/finding.js';
import type { ReviewOutcome } from '../../src/findings/post/post-review.js';
import { AxeError } from '../../src/lib/errors.js';
import type { RunOutcome } from '../../src/lib/outcome.js';
import type { ActionPublisherOptions } from '../../src/publish/answer.js';
import { checkOf } from '../../src/publish/views/check.js';
import type { PublishRequest, Reply } from '../../src/run/dependencies.js';
import { publishedLine } from '../../src/run/views/published.js';
import type { Inputs } from '../../src/runner/inputs.js';
import { placed } from '../findings/post-scene.js';
import { denied, startHello } from '../github/hello-fixture.js';
import { AGENT } from '../helpers/dependencies-fake.js';
import { type FakeGitHubClient, failure } from '../helpers/github-client-fake.js';
import { seedReview } from '../helpers/github-review-seed.js';
import { answerLine } from '../helpers/marks.js';
import { completed, exhausted, reportOf, requestOf, STATS } from '../helpers/reports.js';
import { comment, issue, pullRequest, SCHEDULE } from '../helpers/triggers.js';
import { CREATE, conversation, publisherOf, RUN_URL, SECRET, UPDATE } from './publisher-scene.js';

/** Publishes the end of a run; gives what came of it, what was warned of and what was written. */
async function publish(
  trigger: Trigger,
  outcome: RunOutcome = completed('Looks good.'),
  patch: Partial<ActionPublisherOptions> = {},
  wanted: Partial<PublishRequest> = {},
) {
  const client = patch.client === undefined ? conversation() : (patch.client as FakeGitHubClient);
  const { publisher, warnings } = publisherOf({ client, ...patch });
  const { plan } = await reportOf('planned', { agents: { bot: AGENT } });
  const run = requestOf({ ...plan, trigger }, outcome, wanted);
  const { posted, ...published } = await publisher.publish(run);
  const { requests } = client;
  const writes = requests.filter(({ route }) => route === CREATE || route === UPDATE);
  return {
    published,
    posted,
    warnings,
    requests,
    writes,
    body: String(writes[0]?.params['body'] ?? ''),
  };
}

const NOTHING = { posts: [] };
const MAIN = { event: 'push', ref: 'refs/heads/main', before: '', commits: [] };
const PUSH: Trigger = { ...SCHEDULE, ...MAIN, kind: 'push', after: 'c'.repeat(40) };
const OTHERS: readonly Trigger[] = [
  SCHEDULE,
  { ...SCHEDULE, kind: 'dispatch', event: 'workflow_dispatch' },
  PUSH,
  { ...SCHEDULE, kind: 'unknown', event: 'watch' },
  { kind: 'local' },
];

describe('a comment', () => {
  const PLACES: readonly (readonly [Trigger, Inputs['comment'], string | undefined])[] = [
    [pullRequest(), 'auto', '"agent":"bot"'],
    [pullRequest(), 'always', '"agent":"bot"'],
    [pullRequest(), 'never', undefined],
    [comment({ commentId: 9 }), 'auto', '"agent":"bot/reply\\\\u002d9"'],
    [comment({ commentId: 9 }), 'always', '"agent":"bot/reply\\\\u002d9"'],
    [comment({ on: 'pull_request' }), 'auto', '"agent":"bot/reply\\\\u002d1"'],
    [comment(), 'never', undefined],
    [issue(), 'auto', undefined],
    [issue(), 'always', '"agent":"bot"'],
    [issue(), 'never', undefined],
    ...OTHERS.map((trigger) => [trigger, 'always', undefined] as const),
  ];

  it.each(
    PLACES.map(([trigger, input, marker]) => [trigger.kind, input, marker, trigger] as const),
  )('on %s with `comment: %s` is %s (D26)', async (_, input, marker, trigger) => {
    const { published, warnings, requests, writes, body } = await publish(trigger, undefined, {
      comment: input,
    });
    expect(warnings).toEqual([]);
    if (marker === undefined) {
      expect([published, requests]).toEqual([NOTHING, []]);
      return;
    }
    const number = trigger.kind === 'pull_request' ? 42 : 7;
    expect(writes).toMatchObject([
      { route: CREATE, params: { owner: 'octocat', repo: 'hello', issue_number: number } },
    ]);
    const mark = `<!-- axe-action \\{"kind":"answer","v":1,${marker}\\} -->`;
    expect(body).toMatch(new RegExp(`^${mark}\nLooks good\\.\n\n`));
    expect(published).toEqual({
      url: expect.stringMatching(/#issuecomment-2$/),
      posts: [{ kind: 'comment', number, url: published.url }],
    });
  });

  it('names its agent, also below a reply, and the run', async () => {
    expect((await publish(comment())).body).toMatch(
      /\n\n<sub>Written by the agent `bot` with axe-action · \[this run\]\(https:\/\/github\.com\/octocat\/hello\/actions\/runs\/7\)<\/sub>$/,
    );
    expect((await publish(pullRequest(), undefined, { runUrl: '' })).body).toMatch(
      /\n\n<sub>Written by the agent `bot` with axe-action<\/sub>$/,
    );
  });

  it.each([
    ['own', 'See #12 and ***, https://redirect.github.com/octo/repo/issues/1'],
    ['mixed', 'See <code>#12</code> and ***, https://redirect.github.com/octo/repo/issues/1'],
  ] as const)(
    'has no secret and links to no thread of another repository, after strangers’ words to none at all: %s (D24)',
    async (word, expected) => {
      const outcome = completed(`See #12 and ${SECRET}, https://github.com/octo/repo/issues/1`);
      const { body } = await publish(pullRequest(), outcome, {}, { word });
      expect(body).toContain(expected);
    },
  );

  it('is updated if it exists', async () => {
    const client = conversation(`${answerLine('bot')}\nolder`);
    const { published, posted, writes } = await publish(pullRequest(), undefined, { client });
    expect(posted).toEqual([1]);
    expect(writes).toMatchObject([{ route: UPDATE, params: { comment_id: 1 } }]);
    const url = expect.stringMatching(/-1$/);
    expect(published).toMatchObject({ posts: [{ kind: 'comment', isUpdate: true }], url });
  });

  const STOPPED = new AxeError('agent exceeded maximum conversation turns (50)', {
    remedy: 'Ask for less.',
  });
  it.each<[string, RunOutcome, string | undefined]>([
    ['completed', completed('Fine.'), 'Fine.'],
    ['completed with nothing to say', completed(' \n'), undefined],
    [
      'was cut short',
      { kind: 'exhausted', limit: 'turns', answer: 'So far.', error: STOPPED, stats: STATS },
      'So far.\n\n*Cut short: agent exceeded maximum conversation turns (50).*',
    ],
    [
      'was cut short before it said anything',
      { kind: 'exhausted', limit: 'turns', answer: '', error: STOPPED, stats: STATS },
      undefined,
    ],
    [
      'is incomplete',
      {
        kind: 'incomplete',
        answer: 'So f',
        error: new AxeError('the answer was cut'),
        stats: STATS,
      },
      'So f\n\n*Cut short: the answer was cut.*',
    ],
    ['failed', { kind: 'failed', error: STOPPED, stats: STATS }, undefined],
    ['was refused', { kind: 'refused', answer: 'I will not.', stats: STATS }, undefined],
  ])('of a run that %s has its text, if any', async (_, outcome, text) => {
    const { body, published, requests } = await publish(pullRequest(), outcome);
    if (text === undefined) expect([published, requests]).toEqual([NOTHING, []]);
    else expect(body.split('\n\n<sub>')[0]).toBe(`${answerLine('bot')}\n${text}`);
  });

  it('states that it was cut short outside of the fence that the answer left open', async () => {
    const answer = `Write:\n\n\`\`\`js\nlet x;`;
    const { body } = await publish(pullRequest(), {
      kind: 'exhausted',
      limit: 'tokens',
      answer,
      error: STOPPED,
      stats: STATS,
    });
    expect(body).toContain(`\n${answer}\n\`\`\`\n\n*Cut short: `);
  });
});

const ON_LINE = { event: 'pull_request_review_comment', on: 'pull_request', number: 42 } as const;

it('a comment on a line has its answer in the thread, below the line of an attempt that failed', async () => {
  const { client, repo } = await startHello();
  const question = { path: 'src/a.ts', line: 2, body: '@axe why?' };
  const [commentId = 0] = seedReview(repo, {
    pull: 42,
    author: 'octocat',
    comments: [question],
  }).comments;
  const trigger = comment({ ...ON_LINE, commentId });
  const { publisher } = publisherOf({ client });
  await publisher.answerFailure({ trigger, agent: 'bot', line: 'There is no answer.' });
  const { plan } = await reportOf('planned', { agents: { bot: AGENT } });
  const { posted } = await publisher.publish(
    requestOf({ ...plan, trigger }, completed('Because.')),
  );
  const replies = repo.talk.reviewComments.filter(({ inReplyTo }) => inReplyTo === commentId);
  expect(replies.map(({ body }) => body.split('\n')[1])).toEqual([
    'There is no answer.',
    'Because.',
  ]);
  // Only texts whose ids are noted are believed later.
  expect(posted).toEqual(replies.map(({ id }) => id));
});

it('the line of a failure does not replace the answer of an earlier attempt', async () => {
  const trigger = comment({ commentId: 9 });
  const client = conversation(`${answerLine('bot/reply-9')}\nBecause.`);
  const { publisher } = publisherOf({ client });

  await publisher.answerFailure({ trigger, agent: 'bot', line: 'There is no answer.' });

  const writes = client.requests.filter(({ route }) => route === CREATE || route === UPDATE);
  expect(writes).toEqual([]);
});

it('a comment on a line has its answer below the pull request where the thread may not be written', async () => {
  const { client, github } = await startHello();
  const route = 'POST /repos/{owner}/{repo}/pulls/{pull_number}/comments/{comment_id}/replies';
  github.fail(denied(route, 'pull_requests=write'));
  const { plan } = await reportOf('planned', { agents: { bot: AGENT } });
  const trigger = comment({ ...ON_LINE, commentId: 9 });
  const { publisher } = publisherOf({ client });
  const { posts } = await publisher.publish(requestOf({ ...plan, trigger }, completed('Because.')));
  expect(posts).toMatchObject([{ kind: 'comment', number: 42 }]);
});

describe('a comment that cannot be written', () => {
  const UNPUBLISHED = 'the answer is in the job summary, but no comment was written: ';

  const NO_TOKEN = "there is no `github-token`. Remove that input to use the job's token.";
  const NO_ISSUE = 'the answer is in the job summary, but the issue was not written: ';
  it.each<[string, Trigger, Partial<ActionPublisherOptions>, readonly string[]]>([
    ['one warning', pullRequest(), {}, [`${UNPUBLISHED}${NO_TOKEN}`]],
    ['none if there is nothing to write', issue(), {}, []],
    ['one for a report, too', SCHEDULE, { reportTo: 'issue' }, [`${NO_ISSUE}${NO_TOKEN}`]],
  ])('because the token is missing is %s', async (_, trigger, patch, messages) => {
    const { published, warnings } = await publish(trigger, undefined, {
      client: undefined,
      ...patch,
    });
    expect(warnings).toEqual(messages.map((message) => ({ code: 'publish-failed', message })));
    expect(published).toEqual({ ...NOTHING, failure: messages[0] });
  });

  it.each([403, 500])(
    'because GitHub answers %i is one warning with cause and remedy',
    async (status) => {
      const refuse = () => {
        throw failure(status, 'POST /repos/octocat/hello/issues/42/comments', 'not here');
      };
      const client = conversation(undefined, { [CREATE]: refuse });
      const { published, warnings } = await publish(pullRequest(), undefined, { client });
      expect(published).toEqual({
        ...NOTHING,
        failure: `${warnings[0]?.message}. ${warnings[0]?.remedy}`,
      });
      expect(warnings).toEqual([
        {
          code: 'publish-failed',
          message: expect.stringMatching(/^the answer is in the job summary, .+[^.]$/s),
          remedy: expect.stringMatching(/\.$/),
        },
      ]);
    },
  );

  it('because of a bug rethrows the error', async () => {
    const fail = () => {
      throw new TypeError('this is not possible');
    };
    const client = conversation(undefined, { [CREATE]: fail });
    await expect(publish(pullRequest(), undefined, { client })).rejects.toThrow(
      'this is not possible',
    );
  });
});

/** Answers a comment; with the comment of ours that is there already. */
async function reply(
  text: string,
  {
    trigger = comment({ commentId: 9 }),
    existing,
    among,
    ...patch
  }: Partial<ActionPublisherOptions> & {
    readonly trigger?: Trigger;
    readonly existing?: string;
    readonly among?: Reply['among'];
  } = {},
) {
  const client = conversation(existing);
  const { publisher, warnings } = publisherOf({ client, ...patch });
  const published = await publisher.reply({ trigger, agent: 'bot', text, among });
  const writes = client.requests.filter(({ route }) => route === CREATE || route === UPDATE);
  const routes = writes.map(({ route }) => route);
  return { published, warnings, routes, body: String(writes[0]?.params['body'] ?? '') };
}

describe('the answer to a command', () => {
  it('is one comment that names its agent, and states that no model was called', async () => {
    const { published, routes, body } = await reply('Forgotten in octocat/hello@axe-memory.');
    expect(publishedLine(published)).toBe('Posted a comment on #7.');
    expect(routes).toEqual([CREATE]);
    expect(body).toBe(
      `${answerLine('bot/reply-9')}\nForgotten in octocat/hello@axe-memory.\n\n<sub>About the agent \`bot\` · Answered by axe-action; no model was asked · [this run](${RUN_URL})</sub>`,
    );
  });

  it('is updated when the same comment is answered again', async () => {
    const existing = `${answerLine('bot/reply-9')}\nolder`;
    expect((await reply('newer', { existing })).routes).toEqual([UPDATE]);
    const other = `${answerLine('bot/reply-8')}\nolder`;
    expect((await reply('newer', { existing: other })).routes).toEqual([CREATE]);
  });

  it('from several agents is one comment, and the agent that has the entry decides its text', async () => {
    const answered = `${answerLine('memory/reply-9')}\nNothing was done.`;
    const first = await reply('No entry.', { among: 'unless-answered' });
    expect(first.body).toContain(`${answerLine('memory/reply-9')}\nNo entry.\n`);
    const second = await reply('No entry.', { among: 'unless-answered', existing: answered });
    expect([second.routes, publishedLine(second.published)]).toEqual([
      [],
      'There is an answer on #7.',
    ]);
    expect((await reply('Forgotten.', { among: 'for-all', existing: answered })).routes).toEqual([
      UPDATE,
    ]);
  });

  it.each([
    ['if comments are off', { comment: 'never' } as const],
    ['if there is no comment to answer', { trigger: SCHEDULE, comment: 'always' } as const],
  ])('is not written %s', async (_, patch) => {
    const { published, warnings, routes } = await reply('x', patch);
    expect([published, warnings, routes]).toEqual([NOTHING, [], []]);
  });
});

describe('a check', () => {
  const WHOLE: Coverage = { kind: 'whole', files: 3, read: 3, unread: [] };
  const PART: Coverage = {
    kind: 'part',
    files: 3,
    read: 2,
    unread: [{ path: 'a.png', why: 'size' }],
  };

  async function of(
    trigger: Trigger,
    outcome: RunOutcome = completed('Done.'),
    { coverage, review }: { readonly coverage?: Coverage; readonly review?: ReviewOutcome } = {},
  ) {
    const { plan } = await reportOf('planned');
    const posts = [{ kind: 'comment', number: 42 }] as const;
    const published = { isReview: false, posts, review };
    const request = requestOf({ ...plan, trigger }, outcome, { read: { coverage, unseen: [] } });
    return checkOf(request, published, { runUrl: '', secrets: ['hunter2-hunter2'] });
  }

  function open(severities: readonly Severity[], isBlocking = false): ReviewOutcome {
    const findings = severities.map((severity) => ({ ...placed().finding, severity }));
    return { open: findings, isBlocking, unposted: [] };
  }

  it.each<[string, Trigger, string | undefined]>([
    ['the head of a pull request', pullRequest(), 'a'.repeat(40)],
    ['what was pushed', PUSH, 'c'.repeat(40)],
    ['nothing on a branch that was deleted', { ...PUSH, after: '0'.repeat(40) }, undefined],
    ['nothing on an issue', issue(), undefined],
    ['nothing on a comment whose diff is not known', comment(), undefined],
    ['nothing on a schedule', SCHEDULE, undefined],
  ])('is about %s', async (_, trigger, sha) => {
    const check = await of(trigger);
    expect(check?.headSha).toBe(sha);
    if (sha !== undefined)
      expect(check?.summary).toContain('Done.\n\nPosted a comment on #42.\n\n<sub>');
  });

  const LATE = exhausted('time', '');
  const CUT = exhausted('time', 'So far.');
  it.each<[RunOutcome, Parameters<typeof of>[2], string, string]>([
    [
      completed('Done.'),
      { review: open([]), coverage: WHOLE },
      'success',
      'Nothing open · all files read',
    ],
    [
      CUT,
      { review: open([]), coverage: coverageCutShort(WHOLE) },
      'neutral',
      'Review not finished',
    ],
    [
      completed('Done.'),
      { review: open([]), coverage: PART },
      'neutral',
      'Nothing open in 2 of 3 files',
    ],
    [completed('Done.'), { review: open([]) }, 'neutral', 'Nothing open'],
    [
      completed('Done.'),
      { review: open(['nit']), coverage: WHOLE },
      'neutral',
      '1 open: 1 nit · all files read',
    ],
    [
      completed('Done.'),
      { review: open(['major', 'minor', 'minor'], true), coverage: WHOLE },
      'failure',
      '3 open: 1 major, 2 minor · all files read',
    ],
    [completed('Done.'), { coverage: WHOLE }, 'neutral', 'Answered · all files read'],
    [CUT, {}, 'neutral', 'Answered, cut short'],
    [LATE, { coverage: PART }, 'neutral', 'No answer in 2 of 3 files, cut short'],
  ])('has conclusion and title: %#', async (outcome, parts, conclusion, title) => {
    expect(await of(pullRequest(), outcome, parts)).toMatchObject({ conclusion, title });
  });

  it('of a run that timed out says so', async () => {
    const check = await of(pullRequest(), LATE);
    expect(check?.summary).toContain('*Cut short: the time limit of the run was reached.*');
  });

  it('holds findings on their lines, sanitized, with their suggestions', async () => {
    const unposted = [
      placed({ title: 'hunter2-hunter2', body: 'hunter2-hunter2', suggestion: 'return 1' }),
      { ...placed(), placement: { kind: 'body', reason: 'outside' } as const },
    ];
    const review = { ...open([]), unposted };
    const check = await of(pullRequest(), completed('x'.repeat(70_000)), { review });
    const message = '***\n\nSuggested:\n\n```\nreturn 1\n```';
    expect(check?.annotations).toMatchObject([
      { path: 'src/a.ts', startLine: 2, message, title: '***' },
    ]);
    expect(check?.summary.length).toBeLessThanOrEqual(65_535);
  });

  it('is not created for a run without a result', async () => {
    const { stats } = completed('');
    const failed: RunOutcome = { kind: 'failed', error: new AxeError('no'), stats };
    expect(await of(pullRequest(), failed)).toBeUndefined();
  });
});
