import { expect, it } from '@jest/globals';
import { GITHUB_TOKEN } from '../helpers/github-server.js';
import { text, toolCall } from '../helpers/model-server.js';
import { runPost, type StepResult, startStep } from '../helpers/run-action.js';
import { blockIn, notesStage } from './notes-scene.js';
import { troubles } from './stage.js';

const FLEET = 'octo-org/memory';
const TOKEN = 'ghs_9876543210zyxwvutsrqZYXWVUTSRQ9876543';
const WITH = { inputs: { 'memory-repo': FLEET, 'repositories-token': TOKEN } };
const KNOWN = 'The lighthouse keeper is called Ada.';
const LEARNED = 'She keeps the key under the mat.';

/** A private repository with a folder for each repository of a fleet. */
async function fleet() {
  const stage = await notesStage({
    model: [
      toolCall('memory_write', { target: 'long_term', content: LEARNED }),
      text('Nobody.'),
      text('Nobody.'),
    ],
  });
  stage.repo.contents = 'read';
  stage.github.addRepo(FLEET, { isPrivate: true, contents: { [TOKEN]: 'write', [GITHUB_TOKEN]: 'none' } });
  const file = `${stage.repo.owner}/${stage.repo.name}/MEMORY.md`;
  stage.github.commit(FLEET, { [file]: `${KNOWN}\n` }, { branch: 'axe-memory' });
  return { stage, file, kept: () => stage.github.files(FLEET, 'axe-memory')[file] };
}

function expectSecret({ stdout, stderr, summary, outputs, state }: StepResult): void {
  const shown = [stdout, stderr, summary, JSON.stringify({ outputs, state: { ...state, pending: '' } })];
  expect(shown.join('\n')).not.toMatch(/lighthouse|Ada|under the mat/);
}

it('the model receives the notes and writes new ones, and neither is shown', async () => {
  const { stage, kept } = await fleet();
  const step = await stage.runOn('branch', WITH);
  expect(step).toMatchObject({ exitCode: 0, stderr: '', outputs: { 'memory-saved': 'true' } });
  expect(troubles(step)).toEqual([]);
  expect(blockIn(stage.model.prompts()[0]?.system ?? '')).toContain(KNOWN);
  expect(kept()).toBe(`${KNOWN}\n${LEARNED}\n`);
  expectSecret(step);

  const planned = await stage.runOn('branch', { inputs: { ...WITH.inputs, 'dry-run': 'true' } });
  expect(planned).toMatchObject({ exitCode: 0, stderr: '' });
  expectSecret(planned);
});

it('the notes that a killed run leaves to the post step are not shown', async () => {
  const { stage, kept } = await fleet();
  const running = startStep('main', stage.stepOn('branch', WITH));
  stage.github.onRequest(
    ({ bytes }) => void (bytes.includes('createCommitOnBranch') && running.kill('SIGKILL')),
  );
  const main = await running.finished;
  expect(main.signal).toBe('SIGKILL');
  const post = await runPost(stage.stepOn('branch', WITH), main);
  expect(post).toMatchObject({ exitCode: 0, stderr: '' });
  expect(kept()).toBe(`${KNOWN}\n${LEARNED}\n`);
  expectSecret(post);
});
