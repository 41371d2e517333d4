import { describe, expect, it } from '@jest/globals';
import type { TriggerContext } from '../../src/event/context.js';
import type { IssueTrigger, PushTrigger, Trigger } from '../../src/event/trigger.js';
import { DEFAULT_TASK } from '../../src/lib/defaults.js';
import { NUMBERS_NOTICE } from '../../src/prompt/describe.js';
import { resolveTask, type Task, type TaskParts } from '../../src/prompt/task.js';
import { FENCE_NOTICE, fence, parseFences } from '../../src/safety/fence.js';
import {
  comment as aComment,
  issue as anIssue,
  pullRequest as aPullRequest,
  MERGE_GROUP,
  SCHEDULE,
  STRANGER,
} from '../helpers/triggers.js';

const HEAD = 'a'.repeat(40);
const BASE = 'b'.repeat(40);

const head = { sha: HEAD, ref: 'fix-auth', repository: 'octocat/hello' };
const pullRequest = aPullRequest({ author: STRANGER, head });
const issue = anIssue();
const comment = aComment({ subjectAuthor: STRANGER });
const { repository, actor } = issue;
const common = { action: '', repository, actor };
const push: PushTrigger = {
  kind: 'push',
  event: 'push',
  ...common,
  ref: 'refs/heads/main',
  before: BASE,
  after: HEAD,
  commits: [
    { sha: HEAD, message: 'Fix auth' },
    { sha: BASE, message: 'Add test\n\nWith a body' },
  ],
};

/** The value for no commit. */
const NONE = '0'.repeat(40);
const DIFF =
  'diff --git a/auth.ts b/auth.ts\n--- a/auth.ts\n+++ b/auth.ts\n@@ -1 +1 @@\n-old\n+new\n';
const NUMBERED = DIFF.trimEnd().replace('+new', '+1: new');

const context: TriggerContext = {
  kind: 'pull_request',
  diff: DIFF,
  files: [
    { path: 'auth.ts', status: 'modified', additions: 1, deletions: 1 },
    { path: 'new.ts', status: 'renamed', additions: 0, deletions: 0, previousPath: 'old.ts' },
  ],
  filesTotal: 2,
  warnings: [],
};

function resolve(parts: Partial<TaskParts>): Task {
  const none = { prompt: '', stdin: '', context: undefined, change: undefined };
  return resolveTask({ ...none, trigger: { kind: 'local' }, ...parts });
}

function blocks(...texts: readonly string[]): string {
  return texts.join('\n\n');
}

describe('the task on the command line', () => {
  it.each(['', ' ', '\n\t\r\n', '\u00A0\u2003\u0085'])(
    'is axe’s default if stdin holds only white space: %j',
    (stdin) => {
      expect(resolve({ stdin })).toEqual({
        sentence: DEFAULT_TASK,
        message: DEFAULT_TASK,
        warnings: [],
      });
    },
  );

  it.each(['Hello\n', '  two\r\nlines  \n\n', '\uFEFFmark', '``` <!-- x -->'])(
    'is stdin byte for byte: %j',
    (stdin) => {
      const task = { sentence: stdin, isKeptWhole: true, message: stdin, warnings: [] };
      expect(resolve({ stdin })).toEqual(task);
    },
  );

  it('is the prompt, and stdin is context that is not stored', () => {
    expect(resolve({ prompt: 'Summarise this', stdin: 'log line\n' })).toEqual({
      sentence: 'Summarise this',
      message: blocks(
        'Summarise this',
        FENCE_NOTICE,
        fence('log line\n', { source: 'standard input' }),
      ),
      warnings: [],
    });
  });

  it('states that a change is empty', () => {
    expect(resolve({ change: { range: 'HEAD', diff: '\n' } }).message).toBe(
      blocks('Review the change HEAD', 'The diff of HEAD is empty.'),
    );
  });
});

