import { COMMAND_TIMEOUT_MS, MAX_TOOL_RESULT_BYTES } from '../lib/defaults.js';
import { ToolError } from '../lib/errors.js';
import { truncate } from '../lib/text/bytes.js';
import { defineTool } from './define.js';
import type { CommandResult, Shell } from './process/shell.js';
import type { Tool } from './tool.js';
import { showOutput } from './visible.js';

/** Bytes of a result that the line before the output may take. */
const OVERHEAD_BYTES = 256;

/** `run_command`: a command for `sh -c` in the working directory; axe's answers. */
export function createRunCommand(shell: Shell, workdir: string): Tool {
  return defineTool({
    name: 'run_command',
    effect: 'execute',
    description: `Runs a command with \`sh -c\` in the working directory and gives its output, standard output and standard error together. It gets no input. It can take up to ${COMMAND_TIMEOUT_MS / 1000} seconds; what it leaves running in the background ends with it. Keys and tokens of this run are not in its environment.`,
    shape: { command: { type: 'string', description: 'The command.', required: true } },
    async run({ command }, signal) {
      if (command.trim() === '') throw new ToolError('command is required');
      if (command.includes('\0')) throw new ToolError('a command cannot contain NUL');
      const result = await shell(
        {
          command,
          cwd: workdir,
          timeoutMs: COMMAND_TIMEOUT_MS,
          maxOutputBytes: MAX_TOOL_RESULT_BYTES - OVERHEAD_BYTES,
        },
        signal,
      );
      const output = truncate(
        showOutput(withoutReturns(result.output)),
        MAX_TOOL_RESULT_BYTES - OVERHEAD_BYTES,
      );
      const trouble = troubleOf(result);
      if (trouble !== undefined) throw new ToolError(output === '' ? trouble : `${trouble}\n${output}`);
      return output === '' ? '(no output)' : output;
    },
  });
}

function troubleOf({ exitCode, timedOut }: CommandResult): string | undefined {
  if (timedOut) return `the command was ended after ${COMMAND_TIMEOUT_MS / 1000} seconds`;
  if (exitCode === null) return 'the command was ended by a signal';
  return exitCode === 0 ? undefined : `exit code ${exitCode}`;
}

/** A progress bar draws one line over and over; only what it showed last counts. */
function withoutReturns(output: string): string {
  return output
    .replaceAll('\r\n', '\n')
    .split('\n')
    .map((line) => line.slice(line.lastIndexOf('\r', line.length - 2) + 1))
    .join('\n')
    .replaceAll('\r', '');
}
