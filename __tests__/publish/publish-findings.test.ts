import { describe, expect, it } from '@jest/globals';
import type { Trigger } from '../../src/event/trigger.js';
import {
  type BufferedPublications,
  NO_PUBLICATIONS,
} from '../../src/findings/buffered-publications.js';
import type { GitHubClient } from '../../src/github/client/client.js';
import { AxeError, type Warning, warningText } from '../../src/lib/errors.js';
import type { RunOutcome } from '../../src/lib/outcome.js';
import type { ActionPublisherOptions } from '../../src/publish/answer.js';
import { createCommentReactions, publishSideEffects } from '../../src/publish/publish-findings.js';
import { reviewRemarks } from '../../src/publish/views/review.js';
import { formatUnposted } from '../../src/report/views/unposted.js';
import { decideNow } from '../../src/run/settle-findings.js';
import { publishedLine } from '../../src/run/views/published.js';
import { placed, readPull, startPull } from '../findings/post-scene.js';
import { denied, startHello } from '../github/hello-fixture.js';
import { AGENT } from '../helpers/dependencies-fake.js';
import { createFakeGitHubClient, failure } from '../helpers/github-client-fake.js';
import { completed, exhausted, reportOf, requestOf, STATS } from '../helpers/reports.js';
import { comment, issue, pullRequest, SCHEDULE } from '../helpers/triggers.js';
import { publisherOf, SECRET } from './publisher-scene.js';

/** Publishes a finding and a label at the end of a run on pull request 42. */
async function publish(
  end: RunOutcome,
  comment: 'auto' | 'never' = 'auto',
  wanted: Partial<BufferedPublications> = {},
  patch: Partial<ActionPublisherOptions> = {},
) {
  const hello = await startPull();
  hello.repo.talk.labels.push('bug');
  const buffered = {
    ...NO_PUBLICATIONS,
    findings: [placed({ severity: 'minor' })],
    labels: { add: ['bug'], remove: [] },
    ...wanted,
  };
  const { publisher } = publisherOf({ client: hello.client, comment, ...patch });
  const { plan } = await reportOf('planned', { agents: { bot: AGENT } });
  const change = { head: hello.headSha, base: hello.baseSha, diff: '' };
  const ledger = await readPull(hello);
  const findings = decideNow({ pull: 42, start: ledger.copy(), buffered, isOld: true }, ledger);
  const about = { ...plan, trigger: pullRequest() };
  const read = { coverage: { kind: 'whole', files: 1, read: 1, unread: [] }, unseen: [] } as const;
  const request = requestOf(about, end, { buffered, change, findings, read });
  const published = await publisher.publish(request);
  const { talk } = hello.repo;
  return { published, reviews: talk.reviews.length, labels: talk.labelsOf.get(42) ?? [] };
}

const POSTED = 'Posted 1 comment on #42: src/a.ts:2. 1 open: 1 minor.';
const LABELLED = 'Added the label `bug`.';
it.each<[string, RunOutcome, 'auto' | 'never', string, number, readonly string[]]>([
  ['completed', completed(''), 'auto', `${POSTED} ${LABELLED}`, 1, ['bug']],
  ['completed', completed(''), 'never', LABELLED, 0, ['bug']],
  ['was cut short', exhausted('cost', ''), 'auto', POSTED, 1, []],
  ['failed', { ...exhausted('cost', ''), kind: 'failed' } as RunOutcome, 'auto', '', 0, []],
])(
  'a run that %s publishes its review, and its labels: %#',
  async (_, ...[outcome, comment, line, reviews, labels]) => {
    const { published, ...seen } = await publish(outcome, comment);
    expect([publishedLine(published), seen]).toEqual([line, { reviews, labels }]);
    expect(published.reviewResult?.isUnpublished).toBe(reviews === 0);
  },
);

