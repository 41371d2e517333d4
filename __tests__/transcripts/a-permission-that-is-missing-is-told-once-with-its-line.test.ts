import { describe, expect, it } from '@jest/globals';
import { seedReview } from '../helpers/github-review-seed.js';
import { findingLine } from '../helpers/marks.js';
import { text, toolCall } from '../helpers/model-server.js';
import { schedulePayload } from '../helpers/webhooks.js';
import { CHANGE, calls, submit, TIMING } from './review-scene.js';
import { HEAD, REPO, type Stage, troubles } from './stage.js';
import { setStageInProcess } from './stage-in-process.js';
import { agentToml, resultsOf } from './tool-scene.js';

/** A run that uses all of GitHub that its event has a use for. */
interface PermissionScene {
  readonly stage: Stage;
  readonly inputs: Readonly<Record<string, string>>;
}

const TOOLS = [
  ...['add_review_comment', 'submit_review', 'set_labels', 'create_issue', 'react', 'github_diff'],
  ...[
    'github_file',
    'github_comments',
    'github_checks',
    'github_history',
    'github_search',
    'github_issues',
  ],
];

const AGENT = {
  'axe/agents/worker.toml': agentToml({
    tools: TOOLS,
    memory: true,
    tables: '[review]\ndepth = "quick"',
  }),
  'src/auth.ts': 'a\n',
};

/**
 * A pull request with a failing check, reviewed by an agent that looks at everything and asks for
 * everything.
 */
async function reviewScene(): Promise<PermissionScene> {
  const stage = await setStageInProcess({
    base: AGENT,
    diff: CHANGE,
    model: [
      toolCall('github_file', { path: 'src/auth.ts' }),
      toolCall('github_history', { path: 'src/auth.ts' }),
      toolCall('github_search', { text: 'token' }),
      toolCall('github_issues', { query: 'token' }),
      toolCall('github_comments', {}),
      toolCall('github_checks', {}),
      calls(
        TIMING,
        submit('One finding.'),
        { name: 'set_labels', input: { add: 'bug', remove: 'wip' } },
        { name: 'create_issue', input: { title: 'Tokens in the log', body: 'All of them.' } },
        { name: 'react', input: { reaction: 'eyes' } },
      ),
      text('One finding.'),
    ],
  });
  const { github, repo } = stage;
  github.commit(REPO, { 'src/auth.ts': 'b\n' }, { branch: 'changes', sha: HEAD });
  const about = { headSha: HEAD, externalId: '', title: null, summary: null, annotations: [] };
  const ended = {
    status: 'completed',
    app: 'github-actions',
    name: 'test',
    conclusion: 'failure',
  } as const;
  repo.talk.checkRuns.push({ id: 1, ...about, ...ended, job: 9 });
  repo.talk.jobLogs.set(9, 'not ok\n');
  repo.talk.labels.push('bug', 'wip');
  repo.talk.labelsOf.set(2, ['wip']);
  repo.roles.set('octocat', 'write');
  repo.contents = 'write';
  const body = `${findingLine({ id: '0123456789abcdef', agent: 'reviewer' })}\nOld.`;
  const comments = [{ path: 'src/auth.ts', line: 11, body }];
  seedReview(repo, {
    pull: 2,
    author: 'github-actions[bot]',
    at: '2019-05-01T00:00:00Z',
    comments,
  });
  const inputs = { agent: 'worker', 'memory-store': 'branch', 'labels-allowed': 'bug, wip' };
  return { stage, inputs: { ...inputs, comment: 'always' } };
}

/** A comment that is answered, with reactions. */
async function mentionScene(): Promise<PermissionScene> {
  const stage = await setStageInProcess({
    base: AGENT,
    event: { name: 'issue_comment', action: 'created', patch: { 'comment.body': '@axe Why?' } },
  });
  stage.repo.contents = 'write';
  return {
    stage,
    inputs: { agent: 'builtin/ask', 'trigger-phrase': '@axe', 'memory-store': 'branch' },
  };
}

/** A report in an issue. */
async function reportScene(): Promise<PermissionScene> {
  const stage = await setStageInProcess({
    base: AGENT,
    event: { name: 'schedule', payload: schedulePayload('0 6 * * 1') },
  });
  stage.repo.contents = 'write';
  return {
    stage,
    inputs: { agent: 'builtin/ask', 'memory-store': 'branch', 'report-to': 'issue' },
  };
}

const ENDS = {
  /** One warning, and the run goes on. */
  warning: { exitCode: 0, conclusion: 'success', level: 'warning' },
  /** One warning that names what was not read, and the run goes on with the rest. */
  unread: { exitCode: 0, conclusion: 'success', level: 'warning' },
  /** The model asked for it, and gets it as an answer. */
  answer: { exitCode: 0, conclusion: 'success' },
  /** A courtesy, and no more than a line in the log. */
  log: { exitCode: 0, conclusion: 'success' },
  /** Nothing can be done without it. */
  failure: { exitCode: 1, conclusion: 'failure', level: 'error' },
  /** What is open on the pull request is not known, so nothing is reviewed. */
  incomplete: { exitCode: 1, conclusion: 'incomplete', level: 'error' },
} as const;

/** How a person learns of a request that is refused. */
type Told = keyof typeof ENDS;

type Row = readonly [call: string, told: Told, permission: string];

const AT = '/repos/{owner}/{repo}';
/** GitHub refuses these inside the answer to a query, and answers the rest of it. */
const CHECKS = 'the checks';
const ANY_TOKEN = 'The token of the `github-token` input is not allowed to do this';

/** Requests by GraphQL are distinguished by a field in them. */
const SCENES: Readonly<
  Record<string, { readonly scene: () => Promise<PermissionScene>; readonly rows: readonly Row[] }>
