import { expect, it } from '@jest/globals';
import { main } from '../../src/cli/main.js';
import { formatDryRun } from '../../src/cli/run.js';
import type { RunNotes } from '../../src/run/records.js';
import { AGENT } from '../helpers/dependencies-fake.js';
import { sendJson, startLoopback } from '../helpers/loopback.js';
import { reportOf } from '../helpers/reports.js';
import { tempDir, writeFiles } from '../helpers/temp.js';
import { createFakeTerminal } from '../helpers/terminal-fake.js';

const ASKING = 'name = "bot"\nmodel = "anthropic/claude-sonnet-4-5"\nsystem_prompt = "You help."\n';
const BUDGET = `${ASKING}[budget]\nmax_tokens = 50\n`;

/** The reply of the model, 45 tokens all in all. */
const SAYS = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'claude-sonnet-4-5-20250929',
  content: [{ type: 'text', text: 'Fine.' }],
  stop_reason: 'end_turn',
  usage: { input_tokens: 40, output_tokens: 5 },
};

/** Runs `run bot` with these words; the provider answers with a status. */
async function run(words: readonly string[], toml: string, status = 200) {
  const home = tempDir('home');
  writeFiles(home, { 'axe/agents/bot.toml': toml });
  const model = await startLoopback((_request, response) => sendJson(response, status, SAYS));
  const env = { HOME: home, ANTHROPIC_API_KEY: 'k', AXE_ANTHROPIC_BASE_URL: model.url };
  const terminal = createFakeTerminal({ env, cwd: home });
  const exitCode = await main(['run', 'bot', ...words], terminal);
  const requests = model.requests().length;
  return { exitCode, output: terminal.output(), talk: terminal.talk(), requests };
}

it.each<[string, string, readonly string[], number]>([
  ['no instructions and no task', 'name = "bot"\nmodel = "anthropic/m"\n', [], 1],
  ['a task', 'name = "bot"\nmodel = "anthropic/m"\n', ['--prompt', 'Say hello.'], 0],
  ['instructions', ASKING, [], 0],
])(
  'a run with %s asks the model, or is refused without a request',
  async (_, toml, words, exit) => {
    const { exitCode, talk, requests } = await run(words, toml);
    expect([exitCode, requests]).toEqual([exit, exit === 0 ? 1 : 0]);
    if (exit === 1)
      expect(talk).toMatch(/^there is nothing to do\n {2}Say with `--prompt` what to do/);
  },
);

it.each<[string, readonly string[], string, number]>([
  ['nobody limits', [], ASKING, 0],
  ['`--max-tokens` limits', ['--max-tokens', '30'], ASKING, 30],
  ['`--max-tokens` limits more than the agent', ['--max-tokens', '30'], BUDGET, 30],
  ['`--max-tokens` limits less than the agent', ['--max-tokens', '1000'], BUDGET, 0],
  ['the agent does not reach', [], BUDGET, 0],
  ['the agent limits', [], BUDGET.replace('50', '45'), 45],
  [
    'the agent limits, and a flag of 0 does not',
    ['--max-tokens', '0'],
    BUDGET.replace('50', '45'),
    45,
  ],
])(
  'the tokens of a run that %s end it with status 4 when they are spent',
  async (_, words, toml, limit) => {
    const { exitCode, output, talk } = await run(words, toml);
    expect(output).toBe('Fine.');
    expect([exitCode, talk.split('\n')[0]]).toEqual(
      limit === 0 ? [0, ''] : [4, `budget exceeded: used 45 of ${limit} tokens`],
    );
  },
);

it.each<[string, readonly string[], string, number, number]>([
  ['an answer', [], ASKING, 200, 0],
  ['a model name that is none', ['--model', 'nothing'], ASKING, 200, 1],
  ['a request that the provider finds bad', [], ASKING, 400, 1],
  ['a value of a wrong type', [], ASKING.replace('"You help."', '7'), 200, 2],
  ['an unknown tool', [], `tools = ["nope"]\n${ASKING}`, 200, 2],
  ['a missing key', ['--model', 'openai/gpt-4.1'], ASKING, 200, 2],
  ['a provider that takes no key of ours', [], ASKING, 401, 3],
])(
  '%s ends a run with the documented exit status',
  async (_, ...[words, toml, status, expected]) => {
    expect((await run(words, toml, status)).exitCode).toBe(expected);
  },
);

const ENTRY = '## 2026-02-21T10:01:00Z\n**Task:** Review\n**Result:** Fine.\n\n';

/** The part of the text below a header, without the blank line that ends it. */
function partOf(text: string, title: string): string | undefined {
  const [, , part] = new RegExp(`(^|\n)--- ${title} ---\n([^]*?)\n(?:\n--- |$)`).exec(text) ?? [];
  return part;
}

it.each([
  ['there', '<memory>a</memory>'],
  ['empty', ''],
])(
  'a dry run shows notes that are %s after the run log, and the prompt with them',
  async (_, block) => {
    const { plan, memory } = await reportOf('planned', { memory: { 'bot.md': ENTRY } });
    const notes = { prompt: { block, toolsPrompt: '\n\nTools!' } } as RunNotes;
    const text = formatDryRun(plan, memory && { ...memory, notes });
    expect(partOf(text, 'Notes')).toBe(block === '' ? '(none)' : block);
    expect(text.indexOf('--- Memory ---')).toBeLessThan(text.indexOf('--- Notes ---'));
    const behind = block === '' ? '' : `\n\n---\n\n${block}`;
    expect(text).toContain(`## Memory\n\n${ENTRY}${behind}\n\nTools!\n\n--- Skill ---\n`);
  },
);

it.each([
  ['sub_agents = ["a"]', 'a\nMax Depth: 3\nParallel:  yes\nTimeout:   0s'],
  [
    'sub_agents = ["a", "b"]\n[sub_agents_config]\nmax_depth = 5\nparallel = false\ntimeout = 60',
    'a, b\nMax Depth: 5\nParallel:  no\nTimeout:   60s',
  ],
  ['[sub_agents_config]\nmax_depth = 5', '(none)'],
])('a dry run shows the sub-agents of %j with their settings', async (toml, shown) => {
  const { plan, memory } = await reportOf('planned', { agents: { bot: `${AGENT}${toml}\n` } });
  expect(partOf(formatDryRun(plan, memory), 'Sub-Agents')).toBe(shown);
});
