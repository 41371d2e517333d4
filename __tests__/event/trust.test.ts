import { describe, expect, it } from '@jest/globals';
import { mayWrite, type Permission } from '../../src/event/permission.js';
import type { CommentTrigger, IssueTrigger, PullRequestTrigger, Trigger } from '../../src/event/trigger.js';
import { classifyTrust, contentAuthor, type Trust } from '../../src/event/trust.js';
import { decideAdmission, needsPermission } from '../helpers/admission.js';
import { answerLine } from '../helpers/marks.js';
import { MERGE_GROUP, workflowRun } from '../helpers/triggers.js';

const repository = { owner: 'octocat', name: 'hello', defaultBranch: 'main', isPrivate: false };
const octocat = { login: 'octocat', isBot: false };
const hubot = { login: 'hubot', isBot: false };
const dependabot = { login: 'dependabot[bot]', isBot: true };
const ghost = { login: 'ghost', isBot: false };
const common = { action: 'opened', repository, actor: octocat };

function pullRequest(patch: Partial<PullRequestTrigger> = {}): PullRequestTrigger {
  return {
    kind: 'pull_request',
    event: 'pull_request',
    ...common,
    number: 42,
    title: 'Fix auth',
    body: '',
    author: octocat,
    isDraft: false,
    head: { sha: 'a'.repeat(40), ref: 'fix', repository: 'octocat/hello' },
    base: { sha: 'b'.repeat(40), ref: 'main' },
    isFork: false,
    ...patch,
  };
}

function fork(repositoryName: string | null, patch: Partial<PullRequestTrigger> = {}): PullRequestTrigger {
  const head = { sha: 'a'.repeat(40), ref: 'fix', repository: repositoryName };
  return pullRequest({ isFork: true, head, ...patch });
}

function issue(patch: Partial<IssueTrigger> = {}): IssueTrigger {
  return {
    kind: 'issue',
    event: 'issues',
    ...common,
    number: 7,
    title: 'Broken',
    body: '',
    author: octocat,
    ...patch,
  };
}

function comment(patch: Partial<CommentTrigger> = {}): CommentTrigger {
  return {
    kind: 'comment',
    event: 'issue_comment',
    ...common,
    action: 'created',
    on: 'issue',
    number: 7,
    title: 'Broken',
    description: '',
    body: 'Why?',
    commentId: 1,
    author: octocat,
    subjectAuthor: octocat,
    ...patch,
  };
}

const OWN = `${answerLine('bot')}\nReport`;

const push: Trigger = {
  kind: 'push',
  event: 'push',
  ...common,
  ref: 'refs/heads/main',
  before: '',
  after: '',
  commits: [],
};
const schedule: Trigger = { kind: 'schedule', event: 'schedule', ...common, cron: '0 9 * * 1' };
const dispatch: Trigger = { kind: 'dispatch', event: 'workflow_dispatch', ...common };
const unheardOf: Trigger = { kind: 'unknown', event: 'registry_package', ...common };
const local: Trigger = { kind: 'local' };

interface Row {
  readonly name: string;
  readonly trigger: Trigger;
  readonly permission: Permission | 'unknown';
  readonly gate: string;
  readonly lane: Trust['lane'];
}