> = {
  'a review': {
    scene: reviewScene,
    rows: [
      [`GET ${AT}/contents/{path}`, 'failure', '`contents: read`'],
      [`GET ${AT}/collaborators/{username}/permission`, 'failure', ANY_TOKEN],
      [`GET ${AT}/compare/{basehead}`, 'warning', '`contents: read`'],
      [CHECKS, 'unread', '`checks: read` and `statuses: read`'],
      [`GET ${AT}/actions/jobs/{job_id}/logs`, 'answer', '`actions: read`'],
      [`GET ${AT}/commits`, 'answer', '`contents: read`'],
      [`GET ${AT}/git/trees/{tree_sha}`, 'answer', '`contents: read`'],
      ['GET /search/issues', 'answer', '`issues: read` or `pull-requests: read`'],
      // A review is what such a run is for.
      [`POST ${AT}/pulls/{pull_number}/reviews`, 'failure', '`pull-requests: write`'],
      [`GET ${AT}/issues/{issue_number}/labels`, 'warning', '`issues: read`'],
      [`GET ${AT}/labels/{name}`, 'warning', '`issues: read`'],
      [`POST ${AT}/issues/{issue_number}/labels`, 'warning', '`issues: write`'],
      [`DELETE ${AT}/issues/{issue_number}/labels/{name}`, 'warning', '`issues: write`'],
      [`POST ${AT}/issues`, 'warning', '`issues: write`'],
      [`POST ${AT}/issues/{issue_number}/reactions`, 'warning', '`issues: write`'],
      [`POST ${AT}/issues/{issue_number}/comments`, 'warning', '`issues: write`'],
      [`POST ${AT}/git/trees`, 'warning', '`contents: write`'],
      [`POST ${AT}/git/commits`, 'warning', '`contents: write`'],
      [`POST ${AT}/git/refs`, 'warning', '`contents: write`'],
      ['POST /graphql closingIssuesReferences', 'incomplete', '`pull-requests: read`'],
      ['POST /graphql qualifiedName', 'warning', '`contents: read`'],
      ['POST /graphql copilot-instructions', 'unread', '`contents: read`'],
    ],
  },
  'an answer to a mention': {
    scene: mentionScene,
    rows: [
      [`GET ${AT}/collaborators/{username}/permission`, 'failure', ANY_TOKEN],
      [`POST ${AT}/issues/comments/{comment_id}/reactions`, 'log', ''],
      // The answer is all that such a run publishes.
      [`POST ${AT}/issues/{issue_number}/comments`, 'failure', '`issues: write`'],
      [`POST ${AT}/git/trees`, 'warning', '`contents: write`'],
      [`POST ${AT}/git/commits`, 'warning', '`contents: write`'],
      [`POST ${AT}/git/refs`, 'warning', '`contents: write`'],
    ],
  },
  'a report': {
    scene: reportScene,
    rows: [
      [`POST ${AT}/issues`, 'failure', '`issues: write`'],
      [`POST ${AT}/git/trees`, 'warning', '`contents: write`'],
      [`POST ${AT}/git/commits`, 'warning', '`contents: write`'],
      [`POST ${AT}/git/refs`, 'warning', '`contents: write`'],
    ],
  },
};

const REFUSAL = 'Resource not accessible by integration';

describe.each(Object.entries(SCENES))('%s', (_, { scene, rows }) => {
  it.each(rows)('without `%s` ends as %s, with %s', async (...[call, told, permission]: Row) => {
    const { stage, inputs } = await scene();
    const [route = '', contains] = call.startsWith('POST /graphql ')
      ? ['POST /graphql', call.slice('POST /graphql '.length)]
      : [call];
    const graphQl = { data: null, errors: [{ type: 'FORBIDDEN', message: REFUSAL }] };
    if (call === CHECKS) stage.repo.talk.refusedChecks = 'all';
    else
      stage.github.fail({
        route,
        times: 99,
        ...(contains === undefined
          ? { status: 403, body: { message: REFUSAL } }
          : { contains, status: 200, body: graphQl }),
      });
    const step = await stage.run({ inputs });
    const { exitCode, conclusion, ...end } = ENDS[told];
    expect(step).toMatchObject({ exitCode, outputs: { conclusion } });
    expect(troubles(step)).toHaveLength('level' in end ? 1 : 0);
    if ('level' in end) {
      const [{ level, message } = { level: '', message: '' }] = troubles(step);
      expect(level).toBe(end.level);
      if (told !== 'unread') expect(message).toContain(REFUSAL);
      expect(message).toContain(permission);
    }
    if (told === 'unread') expect(step.summary).toContain(permission);
    const answers = resultsOf(stage.model.prompts().at(-1)).join('\n');
    if (told === 'answer')
      for (const part of [REFUSAL, permission]) expect(answers).toContain(part);
    if (told === 'log') expect(step.log).toContain(REFUSAL);
    if (told === 'incomplete') expect(stage.model.requests()).toEqual([]);
  });
});

it('every request of these runs is in one of the tables', async () => {
  const listed = Object.values(SCENES).flatMap(({ rows }) => rows.map(([call]) => call));
  const made: string[] = [];
  for (const { scene } of Object.values(SCENES)) {
    const { stage, inputs } = await scene();
    const step = await stage.run({ inputs });
    expect(step).toMatchObject({
      exitCode: 0,
      outputs: { conclusion: 'success', 'memory-saved': 'true' },
    });
    expect(troubles(step)).toEqual([]);
    made.push(...stage.github.calls());
  }
  const byRest = made.filter((call) => !call.startsWith('POST /graphql'));
  expect([...new Set(byRest)].filter((call) => !listed.includes(call))).toEqual([]);
});
