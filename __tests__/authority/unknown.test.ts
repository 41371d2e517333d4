import { expect, it } from '@jest/globals';
import type { TriggerContext } from '../../src/event/context.js';
import { parseEvent } from '../../src/event/parse-event.js';
import {
  type AdmissionPolicy,
  DEFAULT_ADMISSION_POLICY,
  type PermissionAnswer,
} from '../../src/event/trust.js';
import { GitHubError } from '../../src/github/client/errors.js';
import { fetchPermission } from '../../src/github/reading/permission.js';
import { runPipeline } from '../../src/run/run.js';
import {
  AGENT_WITH_MEMORY,
  createFakeDependencies,
  makeRequest,
} from '../helpers/dependencies-fake.js';
import { createFakeGitHubClient, HELLO, noAbort } from '../helpers/github-client-fake.js';
import { createFakeModel, says } from '../helpers/model-fake.js';
import { pullRequest } from '../helpers/triggers.js';
import { loadWebhook, type PayloadPatch } from '../helpers/webhooks.js';

const WRITER: PermissionAnswer = { kind: 'known', permission: 'write' };
/** GitHub does not know `Copilot` as a user, and so says of it that it has no permission. */
const PERMISSIONS: Readonly<Record<string, PermissionAnswer>> = {
  Codertocat: WRITER,
  Copilot: { kind: 'known', permission: 'none' },
};
/** The workflow lets in whomever it can, so that trust alone decides. */
const OPEN: Partial<AdmissionPolicy> = { minPermission: 'none', allowBots: ['Copilot', 'helper'] };

interface Row {
  readonly event: readonly [name: string, action?: string];
  readonly patch?: PayloadPatch;
  readonly permissions?: Readonly<Record<string, PermissionAnswer>>;
  readonly policy?: Partial<AdmissionPolicy>;
  /** The repository in which the head of the pull request is read to be. */
  readonly headIn?: string | null;
}

const PULL = ['pull_request', 'opened'] as const;
const LABELED = ['pull_request_target', 'labeled'] as const;
const COMMENT = ['issue_comment', 'created'] as const;
const PUSH = ['push'] as const;
const WORKFLOW = ['workflow_run', 'completed'] as const;
const HEAD_NAME = 'pull_request.head.repo.full_name';

function sentBy(login: string, type: string): PayloadPatch {
  return { 'sender.login': login, 'sender.type': type };
}

function writtenBy(login: string, type: string): PayloadPatch {
  const author = { 'comment.user.login': login, 'comment.user.type': type };
  return { ...sentBy(login, type), ...author };
}

function contextOf({ headIn }: Row): TriggerContext {
  const around = {
    kind: 'pull_request',
    diff: '',
    files: [],
    filesTotal: 0,
    warnings: [],
  } as const;
  if (headIn === undefined) return { kind: 'none', warnings: [] };
  const { head, base } = pullRequest();
  return { ...around, pinned: { head: { ...head, repository: headIn }, base } };
}

function worldOf(row: Row) {
  const { event, patch = {}, permissions = PERMISSIONS, policy = OPEN } = row;
  const [name, action] = event;
  const payload = loadWebhook(name.replace('_target', ''), action, patch);
  if (row.headIn !== undefined)
    (payload['issue'] as Record<string, unknown>)['pull_request'] = { url: 'https://x.test/1' };
  const trigger = parseEvent(name, payload, {});
  const admissionPolicy = { ...DEFAULT_ADMISSION_POLICY, ...policy };
  const deps = createFakeDependencies({
    agents: { bot: AGENT_WITH_MEMORY },
    permissions,
    context: contextOf(row),
    model: createFakeModel([says('done')]),
  });
  return { request: makeRequest({ trigger, admissionPolicy, inWorkflow: true }), deps };
}

async function wordOfRun(row: Row): Promise<string> {
  const { request, deps } = worldOf(row);
  const report = await runPipeline(request, deps);
  if (report.kind === 'skipped') return `skipped: ${report.decision.reason}`;
  return report.kind === 'ran' ? report.plan.reading.word : report.kind;
}

