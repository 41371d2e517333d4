import { execFile } from 'node:child_process';
import { AxeError } from '../../core/errors.js';

/** Most bytes of git's output that are kept. */
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

/** What a git command printed, or why there is nothing. */
type GitResult =
  | { readonly kind: 'ok'; readonly stdout: string }
  | { readonly kind: 'failed'; readonly message: string };

/**
 * The diff of a range (`main..HEAD`, `HEAD~1`), as git prints it without colours and external programs.
 * Throws an AxeError if git or the range is missing.
 */
export async function diffOfRange(range: string, cwd: string, signal: AbortSignal): Promise<string> {
  if (range.startsWith('-')) throw unusable(range, 'a range does not start with a hyphen');
  const result = await git(['diff', ...PLAIN, range, '--'], cwd, signal);
  if (result.kind === 'failed') throw unusable(range, result.message);
  return result.stdout;
}

/** Output for programs: no colours, no user's diff driver, and nothing that a user's configuration shows otherwise. */
const PLAIN = [
  '--no-color',
  '--no-ext-diff',
  '--no-textconv',
  '--src-prefix=a/',
  '--dst-prefix=b/',
  '--unified=3',
  '--inter-hunk-context=0',
  '--find-renames',
  '--submodule=short',
];

/** The same by configuration, for what has no option or only a newer one. */
const CONFIG = ['core.quotepath=true', 'diff.relative=false'].flatMap((setting) => ['-c', setting]);

/** Rejects with the signal's reason when it aborts. */
function git(args: readonly string[], cwd: string, signal: AbortSignal): Promise<GitResult> {
  return new Promise((resolve, reject) => {
    const options = { cwd, signal, maxBuffer: MAX_OUTPUT_BYTES, encoding: 'utf8' as const };
    execFile('git', [...CONFIG, ...args], options, (error, stdout, stderr) => {
      if (error === null) resolve({ kind: 'ok', stdout });
      else if (signal.aborted) reject(signal.reason);
      else resolve({ kind: 'failed', message: gitMessage(error, stderr) });
    });
  });
}

const NO_REPOSITORY = 'this folder is not in a git repository';

function gitMessage(error: Error & { readonly code?: unknown }, stderr: string): string {
  if (error.code === 'ENOENT') return 'git is not installed, or the folder does not exist';
  const [line = error.message] = stderr.trim().split('\n');
  // `git diff` outside of a repository speaks of comparing two paths instead.
  if (/not a git repository/i.test(line)) return NO_REPOSITORY;
  return line.replace(/^fatal: /, '');
}

function unusable(range: string, reason: string): AxeError {
  return new AxeError(`cannot read the change "${range}": ${reason}`, {
    exitCode: 1,
    remedy:
      reason === NO_REPOSITORY
        ? 'Run it in a folder of the repository.'
        : 'Give `--git` a range that `git diff` takes, for example `main...HEAD` or `HEAD~1`.',
  });
}
