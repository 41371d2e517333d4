import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { GITHUB_TOKEN } from '../helpers/github-server.js';
import { type ModelReply, startModelServer, text, toolCall } from '../helpers/model-server.js';
import { runCli } from '../helpers/run-cli.js';
import { tempDir } from '../helpers/temp.js';
import { HEAD, REPO, type Stage, troubles } from './stage.js';
import { setStageInProcess } from './stage-in-process.js';
import { agentToml, resultsOf } from './tool-scene.js';

const TOOLS = ['github_diff', 'github_file', 'github_history', 'github_search'];
const SOURCE =
  'export function isValid(token: string): boolean {\n  return timingSafeEqual(token);\n}\n';
const BASE = {
  'axe/agents/worker.toml': agentToml({ tools: TOOLS, memory: true }),
  'src/auth.ts': SOURCE,
};

const LOOKS: readonly ModelReply[] = [
  toolCall('github_diff', {}),
  toolCall('github_diff', { path: 'src/auth.ts' }),
  toolCall('github_file', { path: 'src/auth.ts', ref: 'base' }),
  toolCall('github_file', { path: 'src/auth.ts' }),
  toolCall('github_history', { path: 'src/auth.ts' }),
  toolCall('github_search', { text: 'isValid(', ref: 'head' }),
];

/** GitHub's example of a pull request, with a head that the fake has, too. */
async function stageOf(model: readonly ModelReply[]): Promise<Stage> {
  const stage = await setStageInProcess({ base: BASE, model });
  const files = { 'src/auth.ts': SOURCE.replace('timingSafeEqual(token)', 'token != ""') };
  stage.github.commit(REPO, files, { branch: 'changes', sha: HEAD });
  return stage;
}

const ANSWER = 'The test fails since `isValid` takes every token.';

it('a run sees the change, the files of both sides, their history and what else uses them, without a checkout', async () => {
  const stage = await stageOf([...LOOKS, text(ANSWER)]);
  const step = await stage.run({ inputs: { agent: 'worker' } });
  expect(step).toMatchObject({ exitCode: 0, stderr: '' });
  expect(troubles(step)).toEqual([]);
  const prompts = stage.model.prompts();
  expect(prompts[0]?.tools).toEqual(TOOLS);
  const [list, diff, base, head, history, search] = resultsOf(prompts.at(-1));
  expect(list).toContain('\nmodified src/auth.ts +1 -1\n');
  expect(diff).toMatch(/^\+\d+: {3}return expected == token;$/m);
  expect(base).toContain('\n2:   return timingSafeEqual(token);\n');
  expect(head).toContain('\n2:   return token != "";\n');
  expect(history).toMatch(/^<third-party-text source="commits of src\/auth\.ts">\nec26c3e /);
  expect(search).toMatch(
    /\nsrc\/auth\.ts:1: export function isValid\(.+\n<\/third-party-text>\n\[searched the 1 text file of the head\]$/,
  );
  // A person who pushed to the repository can write: what the run says of it is its memory.
  expect(step.outputs['memory-entry']).toContain(`**Result:** Posted a comment on #2.\n${ANSWER}`);
  expect(step.outputs['memory-entry']).not.toContain('computed=');
});

it('the tools work on the command line with an event, and cause a warning without one', async () => {
  const stage = await stageOf([...LOOKS, text(ANSWER)]);
  const cwd = tempDir('laptop');
  writeFileSync(join(cwd, 'event.json'), JSON.stringify(stage.payload));
  const env = {
    ...stage.model.env,
    ...stage.github.env,
    GITHUB_TOKEN,
    XDG_DATA_HOME: tempDir('data'),
  };
  const end = await runCli(['run', 'worker', '--event', 'event.json'], { cwd, env });
  expect(end).toMatchObject({ exitCode: 0, stdout: ANSWER, stderr: '' });
  const [list, diff] = resultsOf(stage.model.prompts().at(-1));
  expect(list).toContain('modified src/auth.ts +1 -1');
  expect(diff).toMatch(/^\+\d+: {3}return expected == token;$/m);

  const model = await startModelServer([text(ANSWER)]);
  writeFileSync(join(cwd, 'worker.toml'), agentToml({ tools: ['read_file', 'github_diff'] }));
  const alone = await runCli(['run', 'worker', '--agents-dir', cwd], {
    cwd,
    env: { ...model.env, XDG_DATA_HOME: tempDir('data') },
  });
  expect(alone).toMatchObject({ exitCode: 0, stdout: ANSWER });
  expect(alone.stderr).toContain('asks for `github_diff` to read GitHub, and there is no event.');
  expect(model.prompts()[0]?.tools).toEqual(['read_file']);
});
