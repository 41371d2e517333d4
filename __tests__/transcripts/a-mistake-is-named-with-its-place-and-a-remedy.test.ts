import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import type { StepResult } from '../helpers/run-action.js';
import { tempDir } from '../helpers/temp.js';
import {
  AGENT,
  expectTranscript,
  type Stage,
  type StageOptions,
  seen,
  timesAsked,
  told,
  troubles,
} from './stage.js';
import { setStageInProcess } from './stage-in-process.js';

/** A run that ends with one error before a model or a comment. */
async function failed(
  inputs: Readonly<Record<string, string>>,
  { env, ...options }: StageOptions & { readonly env?: Readonly<Record<string, string>> } = {},
): Promise<{ readonly stage: Stage; readonly step: StepResult; readonly message: string }> {
  const stage = await setStageInProcess(options);
  const step = await stage.run({ inputs, env });
  expect(step).toMatchObject({ exitCode: 1, outputs: { conclusion: 'failure' } });
  expect(troubles(step)).toMatchObject([{ level: 'error' }]);
  expect([stage.model.requests(), stage.repo.comments]).toEqual([[], []]);
  return { stage, step, message: told(step)[0] ?? '' };
}

const reviewer = (toml: string) => ({ base: { 'axe/agents/reviewer.toml': toml } });

it.each([
  ['a syntax error', AGENT.replace('4-5"', '4-5'), 2],
  ['a missing model', AGENT.replace(/^model.*\n/m, ''), undefined],
] as const)('%s in an agent is shown at its line', async (name, toml, line) => {
  const { stage, step } = await failed({}, reviewer(toml));
  const at = line === undefined ? {} : { file: 'axe/agents/reviewer.toml', line };
  expect(step.annotations).toMatchObject([at]);
  expectTranscript(`a-mistake-in-the-agent-${name.replaceAll(' ', '-')}`, seen(step, stage));
});

it('C1 9: a missing agent is told with the searched places and every agent, and each place is read once', async () => {
  const base = {
    'axe/agents/reviewer.toml': AGENT,
    '.axe/agents/writer.toml': AGENT,
    'axe/agents/notes.md': '',
  };
  const { stage, message, step } = await failed({ agent: 'reviewr' }, { base });
  expect(message).toBe(
    'error: agent config not found: reviewr\n' +
      '  Did you mean `reviewer`? There are: `reviewer`, `writer`, `builtin/ask`, `builtin/fix`, `builtin/pr-reviewer`, `builtin/triage`. Searched in `axe/agents` and `.axe/agents` of Codertocat/Hello-World@master.',
  );
  expect(step.summary).toContain('agent config not found: reviewr');
  for (const dir of ['axe/agents', '.axe/agents'])
    expect(timesAsked(stage, `${dir}/reviewr.toml`)).toBe(2);
});

it.each([
  ['a name that memory needs', 'memory', /"memory"/],
  [
    'a built-in agent that does not exist',
    'builtin/reviewer',
    /agent config not found: builtin\/reviewer/,
  ],
])('C1 7: the step refuses %s', async (_, agent, message) => {
  expect((await failed({ agent })).message).toMatch(message);
});

it.each([
  ['anthropic/claude-sonnet-4-5', 'ANTHROPIC_API_KEY'],
  ['openai/gpt-4o', 'OPENAI_API_KEY'],
])(
  'C1 14: a missing key of %s is told with what has to be set and how',
  async (model, variable) => {
    const { message, step } = await failed(
      { model },
      { env: { ANTHROPIC_API_KEY: '', OPENAI_API_KEY: '' } },
    );
    expect(message).toMatch(
      /^error: API key for provider "\w+" is not configured \(set \w+_API_KEY\)\n/,
    );
    expect(message).toContain(`\`${variable}: \${{ secrets.${variable} }}\` under its \`env:\``);
    expect(step.summary).toContain(`\${{ secrets.${variable} }}`);
  },
);

it('the key comes from the input `api-key`, which the log never shows', async () => {
  const stage = await setStageInProcess();
  const key = 'sk-ant-api03-of-the-input-0123456789';
  const step = await stage.run({ inputs: { 'api-key': key }, env: { ANTHROPIC_API_KEY: '' } });
  expect(step.exitCode).toBe(0);
  expect(stage.model.requests().map(({ headers }) => headers['x-api-key'])).toEqual([key]);
  expect(step.masks).toContain(key);
  expect(step.log).not.toContain(key);
});

const NO_AGENT = { agent: '', model: 'openai/gpt-4o' };

it('a prompt and a model need no agent, and memory keeps the prompt as the task', async () => {
  const stage = await setStageInProcess({ base: {} });
  const step = await stage.run({
    inputs: { ...NO_AGENT, prompt: 'Is the change safe to release?' },
  });
  expect(step.exitCode).toBe(0);
  expect(troubles(step)).toEqual([]);
  expect(step.log).toContain('Agent:  builtin/ask (built-in)');
  expect(step.outputs['memory-entry']).toContain('**Task:** Is the change safe to release?\n');
  const message = stage.model.prompts()[0]?.messages.join() ?? '';
  expect(message).toMatch(
    /^user: Is the change safe to release\?\n\nText between <third-party-text> tags/,
  );
  expect(message).toMatch(/^\+\d+: {3}return expected == token;$/m);
});

it('no agent and no prompt is named, before GitHub is asked', async () => {
  const { stage, message } = await failed(NO_AGENT);
  expect(message).toBe(
    'error: the input `agent` is missing\n  Give `agent: builtin/pr-reviewer` or the name of your own agent, or both `prompt` and `model` to ask without one.',
  );
  expect(stage.github.requests()).toEqual([]);
});

it('an event file that does not exist is named', async () => {
  const file = join(tempDir('event'), 'event.json');
  const { message } = await failed({}, { env: { GITHUB_EVENT_PATH: file } });
  expect(message).toMatch(/cannot read the event file .*event\.json: no such file/);
  expect(message).toMatch(/\n {2}[A-Z].*\.$/);
});

it('a step without an event says how it is started', async () => {
  const { message } = await failed({}, { env: { GITHUB_EVENT_PATH: '' } });
  expect(message).toBe(
    'error: there is no event: `GITHUB_EVENT_PATH` is not set\n' +
      '  The runner of a workflow starts this program. Anywhere else, use the command line: `axe-action run`.',
  );
});
