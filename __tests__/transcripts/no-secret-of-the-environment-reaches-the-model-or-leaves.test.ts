import { expect, it } from '@jest/globals';
import { text, toolCall } from '../helpers/model-server.js';
import { runWatched } from '../hostile/watched-run.js';
import { setStage } from './stage.js';
import { agentToml, checkout } from './tool-scene.js';

/** By names that look like a secret's, inside an address, and by a name that is listed. */
const ENV = {
  GH_PAT: 'canary-pat-1a2b3c4d5e',
  DEPLOY_KEY: 'canary-deploy-6f7g8h9i',
  DATABASE_URL: 'postgres://app:canary-db-0j1k2l@db:5432/app',
  UPSTREAM: 'https://bot:canary-url-3m4n5o@example.com/feed',
  PLAIN_NAME: 'canary-plain-6p7q8r',
};
const CANARY = /canary-(?:pat|deploy|db|url|plain)/;
const FILE = Object.entries(ENV)
  .map(([name, value]) => `${name}=${value}`)
  .join('\n');

it('a secret is masked whether a file holds it, the model repeats it, or both', async () => {
  const stage = await setStage({
    base: { 'axe/agents/worker.toml': agentToml({ tools: ['read_file', 'search_files'], memory: true }) },
    model: [
      toolCall('read_file', { path: 'settings.txt' }),
      toolCall('search_files', { text: 'canary' }),
      text(`The settings are:\n\n${FILE}\n`),
    ],
  });
  const step = await runWatched(stage, {
    workspace: checkout({ 'settings.txt': FILE }),
    env: ENV,
    inputs: { agent: 'worker', 'memory-store': 'file', redact: 'plain_name' },
  });
  expect(step).toMatchObject({ exitCode: 0, stderr: '', outputs: { conclusion: 'success' } });
  expect(JSON.stringify(stage.model.prompts())).not.toMatch(CANARY);
  expect(JSON.stringify(stage.model.prompts())).toContain('GH_PAT=***');
  const { log, summary, outputs, annotations } = step;
  const comments = stage.repo.comments.map(({ body }) => body);
  expect(JSON.stringify({ log, summary, outputs, annotations, comments })).not.toMatch(CANARY);
  expect(comments.join()).toMatch(/GH.{0,2}PAT=/);
});

it('a name in `redact` that is not set in the environment is reported', async () => {
  const stage = await setStage();
  const step = await runWatched(stage, { inputs: { redact: 'NO_SUCH_NAME' } });
  expect(step.annotations).toContainEqual(
    expect.objectContaining({
      level: 'warning',
      message: expect.stringContaining(
        "the input `redact` names `NO_SUCH_NAME`, which the step's environment",
      ),
    }),
  );
});
