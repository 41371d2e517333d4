import { describe, expect, it } from '@jest/globals';
import { COMMAND_TIMEOUT_MS, MAX_TOOL_RESULT_BYTES } from '../../src/lib/defaults.js';
import { type CommandRequest, type CommandResult, createRunCommand } from '../../src/tools/process/shell.js';
import { quiet } from './workspace-scene.js';

const done: CommandResult = { exitCode: 0, output: '', timedOut: false };

async function run(result: Partial<CommandResult>, command = 'make') {
  const requests: CommandRequest[] = [];
  const shell = async (request: CommandRequest) => {
    requests.push(request);
    return { ...done, ...result };
  };
  const answer = await createRunCommand(shell, '/work').execute({ command }, quiet);
  return { ...answer, requests };
}

describe('run_command', () => {
  it('runs the command unchanged', async () => {
    const { requests } = await run({}, 'a && b "$(c)" > d\ne');
    expect(requests).toEqual([
      expect.objectContaining({
        command: 'a && b "$(c)" > d\ne',
        cwd: '/work',
        timeoutMs: COMMAND_TIMEOUT_MS,
      }),
    ]);
  });

  it.each<[string, Partial<CommandResult>, string, boolean]>([
    ['the output', { output: 'ok\n' }, 'ok\n', false],
    ['that there was none', {}, '(no output)', false],
    ['an exit code before the output', { exitCode: 2, output: 'no rule' }, 'exit code 2\nno rule', true],
    ['an exit code alone', { exitCode: 1 }, 'exit code 1', true],
    ['a signal', { exitCode: null, output: 'x' }, 'the command was ended by a signal\nx', true],
    [
      'a timeout',
      { exitCode: null, timedOut: true, output: 'so far' },
      'the command was ended after 300 seconds\nso far',
      true,
    ],
    ['the last state of a progress bar', { output: '1%\r50%\r100%\r\nend\r' }, '100%\nend', false],
    [
      'no colours',
      { output: '\x1b[31mred\x1b[0m \x1b]8;;http://x\x1b\\link\x1b]8;;\x07' },
      'red link',
      false,
    ],
    ['what hides otherwise as text', { output: 'a\u202Eb' }, 'a<U+202E>b', false],
  ])('answers with %s', async (_, result, text, isError) => {
    expect(await run(result)).toMatchObject({ text, isError });
  });

  it.each(['', '  ', 'a\0b'])('does not run %p', async (command) => {
    const { isError, requests } = await run({}, command);
    expect(isError).toBe(true);
    expect(requests).toEqual([]);
  });

  it('never exceeds its maximum answer', async () => {
    const { text } = await run({ exitCode: 1, output: '\x01'.repeat(MAX_TOOL_RESULT_BYTES) });
    expect(text.length).toBeLessThanOrEqual(MAX_TOOL_RESULT_BYTES);
  });
});
