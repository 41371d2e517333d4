import { seedReview } from '../helpers/github-review-seed.js';
import { findingLine } from '../helpers/marks.js';
import { text, toolCall } from '../helpers/model-server.js';
import { schedulePayload } from '../helpers/webhooks.js';
import { CHANGE, calls, submit, TIMING } from './review-scene.js';
import { HEAD, REPO, type Stage, type setStage } from './stage.js';
import { agentToml } from './tool-scene.js';

/** A run that uses all of GitHub that its event has a use for. */
export interface PermissionScene {
  readonly stage: Stage;
  readonly inputs: Readonly<Record<string, string>>;
}

const TOOLS = [
  'add_review_comment',
  'submit_review',
  'set_labels',
  'create_issue',
  'react',
  'github_diff',
  'github_file',
  'github_comments',
  'github_checks',
  'github_history',
  'github_search',
];

const AGENT = {
  'axe/agents/worker.toml': agentToml({ tools: TOOLS, memory: true, tables: '[review]\ndepth = "quick"' }),
  'src/auth.ts': 'a\n',
};

/** A pull request with a failing check, reviewed by an agent that looks at everything and asks for everything. */
export async function reviewScene(set: typeof setStage): Promise<PermissionScene> {
  const stage = await set({
    base: AGENT,
    diff: CHANGE,
    model: [
      toolCall('github_file', { path: 'src/auth.ts' }),
      toolCall('github_history', { path: 'src/auth.ts' }),
      toolCall('github_search', { query: 'token' }),
      toolCall('github_search', { query: 'token', kind: 'issues' }),
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
  repo.talk.checkRuns.push({
    id: 1,
    ...about,
    status: 'completed',
    app: 'github-actions',
    name: 'test',
    conclusion: 'failure',
    job: 9,
  });
  repo.talk.jobLogs.set(9, 'not ok\n');
  repo.talk.labels.push('bug', 'wip');
  repo.talk.labelsOf.set(2, ['wip']);
  repo.roles.set('octocat', 'write');
  repo.contents = 'write';
  seedReview(repo, {
    pull: 2,
    author: 'github-actions[bot]',
    at: '2019-05-01T00:00:00Z',
    comments: [
      {
        path: 'src/auth.ts',
        line: 11,
        body: `${findingLine({ id: '0123456789abcdef', agent: 'reviewer' })}\nOld.`,
      },
    ],
  });
  const inputs = {
    agent: 'worker',
    'memory-store': 'branch',
    'labels-allowed': 'bug, wip',
    comment: 'always',
  };
  return { stage, inputs };
}

/** A comment that is answered, with reactions. */
export async function mentionScene(set: typeof setStage): Promise<PermissionScene> {
  const stage = await set({
    base: AGENT,
    event: { name: 'issue_comment', action: 'created', patch: { 'comment.body': '@axe Why?' } },
  });
  stage.repo.contents = 'write';
  return { stage, inputs: { agent: 'builtin/ask', 'trigger-phrase': '@axe', 'memory-store': 'branch' } };
}

/** A report in an issue. */
export async function reportScene(set: typeof setStage): Promise<PermissionScene> {
  const stage = await set({
    base: AGENT,
    event: { name: 'schedule', payload: schedulePayload('0 6 * * 1') },
  });
  stage.repo.contents = 'write';
  return { stage, inputs: { agent: 'builtin/ask', 'memory-store': 'branch', 'report-to': 'issue' } };
}
