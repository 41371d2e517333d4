import { describe, expect, it } from '@jest/globals';
import { mentionScene, type PermissionScene, reportScene, reviewScene } from './permission-scene.js';
import { setStage, troubles } from './stage.js';
import { setStageInProcess } from './stage-in-process.js';
import { resultsOf } from './tool-scene.js';

/** How a person learns of a request that is refused. */
type Told =
  /** One warning, and the run goes on. */
  | 'warning'
  /** A line of the summary: it is there by default, and the run goes on with what it has. */
  | 'summary'
  /** The model asked for it, and gets it as an answer. */
  | 'answer'
  /** A courtesy, and no more than a line in the log. */
  | 'log'
  /** Nothing can be done without it. */
  | 'failure'
  /** What is open on the pull request is not known, so nothing is reviewed. */
  | 'incomplete';

type Row = readonly [call: string, told: Told, permission: string];

const REPO = '/repos/{owner}/{repo}';
const ANY_TOKEN = 'The token of the `github-token` input is not allowed to do this';

/** Requests by GraphQL are distinguished by a field in them. */
const SCENES: Readonly<
  Record<
    string,
    { readonly scene: (set: typeof setStage) => Promise<PermissionScene>; readonly rows: readonly Row[] }
  >
> = {
  'a review': {
    scene: reviewScene,
    rows: [
      [`GET ${REPO}/contents/{path}`, 'failure', '`contents: read`'],
      [`GET ${REPO}/collaborators/{username}/permission`, 'failure', ANY_TOKEN],
      [`GET ${REPO}/compare/{basehead}`, 'warning', '`contents: read`'],
      [`GET ${REPO}/pulls/{pull_number}/commits`, 'summary', '`pull-requests: read`'],
      [`GET ${REPO}/commits/{ref}/check-runs`, 'summary', '`checks: read`'],
      [`GET ${REPO}/commits/{ref}/status`, 'summary', '`statuses: read`'],
      [`GET ${REPO}/actions/jobs/{job_id}/logs`, 'answer', '`actions: read`'],
      [`GET ${REPO}/commits`, 'answer', '`contents: read`'],
      ['GET /search/code', 'answer', '`contents: read`'],
      ['GET /search/issues', 'answer', '`issues: read` or `pull-requests: read`'],
      [`GET ${REPO}/issues/{issue_number}`, 'answer', '`issues: read`'],
      [`GET ${REPO}/issues/{issue_number}/comments`, 'answer', '`issues: read`'],
      [`POST ${REPO}/pulls/{pull_number}/reviews`, 'warning', '`pull-requests: write`'],
      [`GET ${REPO}/issues/{issue_number}/labels`, 'warning', '`issues: read`'],
      [`GET ${REPO}/labels/{name}`, 'warning', '`issues: read`'],
      [`POST ${REPO}/issues/{issue_number}/labels`, 'warning', '`issues: write`'],
      [`DELETE ${REPO}/issues/{issue_number}/labels/{name}`, 'warning', '`issues: write`'],
      [`POST ${REPO}/issues`, 'warning', '`issues: write`'],
      [`POST ${REPO}/issues/{issue_number}/reactions`, 'warning', '`issues: write`'],
      [`POST ${REPO}/issues/{issue_number}/comments`, 'warning', '`issues: write`'],
      [`POST ${REPO}/git/trees`, 'warning', '`contents: write`'],
      [`POST ${REPO}/git/commits`, 'warning', '`contents: write`'],
      [`POST ${REPO}/git/refs`, 'warning', '`contents: write`'],
      ['POST /graphql closingIssuesReferences', 'incomplete', '`pull-requests: read`'],
      ['POST /graphql qualifiedName', 'warning', '`contents: read`'],
      ['POST /graphql copilot-instructions', 'summary', '`contents: read`'],
    ],
  },
  'an answer to a mention': {
    scene: mentionScene,
    rows: [
      [`GET ${REPO}/collaborators/{username}/permission`, 'failure', ANY_TOKEN],
      [`POST ${REPO}/issues/comments/{comment_id}/reactions`, 'log', ''],
      // The answer is all that such a run publishes.
      [`POST ${REPO}/issues/{issue_number}/comments`, 'failure', '`issues: write`'],
      [`POST ${REPO}/git/trees`, 'warning', '`contents: write`'],
      [`POST ${REPO}/git/commits`, 'warning', '`contents: write`'],
      [`POST ${REPO}/git/refs`, 'warning', '`contents: write`'],
    ],
  },
  'a report': {
    scene: reportScene,
    rows: [
      [`POST ${REPO}/issues`, 'failure', '`issues: write`'],
      [`POST ${REPO}/git/trees`, 'warning', '`contents: write`'],
      [`POST ${REPO}/git/commits`, 'warning', '`contents: write`'],
      [`POST ${REPO}/git/refs`, 'warning', '`contents: write`'],
    ],
  },
};

