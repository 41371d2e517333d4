import { describe, expect, it } from '@jest/globals';
import type { FileContent } from '../helpers/github-state.js';
import { text } from '../helpers/model-server.js';
import type { StepOptions } from '../helpers/run-action.js';
import { runWatched } from '../hostile/watched-run.js';
import { earlierEntry } from './branch-scene.js';
import { AGENT, REPO, type StageOptions, told, troubles } from './stage.js';
import { setStageInProcess } from './stage-in-process.js';
import { agentToml } from './tool-scene.js';

type Given = Pick<StageOptions, 'base' | 'model'> & Pick<StepOptions, 'inputs' | 'env'>;

/** A watched run on a repository whose memory branch holds an entry. */
async function run({ base = {}, inputs = {}, env = {}, model }: Given) {
  const stage = await setStageInProcess({
    base: { 'axe/agents/reviewer.toml': AGENT, ...base },
    model,
  });
  stage.github.commit(
    REPO,
    { 'reviewer.md': earlierEntry('Fine.', 'a') },
    { branch: 'axe-memory' },
  );
  const step = await runWatched(stage, { inputs: { 'memory-store': 'branch', ...inputs }, env });
  return { stage, step, messages: told(step) };
}

/** A run that ends before the model is asked, with one message. */
async function refused(given: Given): Promise<string> {
  const { stage, step, messages } = await run(given);
  expect(step).toMatchObject({ exitCode: 1, outputs: { conclusion: 'failure' } });
  expect(stage.model.requests()).toEqual([]);
  expect(messages).toHaveLength(1);
  expect(messages[0]?.length).toBeLessThan(1000);
  return messages[0] ?? '';
}

const UTF_16 = new Uint8Array(Buffer.from(`\ufeff${AGENT}`, 'utf16le'));

it.each<[string, FileContent, RegExp]>([
  [
    'C1 1: a syntax error behind a secret',
    `${AGENT}token = "s3cr3t-of-the-file`,
    /failed to parse/,
  ],
  ['C1 2: an empty agent file', '', /missing required field: name/],
  ['C1 2: an agent file in UTF-16', UTF_16, /UTF-16/],
  ['C1 4: a text in place of a number', `${AGENT}last_n = "10"\n`, /memory\.last_n.*integer/],
  ['C1 4: a number below its range', `${AGENT}last_n = -1\n`, /memory\.last_n.*non-negative/],
  [
    'C1 5: a key that reaches for a prototype',
    `${AGENT}[__proto__]\nx = 1\n`,
    /`__proto__` is not a key/,
  ],
  ['C1 6: an agent file of 300 kB', `${AGENT}# ${'x'.repeat(300_000)}\n`, /the limit is 262,144/],
  ['C1 6: 10,000 nested lists', `${AGENT}a = ${'['.repeat(10_000)}`, /nested/],
])('%s ends the run with one message', async (_, toml, reason) => {
  const message = await refused({ base: { 'axe/agents/reviewer.toml': toml } });
  expect(message).toMatch(reason);
  expect(message).not.toContain('s3cr3t-of-the-file');
});

it('C1 3: a key that resembles a known one is a warning with a suggestion, and the run continues', async () => {
  const { stage, step, messages } = await run({
    base: { 'axe/agents/reviewer.toml': `${AGENT}last_m = 5\n` },
  });
  expect(step).toMatchObject({ exitCode: 0, outputs: { conclusion: 'success' } });
  expect(messages).toEqual([expect.stringContaining('Did you mean `memory.last_n`?')]);
  expect(troubles(step)).toMatchObject([{ file: 'axe/agents/reviewer.toml', line: 7 }]);
  expect(stage.repo.comments).toHaveLength(1);
});

it.each(['../../etc/x', 'x'.repeat(300), 'x\n::error::y'])(
  'C1 7: agent %j is refused',
  async (agent) => {
    expect(await refused({ inputs: { agent } })).toMatch(
      /invalid agent name|agent config not found/,
    );
  },
);

