import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { TestRun } from '../../findings/decide/demonstration.js';
import { DEMONSTRATION } from '../../lib/defaults.js';
import type { Environment } from '../../lib/environment.js';
import type { CommittedFile } from '../../lib/git.js';
import { scrubEnv } from './programs.js';
import { type ProcessJail, runProgram } from './shell.js';

/** The file to which a test writes the value that it got. */
export const SAW_FILE = '/tmp/axe-saw';

/** One run of a command in layers that are thrown away. @internal */
export interface ThrowAwayRequest {
  /** A command for `sh -c`. */
  readonly command: string;
  /** Absolute. */
  readonly workspace: string;
  /** Files that the command finds in the workspace, in place of those that are there. */
  readonly files: readonly CommittedFile[];
  /** Paths of files that the command does not find in the workspace. */
  readonly deleted: readonly string[];
  readonly env: Environment;
  readonly timeoutMs: number;
}

/**
 * Runs a command over the workspace. Nothing that it writes stays; the first line that it has
 * written to {@link SAW_FILE} is part of the result. Throws the signal's reason if it aborts.
 */
export async function runThrownAway(
  { command, workspace, files, deleted, env, timeoutMs }: ThrowAwayRequest,
  jail: (additions: string) => ProcessJail,
  /** A folder of ours that commands cannot reach. */
  privateFolder: string,
  signal: AbortSignal,
): Promise<TestRun> {
  const additions = await mkdtemp(join(privateFolder, 'additions-'));
  try {
    for (const file of files) await addFile(additions, file);
    const mark = randomBytes(12).toString('hex');
    const program = ['sh', '-c', SCRIPT, 'sh', command, mark, ...deleted];
    const jailed = await jail(additions)({ program, cwd: workspace, env: scrubEnv(env) });
    const limits = { timeoutMs, maxOutputBytes: DEMONSTRATION.outputBytes };
    const started = performance.now();
    const { exitCode, output, timedOut } = await runProgram(jailed, limits, signal);
    const ms = performance.now() - started;
    return { exit: timedOut ? 'time' : exitCode, ...readOutput(output, mark), ms };
  } finally {
    await rm(additions, { recursive: true, force: true });
  }
}

/** The last line of the output is a mark and what the test has seen. */
const SCRIPT = `
exec 2>&1
command=$1 mark=$2
shift 2
rm -f -- ${SAW_FILE} "$@" || exit 125
sh -c "$command"
code=$?
printf '\\n%s %s\\n' "$mark" "$(head -c 400 ${SAW_FILE} 2>/dev/null | head -n 1)"
exit $code`;

function readOutput(output: string, mark: string): Pick<TestRun, 'saw' | 'output'> {
  const end = output.lastIndexOf(`\n${mark} `);
  if (end < 0) return { saw: '', output };
  const [saw = ''] = output.slice(end + mark.length + 2).split('\n');
  return { saw, output: output.slice(0, end) };
}

async function addFile(folder: string, { path, kind, content }: CommittedFile): Promise<void> {
  const file = join(folder, path);
  await mkdir(dirname(file), { recursive: true });
  if (kind === 'link') await symlink(content, file);
  else await writeFile(file, content, { mode: kind === 'executable' ? 0o755 : 0o644 });
}