it('secrets leave every text of the record of findings, suggestions too', async () => {
  const texts = { title: `a ${SECRET}`, body: `b ${SECRET}`, suggestion: `return '${SECRET}'` };
  const { published } = await publish(completed(''), 'auto', { findings: [placed(texts)] });
  expect(published.reviewResult?.report.findings).toMatchObject([
    { title: 'a ***', body: 'b ***', suggestion: "return '***'" },
  ]);
});

it('a check is published with its address', async () => {
  const { published } = await publish(completed(''), 'auto', {}, { checkRun: true });
  expect(published.checkUrl).toMatch(/^https:\/\/github\.com\/octocat\/hello\/runs\/\d+$/);
});

it('what the workflow does not allow is listed for the summary', async () => {
  const refusals = [{ tool: 'set_labels', code: 'label', detail: '"x"' }] as const;
  const { published } = await publish(completed(''), 'auto', { refusals });
  expect(formatUnposted(published, String)).toBe(
    '**Not posted**\n\n- Labels that `labels-allowed` does not allow: "x".',
  );
});

it('lists refused findings with place and reason', async () => {
  const refusedFindings = [
    { path: 'src/a.ts', line: 3, title: 'Consider a lock', code: 'wish' },
  ] as const;
  const { published } = await publish(completed(''), 'auto', { refusedFindings });
  expect(formatUnposted(published, String)).toBe(
    '**Not posted**\n\n- `src/a.ts:3` Consider a lock: it asks for a check and names no fault',
  );
});

interface Scene {
  readonly client: GitHubClient | undefined;
  readonly trigger: Exclude<Trigger, { readonly kind: 'local' }>;
}

/** Publishes what a run has buffered; gives what was said about it. */
async function publishEffects({ client, trigger }: Scene, wanted: Partial<BufferedPublications>) {
  const warnings: string[] = [];
  const { plan } = await reportOf('planned', { agents: { bot: AGENT } });
  const buffered = { ...NO_PUBLICATIONS, ...wanted };
  const part = await publishSideEffects(
    requestOf({ ...plan, trigger }, completed(''), { buffered }),
    {
      client,
      secrets: ['hunter2-hunter2'],
      reporter: {
        event: () => undefined,
        warn: (one: Warning) => void warnings.push(warningText(one)),
      },
    } as unknown as ActionPublisherOptions,
  );
  return { part, warnings };
}

it('labels that a run requests are added and removed, and one that the repository does not have is not created', async () => {
  const { client, repo } = await startHello();
  repo.talk.labels.push('bug', 'wip');
  repo.talk.labelsOf.set(42, ['wip']);
  const labels = { add: ['bug', 'nonsense'], remove: ['wip'] };
  const { part, warnings } = await publishEffects({ client, trigger: pullRequest() }, { labels });
  expect(publishedLine(part)).toBe('Added the label `bug`. Removed the label `wip`.');
  expect(warnings).toEqual(['the repository does not have the label `nonsense`; none was made']);
  expect(repo.talk.labelsOf.get(42)).toEqual(['bug']);
});

describe('an issue that a run opens', () => {
  const draft = { title: 'Flaky test', body: 'It fails with hunter2-hunter2.', labels: [] };

  it('is opened once, and updated by the next run with the same title', async () => {
    const { client, repo } = await startHello();
    const first = await publishEffects({ client, trigger: SCHEDULE }, { issues: [draft] });
    expect([publishedLine(first.part), first.warnings]).toEqual(['Opened the issue #43.', []]);
    const again = { ...draft, body: `${draft.body} Still.` };
    const second = await publishEffects({ client, trigger: SCHEDULE }, { issues: [again] });
    expect(publishedLine(second.part)).toBe('Updated the issue #43.');
    const found = [...repo.issues.values()];
    expect(found.map(({ title, body }) => [title, body])).toEqual([
      [
        'Flaky test',
        expect.stringMatching(
          /^<!-- axe-action \{"kind":"issue","v":1,"agent":"bot","key":"[\w\\]+"\} -->\nIt fails with \*\*\*\. Still\.$/,
        ),
      ],
    ]);
  });

  it('is a different one if the title differs', async () => {
    const { client, repo } = await startHello();
    const issues = [draft, { ...draft, title: 'Slow test' }];
    const { part } = await publishEffects({ client, trigger: SCHEDULE }, { issues });
    expect(publishedLine(part)).toBe('Opened the issue #43. Opened the issue #44.');
    expect(repo.issues.size).toBe(2);
  });
});