it('C1 8: agents with a common beginning have memories of their own, and a name has one case', async () => {
  const names = ['review', 'review-security'];
  const base = Object.fromEntries(
    names.map((name) => [`axe/agents/${name}.toml`, agentToml({ name, memory: true })]),
  );
  const stage = await setStageInProcess({ base });
  for (const agent of names) {
    const step = await runWatched(stage, { inputs: { agent, 'memory-store': 'branch' } });
    expect(step.outputs).toMatchObject({ conclusion: 'success', 'memory-saved': 'true' });
  }
  const files = stage.github.files(REPO, 'axe-memory');
  for (const name of names) expect(files[`${name}.md`]?.match(/^## /gm)).toHaveLength(1);
  expect(await refused({ base, inputs: { agent: 'Review' } })).toContain('Did you mean `review`?');
});

describe('a value that an agent names', () => {
  const withSkill = (path: string) => ({
    'axe/agents/reviewer.toml': AGENT.replace(
      '[memory]',
      `skill = ${JSON.stringify(path)}\n[memory]`,
    ),
    'axe/skills/review/SKILL.md': 'Look closely.\n',
  });
  const withFiles = (pattern: string) => ({
    'axe/agents/reviewer.toml': AGENT.replace(
      '[memory]',
      `files = [${JSON.stringify(pattern)}]\n[memory]`,
    ),
    'docs/a.md': 'A rule.\n',
  });

  it('C1 9: a missing skill ends the run with every place that was searched', async () => {
    const message = await refused({ base: withSkill('skills/reviw/SKILL.md') });
    expect(message).toContain('axe/skills/reviw/SKILL.md');
  });

  it('C1 9: a pattern that no file matches adds nothing to the prompt', async () => {
    const { stage, step } = await run({ base: withFiles('nowhere/**/*.md') });
    expect(step.outputs['conclusion']).toBe('success');
    expect(stage.model.prompts()[0]?.system).not.toContain('A rule.');
  });

  it.each(['../../../etc/passwd', '/proc/self/environ'])(
    'C1 10: the skill %s is refused',
    async (path) => {
      await refused({ base: withSkill(path) });
    },
  );

  it.each(['../../**/*', '/proc/self/environ'])(
    'C1 10: %s finds nothing outside',
    async (pattern) => {
      const { stage, step } = await run({ base: withFiles(pattern) });
      expect(['success', 'failure']).toContain(step.outputs['conclusion']);
      for (const { system } of stage.model.prompts()) expect(system).not.toMatch(/root:|PATH=/);
    },
  );
});

it('C1 12: 64 of 1000 sub-agents in one turn are called', async () => {
  const calls = Array.from({ length: 1000 }, (_, index) => ({
    name: 'call_agent',
    input: { agent: 'child', task: `look ${index}` },
  }));
  const { stage, step } = await run({
    base: {
      'axe/agents/reviewer.toml': agentToml({
        name: 'reviewer',
        subAgents: ['child'],
        memory: true,
      }),
      'axe/agents/child.toml': agentToml({ name: 'child' }),
    },
    model: (request, index) =>
      index === 0
        ? { kind: 'tools', calls }
        : text(JSON.stringify(request.body).includes('You are child.') ? 'Looked.' : 'Done.'),
  });
  expect(step.outputs).toMatchObject({ conclusion: 'success', response: 'Done.' });
  expect(stage.model.requests()).toHaveLength(1 + 64 + 1);
});

describe('the address or the key of a model', () => {
  it.each([
    'file:///etc/passwd',
    'https://user:pass-of-the-url@h',
    'https://h/?token=pass-of-the-url',
  ])('C1 13: the address %s is refused without being shown', async (url) => {
    const message = await refused({ env: { AXE_ANTHROPIC_BASE_URL: url } });
    expect(message).toContain('`AXE_ANTHROPIC_BASE_URL`');
    expect(message).not.toContain('pass-of-the-url');
  });

  it('C1 14: a key with spaces and a line break around it is trimmed', async () => {
    const key = 'sk-ant-api03-padded-0123456789abcdef';
    const { stage, step } = await run({ env: { ANTHROPIC_API_KEY: ` ${key}\r\n` } });
    expect(step.exitCode).toBe(0);
    expect(stage.model.requests()[0]?.headers['x-api-key']).toBe(key);
  });

  it.each([
    ['is missing', ''],
    ['holds a line break', 'sk-ant-one\nsk-ant-two-0123456789'],
  ])('C1 14: a key that %s ends the run with the name of its variable', async (_, key) => {
    const message = await refused({ env: { ANTHROPIC_API_KEY: key } });
    expect(message).toContain('ANTHROPIC_API_KEY');
    expect(message).not.toContain('sk-ant-');
  });
});

it.each([
  ['memory-store', 'foo', '`branch`'],
  ['dry-run', 'yes', '`true`, `false`'],
  ['fail-on', 'failure\n::error::x', '`failure`'],
  ['max-turns', '1e999', 'a number above 0'],
])('C1 15: `%s: %j` is refused with its possible values', async (name, value, wanted) => {
  expect(await refused({ inputs: { [name]: value } })).toContain(wanted);
});

it('C1 16: patterns that make a matcher slow do not delay a run', async () => {
  const patterns = [
    `${'{a}'.repeat(500)}`,
    '(a+)+$',
    `${'*a'.repeat(500)}b`,
    `${'**/'.repeat(500)}b`,
  ];
  const { step } = await run({ inputs: { paths: ['src/**', ...patterns].join('\n') } });
  expect(step.outputs['conclusion']).toBe('success');
});
