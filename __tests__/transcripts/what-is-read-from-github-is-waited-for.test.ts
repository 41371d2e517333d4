import { expect, it } from '@jest/globals';
import { jumpEnv } from '../helpers/clock-env.js';
import { BAD_GATEWAY, type FaultAnswer, secondaryRateLimit } from '../helpers/github-faults.js';
import { text } from '../helpers/model-server.js';
import { BRANCH, earlierEntry } from './branch-scene.js';
import { resultsIn } from './memory-scene.js';
import { ANSWER, REPO, type Stage, troubles } from './stage.js';
import { setStageInProcess } from './stage-in-process.js';

const PATH = '/repos/{owner}/{repo}';
const PERMISSION = `GET ${PATH}/collaborators/{username}/permission`;

/** Everything that a review reads before the model is asked. */
const READ: readonly (readonly [route: string, contains?: string])[] = [
  [PERMISSION],
  [`GET ${PATH}/contents/{path}`],
  [`GET ${PATH}/compare/{basehead}`],
  ['POST /graphql', 'closingIssuesReferences'],
  ['POST /graphql', 'qualifiedName'],
];

function limited(seconds: number) {
  return {
    status: 429,
    headers: { 'retry-after': String(seconds) },
    body: { message: 'Too many requests' },
  } as const;
}

async function scene() {
  const stage = await setStageInProcess({ github: { validate: false }, model: () => text(ANSWER) });
  stage.github.commit(REPO, { 'reviewer.md': earlierEntry('Before.') }, { branch: BRANCH });
  return stage;
}

it.each<[string, FaultAnswer]>([
  ['a secondary rate limit', secondaryRateLimit(1)],
  ['a 429', limited(1)],
  ['a 502', BAD_GATEWAY],
  ['a connection that breaks', { status: 'disconnect' }],
])('a review continues after %s, at any request', async (_, fault) => {
  const stage = await scene();
  for (const [route, contains] of READ) stage.github.fail({ ...fault, route, contains });
  const step = await stage.run();
  expect(step.outputs).toMatchObject({ conclusion: 'success', 'memory-saved': 'true' });
  expect(troubles(step)).toEqual([]);
  expect(resultsIn(stage.model.prompts()[0]?.system ?? '')).toEqual(['Before.']);
});

it.each<readonly [string, (stage: Stage) => void]>([
  [
    'branch',
    ({ github }) =>
      github.fail({ ...limited(30), route: 'POST /graphql', contains: 'qualifiedName' }),
  ],
  ['cache', ({ cache }) => cache.fail({ ...limited(30), operation: 'GetCacheEntryDownloadURL' })],
])(
  'a run whose %s asks for 30 s goes on without memory, says so once, and saves its entry',
  async (store, limit) => {
    const stage = await scene();
    limit(stage);
    const step = await stage.run({ inputs: { 'memory-store': store } });
    expect(step).toMatchObject({
      exitCode: 0,
      outputs: { conclusion: 'success', 'memory-saved': 'true' },
    });
    expect(troubles(step)).toMatchObject([{ title: 'Memory not loaded' }]);
    expect(step.log).toMatch(/^Memory: not loaded: .*(?:429|rate limit)/m);
    expect(resultsIn(stage.model.prompts()[0]?.system ?? '')).toEqual([]);
  },
);

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
