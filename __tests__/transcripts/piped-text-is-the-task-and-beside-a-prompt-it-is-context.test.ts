import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { startModelServer, text } from '../helpers/model-server.js';
import { runCli } from '../helpers/run-cli.js';
import { tempDir } from '../helpers/temp.js';

async function run(args: readonly string[], stdin: string) {
  const data = tempDir('data');
  const model = await startModelServer([text('Done.')]);
  const result = await runCli(['run', 'builtin/ask', ...args], {
    stdin,
    env: { ...model.env, XDG_DATA_HOME: data },
  });
  expect(result).toMatchObject({ exitCode: 0, stdout: 'Done.', stderr: '' });
  const memory = readFileSync(join(data, 'axe/memory/ask.md'), 'utf8');
  return { message: model.prompts()[0]?.messages[0] ?? '', memory };
}

describe('what is piped in', () => {
  it('is the user message byte for byte, and the task that is remembered', async () => {
    const { message, memory } = await run([], 'Sort these:\n b\n a\n');
    expect(message).toBe('user: Sort these:\n b\n a\n');
    expect(memory).toContain('**Task:** Sort these:  b  a \n**Result:** Done.\n');
  });

  it('is sent along with a prompt, and is not remembered', async () => {
    const { message, memory } = await run(['--prompt', 'Sort what is piped in.'], 'b\na\n');
    expect(message).toMatch(/^user: Sort what is piped in\.\n/);
    expect(message).toContain('b\na');
    expect(memory).toContain('**Task:** Sort what is piped in.\n**Result:** Done.\n\n');
    expect(memory).not.toMatch(/^[ba]$/m);
  });

  it.each(['', ' \t\n'])('keeps the default task if it is empty: %j', async (stdin) => {
    const { message } = await run([], stdin);
    expect(message).toBe('user: Execute the task described in your instructions.');
  });
});