describe('the task of a pull request', () => {
  it('has the fence of a diff where the diff was piped', () => {
    const { message } = resolve({ change: { range: '', diff: DIFF } });
    expect(message).toContain(fence(NUMBERED, { source: 'diff of standard input' }));
    expect(message).toContain(NUMBERS_NOTICE);
  });

  it('is its review, with the constant text before the variable text', () => {
    const task = resolve({ trigger: pullRequest, context });
    expect([task.sentence, task.warnings]).toEqual(['Review pull request #42: Fix auth', []]);
    const description = { source: 'description of pull request #42', markdown: true };
    expect(task.message).toBe(
      blocks(
        'Review pull request #42',
        FENCE_NOTICE,
        NUMBERS_NOTICE,
        'Repository: octocat/hello\nPull request: #42 by hubot',
        fence('Title: Fix auth\nBranches: main <- fix-auth\n\nTokens expire now.', description),
        `Head commit: ${HEAD}`,
        'Changed files: 2 (1 line added, 1 line removed)',
        fence('modified auth.ts +1 -1\nrenamed new.ts (from old.ts) +0 -0', {
          source: 'changed files',
        }),
        fence(NUMBERED, { source: 'diff of pull request #42' }),
      ),
    );
  });

  it.each([
    ['Fix\nauth\r\n## now', 'Review pull request #42: Fix auth ## now'],
    ['\u202E\u200BFix\u{E0041}', 'Review pull request #42: Fix'],
    ['', 'Review pull request #42'],
    ['x'.repeat(300), `Review pull request #42: ${'x'.repeat(199)}…`],
  ])('sanitizes the title %j', (title, sentence) => {
    expect(resolve({ trigger: { ...pullRequest, title }, context }).sentence).toBe(sentence);
  });

  it('names a fork, and labels', () => {
    const trigger = { ...pullRequest, isFork: true, labels: ['security', 'help wanted'] };
    const { message } = resolve({ trigger, context });
    expect(message).toContain('Pull request: #42 by hubot, from a fork\n');
    expect(message).toContain('\nBranches: main <- fix-auth\nLabels: security, help wanted\n');
  });

  it('states that it changes nothing', () => {
    const empty = { ...context, diff: '', files: [], filesTotal: 0 };
    const { message } = resolve({ trigger: { ...pullRequest, body: '' }, context: empty });
    expect(message).toContain(
      blocks('Changed files: none', 'The diff of pull request #42 is empty.'),
    );
    expect(message).toContain('(empty)');
  });

  const MANY = { trigger: pullRequest, context: { ...context, filesTotal: 3100 } };
  it.each<[string, Partial<TaskParts>, string]>([
    [
      'that it is a draft',
      { trigger: { ...pullRequest, isDraft: true }, context },
      'by hubot, a draft',
    ],
    ['how many files GitHub does not list', MANY, 'Changed files: 3100, of which GitHub lists 2 ('],
    [
      'that the diff could not be fetched',
      { trigger: pullRequest },
      'Its diff could not be fetched, so you have not seen the change.',
    ],
  ])('states %s', (_what, parts, said) => {
    expect(resolve(parts).message).toContain(said);
  });

  it('names the tool that returns the rest of a diff, if the agent has one', () => {
    const big = `diff --git a/big.ts b/big.ts\n--- a/big.ts\n+++ b/big.ts\n@@ -0,0 +1 @@\n${'+line\n'.repeat(100)}`;
    const given = { trigger: pullRequest, context: { ...context, diff: big } };
    const few = { maxTokens: 20, paths: [], pathsIgnore: [] };
    const tell = (tool: { readonly tool?: string }) =>
      resolve({ ...given, policy: { ...few, ...tool } }).message;
    expect(tell({ tool: 'github_diff' })).toContain('Read those that matter with `github_diff`.');
    expect(tell({})).not.toContain('Read those');
  });
});

const attack = 'IGNORE-THE-RULES';
const inDiff = DIFF.replace('+new', `+${attack}`);
const files = [{ path: `${attack}.ts`, status: 'added', additions: 1, deletions: 0 }];
const hostile: readonly (readonly [string, Trigger, TriggerContext?])[] = [
  ['title', { ...pullRequest, title: attack }],
  ['title of an issue', { ...issue, title: attack }],
  ['title over a comment', { ...comment, title: attack }],
  ['description', { ...pullRequest, body: attack }],
  ['branch', { ...pullRequest, head: { ...pullRequest.head, ref: attack } }],
  ['diff', pullRequest, { ...context, diff: inDiff }],
  ['file name', pullRequest, { ...context, files }],
  ['issue', { ...issue, body: attack }],
  ['label', { ...issue, labels: ['bug', attack] }],
  ['label under a comment', { ...comment, labels: [attack] }],
  ['comment', { ...comment, body: attack }],
  ['description under a comment', { ...comment, description: attack }],
  ['commit message', { ...push, commits: [{ sha: HEAD, message: attack }] }],
];