const rows: readonly Row[] = [
  {
    name: 'a writer’s pull request',
    trigger: pullRequest(),
    permission: 'write',
    gate: 'run',
    lane: 'trusted',
  },
  {
    name: 'an admin’s pull request',
    trigger: pullRequest(),
    permission: 'admin',
    gate: 'run',
    lane: 'trusted',
  },
  {
    name: 'a maintainer’s pull request',
    trigger: pullRequest(),
    permission: 'maintain',
    gate: 'run',
    lane: 'trusted',
  },
  {
    name: 'a closed pull request',
    trigger: pullRequest({ action: 'closed' }),
    permission: 'write',
    gate: 'run',
    lane: 'trusted',
  },
  {
    name: 'a pull request of somebody who can triage',
    trigger: pullRequest(),
    permission: 'triage',
    gate: 'permission',
    lane: 'untrusted',
  },
  {
    name: 'a reader’s pull request',
    trigger: pullRequest(),
    permission: 'read',
    gate: 'permission',
    lane: 'untrusted',
  },
  {
    name: 'a stranger’s pull request',
    trigger: pullRequest(),
    permission: 'none',
    gate: 'permission',
    lane: 'untrusted',
  },
  {
    name: 'C5 72: a pull request whose actor’s permission is unknown',
    trigger: pullRequest(),
    permission: 'unknown',
    gate: 'permission-unknown',
    lane: 'untrusted',
  },
  {
    name: 'a fork’s pull request, even by an admin',
    trigger: fork('hubot/hello'),
    permission: 'admin',
    gate: 'fork',
    lane: 'untrusted',
  },
  {
    name: 'a fork’s pull request on pull_request_target',
    trigger: fork('hubot/hello', { event: 'pull_request_target' }),
    permission: 'admin',
    gate: 'fork',
    lane: 'untrusted',
  },
  {
    name: 'C5 69: a pull request from a deleted fork',
    trigger: fork(null),
    permission: 'admin',
    gate: 'fork',
    lane: 'untrusted',
  },
  {
    name: 'a closed pull request of a fork',
    trigger: fork('hubot/hello', { action: 'closed' }),
    permission: 'write',
    gate: 'fork',
    lane: 'untrusted',
  },
  {
    name: 'a writer’s label on a fork’s pull request',
    trigger: fork('hubot/hello', { event: 'pull_request_target', action: 'labeled', author: hubot }),
    permission: 'write',
    gate: 'run',
    lane: 'untrusted',
  },
  {
    name: 'a writer’s label on a fork’s pull request of their own',
    trigger: fork('octocat/hello-2', { event: 'pull_request_target', action: 'labeled' }),
    permission: 'admin',
    gate: 'run',
    lane: 'untrusted',
  },
  {
    name: 'a bot’s pull request',
    trigger: pullRequest({ actor: dependabot }),
    permission: 'write',
    gate: 'bot',
    lane: 'untrusted',
  },
  {
    name: 'C5 69: a pull request by a ghost',
    trigger: pullRequest({ actor: ghost }),
    permission: 'none',
    gate: 'permission',
    lane: 'untrusted',
  },
  { name: 'a writer’s issue', trigger: issue(), permission: 'write', gate: 'run', lane: 'trusted' },
  {
    name: 'a stranger’s issue',
    trigger: issue(),
    permission: 'none',
    gate: 'permission',
    lane: 'untrusted',
  },
  {
    name: 'a writer’s label on a stranger’s issue',
    trigger: issue({ action: 'labeled', author: hubot }),
    permission: 'write',
    gate: 'run',
    lane: 'tainted',
  },
  {
    name: 'a writer’s label on a ghost’s issue',
    trigger: issue({ action: 'labeled', author: ghost }),
    permission: 'write',
    gate: 'run',
    lane: 'tainted',
  },
  {
    name: 'a bot’s label',
    trigger: issue({ actor: dependabot }),
    permission: 'write',
    gate: 'bot',
    lane: 'untrusted',
  },
  {
    name: 'a deleted issue',
    trigger: issue({ action: 'deleted' }),
    permission: 'admin',
    gate: 'subject-deleted',
    lane: 'untrusted',
  },
  {
    name: 'a transferred issue',
    trigger: issue({ action: 'transferred' }),
    permission: 'admin',
    gate: 'subject-deleted',
    lane: 'untrusted',
  },
  {
    name: 'a writer’s comment on an issue of theirs',
    trigger: comment(),
    permission: 'write',
    gate: 'run',
    lane: 'trusted',
  },
  {
    name: 'a writer’s comment on a stranger’s issue',
    trigger: comment({ subjectAuthor: hubot }),
    permission: 'write',
    gate: 'run',
    lane: 'tainted',
  },
  {
    name: 'a stranger’s comment',
    trigger: comment(),
    permission: 'read',
    gate: 'permission',
    lane: 'untrusted',
  },
  {
    name: 'a writer’s edit of a stranger’s comment',
    trigger: comment({ action: 'edited', author: hubot }),
    permission: 'write',
    gate: 'sender-not-author',
    lane: 'untrusted',
  },
  {
    name: 'C5 69: a ghost’s edit of a ghost’s comment',
    trigger: comment({ author: ghost, actor: ghost }),
    permission: 'write',
    gate: 'sender-not-author',
    lane: 'untrusted',
  },
  {
    name: 'an edit of one’s own comment',
    trigger: comment({ action: 'edited', author: { login: 'Octocat', isBot: false } }),
    permission: 'write',
    gate: 'run',
    lane: 'trusted',
  },
  {
    name: 'a deleted comment',
    trigger: comment({ action: 'deleted' }),
    permission: 'admin',
    gate: 'subject-deleted',
    lane: 'untrusted',
  },
  {
    name: 'a bot’s comment',
    trigger: comment({ author: dependabot, actor: dependabot }),
    permission: 'write',
    gate: 'bot',
    lane: 'untrusted',
  },
  {
    name: 'a writer’s label on a stranger’s pull request from a branch of the repository',
    trigger: pullRequest({ action: 'labeled', author: hubot }),
    permission: 'write',
    gate: 'run',
    lane: 'tainted',
  },
  {
    name: 'a writer’s push to a bot’s pull request, which quotes release notes',
    trigger: pullRequest({ action: 'synchronize', author: dependabot }),
    permission: 'write',
    gate: 'run',
    lane: 'tainted',
  },
  {
    name: 'a writer’s comment on a stranger’s pull request, from a fork or not',
    trigger: comment({ on: 'pull_request', subjectAuthor: hubot }),
    permission: 'write',
    gate: 'run',
    lane: 'tainted',
  },
  {
    name: 'a writer’s comment on a pull request of theirs, from a fork or not',
    trigger: comment({ on: 'pull_request' }),
    permission: 'write',
    gate: 'run',
    lane: 'trusted',
  },
  {
    name: 'a writer’s review of a pull request from a branch',
    trigger: comment({ event: 'pull_request_review', on: 'pull_request', isFork: false }),
    permission: 'write',
    gate: 'run',
    lane: 'trusted',
  },
  {
    name: 'a writer’s review of a pull request from a fork, even of their own, which gets no secrets',
    trigger: comment({ event: 'pull_request_review', on: 'pull_request', isFork: true }),
    permission: 'admin',
    gate: 'fork',
    lane: 'untrusted',
  },
  { name: 'a push', trigger: push, permission: 'unknown', gate: 'run', lane: 'trusted' },
  {
    name: 'C5 73: a schedule, in a fork too',
    trigger: schedule,
    permission: 'unknown',
    gate: 'run',
    lane: 'trusted',
  },
  { name: 'a dispatch', trigger: dispatch, permission: 'unknown', gate: 'run', lane: 'trusted' },
  {
    name: 'C5 73: a merge group, which holds pull requests of anyone',
    trigger: MERGE_GROUP,
    permission: 'unknown',
    gate: 'run',
    lane: 'tainted',
  },
  {
    name: 'C5 73: a workflow_run chain from a fork',
    trigger: workflowRun({ isFork: true }),
    permission: 'admin',
    gate: 'fork',
    lane: 'untrusted',
  },
  {
    name: 'C5 73: a workflow_run by a writer, whose logs hold anything',
    trigger: workflowRun(),
    permission: 'write',
    gate: 'run',
    lane: 'tainted',
  },
  {
    name: 'C5 73: a workflow_run by a stranger',
    trigger: workflowRun(),
    permission: 'read',
    gate: 'permission',
    lane: 'untrusted',
  },
  {
    name: 'C5 69: an event that is not known',
    trigger: unheardOf,
    permission: 'admin',
    gate: 'unknown-event',
    lane: 'untrusted',
  },
  {
    name: 'a run on one’s own machine',
    trigger: local,
    permission: 'unknown',
    gate: 'run',
    lane: 'trusted',
  },
];

