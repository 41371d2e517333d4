import { describe, expect, it } from '@jest/globals';
import { main } from '../../src/cli/main.js';
import { createFakeScreen, type FakeScreen } from '../helpers/fake-screen.js';
import { type Handler, sendJson, startLoopback } from '../helpers/loopback.js';
import { tempDir, writeFiles } from '../helpers/temp.js';
import { createFakeTerminal } from '../helpers/terminal-fake.js';

const AGENT = 'name = "bot"\nmodel = "anthropic/claude-sonnet-4-5"\nsystem_prompt = "You help."\n';
const BUDGET = `${AGENT}[budget]\nmax_tokens = 50\n`;

/** One reply of the model, 45 tokens all in all. */
const reply = (...content: readonly object[]) => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'claude-sonnet-4-5-20250929',
  content,
  stop_reason: content.some((part) => 'input' in part) ? 'tool_use' : 'end_turn',
  usage: { input_tokens: 40, output_tokens: 5 },
});
const SAYS = reply({ type: 'text', text: 'Fine.' });
const READS = reply(
  { type: 'text', text: 'I look.' },
  { type: 'tool_use', id: 'c1', name: 'read_file', input: { path: 'a.txt' } },
);

/** Runs `run bot` with these words, an agent and a model that answers in this order. */
async function run(
  words: readonly string[],
  toml: string,
  replies: readonly object[] = [SAYS],
  { screen }: { readonly screen?: FakeScreen } = {},
) {
  const home = tempDir('home');
  writeFiles(home, { 'axe/agents/bot.toml': toml, 'a.txt': 'Hello.\n' });
  let next = 0;
  const answer: Handler = (_request, response) => {
    const body = replies[next];
    next += 1;
    if (body === undefined) sendJson(response, 400, { error: { type: 'x', message: 'no more replies' } });
    else sendJson(response, 'error' in body ? 401 : 200, body);
  };
  const model = await startLoopback(answer);
  const env = { HOME: home, ANTHROPIC_API_KEY: 'k', AXE_ANTHROPIC_BASE_URL: model.url };
  const terminal = createFakeTerminal({ env, cwd: home });
  const watched = screen === undefined ? terminal : { ...terminal, stderr: screen.stream };
  const exitCode = await main(['run', 'bot', ...words], watched);
  return { exitCode, output: terminal.output(), talk: terminal.talk(), asked: model.requests().length };
}

describe('the status line of a run', () => {
  it('is shown where stderr is a terminal, and leaves what the run used', async () => {
    const screen = createFakeScreen();
    expect(await run([], AGENT, [SAYS], { screen })).toMatchObject({ exitCode: 0, output: 'Fine.' });
    expect(screen.written()).toContain('claude-sonnet-4-5 · turn 1 · thinking');
    expect(screen.kept()).toEqual([expect.stringMatching(/^✔ claude-\S+ · 1 turn · [\d.]+ s · 45 tokens/)]);
    expect(screen.line()).toBe('');
  });

  it('is not shown in a dry run', async () => {
    const screen = createFakeScreen();
    expect(await run(['--dry-run'], AGENT, [], { screen })).toMatchObject({ exitCode: 0 });
    expect(screen.written()).toBe('');
  });
});