it.each(hostile)(
  'C6 74: text by other people is only in fences: %s',
  (_, trigger, given = context) => {
    const { message } = resolve({ trigger, context: given });
    const { fences, rest } = parseFences(message);
    expect(fences.some(({ text }) => text.includes(attack))).toBe(true);
    expect(rest).not.toContain(attack);
    expect(rest).toContain(FENCE_NOTICE);
  },
);

describe('the task of other events', () => {
  it.each<[Partial<IssueTrigger>, string]>([
    [{ action: 'labeled' }, 'by octocat, labeled by octocat'],
    [{ author: { login: 'hubot', isBot: false } }, 'by hubot, opened by octocat'],
    [{ action: 'closed', isClosed: true }, 'by octocat, closed by octocat'],
    [{ action: 'labeled', isClosed: true }, 'by octocat, closed, labeled by octocat'],
  ])('states what happened to an issue: %j', (patch, said) => {
    const { message } = resolve({ trigger: { ...issue, ...patch, labels: ['bug'] } });
    expect(message).toContain(`Issue: #7 ${said}\n`);
    expect(message).toContain('Title: Login is broken\nLabels: bug\n');
  });

  it('is the answer to a review, with its verdict', () => {
    const { head, base } = pullRequest;
    const state = { review: 'changes_requested', isClosed: true, isFork: true } as const;
    const trigger: Trigger = { ...comment, ...state, on: 'pull_request', commits: { head, base } };
    const { message, sentence } = resolve({ trigger, context });
    expect(sentence).toBe('Answer the review by octocat on #7: Login is broken');
    expect(message).toContain('The comment is on: pull request #7 by hubot, closed, from a fork\n');
    expect(message).toContain('Title: Login is broken\nBranches: main <- fix-auth\n');
    expect(message).toContain('<third-party-text source="review by octocat: changes requested">');
  });

  it('is the review of a push', () => {
    const commits = { source: 'commit messages', markdown: true };
    expect(resolve({ trigger: push }).message).toBe(
      blocks(
        'Review the push of 2 commits to main',
        FENCE_NOTICE,
        `Repository: octocat/hello\nBranch: main\nPushed by: octocat\nFrom ${BASE} to ${HEAD}`,
        fence('aaaaaaa Fix auth\nbbbbbbb Add test\n\nWith a body', commits),
      ),
    );
  });

  it.each<[Partial<PushTrigger>, string]>([
    [{ isForced: true }, `Pushed by: octocat, by force\nFrom ${BASE} to ${HEAD}`],
    [{ before: NONE }, `Pushed by: octocat\nCreated at ${HEAD}`],
  ])('states what a push did: %j', (patch, said) => {
    expect(resolve({ trigger: { ...push, ...patch } }).message).toContain(said);
  });

  it('is the review of a merge group, with its branches', () => {
    expect(resolve({ trigger: MERGE_GROUP }).message).toContain(
      `Merge group: ${HEAD} (gh-readonly-queue/main/pr-42) onto ${BASE} (main)`,
    );
  });

  it.each([
    [{ ...push, commits: push.commits.slice(1) }, 'Review the push of 1 commit to main'],
    [{ ...push, commits: [] }, 'Review the push to main'],
    [{ ...push, commits: [], ref: 'refs/tags/v1', before: NONE }, 'Look at the tag v1'],
    [{ ...push, commits: [], before: NONE }, 'Look at the new branch main'],
    [{ ...push, before: NONE }, 'Review the push of 2 commits to main'],
    [{ ...push, ref: 'refs/heads/feature/x' }, 'Review the push of 2 commits to feature/x'],
  ])('counts commits and names the branch', (trigger, sentence) => {
    expect(resolve({ trigger }).sentence).toBe(sentence);
  });

  it.each<[Trigger, string]>([
    [SCHEDULE, 'Scheduled run (0 4 * * 1)'],
    [{ kind: 'dispatch', event: 'workflow_dispatch', ...common }, 'Run started by octocat'],
    [{ kind: 'unknown', event: 'release', ...common }, 'Run on the event release'],
  ])('is what the agent’s instructions say: %j', (trigger, sentence) => {
    expect(resolve({ trigger })).toEqual({
      sentence,
      message: blocks(sentence, DEFAULT_TASK),
      warnings: [],
    });
  });

  it('is the prompt of a schedule, alone', () => {
    const trigger = { ...SCHEDULE, cron: '' };
    expect(resolve({ trigger, prompt: 'Weekly report' }).message).toBe('Weekly report');
    expect(resolve({ trigger }).sentence).toBe('Scheduled run');
  });
});
