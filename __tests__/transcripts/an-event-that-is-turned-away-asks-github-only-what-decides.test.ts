import { expect, it } from '@jest/globals';
import { loadWebhook, payloadField } from '../helpers/webhooks.js';
import { AGENT, HEAD, REPO, routesOf, type Stage, type StageOptions, setStage } from './stage.js';

type Inputs = Readonly<Record<string, string>>;

const PERMISSION = 'GET /collaborators/Codertocat/permission';
/** Memory says what was spent and what is paused. */
const MEMORY = 'POST /graphql';

/** Runs the stage's event, which is skipped; returns why, and the requests to GitHub besides those for the agent's own files. */
async function turnedAway(stage: Stage, inputs: Inputs = {}) {
  const before = stage.github.requests().length;
  const asked = stage.model.requests().length;
  const step = await stage.run({ inputs });
  expect(step).toMatchObject({ exitCode: 0, outputs: { conclusion: 'skipped' } });
  expect(stage.model.requests()).toHaveLength(asked);
  const requests = stage.github.requests().slice(before);
  const routes = routesOf({ github: { ...stage.github, requests: () => requests } });
  const beside = routes.filter((route) => !/^GET \/contents\/\.?axe\/agents/.test(route));
  return { reason: step.outputs['reason'], count: routes.length, beside };
}

function opened(patch: Inputs): StageOptions {
  return { event: { name: 'pull_request', action: 'opened', patch } };
}

const COMMENT: StageOptions = { event: { name: 'issue_comment', action: 'created' } };

it.each<[string, StageOptions, Inputs]>([
  ['fork', opened({ 'pull_request.head.repo.full_name': 'octocat/Hello-World' }), {}],
  ['bot', opened({ 'sender.type': 'Bot', 'sender.login': 'dependabot[bot]' }), {}],
  ['no-mention', COMMENT, { 'trigger-phrase': '@axe' }],
])('no request is sent if the event is sufficient: %s', async (reason, options, inputs) => {
  expect(await turnedAway(await setStage(options), inputs)).toEqual({ reason, count: 0, beside: [] });
});

it.each<[string, StageOptions, Inputs]>([
  ['permission', { role: 'read' }, {}],
  ['permission', { ...COMMENT, role: 'read' }, {}],
])('asks for a permission and for the agent in its two folders: %s, %#', async (reason, options, inputs) => {
  expect(await turnedAway(await setStage(options), inputs)).toEqual({
    reason,
    count: 3,
    beside: [PERMISSION],
  });
});

it('only the head is read for an agent that is missing on the base', async () => {
  const stage = await setStage({ base: { 'README.md': '# Hello\n' } });
  stage.github.commit(REPO, { 'axe/agents/reviewer.toml': AGENT }, { branch: 'changes', sha: HEAD });
  // Then the names of the base's agents, and the agent of the head.
  expect(await turnedAway(stage)).toMatchObject({
    reason: 'agent-not-merged',
    count: 7,
    beside: [PERMISSION],
  });
});

it('asks for no diff of a pull request that is paused', async () => {
  const stage = await setStage();
  const payload = loadWebhook('issue_comment', 'created', {
    'issue.number': payloadField(stage.payload, 'pull_request.number'),
    'comment.body': '/axe pause',
  });
  (payload['issue'] as Record<string, unknown>)['pull_request'] = { url: 'https://api.github.com/pulls/2' };
  const inputs = { 'memory-store': 'branch' };
  await stage.run({ event: { name: 'issue_comment', payload }, inputs });
  expect(await turnedAway(stage, inputs)).toMatchObject({
    reason: 'paused',
    count: 4,
    beside: [PERMISSION, MEMORY],
  });
});

it.each<[string, StageOptions, readonly string[]]>([
  ['a pull request', {}, [PERMISSION, MEMORY]],
  ['an issue', { event: { name: 'issues', action: 'opened' } }, [PERMISSION, MEMORY]],
  [
    'a comment, which gets a reaction, and a line if it has no answer yet',
    COMMENT,
    [
      PERMISSION,
      MEMORY,
      // The look for an answer.
      'POST /graphql',
      'POST /issues/comments/492700400/reactions',
    ],
  ],
])('asks for no diff once a limit is used up: %s', async (_, options, beside) => {
  const stage = await setStage(options);
  const inputs = { 'memory-store': 'branch', 'max-cost-usd-per-day': '0.0000001' };
  expect((await stage.run({ inputs })).outputs['cost-usd']).toMatch(/^0\.00/);
  expect(await turnedAway(stage, inputs)).toMatchObject({
    reason: 'budget-spent',
    beside,
  });
});
