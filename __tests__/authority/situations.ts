import type { FailedCheck, Remark, TriggerContext } from '../../src/event/context.js';
import type {
  Actor,
  CommentTrigger,
  PullRequestTrigger,
  Trigger,
} from '../../src/event/trigger.js';
import type { AdmissionPolicy, Word } from '../../src/event/trust.js';
import type { Tool } from '../../src/tools/tool.js';
import { fakeTool } from '../helpers/dependencies-fake.js';
import {
  comment,
  issue,
  MERGE_GROUP,
  pullRequest,
  SCHEDULE,
  workflowRun,
} from '../helpers/triggers.js';

/** One way in which a run can begin and go on. */
export interface Situation {
  readonly name: string;
  readonly trigger: Trigger;
  readonly policy?: Partial<AdmissionPolicy>;
  readonly context?: TriggerContext;
  /** The words of the run that has posted the comments of `context`, by the state. */
  readonly posted?: Word;
  /** The words of the run that has raised the finding that is to be fixed. */
  readonly toFix?: Word;
  /** The tool that the model calls. */
  readonly tool?: Tool;
  /**
   * Why no run starts; or its word when it ends, with its rights: memory, who ends findings, what
   * becomes of its changes, tools, and `private` where it is given a `memory-repo`.
   */
  readonly expected: string;
}

/** Has write access, as `wolf` has; `eve` can read, `tom` can triage. */
const MARIA = { login: 'octocat', isBot: false };
const WOLF = { login: 'wolf', isBot: false };
const EVE = { login: 'eve', isBot: false };
const TOM = { login: 'tom', isBot: false };
const BOT = { login: 'dependabot[bot]', isBot: true };
export const PERMISSIONS = {
  octocat: { kind: 'known', permission: 'write' },
  wolf: { kind: 'known', permission: 'write' },
  eve: { kind: 'known', permission: 'read' },
  tom: { kind: 'known', permission: 'triage' },
} as const;

const CHANGE = {
  diff: 'diff --git a/a.md b/a.md\n--- a/a.md\n+++ b/a.md\n@@ -1 +1 @@\n-old\n+new\n',
  files: [],
  filesTotal: 1,
} as const;

/** What is around a pull request whose head is in this repository. */
const AROUND = { kind: 'pull_request', ...CHANGE, warnings: [] } as const satisfies TriggerContext;

function headIn(repository: string): TriggerContext {
  const { head, base } = pullRequest();
  return { ...AROUND, pinned: { head: { ...head, repository }, base } };
}

const OURS = headIn('octocat/hello');

function check(name: string, isOurs: boolean): FailedCheck {
  return { name, conclusion: 'failure', summary: 'It fails.', log: undefined, isOurs };
}

/** A comment by our account below the pull request. */
const REMARK: Remark = {
  id: 7,
  author: { login: 'github-actions[bot]', isBot: true },
  isOurs: true,
  mayWrite: false,
  text: 'A finding.',
};

function by(actor: Actor, author: Actor, patch: Partial<PullRequestTrigger> = {}): Trigger {
  return pullRequest({ actor, author, ...patch });
}

function fork(actor: Actor, author: Actor, patch: Partial<PullRequestTrigger> = {}): Trigger {
  const head = { ...pullRequest().head, repository: 'eve/hello' };
  return by(actor, author, { event: 'pull_request_target', isFork: true, head, ...patch });
}

function says(actor: Actor, subjectAuthor: Actor, patch: Partial<CommentTrigger> = {}): Trigger {
  return comment({ actor, author: actor, subjectAuthor, ...patch });
}

const ON_PULL = { on: 'pull_request', number: 42 } as const;
const ON_LINE = {
  event: 'pull_request_review_comment',
  on: 'pull_request',
  number: 42,
  isFork: false,
} as const;

function push(actor: Actor): Trigger {
  const commits = [{ sha: 'a'.repeat(40), author: 'eve', message: 'Merge #9 from eve/hello' }];
  const ends = { ref: 'refs/heads/main', before: '', after: '', commits };
  return { ...SCHEDULE, ...ends, kind: 'push', event: 'push', actor };
}

const RELEASE: Trigger = {
  ...SCHEDULE,
  ...{ tag: 'v1', title: '', body: '', author: MARIA, isPrerelease: false },
  kind: 'release',
  event: 'release',
};
const DISPATCH: Trigger = { ...SCHEDULE, kind: 'dispatch', event: 'workflow_dispatch' };
const UNKNOWN: Trigger = { ...SCHEDULE, kind: 'unknown', event: 'registry_package' };
const LABELED = { action: 'labeled' };
const FROM_ANYBODY: Partial<AdmissionPolicy> = { minPermission: 'none' };
const FROM_BOT: Partial<AdmissionPolicy> = { allowBots: [BOT.login] };
const STRANGERS_ISSUE = fakeTool('github_comments', 'read', { strangers: 'issue #12 by eve' });
const COMMAND = { ...fakeTool('run_command', 'execute'), reachesNetwork: false };
const WITH_NETWORK = { ...COMMAND, reachesNetwork: true };

