import { describe, expect, it } from '@jest/globals';
import type { PullRequestTrigger, Trigger } from '../../src/event/trigger.js';
import {
  classifyTrust,
  contentAuthor,
  createTaintTracker,
  describeTaint,
  laneOfWords,
  mayChangeFiles,
  mayWrite,
  type Permission,
  refuseCheckout,
  type TaintSource,
  type Trust,
  whyOnlyPatch,
} from '../../src/event/trust.js';
import { ConfigError } from '../../src/lib/errors.js';
import { decideAdmission, needsPermission } from '../helpers/admission.js';
import { answerLine } from '../helpers/marks.js';
import { comment, issue, MERGE_GROUP, pullRequest, workflowRun } from '../helpers/triggers.js';

const octocat = { login: 'octocat', isBot: false };
const hubot = { login: 'hubot', isBot: false };
const dependabot = { login: 'dependabot[bot]', isBot: true };
const ghost = { login: 'ghost', isBot: false };
const OCTOCAT = { login: 'Octocat', isBot: false };
const { repository } = pullRequest();
const common = { action: 'opened', repository, actor: octocat };

function fork(
  repositoryName: string | null,
  patch: Partial<PullRequestTrigger> = {},
): PullRequestTrigger {
  const head = { sha: 'a'.repeat(40), ref: 'fix', repository: repositoryName };
  return pullRequest({ isFork: true, head, ...patch });
}

const OWN = `${answerLine('bot')}\nReport`;

const MAIN = { ref: 'refs/heads/main', before: '', after: '', commits: [] };
const push: Trigger = { kind: 'push', event: 'push', ...common, ...MAIN };
const schedule: Trigger = { kind: 'schedule', event: 'schedule', ...common, cron: '0 9 * * 1' };
const dispatch: Trigger = { kind: 'dispatch', event: 'workflow_dispatch', ...common };
const unheardOf: Trigger = { kind: 'unknown', event: 'registry_package', ...common };
const local: Trigger = { kind: 'local' };

const LABELED = { action: 'labeled', author: hubot };
const ON_TARGET = { event: 'pull_request_target' };
const IN_PULL = { on: 'pull_request' } as const;
const REVIEW = { ...IN_PULL, event: 'pull_request_review' };
const EDITED = { action: 'edited' };