describe('the tokens of a run', () => {
  it.each<[string, readonly string[], string, number]>([
    ['nobody limits', [], AGENT, 0],
    ['`--max-tokens` limits', ['--max-tokens', '30'], AGENT, 30],
    ['`--max-tokens` limits more than the agent', ['--max-tokens', '30'], BUDGET, 30],
    ['`--max-tokens` limits less than the agent', ['--max-tokens', '1000'], BUDGET, 0],
    ['the agent does not reach', [], BUDGET, 0],
    ['the agent limits', [], BUDGET.replace('50', '45'), 45],
    [
      'the agent limits, and `--max-tokens` of 0 does not',
      ['--max-tokens', '0'],
      BUDGET.replace('50', '45'),
      45,
    ],
  ])('that %s end it with status 4 when they are spent', async (_, words, toml, limit) => {
    const { exitCode, output, talk } = await run(words, toml);
    expect(output).toBe('Fine.');
    expect([exitCode, talk.split('\n')[0]]).toEqual(
      limit === 0 ? [0, ''] : [4, `budget exceeded: used 45 of ${limit} tokens`],
    );
  });

  it('that are spent between two turns keep the text so far, and no more requests are sent', async () => {
    const toml = `${AGENT}tools = ["read_file"]\n`;
    const { exitCode, output, asked } = await run(['--max-tokens', '45'], toml, [READS, SAYS]);
    expect({ exitCode, output, asked }).toEqual({ exitCode: 4, output: 'I look.', asked: 1 });
  });
});

describe('flags that would have no effect', () => {
  it.each([
    [
      ['--max-tokens=-1'],
      'invalid argument "-1" for "--max-tokens" flag: it is less than 0\n  Give a whole number from 0 upwards, or leave the flag out.\n',
    ],
    [
      ['--timeout', '0'],
      'invalid argument "0" for "--timeout" flag: it is less than 1\n  Give a whole number from 1 upwards, or leave the flag out.\n',
    ],
    [
      ['--review-scope', 'full'],
      '`--review-scope` has no effect without `--event`\n  Give the payload of a pull request with `--event`, or leave `--review-scope` out.\n',
    ],
  ])('are refused before any request: %j', async (words, talk) => {
    expect(await run(words, AGENT)).toEqual({ exitCode: 1, output: '', talk, asked: 0 });
  });
});

describe('--json', () => {
  it('shows the tool calls and the budget', async () => {
    const toml = `${AGENT}tools = ["read_file"]\n`;
    const { exitCode, output, talk } = await run(['--json', '--max-tokens', '500'], toml, [READS, SAYS]);
    expect([exitCode, talk]).toEqual([0, '']);
    expect(JSON.parse(output)).toEqual({
      budget_exceeded: false,
      budget_max_tokens: 500,
      budget_used_tokens: 90,
      content: 'Fine.',
      cost_usd: expect.any(Number),
      duration_ms: expect.any(Number),
      input_tokens: 80,
      model: 'claude-sonnet-4-5-20250929',
      output_tokens: 10,
      refused: false,
      retry_attempts: 0,
      stop_reason: 'end_turn',
      tool_call_details: [
        {
          input: { path: 'a.txt' },
          is_error: false,
          name: 'read_file',
          output: expect.stringContaining('Hello.'),
          turn: 1,
          duration_ms: expect.any(Number),
        },
      ],
      tool_calls: 1,
    });
  });
});

describe('--verbose', () => {
  it('prints a line for each turn of a run with tools, and the sums', async () => {
    const toml = `${AGENT}tools = ["read_file"]\n`;
    const { output, talk } = await run(['-v'], toml, [READS, SAYS]);
    expect(output).toBe('Fine.');
    expect(talk.split('\n').slice(7)).toEqual([
      '[turn 1] Sending request (1 messages, 0 tool calls pending)',
      '[turn 1] Received response: tool_use (1 tool calls)',
      '[turn 2] Sending request (3 messages, 1 tool calls pending)',
      '[turn 2] Received response: end_turn (0 tool calls)',
      expect.stringMatching(/^Duration: \d+ms$/),
      'Tokens:   80 input, 10 output (cumulative)',
      'Stop:     end_turn',
      '',
    ]);
  });

  it('shows the budget if there is one, spent or not', async () => {
    const { talk } = await run(['-v'], BUDGET);
    expect(talk).toContain('\nTokens:   40 input, 5 output (cumulative, budget: 45/50)\n');
    const spent = await run(['-v', '--max-tokens', '40'], AGENT);
    expect(spent.talk).toContain(
      '\nTokens:   40 input, 5 output (cumulative, budget: 45/40)\nStop:     end_turn\n',
    );
  });
});