/** In the order of the design; `expected` is what docs/security.md promises. */
export const SITUATIONS: readonly Situation[] = [
  {
    name: 'a writer’s branch with green CI',
    trigger: by(MARIA, MARIA),
    context: AROUND,
    expected: 'own: log word commit all private',
  },
  {
    name: 'a writer’s branch with red CI',
    trigger: by(MARIA, MARIA),
    context: { ...AROUND, checks: [check('test', true)] },
    expected: 'own: log word commit all private',
  },
  {
    name: 'a writer’s branch with a red check of another app',
    trigger: by(MARIA, MARIA),
    context: { ...AROUND, checks: [check('scan', false)] },
    expected: 'own: log word commit all private',
  },
  {
    name: 'a writer’s branch after a review with red CI',
    trigger: by(MARIA, MARIA),
    context: { ...AROUND, comments: [REMARK] },
    posted: 'own',
    expected: 'own: log word commit all private',
  },
  {
    name: 'a writer’s branch after a run of ours that has read a stranger',
    trigger: by(MARIA, MARIA),
    context: { ...AROUND, comments: [REMARK] },
    posted: 'mixed',
    expected: 'mixed: computed look patch all',
  },
  {
    name: 'a writer’s branch with a stranger’s comment below it',
    trigger: by(MARIA, MARIA),
    context: { ...AROUND, comments: [{ ...REMARK, author: EVE, isOurs: false }] },
    expected: 'own: log word commit all private',
  },
  {
    name: 'a writer’s branch with a stranger’s commit in it',
    trigger: by(MARIA, MARIA),
    context: { ...AROUND, commits: [{ sha: 'a', author: 'eve', message: 'Fix' }] },
    expected: 'own: log word commit all private',
  },
  {
    name: 'a writer’s push to a stranger’s pull request from a branch',
    trigger: by(MARIA, EVE),
    context: AROUND,
    expected: 'mixed: computed look patch copy',
  },
  {
    name: 'a writer’s branch, and a tool that brings a stranger’s issue',
    trigger: by(MARIA, MARIA),
    context: AROUND,
    tool: STRANGERS_ISSUE,
    expected: 'mixed: computed look patch all private',
  },
  {
    name: 'a writer’s branch, and url_fetch',
    trigger: by(MARIA, MARIA),
    context: AROUND,
    tool: fakeTool('url_fetch', 'network'),
    expected: 'mixed: computed look patch all private',
  },
  {
    name: 'a writer’s branch, and a command without network',
    trigger: by(MARIA, MARIA),
    context: AROUND,
    tool: COMMAND,
    expected: 'own: log word commit all private',
  },
  {
    name: 'a writer’s branch, and a command with network',
    trigger: by(MARIA, MARIA),
    context: AROUND,
    tool: WITH_NETWORK,
    expected: 'mixed: computed look patch all private',
  },
  {
    name: 'a writer’s branch, and an MCP server',
    trigger: by(MARIA, MARIA),
    context: AROUND,
    tool: fakeTool('docs_search', 'execute'),
    expected: 'mixed: computed look patch all private',
  },
  { name: 'a fork that a stranger opens', trigger: fork(EVE, EVE), expected: 'skipped: fork' },
  {
    name: 'a fork that a writer labels',
    trigger: fork(MARIA, EVE, LABELED),
    context: AROUND,
    expected: 'fork: apart people none read',
  },
  {
    name: 'a writer’s own fork that they label',
    trigger: fork(MARIA, MARIA, LABELED),
    context: AROUND,
    expected: 'fork: apart people none read',
  },
  {
    name: 'a fork with a writer’s comment below it',
    trigger: says(MARIA, EVE, ON_PULL),
    context: headIn('eve/hello'),
    expected: 'fork: apart people none read',
  },
  {
    name: 'a pull request that cannot be read',
    trigger: says(MARIA, MARIA, ON_PULL),
    context: { kind: 'none', warnings: [] },
    expected: 'fork: apart people none read',
  },
  { name: 'dependabot', trigger: by(BOT, BOT), expected: 'skipped: bot' },
  {
    name: 'dependabot that the workflow allows',
    trigger: by(BOT, BOT),
    policy: FROM_BOT,
    context: AROUND,
    expected: 'guest: apart look none read',
  },
  {
    name: 'a writer’s comment below dependabot’s pull request',
    trigger: says(MARIA, BOT, ON_PULL),
    context: OURS,
    expected: 'mixed: computed look patch copy',
  },
  {
    name: 'a stranger whom min-permission lets in',
    trigger: by(EVE, EVE),
    policy: FROM_ANYBODY,
    context: AROUND,
    expected: 'guest: apart look none read',
  },
  {
    name: 'a stranger in allow-users',
    trigger: by(EVE, EVE),
    policy: { allowUsers: ['eve'] },
    context: AROUND,
    expected: 'guest: apart look none read',
  },
  {
    name: 'somebody with triage whom min-permission lets in',
    trigger: by(TOM, MARIA),
    policy: { minPermission: 'triage' },
    context: AROUND,
    expected: 'guest: apart look none read',
  },
  {
    name: 'a writer’s comment on a line of their own',
    trigger: says(MARIA, MARIA, ON_LINE),
    context: AROUND,
    expected: 'own: log word commit all private',
  },
  {
    name: 'a writer’s comment below another writer’s',
    trigger: says(MARIA, WOLF, ON_PULL),
    context: OURS,
    expected: 'own: log word commit all private',
  },
  {
    name: 'a writer’s issue',
    trigger: issue({ actor: MARIA, author: MARIA }),
    expected: 'own: log word commit all private',
  },
  {
    name: 'a stranger’s issue',
    trigger: issue({ actor: EVE, author: EVE }),
    expected: 'skipped: permission',
  },
  {
    name: 'a stranger’s issue that min-permission lets in',
    trigger: issue({ actor: EVE, author: EVE }),
    policy: FROM_ANYBODY,
    expected: 'guest: apart look none read',
  },
  {
    name: 'a stranger’s issue that a writer labels',
    trigger: issue({ actor: MARIA, author: EVE, ...LABELED }),
    expected: 'mixed: computed look patch copy',
  },
  {
    name: 'a stranger’s issue where a writer asks',
    trigger: says(MARIA, EVE),
    expected: 'mixed: computed look patch copy',
  },
  {
    name: 'another writer’s issue where a writer asks',
    trigger: says(MARIA, WOLF),
    expected: 'own: log word commit all private',
  },
  {
    name: 'a writer’s issue where a stranger asks',
    trigger: says(EVE, MARIA),
    expected: 'skipped: permission',
  },
  {
    name: 'a comment that somebody else edits',
    trigger: says(MARIA, MARIA, { author: EVE, action: 'edited' }),
    expected: 'skipped: sender-not-author',
  },
  {
    name: 'a fix of what an own run has found',
    trigger: says(MARIA, MARIA, ON_LINE),
    toFix: 'own',
    expected: 'own: log word commit all private',
  },
  {
    name: 'a fix of what was found while CI was red',
    trigger: says(MARIA, MARIA, ON_LINE),
    toFix: 'own',
    expected: 'own: log word commit all private',
  },
  {
    name: 'a fix of what a run has found that had read a stranger',
    trigger: says(MARIA, MARIA, ON_LINE),
    toFix: 'mixed',
    expected: 'mixed: computed look patch copy',
  },
  {
    name: 'a merge queue',
    trigger: MERGE_GROUP,
    expected: 'mixed: computed look patch copy',
  },
  {
    name: 'CI of a push',
    trigger: workflowRun({ cause: 'push' }),
    expected: 'own: log word commit all private',
  },
  {
    name: 'CI of a writer’s pull request',
    trigger: workflowRun({ cause: 'pull_request' }),
    expected: 'own: log word commit all private',
  },
  {
    name: 'CI of a fork',
    trigger: workflowRun({ cause: 'pull_request', isFork: true }),
    expected: 'skipped: fork',
  },
  {
    name: 'a scheduled workflow’s run',
    trigger: workflowRun({ cause: 'schedule' }),
    expected: 'mixed: computed look patch copy',
  },
  {
    name: 'a workflow’s run for a writer’s issue',
    trigger: workflowRun({ cause: 'issues' }),
    expected: 'mixed: computed look patch copy',
  },
  {
    name: 'a workflow’s run for a stranger’s issue',
    trigger: workflowRun({ cause: 'issues', actor: EVE }),
    expected: 'skipped: permission',
  },
  {
    name: 'a push to main',
    trigger: push(MARIA),
    expected: 'own: log word commit all private',
  },
  {
    name: 'a push that merges a fork’s pull request',
    trigger: push(WOLF),
    expected: 'own: log word commit all private',
  },
  { name: 'a bot’s push', trigger: push(BOT), expected: 'guest: apart look none read' },
  {
    name: 'the push of a bot that the workflow allows',
    trigger: push(BOT),
    policy: FROM_BOT,
    expected: 'own: log word commit all private',
  },
  {
    name: 'a writer’s release',
    trigger: RELEASE,
    expected: 'own: log word commit all private',
  },
  { name: 'a schedule', trigger: SCHEDULE, expected: 'own: log word commit all private' },
  {
    name: 'a schedule that runs the tests',
    trigger: SCHEDULE,
    tool: COMMAND,
    expected: 'own: log word commit all private',
  },
  {
    name: 'a schedule that lists issues',
    trigger: SCHEDULE,
    tool: STRANGERS_ISSUE,
    expected: 'mixed: computed look patch all private',
  },
  {
    name: 'a run started by hand',
    trigger: DISPATCH,
    expected: 'own: log word commit all private',
  },
  {
    name: 'a run on one’s own machine',
    trigger: { kind: 'local' },
    tool: STRANGERS_ISSUE,
    expected: 'own: log word commit all private',
  },
  { name: 'an event that is not known', trigger: UNKNOWN, expected: 'skipped: unknown-event' },
];