const rows: readonly (readonly [string, string, Trust['lane'], Trigger, Permission | 'unknown'])[] =
  [
    ['a writer’s pull request', 'run', 'trusted', pullRequest(), 'write'],
    ['an admin’s pull request', 'run', 'trusted', pullRequest(), 'admin'],
    ['a maintainer’s pull request', 'run', 'trusted', pullRequest(), 'maintain'],
    ['a closed pull request', 'run', 'trusted', pullRequest({ action: 'closed' }), 'write'],
    [
      'a pull request of somebody who can triage',
      'permission',
      'untrusted',
      pullRequest(),
      'triage',
    ],
    ['a reader’s pull request', 'permission', 'untrusted', pullRequest(), 'read'],
    ['a stranger’s pull request', 'permission', 'untrusted', pullRequest(), 'none'],
    [
      'C5 72: a pull request of nobody known',
      'permission-unknown',
      'untrusted',
      pullRequest(),
      'unknown',
    ],
    ['a fork’s pull request, even by an admin', 'fork', 'untrusted', fork('hubot/hello'), 'admin'],
    [
      'a fork’s on pull_request_target',
      'fork',
      'untrusted',
      fork('hubot/hello', ON_TARGET),
      'admin',
    ],
    ['C5 69: a pull request from a deleted fork', 'fork', 'untrusted', fork(null), 'admin'],
    [
      'a fork’s that is closed',
      'fork',
      'untrusted',
      fork('hubot/hello', { action: 'closed' }),
      'write',
    ],
    [
      'a writer’s label on a fork’s',
      'run',
      'untrusted',
      fork('a/b', { ...ON_TARGET, ...LABELED }),
      'write',
    ],
    [
      'the same of their own',
      'run',
      'untrusted',
      fork('a/b', { ...ON_TARGET, action: 'labeled' }),
      'admin',
    ],
    ['a bot’s pull request', 'bot', 'untrusted', pullRequest({ actor: dependabot }), 'write'],
    [
      'C5 69: a pull request by a ghost',
      'permission',
      'untrusted',
      pullRequest({ actor: ghost }),
      'none',
    ],
    ['a writer’s issue', 'run', 'trusted', issue(), 'write'],
    ['a stranger’s issue', 'permission', 'untrusted', issue(), 'none'],
    ['a writer’s label on a stranger’s issue', 'run', 'tainted', issue(LABELED), 'write'],
    [
      'a writer’s label on a ghost’s issue',
      'run',
      'tainted',
      issue({ ...LABELED, author: ghost }),
      'write',
    ],
    ['a bot’s label', 'bot', 'untrusted', issue({ actor: dependabot }), 'write'],
    ['a deleted issue', 'subject-deleted', 'untrusted', issue({ action: 'deleted' }), 'admin'],
    [
      'a transferred issue',
      'subject-deleted',
      'untrusted',
      issue({ action: 'transferred' }),
      'admin',
    ],
    ['a writer’s comment on an issue of theirs', 'run', 'trusted', comment(), 'write'],
    [
      'a writer’s comment on a stranger’s issue',
      'run',
      'tainted',
      comment({ subjectAuthor: hubot }),
      'write',
    ],
    ['a stranger’s comment', 'permission', 'untrusted', comment(), 'read'],
    [
      'an edit of another’s',
      'sender-not-author',
      'untrusted',
      comment({ ...EDITED, author: hubot }),
      'write',
    ],
    [
      'C5 69: a ghost’s',
      'sender-not-author',
      'untrusted',
      comment({ author: ghost, actor: ghost }),
      'write',
    ],
    ['an edit of one’s own', 'run', 'trusted', comment({ ...EDITED, author: OCTOCAT }), 'write'],
    ['a deleted comment', 'subject-deleted', 'untrusted', comment({ action: 'deleted' }), 'admin'],
    ['an issue of ours', 'own-text', 'untrusted', issue({ body: OWN }), 'write'],
    ['a comment of ours', 'own-text', 'untrusted', comment({ body: OWN }), 'write'],
    [
      'a bot’s comment',
      'bot',
      'untrusted',
      comment({ author: dependabot, actor: dependabot }),
      'write',
    ],
    [
      'a writer’s label on a stranger’s from a branch',
      'run',
      'tainted',
      pullRequest(LABELED),
      'write',
    ],
    ['a writer’s push to a bot’s', 'run', 'tainted', pullRequest({ author: dependabot }), 'write'],
    [
      'a comment on a stranger’s',
      'run',
      'tainted',
      comment({ ...IN_PULL, subjectAuthor: hubot }),
      'write',
    ],
    ['a writer’s comment on a pull request of theirs', 'run', 'trusted', comment(IN_PULL), 'write'],
    ['a review of a branch', 'run', 'trusted', comment({ ...REVIEW, isFork: false }), 'write'],
    [
      'a review of a fork, even one’s own',
      'fork',
      'untrusted',
      comment({ ...REVIEW, isFork: true }),
      'admin',
    ],
    ['a push', 'run', 'trusted', push, 'unknown'],
    ['C5 73: a schedule, in a fork too', 'run', 'trusted', schedule, 'unknown'],
    ['a dispatch', 'run', 'trusted', dispatch, 'unknown'],
    [
      'C5 73: a merge group, which holds pull requests of anyone',
      'run',
      'tainted',
      MERGE_GROUP,
      'unknown',
    ],
    [
      'C5 73: a workflow_run chain from a fork',
      'fork',
      'untrusted',
      workflowRun({ isFork: true }),
      'admin',
    ],
    [
      'C5 73: a workflow_run by a writer, whose logs hold anything',
      'run',
      'tainted',
      workflowRun(),
      'write',
    ],
    ['C5 73: a workflow_run by a stranger', 'permission', 'untrusted', workflowRun(), 'read'],
    ['C5 69: an event that is not known', 'unknown-event', 'untrusted', unheardOf, 'admin'],
    ['a run on one’s own machine', 'run', 'trusted', local, 'unknown'],
  ];

