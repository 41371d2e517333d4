import { expect, it } from '@jest/globals';
import { text } from '../helpers/model-server.js';
import { runWatched } from '../hostile/watched-run.js';
import { calls } from './review-scene.js';
import { expectTranscript, type Stage, seen, setStage, troubles } from './stage.js';

const INPUTS = {
  agent: 'builtin/triage',
  'min-permission': 'none',
  'labels-allowed': 'bug, question',
  'memory-store': 'branch',
};

/** An issue by somebody who may only read, in a repository with three labels. */
async function opened(add: string): Promise<Stage> {
  const stage = await setStage({
    event: { name: 'issues', action: 'opened' },
    role: 'read',
    model: [calls({ name: 'set_labels', input: { add } }), text('**Kind**: bug, since it worked before.')],
  });
  stage.repo.talk.labels.push('bug', 'question', 'security');
  return stage;
}

it('existing labels in the list are set, and the run remembers in quarantine', async () => {
  const stage = await opened('bug');
  const step = await runWatched(stage, {
    isUntrusted: true,
    inputs: INPUTS,
  });
  expect(step).toMatchObject({ exitCode: 0, outputs: { conclusion: 'success', 'memory-saved': 'true' } });
  expect(troubles(step)).toEqual([]);
  expect([...stage.repo.talk.labelsOf.values()]).toEqual([['bug']]);
  // On issues nothing is said unless it is asked for.
  expect(stage.repo.comments).toEqual([]);
  const files = stage.github.files('Codertocat/Hello-World', 'axe-memory');
  expect(Object.keys(files).filter((path) => path.endsWith('triage.md'))).toEqual(['untrusted/triage.md']);
  expectTranscript('a-stranger-s-issue-is-triaged-within-the-list-of-labels', seen(step, stage));
});

it.each([
  ['one that is not in the list', 'security'],
  ['one that is in the list, with another', 'bug, security'],
])('%s is refused, and the model is told', async (_, add) => {
  const stage = await opened(add);
  const step = await runWatched(stage, {
    isUntrusted: true,
    inputs: INPUTS,
  });
  expect(step.exitCode).toBe(0);
  expect([...stage.repo.talk.labelsOf.values()].flat()).not.toContain('security');
  expect(stage.model.prompts()[1]?.messages.at(-1)).toMatch(/security/);
});

it('the same issue starts nothing if the workflow does not admit strangers', async () => {
  const stage = await opened('bug');
  const step = await runWatched(stage, {
    isUntrusted: true,
    inputs: { ...INPUTS, 'min-permission': 'write' },
  });
  expect(step).toMatchObject({
    exitCode: 0,
    outputs: { conclusion: 'skipped', reason: 'permission' },
  });
  expect(stage.model.requests()).toEqual([]);
});
