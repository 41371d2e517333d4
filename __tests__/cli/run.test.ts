import { describe, expect, it } from '@jest/globals';
import { main } from '../../src/cli/main.js';
import type { FakeScreen } from '../helpers/fake-screen.js';
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
  ])('are refused before any request: %j', async (words, talk) => {
    expect(await run(words, AGENT)).toEqual({ exitCode: 1, output: '', talk, asked: 0 });
  });
});
