import { expect, it } from '@jest/globals';
import { text } from '../helpers/model-server.js';
import {
  adding,
  demonstrationStage,
  FAULTY,
  FIXED,
  HOLDS,
  PROVING,
  reviewing,
  SECOND_ITEM,
  showing,
} from './demonstration-scene.js';
import { calls, discussion } from './review-scene.js';
import { troubles } from './stage.js';
import { resultsOf } from './tool-scene.js';

it('a finding is shown by a test, which is in its comment', async () => {
  const model = reviewing([SECOND_ITEM], [calls(showing()), calls(HOLDS)]);
  const { stage, workspace, inputs } = await demonstrationStage(model);
  const step = await stage.run({ workspace, inputs });
  expect(troubles(step)).toEqual([]);
  const looks = stage.model.prompts().filter(({ tools }) => tools.includes('give_verdict'));
  expect(looks[0]?.tools).toContain('demonstrate');
  expect(resultsOf(looks[1])).toEqual([
    'Shown: 5 times each it saw "2", with the fix "1". Give your verdict.',
  ]);
  const [comment] = stage.repo.talk.reviewComments;
  expect(comment?.body).toContain(
    '<details><summary>Shown by a test: it sees <code>2</code>, with a fix <code>1</code></summary>',
  );
  expect(comment?.body).toContain("import { first } from './list.mjs';");
  expect(comment?.body).toContain('`list.test.mjs`, by `node --test list.test.mjs`, 5 times each.');
  expect(comment?.body).not.toContain('"sha256"');
  expect(step.summary).toContain('Shown by a test: 1 of 1.');
});

it('a test that passes on the code proves nothing, and its verifier refutes by a line', async () => {
  const refuted = {
    name: 'give_verdict',
    input: {
      verdict: 'refuted',
      evidence: [{ path: 'list.mjs', line: 2, code: '  return list[0];' }],
      reason: 'It returns the first item.',
    },
  };
  const found = {
    ...SECOND_ITEM,
    input: { ...SECOND_ITEM.input, code: '  return list[0];', suggestion: '  return list.at(0);' },
  };
  const model = reviewing([found], [calls(showing()), calls(refuted)]);
  const { stage, workspace, inputs } = await demonstrationStage(model, FIXED);
  const step = await stage.run({ workspace, inputs });
  const looks = stage.model.prompts().filter(({ tools }) => tools.includes('give_verdict'));
  expect(resultsOf(looks[1])[0]).toMatch(
    /^No proof: it passes on the code as it is\. This proves nothing either way\./,
  );
  expect(stage.repo.talk.reviewComments).toEqual([]);
  expect(step.outputs['conclusion']).toBe('success');
});

it('a test that does not get to its check proves nothing, and the finding is posted without one', async () => {
  const broken = [1, 2, 3].map((number) =>
    calls(showing({ test: `import 'left-pad';\n// ${number}` })),
  );
  const model = reviewing([SECOND_ITEM], [...broken, calls(HOLDS)]);
  const { stage, workspace, inputs } = await demonstrationStage(model);
  const step = await stage.run({ workspace, inputs });
  const looks = stage.model.prompts().filter(({ tools }) => tools.includes('give_verdict'));
  const answers = resultsOf(looks.at(-1));
  expect(answers[0]).toMatch(/^No proof: it did not get to its check/);
  expect(answers[0]).toContain('left-pad');
  expect(answers[2]).toMatch(/no attempt left/);
  const [comment] = stage.repo.talk.reviewComments;
  expect(comment?.body).toContain('An independent second check confirmed it.');
  expect(comment?.body).not.toContain('Shown by a test');
  expect(step.summary).toMatch(
    /Shown by a test: 0 of 1\. F\w{4}: no proof, its test did not get to its check/,
  );
});

it.each([
  [
    '`tools-allowed` has no commands',
    { 'tools-allowed': '' },
    PROVING,
    /`tools-allowed` does not have/,
  ],
  [
    'the agent runs no commands',
    {},
    PROVING.replace(', "run_command"', ''),
    /`tools` of the agent does not have `run_command`/,
  ],
])('no finding is shown where %s, and that is said once', async (_, more, agent, why) => {
  const model = reviewing([SECOND_ITEM], [calls(HOLDS), text('Done.')]);
  const { stage, workspace, inputs } = await demonstrationStage(model, FAULTY, {
    base: { 'axe/agents/reviewer.toml': agent },
  });
  const step = await stage.run({ workspace, inputs: { ...inputs, ...more } });
  const looks = stage.model.prompts().filter(({ tools }) => tools.includes('give_verdict'));
  expect(looks[0]?.tools).not.toContain('demonstrate');
  expect(step.summary).toMatch(why);
  expect(discussion(stage)).toContain('`first` returns the second item');
});

it('no finding is shown on a checkout of another commit, and none if nobody asks for it', async () => {
  const model = reviewing([SECOND_ITEM], [calls(HOLDS), text('Done.')]);
  const { stage, workspace, inputs, commit } = await demonstrationStage(model);
  commit(FIXED);
  const step = await stage.run({ workspace, inputs });
  expect(step.summary).toMatch(/No finding is shown by a test, .* the workspace is no checkout of/);

  const plain = await demonstrationStage(
    reviewing([SECOND_ITEM], [calls(HOLDS), text('Done.')]),
    FAULTY,
    { base: { 'axe/agents/reviewer.toml': PROVING.replace('prove = "major"', '') } },
  );
  const quiet = await plain.stage.run({ workspace: plain.workspace, inputs: plain.inputs });
  expect(quiet.summary).not.toContain('hown by a test');
  expect(adding(FAULTY)).toContain('+++ b/list.mjs');
});
