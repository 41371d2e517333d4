import { describe, expect, it } from '@jest/globals';
import { BAD_GATEWAY, type FaultAnswer, secondaryRateLimit } from '../helpers/github-faults.js';
import { jumpEnv } from '../helpers/jump.js';
import { text } from '../helpers/model-server.js';
import { BRANCH, earlierEntry } from './branch-scene.js';
import { resultsIn } from './memory-scene.js';
import { ANSWER, BASE, REPO, type Stage, setStage, troubles } from './stage.js';

const PATH = '/repos/{owner}/{repo}';
const PERMISSION = `GET ${PATH}/collaborators/{username}/permission`;

/** Everything that a review reads before the model is asked. */
const READ: readonly (readonly [what: string, route: string, contains?: string])[] = [
  ["the actor's permission", PERMISSION],
  ['the agent', `GET ${PATH}/contents/{path}`],
  ['the diff', `GET ${PATH}/compare/{basehead}`],
  ['the commits', `GET ${PATH}/pulls/{pull_number}/commits`],
  ['the checks', `GET ${PATH}/commits/{ref}/check-runs`],
  ['the pull request', 'POST /graphql', 'closingIssuesReferences'],
  ['the memory branch', 'POST /graphql', 'qualifiedName'],
];

const PASSING: readonly (readonly [string, FaultAnswer])[] = [
  ['a secondary rate limit', secondaryRateLimit(1)],
  ['a 429', limited(1)],
  ['a 502', BAD_GATEWAY],
  ['a connection that breaks', { status: 'disconnect' }],
];

function limited(seconds: number) {
  return {
    status: 429,
    headers: { 'retry-after': String(seconds) },
    body: { message: 'Too many requests' },
  } as const;
}

async function scene() {
  const stage = await setStage({ github: { validate: false }, model: () => text(ANSWER) });
  stage.github.commit(REPO, { 'reviewer.md': earlierEntry('Before.') }, { branch: BRANCH });
  return stage;
}

// They wait, so they wait together.
it.each(PASSING)('a review continues after %s, at any request', async (_, fault) => {
  await Promise.all(
    READ.map(async ([what, route, contains]) => {
      const stage = await scene();
      stage.github.fail({ ...fault, route, ...(contains === undefined ? {} : { contains }) });
      const step = await stage.run();
      expect({ what, conclusion: step.outputs['conclusion'], told: troubles(step) }).toEqual({
        what,
        conclusion: 'success',
        told: [],
      });
      expect(step.summary).not.toContain('Not read');
      expect(resultsIn(stage.model.prompts()[0]?.system ?? '')).toEqual(['Before.']);
      expect(step.outputs).toMatchObject({ 'memory-saved': 'true' });
    }),
  );
});

it('memory in the cache is waited for, too', async () => {
  const stage = await setStage({ github: { validate: false } });
  const inputs = { 'memory-store': 'cache' };
  await stage.run({ inputs });
  stage.cache.fail({ operation: 'GetCacheEntryDownloadURL', status: 429, headers: { 'retry-after': '1' } });
  const step = await stage.run({ inputs });
  expect(step).toMatchObject({ exitCode: 0, outputs: { 'memory-saved': 'true', 'memory-loaded': '1' } });
  expect(troubles(step)).toEqual([]);
});

const WHY = 'it could not be loaded, so nothing was added to it';

const tree = ({ github }: Stage) =>
  github.fail({ ...limited(30), route: 'POST /graphql', contains: 'qualifiedName', times: 99 });

it.each<readonly [string, (stage: Stage) => void]>([
  ['branch', tree],
  ['file', tree],
  ['cache', ({ cache }) => cache.fail({ ...limited(30), operation: 'GetCacheEntryDownloadURL', times: 99 })],
])('a run whose %s asks for 30 s goes on without memory, and says so once', async (store, limit) => {
  const stage = await scene();
  limit(stage);
  const step = await stage.run({ inputs: { 'memory-store': store } });
  expect(step).toMatchObject({ exitCode: 0, outputs: { conclusion: 'success', 'memory-saved': 'false' } });
  expect(troubles(step)).toMatchObject([
    { title: 'Memory not saved', message: expect.stringContaining(WHY) },
  ]);
  expect(step.log).toMatch(/^Memory: not loaded: .*(?:429|rate limit)/m);
  expect(resultsIn(stage.model.prompts()[0]?.system ?? '')).toEqual([]);
});

it('the log reports the wait', async () => {
  const stage = await scene();
  stage.github.fail({ ...secondaryRateLimit(1), route: PERMISSION });
  const step = await stage.run();
  expect(step.log).toMatch(
    /^Waiting \d s, as GitHub asks: GitHub answered 403 to `GET \S+\/permission`: .*secondary rate limit/m,
  );
});

it('a request without an answer is repeated after 20 seconds', async () => {
  const stage = await scene();
  stage.github.fail({ status: 'stall', route: PERMISSION });
  const running = stage.start({ env: jumpEnv(21_000) });
  let isAsked = false;
  stage.github.onRequest(({ path }) => {
    if (isAsked || !path.endsWith('/permission')) return;
    isAsked = true;
    running.kill('SIGUSR2');
  });
  const step = await running.finished;
  expect(step).toMatchObject({ exitCode: 0, stderr: '', outputs: { conclusion: 'success' } });
  expect(step.log).toMatch(/no answer within 20 s/);
});

describe('a permission that cannot be read', () => {
  it('fails the step if there is no token for the request', async () => {
    const stage = await setStage({ github: { validate: false } });
    const step = await stage.run({ inputs: { 'github-token': '' } });
    expect(step).toMatchObject({ exitCode: 1, stderr: '', outputs: { conclusion: 'failure' } });
    expect(step.annotations).toMatchObject([
      {
        level: 'error',
        message: expect.stringMatching(/there is no token to ask GitHub with\n.*`github-token`/),
      },
    ]);
  });

  it.each([
    ['is refused', { status: 403, body: { message: 'Resource not accessible by integration' } }],
    ['would be reported too late', secondaryRateLimit(3600)],
  ])('fails the step, with its reason in one line, if the request %s', async (_, fault) => {
    const stage = await setStage({ github: { validate: false }, base: BASE });
    stage.github.fail({ ...fault, route: PERMISSION, times: 99 });
    const step = await stage.run();
    expect(step).toMatchObject({ exitCode: 1, stderr: '', outputs: { conclusion: 'failure' } });
    expect(step.annotations).toMatchObject([{ level: 'error' }]);
    expect(step.annotations[0]?.message.split('\n')[0]).toMatch(
      /^the permission of Codertocat in Codertocat\/Hello-World could not be read: GitHub answered \d+ to `GET .*/,
    );
    expect(stage.model.requests()).toEqual([]);
  });
});
