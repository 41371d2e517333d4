import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { text, toolCall } from '../helpers/model-server.js';
import { schedulePayload } from '../helpers/webhooks.js';
import { runWatched } from '../hostile/watched-run.js';
import { setStage } from './stage.js';
import { agentToml, checkout, resultsOf } from './tool-scene.js';

const AGENT = agentToml({ tools: ['write_file', 'edit_file'] }).replace(
  'tools =',
  'skill = "prompts/review.md"\ntools =',
);

it.each([
  ['a folder of its own', 'bots/agents', 'worker', 'bots'],
  ['a path of its own', '', 'tools/bots/worker.toml', 'tools'],
])('the configuration is protected if the agent is in %s', async (_, agentsDir, agent, parent) => {
  const file = agentsDir === '' ? agent : `${agentsDir}/worker.toml`;
  const skill = `${parent}/prompts/review.md`;
  const files = { [file]: AGENT, [skill]: 'Look twice.', 'README.md': '# Hello\n' };
  const targets = [file, skill, '.github/CODEOWNERS', 'action.yml', 'sub/action.yaml', 'axe/agents/new.toml'];
  const more = agentsDir === '' ? [] : [`${agentsDir}/new.toml`, `${parent}/skills/new/SKILL.md`];
  const stage = await setStage({
    event: { name: 'schedule', payload: schedulePayload('0 6 * * 1') },
    base: {},
    model: [
      ...[...targets, ...more].map((path) => toolCall('write_file', { path, content: 'mine now' })),
      toolCall('edit_file', { path: skill, old_string: 'twice', new_string: 'never' }),
      toolCall('write_file', { path: 'docs/new.md', content: 'a page' }),
      text('Done.'),
    ],
  });
  const workspace = checkout(files);
  const step = await runWatched(stage, {
    workspace,
    inputs: { agent, 'agents-dir': agentsDir, 'tools-allowed': 'write' },
  });
  expect(step).toMatchObject({ exitCode: 0, outputs: { conclusion: 'success' } });
  const results = resultsOf(stage.model.prompts().at(-1));
  expect(results.filter((result) => result.includes('cannot be written'))).toHaveLength(
    targets.length + more.length + 1,
  );
  expect(readFileSync(join(workspace, file), 'utf8')).toBe(AGENT);
  expect(readFileSync(join(workspace, skill), 'utf8')).toBe('Look twice.');
  expect(readFileSync(join(workspace, 'docs/new.md'), 'utf8')).toBe('a page');
});
