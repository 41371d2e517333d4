import { expect, it } from '@jest/globals';
import { AGENT, setStage, timesAsked, told } from './stage.js';

it('C1 9: the error names the searched places and every agent, and reads each place of a branch once', async () => {
  const stage = await setStage({
    base: { 'axe/agents/reviewer.toml': AGENT, '.axe/agents/writer.toml': AGENT, 'axe/agents/notes.md': '' },
  });
  const step = await stage.run({ inputs: { agent: 'reviewr' } });
  expect(step).toMatchObject({ exitCode: 1, outputs: { conclusion: 'failure' } });
  expect(told(step)).toEqual([
    'error: agent config not found: reviewr\n' +
      '  Did you mean `reviewer`? There are: `reviewer`, `writer`, `builtin/ask`, `builtin/pr-reviewer`, `builtin/triage`. Searched in `axe/agents` and `.axe/agents` of Codertocat/Hello-World@master.',
  ]);
  expect(step.summary).toContain('agent config not found: reviewr');
  expect(stage.model.requests()).toEqual([]);
  for (const dir of ['axe/agents', '.axe/agents']) {
    expect(timesAsked(stage, `${dir}/reviewr.toml`)).toBe(2);
  }
});

it.each([
  ['a name that leads out of its folder', '../../etc/passwd', /invalid agent name/],
  ['a name that memory needs', 'memory', /"memory"/],
  ['a built-in agent that does not exist', 'builtin/reviewer', /agent config not found: builtin\/reviewer/],
])('C1 7: the step refuses %s', async (_, agent, message) => {
  const stage = await setStage();
  const step = await stage.run({ inputs: { agent } });
  expect(step.exitCode).toBe(1);
  expect(told(step)).toEqual([expect.stringMatching(message)]);
  expect(stage.model.requests()).toEqual([]);
});
