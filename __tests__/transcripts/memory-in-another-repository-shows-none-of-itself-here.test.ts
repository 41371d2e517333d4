import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { GITHUB_TOKEN } from '../helpers/github-server.js';
import { text, toolCall } from '../helpers/model-server.js';
import { runPost, type StepResult, startStep } from '../helpers/run-action.js';
import { type BranchScene, branchScene, earlierEntry, REPOSITORY } from './branch-scene.js';
import { nameOf } from './memory-command-scene.js';
import { resultsIn, titles } from './memory-scene.js';
import { blockIn, notesStage } from './notes-scene.js';
import { troubles } from './stage.js';

const FLEET = 'octo-org/memory';
const TOKEN = 'ghs_9876543210zyxwvutsrqZYXWVUTSRQ9876543';

const SECRET = /lighthouse|Ada|under the mat/;

/** Everything people see of a step, but for the answer, which is shown where it belongs. */
function expectSecret(
  { stdout, stderr, summary, outputs, state }: StepResult,
  words = SECRET,
): void {
  const file = outputs['transcript-file'];
  const lines = file === undefined ? '' : readFileSync(file, 'utf8');
  const told = JSON.stringify({ outputs, state: { ...state, pending: '' } });
  const shown = [stdout, stderr, summary, lines, told].join('\n');
  expect(shown).not.toMatch(words);
}

describe('the run log', () => {
  const FILE = `${REPOSITORY}/ask.md`;
  const BEFORE = 'The lighthouse keeper is called Ada.';
  const WITH = {
    inputs: { 'memory-repo': FLEET, 'repositories-token': TOKEN, prompt: 'Who is the keeper?' },
  };

  /** A private repository in which each repository of a fleet has a folder of its own. */
  async function fleet(contents: 'read' | 'write' = 'write'): Promise<BranchScene> {
    const scene = await branchScene({
      contents: 'read',
      model: [text('Nobody.'), text('Still nobody.')],
    });
    scene.github.addRepo(FLEET, {
      isPrivate: true,
      contents: { [TOKEN]: contents, [GITHUB_TOKEN]: 'none' },
    });
    const files = {
      [FILE]: earlierEntry(BEFORE),
      'octo-org/other/ask.md': earlierEntry('Not for you.', 'b'),
    };
    scene.github.commit(FLEET, files, { branch: 'axe-memory' });
    return scene;
  }

  function expectNoEntryShown(step: StepResult): void {
    expectSecret(step, /lighthouse|Ada|Not for you|\*\*Result|\*\*Task/);
    expect(step.outputs['memory-entry']).toBeUndefined();
  }

  it('`memory-repo` gives the model the content of the folder in the repository, adds to it, and shows neither', async () => {
    const scene = await fleet();
    const steps = [await scene.run(WITH), await scene.run(WITH)];
    for (const step of steps) {
      expect(step).toMatchObject({ exitCode: 0, stderr: '', outputs: { 'memory-saved': 'true' } });
      expect(troubles(step)).toEqual([]);
      expectNoEntryShown(step);
      expect(step.outputs['transcript-file']).toMatch(/\.jsonl$/);
      expect(step.summary).toContain(step.outputs['memory-entry-id']);
    }
    expect(scene.model.prompts().map(({ system }) => resultsIn(system))).toEqual([
      [BEFORE],
      [BEFORE, 'Nobody.'],
    ]);
    const files = scene.github.files(FLEET, 'axe-memory');
    expect(resultsIn(files[FILE] ?? '')).toEqual([BEFORE, 'Nobody.', 'Still nobody.']);
    expect(Object.keys(files).filter((path) => !path.endsWith('.state.md'))).toHaveLength(2);
    expect(scene.repo.branches.has('axe-memory')).toBe(false);
    expect(scene.cache.requests()).toEqual([]);
  });

  it('`memory-repo` does not show what could not be saved, in main and in post', async () => {
    const scene = await fleet('read');
    const step = await scene.run(WITH);
    expect(step).toMatchObject({ exitCode: 0, outputs: { 'memory-saved': 'false' } });
    expect(titles(step)).toEqual(['Memory not saved']);
    expect(step.annotations[0]?.message).toContain(
      `a token that can write to ${FLEET} as \`repositories-token\``,
    );
    expectNoEntryShown(step);

    const running = startStep('main', scene.step(WITH));
    scene.github.onRequest(
      ({ bytes }) => void (bytes.includes('createCommitOnBranch') && running.kill('SIGKILL')),
    );
    const main = await running.finished;
    expect(main.signal).toBe('SIGKILL');
    const post = await runPost(scene.step(WITH), main);
    expect(titles(post)).toEqual(['Memory not saved']);
    expectNoEntryShown(post);
    expect(scene.cache.requests()).toEqual([]);
  });
});

const WITH = { inputs: { 'memory-repo': FLEET, 'repositories-token': TOKEN } };
const KNOWN = 'The lighthouse keeper is called Ada.';
const LEARNED = 'She keeps the key under the mat.';

it('the model receives the notes and writes new ones, and neither is shown', async () => {
  const write = toolCall('memory_write', { target: 'long_term', content: LEARNED });
  const stage = await notesStage({ model: [write, text('Nobody.'), text('Nobody.')] });
  stage.repo.contents = 'read';
  stage.github.addRepo(FLEET, {
    isPrivate: true,
    contents: { [TOKEN]: 'write', [GITHUB_TOKEN]: 'none' },
  });
  const file = `${nameOf(stage)}/MEMORY.md`;
  stage.github.commit(FLEET, { [file]: `${KNOWN}\n` }, { branch: 'axe-memory' });
  const step = await stage.runOn('branch', WITH);
  expect(step).toMatchObject({ exitCode: 0, stderr: '', outputs: { 'memory-saved': 'true' } });
  expect(troubles(step)).toEqual([]);
  expect(blockIn(stage.model.prompts()[0]?.system ?? '')).toContain(KNOWN);
  expect(stage.github.files(FLEET, 'axe-memory')[file]).toBe(`${KNOWN}\n${LEARNED}\n`);
  expectSecret(step);

  const planned = await stage.runOn('branch', { inputs: { ...WITH.inputs, 'dry-run': 'true' } });
  expect(planned).toMatchObject({ exitCode: 0, stderr: '' });
  expectSecret(planned);
});