describe('the reaction of a run', () => {
  it.each<[string, Scene['trigger'], readonly [string, number]]>([
    ['a pull request', pullRequest(), ['issue', 42]],
    ['a comment', comment({ commentId: 9, number: 42 }), ['issue-comment', 9]],
    [
      'a comment on a line',
      comment({
        event: 'pull_request_review_comment',
        on: 'pull_request',
        commentId: 9,
        number: 42,
      }),
      ['review-comment', 9],
    ],
    [
      'a review, which takes none itself',
      comment({ event: 'pull_request_review', on: 'pull_request', commentId: 9, number: 42 }),
      ['issue', 42],
    ],
  ])('is added to %s', async (_, trigger, place) => {
    const { client, repo } = await startHello();
    repo.talk.eventComments.add(9);
    const { part, warnings } = await publishEffects({ client, trigger }, { reaction: 'heart' });
    expect([part, warnings]).toEqual([{ posts: [{ kind: 'reaction', number: 42 }] }, []]);
    expect(repo.talk.reactions.map(({ on, of, content }) => [on, of, content])).toEqual([
      [...place, 'heart'],
    ]);
  });

  it('is not added if there is nothing to react to', async () => {
    const { client, repo } = await startHello();
    await publishEffects({ client, trigger: SCHEDULE }, { reaction: 'heart' });
    expect(repo.talk.reactions).toEqual([]);
  });
});

describe('side effects that cannot be published', () => {
  const all: Partial<BufferedPublications> = {
    labels: { add: ['bug'], remove: [] },
    issues: [{ title: 'Flaky test', body: 'It fails.', labels: [] }],
    reaction: 'heart',
  };

  it('are one warning each that names the permission, and do not stop the others', async () => {
    const { client, github, repo } = await startHello();
    repo.talk.labels.push('bug');
    const issueRoute = 'POST /repos/{owner}/{repo}/issues/{issue_number}';
    github.fail(denied(`${issueRoute}/labels`, 'issues=write; pull_requests=write'));
    github.fail(denied('POST /repos/{owner}/{repo}/issues', 'issues=write'));
    github.fail(denied(`${issueRoute}/reactions`, 'issues=write'));
    const { part, warnings } = await publishEffects({ client, trigger: pullRequest() }, all);
    expect(part.failure).toMatch(/^the labels were not set/);
    expect(warnings).toEqual([
      expect.stringMatching(
        /^the labels were not set: .*`issues: write` or `pull-requests: write`/,
      ),
      expect.stringMatching(/^the issue was not opened: .*`issues: write`/),
      expect.stringMatching(/^the reaction was not added: .*`issues: write`/),
    ]);
  });

  it('are one warning without a token, and none if nothing is requested', async () => {
    const without = await publishEffects({ client: undefined, trigger: issue() }, all);
    const failure = expect.stringContaining('`github-token`');
    expect(without).toEqual({ part: { failure }, warnings: [failure] });
    const nothing = await publishEffects({ client: undefined, trigger: issue() }, {});
    expect(nothing).toEqual({ part: {}, warnings: [] });
  });
});

const ON_COMMENT = 'POST /repos/{owner}/{repo}/issues/comments/{comment_id}/reactions';
const ON_LINE = 'POST /repos/{owner}/{repo}/pulls/comments/{comment_id}/reactions';