it.each(rows)('%s: the admission is %s, the lane %s', (_, ...[gate, lane, trigger, permission]) => {
  const decision = decideAdmission(trigger, permission);
  expect(decision.kind === 'run' ? 'run' : decision.reason).toBe(gate);
  if (decision.kind === 'skip') expect(decision.message).toMatch(/^[A-Z#a-z][^\n]+[^.]$/);
  expect(classifyTrust(trigger, { actor: permission })).toEqual({
    level: lane === 'trusted' ? 'trusted' : 'untrusted',
    lane,
    reason: expect.stringMatching(/^[a-zA-Z][^\n]+[^.]$/),
  });
});

describe('text by another person', () => {
  const labelled = issue(LABELED);
  it.each<[Permission | 'unknown', Trust['level'], Trust['lane']]>([
    ['maintain', 'trusted', 'trusted'],
    ['write', 'trusted', 'trusted'],
    ['triage', 'untrusted', 'tainted'],
    ['unknown', 'untrusted', 'tainted'],
  ])('by an author with the permission %s makes a writer’s run %s, %s', (author, level, lane) => {
    const subjects = [labelled, comment({ subjectAuthor: hubot }), pullRequest(LABELED)];
    for (const trigger of subjects)
      expect(classifyTrust(trigger, { actor: 'write', author })).toMatchObject({ level, lane });
  });

  it('that is a bot has no permission to check', () => {
    const trust = classifyTrust(pullRequest({ author: dependabot }), {
      actor: 'admin',
      author: 'admin',
    });
    expect(trust.lane).toBe('tainted');
  });

  it('counts as a stranger’s if its author is unknown', () => {
    const { subjectAuthor: _, ...untold } = comment();
    expect(classifyTrust(untold, { actor: 'write' }).level).toBe('untrusted');
  });

  it.each([
    ['hubot', labelled],
    ['hubot', comment({ subjectAuthor: hubot })],
    [undefined, issue()],
    [undefined, issue({ author: dependabot })],
    ['hubot', pullRequest({ author: hubot })],
    [undefined, pullRequest()],
    [undefined, pullRequest({ author: dependabot })],
    [undefined, schedule],
    [undefined, local],
  ])('has the author %s', (login, trigger) => {
    expect(contentAuthor(trigger)).toBe(login);
  });
});

describe('every trigger, permission and author', () => {
  const permissions = ['admin', 'maintain', 'write', 'triage', 'read', 'none', 'unknown'] as const;
  const triggers = [
    push,
    schedule,
    dispatch,
    MERGE_GROUP,
    workflowRun(),
    workflowRun({ isFork: true }),
    unheardOf,
    local,
    ...[octocat, hubot, dependabot, ghost].flatMap((author) => [
      pullRequest({ author }),
      pullRequest({ author, actor: author }),
      fork('hubot/hello', { author }),
      issue({ author }),
      issue({ author, actor: author }),
      comment({ subjectAuthor: author }),
      comment({ author, actor: author }),
      comment({ author }),
      comment({ on: 'pull_request', isFork: true, subjectAuthor: author }),
    ]),
  ];
  const cases = triggers.flatMap((trigger) =>
    permissions.flatMap((permission) =>
      permissions.map((author) => ({ trigger, permission, author })),
    ),
  );

  it('use the trusted lane only for text of people who can write', () => {
    for (const { trigger, permission, author } of cases) {
      const { level, lane } = classifyTrust(trigger, { actor: permission, author });
      expect(lane === 'trusted').toBe(level === 'trusted');
      if (lane === 'untrusted' || !('author' in trigger)) continue;
      // Anybody who is not a writer, fork, bot or ghost never reaches computed content.
      expect([mayWrite(permission), trigger.actor.isBot]).toEqual([true, false]);
      expect('isFork' in trigger && trigger.isFork).toBe(false);
      if (lane === 'tainted') continue;
      const wrote = trigger.kind === 'comment' ? trigger.subjectAuthor : trigger.author;
      expect(wrote?.isBot).toBe(false);
      expect(wrote?.login === trigger.actor.login || mayWrite(author)).toBe(true);
    }
  });

  it('skip or distrust unknown permissions', () => {
    for (const { trigger, permission, author } of cases) {
      if (decideAdmission(trigger, permission).kind === 'run') continue;
      expect(classifyTrust(trigger, { actor: permission, author }).lane).toBe('untrusted');
    }
  });
});

it.each<[string, Trigger]>([
  ['an issue', issue({ action: 'labeled', body: OWN })],
  ['a pull request', pullRequest({ body: OWN })],
  ['a description below which somebody comments', comment({ description: OWN })],
])('what a run has written with a person’s token is nobody’s: %s', (_, trigger) => {
  expect(contentAuthor(trigger)).toBeUndefined();
  const trust = classifyTrust(trigger, { actor: 'write', author: 'write' });
  expect(trust).toMatchObject({ level: 'untrusted', lane: 'tainted' });
});

it.each([push, dispatch])('a $kind by a bot is trusted if the workflow allows the bot', (event) => {
  const trigger = { ...event, actor: dependabot };
  const reason = expect.stringContaining('`allow-bots`');
  expect(classifyTrust(trigger, { actor: 'unknown' })).toMatchObject({ lane: 'untrusted', reason });
  const allowBots = ['Dependabot[bot]'];
  expect(classifyTrust(trigger, { actor: 'unknown', allowBots }).lane).toBe('trusted');
  expect(classifyTrust(trigger, { actor: 'unknown', allowBots: ['renovate[bot]'] }).lane).toBe(
    'untrusted',
  );
});

describe('the account whose permission is requested', () => {
  it('is who caused the event, not who wrote its subject', () => {
    expect(needsPermission(issue({ author: hubot }))).toBe('octocat');
  });

  it.each(rows)('%s: is nobody, if the answer changes nothing', (_, _gate, _lane, trigger) => {
    if (needsPermission(trigger) !== undefined)
      return expect(decideAdmission(trigger, 'admin').kind).toBe('run');
    expect(decideAdmission(trigger, 'admin')).toEqual(decideAdmission(trigger, 'none'));
  });
});

const [HEAD, MERGE] = ['a'.repeat(40), 'c'.repeat(40)];
const target = { ...ON_TARGET, mergeSha: MERGE };

it.each([HEAD, MERGE])(
  'a checkout of a fork’s commit %s is refused if the job has secrets',
  (commit) => {
    expect(() => refuseCheckout(fork('a/b', target), commit)).toThrow(ConfigError);
  },
);

it.each<[string, Trigger, string | undefined]>([
  ['of the base', fork('a/b', target), 'b'.repeat(40)],
  ['that is none', fork('a/b', target), undefined],
  ['of a branch of the repository', pullRequest(target), HEAD],
  ['of a fork if there are no secrets', fork('a/b', { mergeSha: MERGE }), HEAD],
  ['next to a comment', comment(), HEAD],
  ['on a machine of one’s own', local, HEAD],
])('a checkout %s is allowed', (_, trigger, commit) => {
  expect(() => refuseCheckout(trigger, commit)).not.toThrow();
});

const WHY = 'it reads text by hubot, who is not known to have write access';
const SOURCES: readonly TaintSource[] = [
  { kind: 'event', reason: WHY },
  { kind: 'failing-checks' },
  { kind: 'history' },
  { kind: 'own-words' },
  { kind: 'tool', tool: 'run_command' },
];

it.each([
  ['trusted', 'tainted'],
  ['tainted', 'tainted'],
  ['untrusted', 'untrusted'],
  ['none', 'none'],
] as const)('a run writes to the lane %s, and after any source to %s', (planned, lane) => {
  expect(createTaintTracker({ kind: 'schedule' }).lane(planned)).toBe(planned);
  for (const source of SOURCES) {
    const taint = createTaintTracker({ kind: 'push' });
    taint.add(source);
    expect(taint.lane(planned)).toBe(lane);
  }
});

it.each(SOURCES)(
  '$kind taints no run on a person’s own machine, and is told after "because"',
  (source) => {
    const taint = createTaintTracker({ kind: 'local' });
    taint.add(source);
    expect([taint.lane('trusted'), taint.sources]).toEqual(['trusted', []]);
    expect(describeTaint(source)).toMatch(/^(?:it |`)[^\n]+[^.]$/);
  },
);

it('the taint tracker keeps every source once, in the order in which they were read', () => {
  const taint = createTaintTracker({ kind: 'push' });
  for (const source of [...SOURCES, ...SOURCES.toReversed()]) taint.add(source);
  expect(taint.sources).toEqual(SOURCES);
});

it.each<
  [Trust['level'], Trust['lane'], readonly TaintSource[], string, boolean, string | undefined]
>([
  ['trusted', 'trusted', [], 'trusted', true, undefined],
  ['trusted', 'trusted', SOURCES, 'tainted', true, WHY],
  ['untrusted', 'tainted', [], 'untrusted', true, 'it may be'],
  ['untrusted', 'untrusted', [], 'untrusted', false, 'it may be'],
])(
  'a run that is %s and %s, by %j: words %s, changes %s, patch %s',
  (level, lane, sources, ...expected) => {
    const trust: Trust = { level, lane, reason: 'it may be' };
    const taint = createTaintTracker({ kind: 'push' });
    for (const source of sources) taint.add(source);
    expect([laneOfWords(trust, taint), mayChangeFiles(trust), whyOnlyPatch(trust, taint)]).toEqual(
      expected,
    );
  },
);
