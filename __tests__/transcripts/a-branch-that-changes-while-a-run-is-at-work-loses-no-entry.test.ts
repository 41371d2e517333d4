import { expect, it } from '@jest/globals';
import { text } from '../helpers/model-server.js';
import { BRANCH, type BranchScene, branchScene, earlierEntry, REPOSITORY } from './branch-scene.js';
import { resultsIn } from './memory-scene.js';
import { told } from './stage.js';

interface Change {
  /** What is on the branch when the run starts; without it there is no branch. */
  readonly before?: string;
  readonly during: (scene: BranchScene) => void;
  /** Default: while the model thinks. */
  readonly at?: 'commit';
  /** What is on the branch when the run has ended. */
  readonly after: readonly string[];
  readonly told: readonly unknown[];
}

const BEFORE = earlierEntry('Before.', 'a');
const OTHER = earlierEntry('By somebody else.', 'b');

const CREATED = expect.stringMatching(/^notice: The branch .* was created to keep memory\./);

const CHANGES: readonly (readonly [string, Change])[] = [
  [
    'C3 45: a branch that somebody else creates while the model thinks',
    { during: (scene) => put(scene, OTHER), after: ['By somebody else.', 'Mine.'], told: [] },
  ],
  [
    'C3 52: a branch that somebody else adds to while the model thinks',
    {
      before: BEFORE,
      during: (scene) => put(scene, BEFORE + OTHER),
      after: ['Before.', 'By somebody else.', 'Mine.'],
      told: [],
    },
  ],
  [
    'C3 51: a branch that is deleted while the model thinks',
    {
      before: BEFORE,
      during: ({ repo }) => void repo.branches.delete(BRANCH),
      after: ['Mine.'],
      told: [CREATED],
    },
  ],
  [
    'C3 51: a branch that is force-pushed while the model thinks',
    {
      before: BEFORE,
      during: (scene) => {
        scene.repo.branches.delete(BRANCH);
        put(scene, OTHER);
      },
      after: ['By somebody else.', 'Mine.'],
      told: [],
    },
  ],
  [
    'C3 51: a branch that is deleted between the look of a save and its commit',
    {
      before: BEFORE,
      at: 'commit',
      during: ({ repo }) => void repo.branches.delete(BRANCH),
      after: ['Mine.'],
      told: [CREATED],
    },
  ],
  [
    'C3 52: a branch from which a person removes an entry while the model thinks',
    {
      before: BEFORE + OTHER,
      during: (scene) => put(scene, OTHER),
      after: ['By somebody else.', 'Mine.'],
      told: [],
    },
  ],
];

it('C3 52: keeps the bytes of a person who edits it', async () => {
  const edited = `# What the bot knows\r\n\r\n${BEFORE.replace('Before.', 'Before, and \u00e9 by hand.')}A note of mine, without a line break`;
  const scene: BranchScene = await branchScene({
    branch: { 'ask.md': BEFORE, 'README.md': 'Hands off.' },
    model: () => {
      scene.github.commit(REPOSITORY, { 'ask.md': edited, 'README.md': 'Hands off.' }, { branch: BRANCH });
      return text('Mine.');
    },
  });
  const step = await scene.run();
  expect(step).toMatchObject({ exitCode: 0, annotations: [], outputs: { 'memory-saved': 'true' } });
  expect(scene.memory()).toBe(`${edited}\n${step.outputs['memory-entry']}`);
  expect(scene.memory('README.md')).toBe('Hands off.');
});

it.each(CHANGES)('%s', async (_, { before, during, at, after, told: expected }) => {
  const scene: BranchScene = await branchScene({
    ...(before === undefined ? {} : { branch: { 'ask.md': before } }),
    model: () => {
      if (at === undefined) during(scene);
      return text('Mine.');
    },
  });
  let isChanged = at === undefined;
  scene.github.onRequest(({ bytes }) => {
    if (isChanged || !bytes.includes('createCommitOnBranch')) return;
    isChanged = true;
    during(scene);
  });
  const step = await scene.run();
  expect(step).toMatchObject({ exitCode: 0, stderr: '', outputs: { 'memory-saved': 'true' } });
  expect(resultsIn(scene.memory())).toEqual(after);
  expect(told(step).flatMap((message) => message.split('\n'))).toEqual(expected);
});

function put({ github }: BranchScene, file: string): void {
  github.commit(REPOSITORY, { 'ask.md': file }, { branch: BRANCH });
}