function stage(trigger: Trigger, { refuse = false, isSilent = false, hasToken = true } = {}) {
  const answer = () => {
    if (refuse) throw failure(403, ON_COMMENT, 'Resource not accessible by integration');
    return { id: 1 };
  };
  const client = createFakeGitHubClient({ [ON_COMMENT]: answer, [ON_LINE]: answer });
  const lines: string[] = [];
  const answers: string[] = [];
  const reactions = createCommentReactions({
    client: hasToken ? client : undefined,
    trigger,
    isSilent,
    answer: async (line) => void answers.push(line),
    log: (line) => void lines.push(line),
  });
  const asked = () =>
    client.requests.map(({ route, params }) => [route, params['comment_id'], params['content']]);
  return { reactions, lines, asked, answers };
}

describe('the reaction to a comment', () => {
  it.each([
    ['issue_comment', ON_COMMENT],
    ['pull_request_review_comment', ON_LINE],
  ])('on %s shows once that it was seen, and stays', async (event, route) => {
    const { reactions, asked, answers } = stage(comment({ event, commentId: 9 }));
    reactions.start();
    reactions.start();
    await reactions.end();
    expect(asked()).toEqual([[route, 9, 'eyes']]);
    expect(answers).toEqual([]);
  });

  it.each<[string, Trigger, { isSilent?: boolean; hasToken?: boolean }]>([
    ['on a review as a whole', comment({ event: 'pull_request_review' }), {}],
    ['on a pull request', pullRequest(), {}],
    ['on an issue', issue(), {}],
    ['on one’s own machine', { kind: 'local' }, {}],
    ['in a silent run', comment(), { isSilent: true }],
    ['without a token', comment(), { hasToken: false }],
  ])('is absent %s', async (_, trigger, options) => {
    const { reactions, asked, lines } = stage(trigger, options);
    reactions.start();
    await reactions.end();
    expect([asked(), lines]).toEqual([[], []]);
  });
});

describe('the line for the sender', () => {
  it('is posted if what was started has no answer, even if the reaction is refused', async () => {
    const { reactions, answers, lines } = stage(comment(), { refuse: true });
    reactions.start();
    await reactions.end('There is no answer.');
    expect(answers).toEqual(['There is no answer.']);
    expect(lines).toEqual([expect.stringMatching(/^No reaction on the comment: /)]);
  });

  it('is not posted if nothing was started', async () => {
    const { reactions, asked, answers } = stage(comment());
    await reactions.end('There is no answer.');
    expect([asked(), answers]).toEqual([[], []]);
  });
});

const CUT = new AxeError('the answer was cut at 12 output tokens');

it.each<[string, RunOutcome, readonly RegExp[]]>([
  ['ended by itself', completed('Fine.'), []],
  [
    'was ended by a limit',
    exhausted('cost', 'So far.'),
    [/^Cut short: .*\. Not everything was reviewed; the next review covers it again\.$/],
  ],
  [
    'has a last reply that was cut off',
    { kind: 'incomplete', answer: 'So f', error: CUT, stats: STATS },
    [/^Cut short: the answer was cut at 12 output tokens\. Not everything was reviewed;/],
  ],
  [
    'had completed its answer',
    { ...exhausted('cost', 'All of it.'), isAnswered: true } as RunOutcome,
    [/^The last reply went over a limit: .*\.$/],
  ],
])('the remarks of a review whose run %s: %#', (_, outcome, texts) => {
  const remarks = texts.map((text) => expect.stringMatching(text));
  expect(reviewRemarks(outcome, NO_PUBLICATIONS, [])).toEqual(remarks);
});

it('a review says that its pull request changes what steers it, and nothing of other warnings', () => {
  const warnings: readonly Warning[] = [
    { code: 'agent-changed-in-pull-request', message: 'the pull request changes `AGENTS.md`.' },
    { code: 'model-warning', message: 'It is slow.' },
  ];
  expect(reviewRemarks(completed('Fine.'), NO_PUBLICATIONS, warnings)).toEqual([
    'The pull request changes `AGENTS.md`.',
  ]);
});