/** The client waits so long for an answer, and no longer. */
async function answerThatNeverComes(): Promise<PermissionAnswer> {
  const message = 'GitHub did not answer: no answer within 20 s';
  const client = createFakeGitHubClient({
    'GET /repos/{owner}/{repo}/collaborators/{username}/permission': () => {
      throw new GitHubError(message, { reason: 'unavailable' });
    },
  });
  return await fetchPermission(client, { repository: HELLO, login: 'Codertocat' }, noAbort());
}

it.each<[string, string, Row]>([
  ['a writer', 'own', { event: PULL }],
  [
    'a writer who comments on a pull request of ours',
    'own',
    { event: COMMENT, headIn: 'Codertocat/Hello-World' },
  ],
  ['an app without `[bot]` in its name', 'guest', { event: PULL, patch: sentBy('helper', 'Bot') }],
  ['Copilot', 'guest', { event: PULL, patch: sentBy('Copilot', 'Bot') }],
  ['Copilot, as a user', 'guest', { event: PULL, patch: sentBy('Copilot', 'User') }],
  ['a comment by Copilot', 'guest', { event: COMMENT, patch: writtenBy('Copilot', 'Bot') }],
  [
    'a comment by Copilot, as a user',
    'guest',
    { event: COMMENT, patch: writtenBy('Copilot', 'User') },
  ],
  ['a push by Copilot', 'guest', { event: PUSH, patch: sentBy('Copilot', 'Bot'), policy: {} }],
  [
    'Copilot in a workflow that does not let it in',
    'skipped: bot',
    { event: PULL, patch: sentBy('Copilot', 'Bot'), policy: {} },
  ],
  [
    'a head repository that was renamed',
    'fork',
    { event: LABELED, patch: { [HEAD_NAME]: 'Codertocat/Hello-There' } },
  ],
  ['a head repository without a name', 'fork', { event: LABELED, patch: { [HEAD_NAME]: null } }],
  [
    'a comment below a head repository that was renamed',
    'fork',
    { event: COMMENT, headIn: 'Codertocat/Hello-There' },
  ],
  [
    'a comment below a head repository that nobody can see',
    'fork',
    { event: COMMENT, headIn: null },
  ],
  [
    'a workflow whose cause cannot be read',
    'mixed',
    { event: WORKFLOW, patch: { 'workflow_run.event': null } },
  ],
  [
    'a workflow on a head repository that was renamed',
    'skipped: fork',
    {
      event: WORKFLOW,
      patch: { 'workflow_run.head_repository.full_name': 'Codertocat/Hello-There' },
    },
  ],
])('%s: the run is %s', async (_, word, row) => {
  expect(await wordOfRun(row)).toBe(word);
});

it('a permission whose answer never comes is unknown: somebody else asks, or nothing runs', async () => {
  const answer = await answerThatNeverComes();
  expect(answer).toMatchObject({ kind: 'unknown' });
  const row: Row = { event: PULL, permissions: { Codertocat: answer } };
  expect(await wordOfRun(row)).toBe('guest');
  await expect(wordOfRun({ ...row, policy: {} })).rejects.toThrow(
    'the permission of Codertocat in Codertocat/Hello-World could not be read: GitHub did not answer',
  );
});

it('a deadline that ends the wait for a permission ends the run before any model is asked', async () => {
  const { request, deps } = worldOf({ event: PULL });
  const { github } = deps;
  if (github === undefined) throw new Error('there is no GitHub');
  const permission = (_login: string, signal: AbortSignal) =>
    new Promise<PermissionAnswer>((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason));
      deps.abort(new Error('time is up'));
    });
  const run = runPipeline(request, { ...deps, github: { ...github, permission } });
  await expect(run).rejects.toThrow('time is up');
  expect(deps.requests).toEqual([]);
});
