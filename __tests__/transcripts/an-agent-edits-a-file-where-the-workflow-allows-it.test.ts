import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { type ModelReply, promptOf, text, toolCall } from '../helpers/model-server.js';
import { expectTranscript, seen, steady, told } from './stage.js';
import { checkout, resultsOf, scheduledStage } from './tool-scene.js';

const NAME = 'an-agent-edits-a-file-where-the-workflow-allows-it';
const FILE = 'export const limit = 10;\n';

const SCRIPT: readonly ModelReply[] = [
  toolCall('read_file', { path: 'src/limit.ts' }),
  toolCall('edit_file', { path: 'src/limit.ts', old_string: 'limit = 10', new_string: 'limit = 20' }),
  text('Raised the limit in `src/limit.ts:1`.'),
];

async function edit(allowed: Readonly<Record<string, string>>) {
  const stage = await scheduledStage([{ tools: ['read_file', 'edit_file'] }], { model: SCRIPT });
  const step = await stage.run({
    workspace: checkout({ 'src/limit.ts': FILE }),
    inputs: { agent: 'worker', prompt: 'Raise the limit to 20.', ...allowed },
  });
  const file = readFileSync(join(step.workspace, 'src/limit.ts'), 'utf8');
  return { stage, step, file, prompts: stage.model.prompts() };
}

it.each(['edit_file', 'write', 'run_command, edit_file'])(
  'an agent edits with `tools-allowed: %s`',
  async (allowed) => {
    const { stage, step, file, prompts } = await edit({ 'tools-allowed': allowed });
    expect(step).toMatchObject({ exitCode: 0, stderr: '', annotations: [] });
    expect(file).toBe('export const limit = 20;\n');
    expect(prompts.map(({ tools }) => tools)).toEqual(prompts.map(() => ['read_file', 'edit_file']));
    expect(resultsOf(prompts[2])).toEqual([
      '1: export const limit = 10;',
      'replaced 1 occurrence(s) in src/limit.ts',
    ]);
    if (allowed === 'edit_file') expectTranscript(NAME, steady(seen(step, stage)));
  },
);

it('the tool is withheld without it, with one warning that names what to add, and the model is told', async () => {
  const { step, file, prompts } = await edit({});
  expect(step).toMatchObject({ exitCode: 0, stderr: '' });
  expect(file).toBe(FILE);
  expect(told(step)).toEqual([
    "warning: The tool `edit_file` (write) was withheld: in a workflow it has to be allowed. Add `tools-allowed: edit_file` to the step's `with:`.",
  ]);
  expect(prompts.map(({ tools }) => tools)).toEqual(prompts.map(() => ['read_file']));
  expect(resultsOf(prompts[2])[1]).toMatch(/^Unknown tool: "edit_file"\. /);
  expect(step.outputs).toMatchObject({ conclusion: 'success' });
});

it('a sub-agent gets no more tools than its caller', async () => {
  const editor = { name: 'editor', tools: ['read_file', 'edit_file'] };
  const stage = await scheduledStage([{ subAgents: ['editor'], tools: ['read_file'] }, editor], {
    model(request, index) {
      const { system } = promptOf(request);
      if (system.startsWith('You are editor.')) return SCRIPT[index] ?? text('I could not.');
      return index === 0 ? toolCall('call_agent', { agent: 'editor', task: 'Raise it.' }) : text('Not done.');
    },
  });
  const workspace = checkout({ 'src/limit.ts': FILE });
  const step = await stage.run({ workspace, inputs: { agent: 'worker', 'tools-allowed': 'edit_file' } });
  expect(step).toMatchObject({ exitCode: 0, stderr: '', outputs: { response: 'Not done.' } });
  expect(told(step)).toEqual([
    'warning: The tool `edit_file` (write) was withheld: the agent that called this one may not do that itself. Give that agent the tool too, or remove it here.',
  ]);
  expect(stage.model.prompts().map(({ tools }) => tools)).toEqual([
    ['read_file', 'call_agent'],
    ['read_file'],
    ['read_file'],
    ['read_file', 'call_agent'],
  ]);
  expect(readFileSync(join(workspace, 'src/limit.ts'), 'utf8')).toBe(FILE);
});

it('what an agent writes as an artifact is in a folder for later steps', async () => {
  const stage = await scheduledStage(
    [{ tools: ['write_file'], tables: '[artifacts]\nenabled = true\ndefault_write = true\n' }],
    { model: [toolCall('write_file', { path: 'report.md', content: 'Fine.' }), text('Done.')] },
  );
  const step = await stage.run({ inputs: { agent: 'worker', 'tools-allowed': 'write_file' } });
  expect(step).toMatchObject({ exitCode: 0, stderr: '', annotations: [] });
  const folder = step.outputs['artifact-dir'] ?? '';
  expect(folder.startsWith(step.temp)).toBe(true);
  expect(readFileSync(join(folder, 'report.md'), 'utf8')).toBe('Fine.');
});
