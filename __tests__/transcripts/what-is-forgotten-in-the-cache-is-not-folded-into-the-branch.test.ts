import { expect, it } from '@jest/globals';
import { text } from '../helpers/model-server.js';
import {
  asking,
  forgottenOnBranch,
  idsOnBranch,
  nameOf,
  onBranch,
  onSchedule,
  rememberOnBranch,
} from './memory-command-scene.js';
import { resultsIn } from './memory-scene.js';
import { type Stage, setStage } from './stage.js';

/** A repository whose token may not write, so that the cache takes what is remembered. */
async function inTheCache(): Promise<Stage> {
  const stage = await setStage({
    event: { name: 'workflow_dispatch' },
    model: (_, index) => text(`Answer ${index}.`),
  });
  stage.repo.contents = 'read';
  return stage;
}

async function remember(stage: Stage): Promise<string> {
  const step = await stage.run(onSchedule(stage));
  expect(step).toMatchObject({ exitCode: 0, outputs: { 'memory-saved': 'true' } });
  return step.outputs['memory-entry-id'] ?? '';
}

it('a forgotten entry stays out of the prompt, and of the branch that the cache is merged into', async () => {
  const stage = await inTheCache();
  const gone = await remember(stage);
  const kept = await remember(stage);
  const asked = stage.model.requests().length;

  const step = await stage.run(asking(`forget ${gone}`));
  expect(step).toMatchObject({
    exitCode: 0,
    stderr: '',
    outputs: { conclusion: 'success', 'memory-saved': 'true', 'memory-store': 'cache' },
  });
  expect(step.outputs['response']).toMatch(
    /^Forgotten in [^\n]*:\n\n- `\w+` [^\n]*: Say what is new\.\n\nIt stays forgotten: no copy that another place still holds is folded in again\.\n\n/,
  );
  expect(step.outputs['response']).toMatch(
    /\n\nOlder entries of the Actions cache still hold it\. .*\n\nMemory went to the Actions cache, since .*`contents: write`/,
  );
  expect(stage.model.requests()).toHaveLength(asked);
  expect(stage.repo.branches.has('axe-memory')).toBe(false);

  stage.repo.contents = 'write';
  const added = await remember(stage);
  expect(resultsIn(stage.model.prompts().at(-1)?.system ?? '')).toEqual(['Answer 1.']);
  expect(idsOnBranch(stage)).toEqual([kept, added]);
  expect(forgottenOnBranch(stage)).toEqual([gone]);
  expect(JSON.stringify(stage.github.files(nameOf(stage), 'axe-memory'))).not.toContain('Answer 0.');

  // The version of the cache from before comes back, as it may for another ref.
  stage.cache.evict(({ key }) => key.endsWith('0000000003.'));
  await remember(stage);
  expect(resultsIn(stage.model.prompts().at(-1)?.system ?? '')).toEqual(['Answer 1.', 'Answer 2.']);
  expect(onBranch(stage)).not.toContain('Answer 0.');
});

it('an entry is forgotten in the cache alone if that is the store', async () => {
  const stage = await inTheCache();
  const gone = await remember(stage);
  const inputs = { 'memory-store': 'cache' };
  const step = await stage.run(asking(`forget ${gone} --purge`, inputs));
  expect(step).toMatchObject({ exitCode: 0, annotations: [], outputs: { 'memory-store': 'cache' } });
  expect(step.outputs['response']).toContain('Older entries of the Actions cache still hold it.');
  expect(step.outputs['response']).toContain('`gh cache list --key axe-memory/v1/`');
  const shown = await stage.run(asking('show', inputs));
  expect(shown.outputs['response']).toMatch(/^No entries in `reviewer\.md` in /);
  const again = await stage.run(asking(`forget ${gone}`, inputs));
  expect(again.outputs).toMatchObject({
    'memory-saved': 'false',
    response: expect.stringMatching(/was forgotten before; nothing is left of it in/),
  });
});

it('an entry is edited and promoted there, too', async () => {
  const stage = await inTheCache();
  const old = await remember(stage);
  const step = await stage.run(asking(`edit ${old} "Nothing is new."`));
  expect(step.outputs['memory-saved']).toBe('true');
  stage.repo.contents = 'write';
  await remember(stage);
  expect(resultsIn(stage.model.prompts().at(-1)?.system ?? '')).toEqual(['Nothing is new.']);
  expect(resultsIn(onBranch(stage))).toEqual(['Nothing is new.', 'Answer 1.']);
});

it('an entry is forgotten on the branch even if the cache still holds it, and cannot be written', async () => {
  const stage = await inTheCache();
  const gone = await remember(stage);
  rememberOnBranch(stage, { 'README.md': 'Memory.' });
  const kept = await remember(stage);
  expect(idsOnBranch(stage)).toEqual([gone, kept]);
  const trunk = `refs/heads/${stage.repo.defaultBranch}`;
  const env = stage.cache.env({ ref: trunk, readableRefs: [trunk], mayWrite: false });
  const step = await stage.run({ ...asking(`forget ${gone}`), env });
  expect(step).toMatchObject({ exitCode: 0, annotations: [], outputs: { 'memory-store': 'repo' } });
  await remember(stage);
  expect(resultsIn(stage.model.prompts().at(-1)?.system ?? '')).toEqual(['Answer 1.']);
  expect(idsOnBranch(stage)).not.toContain(gone);
});
