import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { type ModelScript, text, toolCall } from '../helpers/model-server.js';
import { lastScreen, startOnTerminal } from '../helpers/run-cli.js';
import { lineScene } from './cli-scene.js';

/** Starts the command line on a terminal, which shows both streams. */
async function start(script: ModelScript, env: Readonly<Record<string, string>>, words: readonly string[]) {
  const files = { 'notes.txt': 'One line.\n', '.axe/agents/reader.toml': READER };
  return startOnTerminal(['run', ...words], await lineScene({ files, model: script, env }));
}

const READER = `name = "reader"
model = "anthropic/claude-sonnet-4-5"
tools = ["read_file"]

[memory]
enabled = true
`;

const READS: ModelScript = [
  toolCall('read_file', { path: 'notes.txt' }),
  text('Done.', { inputTokens: 1200, outputTokens: 34 }),
];

const ASK = ['builtin/ask', '--prompt', 'Sort.'];

describe('an answer on a terminal', () => {
  it('ends its line, so that the prompt of the shell starts on a new one', async () => {
    const child = await start([text('Done.')], { TERM: 'dumb' }, ASK);
    const { stdout, exitCode } = await child.finished;
    expect([exitCode, stdout]).toEqual([0, 'Done.\r\n']);
  });

  it('is printed below the usage, and the status line is removed', async () => {
    const child = await start(READS, {}, ['reader', '--prompt', 'Read it.']);
    const { stdout, exitCode } = await child.finished;
    expect(exitCode).toBe(0);
    expect(lastScreen(stdout)).toMatch(
      /^✔ claude-sonnet-4-5 · 2 turns · [\d.]+ s · [\d,]+ tokens · \$0\.\d+\nDone\.\n$/,
    );
    const drawn = stripVTControlCharacters(stdout);
    expect(drawn).toContain('claude-sonnet-4-5 · turn 1 · thinking');
    expect(drawn).toContain('turn 1 · read_file notes.txt');
  });
});

describe('an error on a terminal', () => {
  it.each([
    ['has colours', {}, true],
    ['has none if NO_COLOR is set', { NO_COLOR: '1' }, false],
  ])('%s', async (_, env, hasColors) => {
    const child = await start([], env, ['nobody']);
    const { stdout } = await child.finished;
    // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what colours are made of
    expect(/\u001b\[3\dm/.test(stdout)).toBe(hasColors);
  });
});

describe('an interrupted run on a terminal', () => {
  it('reports what was saved, below the removed status line', async () => {
    const asked = Promise.withResolvers<void>();
    const silent: ModelScript = () => {
      asked.resolve();
      return { kind: 'stall' };
    };
    const child = await start(silent, {}, ['reader', '--prompt', 'Read it.']);
    await asked.promise;
    // Ctrl-C, as it is typed.
    child.write('\u0003');
    const { stdout } = await child.finished;
    expect(lastScreen(stdout)).toBe('interrupted by SIGINT\n  No entry was added to memory.\n');
  });
});