describe('admission, the level and the lane', () => {
  it.each(rows)('$name: $gate, $lane', ({ trigger, permission, gate, lane }) => {
    const decision = decideAdmission(trigger, permission);
    expect(decision.kind === 'run' ? 'run' : decision.reason).toBe(gate);
    expect(classifyTrust(trigger, { actor: permission })).toEqual({
      level: lane === 'trusted' ? 'trusted' : 'untrusted',
      lane,
      reason: expect.stringMatching(/^[a-zA-Z][^\n]+[^.]$/),
    });
  });

  it.each(rows.filter((row) => row.gate !== 'run'))('$name: the summary states why it is skipped', (row) => {
    const decision = decideAdmission(row.trigger, row.permission);
    expect(decision.kind === 'skip' && decision.message).toMatch(/^[A-Z#a-z][^\n]+[^.]$/);
  });

  it('name the fork in the message', () => {
    expect(decideAdmission(fork('hubot/hello'), 'write')).toMatchObject({
      message: 'Pull request #42 comes from the fork hubot/hello; forks do not start runs by default',
    });
    expect(decideAdmission(fork(null), 'write')).toMatchObject({
      message: 'Pull request #42 comes from a fork that was deleted; forks do not start runs by default',
    });
  });
});

describe('text by another person', () => {
  const labelled = issue({ action: 'labeled', author: hubot });
  it.each<[Permission | 'unknown', Trust['level'], Trust['lane']]>([
    ['admin', 'trusted', 'trusted'],
    ['maintain', 'trusted', 'trusted'],
    ['write', 'trusted', 'trusted'],
    ['triage', 'untrusted', 'tainted'],
    ['read', 'untrusted', 'tainted'],
    ['none', 'untrusted', 'tainted'],
    ['unknown', 'untrusted', 'tainted'],
  ])('by an author with the permission %s makes a writer’s run %s, %s', (authorPermission, level, lane) => {
    const subjects = [
      labelled,
      comment({ subjectAuthor: hubot }),
      comment({ on: 'pull_request', subjectAuthor: hubot }),
      pullRequest({ action: 'labeled', author: hubot }),
    ];
    for (const trigger of subjects)
      expect(classifyTrust(trigger, { actor: 'write', author: authorPermission })).toMatchObject({
        level,
        lane,
      });
  });

  it('that is a bot has no permission to check', () => {
    expect(classifyTrust(pullRequest({ author: dependabot }), { actor: 'admin', author: 'admin' }).lane).toBe(
      'tainted',
    );
  });

  it('never gives an actor without permission more trust', () => {
    expect(classifyTrust(labelled, { actor: 'read', author: 'admin' }).level).toBe('untrusted');
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
    permissions.flatMap((permission) => permissions.map((author) => ({ trigger, permission, author }))),
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
      expect(classifyTrust(trigger, { actor: permission, author })).toMatchObject({
        level: 'untrusted',
        lane: 'untrusted',
      });
    }
  });
});

describe('what a run has written with a person’s token', () => {
  it.each<[string, Trigger]>([
    ['an issue', issue({ action: 'labeled', body: OWN })],
    ['a pull request', pullRequest({ body: OWN })],
    ['a description below which somebody comments', comment({ description: OWN })],
  ])('is nobody’s: %s', (_, trigger) => {
    expect(contentAuthor(trigger)).toBeUndefined();
    const trust = classifyTrust(trigger, { actor: 'write', author: 'write' });
    expect(trust).toMatchObject({ level: 'untrusted', lane: 'tainted' });
  });
});

describe('a push or a dispatch by a bot', () => {
  const bots = [
    { ...push, actor: dependabot },
    { ...dispatch, actor: dependabot },
  ];
  it.each(bots)('is untrusted: $kind', (trigger) => {
    expect(classifyTrust(trigger, { actor: 'unknown' })).toMatchObject({
      level: 'untrusted',
      lane: 'untrusted',
      reason: expect.stringContaining('`allow-bots`'),
    });
  });

  it.each(bots)('is trusted if the workflow allows the bot: $kind', (trigger) => {
    const allowBots = ['Dependabot[bot]'];
    expect(classifyTrust(trigger, { actor: 'unknown', allowBots }).lane).toBe('trusted');
    expect(classifyTrust(trigger, { actor: 'unknown', allowBots: ['renovate[bot]'] }).lane).toBe('untrusted');
  });
});

describe('the account whose permission is requested', () => {
  it.each([
    ['octocat', pullRequest()],
    ['octocat', issue({ author: hubot })],
    ['octocat', comment()],
    [undefined, fork('hubot/hello')],
    [undefined, pullRequest({ actor: dependabot })],
    [undefined, comment({ author: hubot })],
    [undefined, comment({ action: 'deleted' })],
    [undefined, push],
    [undefined, schedule],
    [undefined, dispatch],
    [undefined, MERGE_GROUP],
    ['octocat', workflowRun()],
    [undefined, workflowRun({ isFork: true })],
    [undefined, unheardOf],
    [undefined, local],
  ])('is %s', (login, trigger) => {
    expect(needsPermission(trigger)).toBe(login);
  });

  it.each(rows)('$name: is nobody, if the answer changes nothing', ({ trigger }) => {
    if (needsPermission(trigger) !== undefined)
      return expect(decideAdmission(trigger, 'admin').kind).toBe('run');
    expect(decideAdmission(trigger, 'admin')).toEqual(decideAdmission(trigger, 'none'));
  });
});