const REFUSAL = 'Resource not accessible by integration';

describe.each(Object.entries(SCENES))('%s', (_, { scene, rows }) => {
  it.each(rows)('without `%s` ends as %s, with %s', async (...[call, told, permission]: Row) => {
    const { stage, inputs } = await scene(setStageInProcess);
    const [route = '', contains] = call.startsWith('POST /graphql ')
      ? ['POST /graphql', call.slice('POST /graphql '.length)]
      : [call];
    const graphQl = { data: null, errors: [{ type: 'FORBIDDEN', message: REFUSAL }] };
    stage.github.fail({
      route,
      times: 99,
      ...(contains === undefined
        ? { status: 403, body: { message: REFUSAL } }
        : { contains, status: 200, body: graphQl }),
    });
    const step = await stage.run({ inputs });
    const annotations = troubles(step);
    const answers = resultsOf(stage.model.prompts().at(-1)).join('\n');
    const refusals = annotations.filter(({ message }) => message.includes(REFUSAL));
    expect(annotations).toHaveLength(['warning', 'failure', 'incomplete'].includes(told) ? 1 : 0);
    switch (told) {
      case 'warning':
        expect(step).toMatchObject({ exitCode: 0, outputs: { conclusion: 'success' } });
        expect(refusals).toMatchObject([{ level: 'warning', message: expect.stringContaining(permission) }]);
        break;
      case 'summary':
        expect(step).toMatchObject({ exitCode: 0, outputs: { conclusion: 'success' } });
        expect(step.summary).toContain(permission);
        break;
      case 'answer':
        expect(step).toMatchObject({ exitCode: 0, outputs: { conclusion: 'success' } });
        expect(answers).toContain(REFUSAL);
        expect(answers).toContain(permission);
        break;
      case 'log':
        expect(step).toMatchObject({ exitCode: 0, outputs: { conclusion: 'success' } });
        expect(step.log).toContain(REFUSAL);
        break;
      case 'incomplete':
        expect(step).toMatchObject({ exitCode: 1, outputs: { conclusion: 'incomplete' } });
        expect(refusals).toMatchObject([{ level: 'error', message: expect.stringContaining(permission) }]);
        expect(stage.model.requests()).toEqual([]);
        break;
      case 'failure':
        expect(step).toMatchObject({ exitCode: 1, outputs: { conclusion: 'failure' } });
        expect(refusals).toMatchObject([{ level: 'error', message: expect.stringContaining(permission) }]);
        break;
    }
  });
});

it('every request of these runs is in one of the tables', async () => {
  const listed = Object.values(SCENES).flatMap(({ rows }) => rows.map(([call]) => call));
  const made: string[] = [];
  for (const { scene } of Object.values(SCENES)) {
    const { stage, inputs } = await scene(setStage);
    const step = await stage.run({ inputs });
    expect(step).toMatchObject({ exitCode: 0, outputs: { conclusion: 'success', 'memory-saved': 'true' } });
    expect(troubles(step)).toEqual([]);
    made.push(...stage.github.calls());
  }
  const byRest = made.filter((call) => !call.startsWith('POST /graphql'));
  expect([...new Set(byRest)].filter((call) => !listed.includes(call))).toEqual([]);
});
