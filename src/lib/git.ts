import { execFile } from 'node:child_process';
import type { Environment } from './environment.js';
import { AxeError } from './errors.js';

type GitEnd =
  | { readonly kind: 'ok'; readonly stdout: Buffer }
  /** `message` is what git printed to either output; `status` is undefined for a git that did not start or end by itself. */
  | { readonly kind: 'failed'; readonly status: number | undefined; readonly message: string };

interface GitOptions {
  readonly cwd: string;
  readonly env: Environment;
  /** Settings for this process alone, `name=value`. They are given by the environment, which other users cannot read. */
  readonly settings?: readonly (readonly [name: string, value: string])[];
  readonly signal: AbortSignal;
}

const MAX_OUTPUT_BYTES = 256 * 1024 * 1024;
/** A server that accepts a connection and says nothing must not hold a step for ever. */
const TIMEOUT_MS = 60_000;

/** What the runner gives the action is not the business of the programs that a repository's configuration makes git start. */
const WITHHELD = /^(?:INPUT_|ACTIONS_|STATE_)|^GIT_(?:DIR|WORK_TREE|INDEX_FILE|CONFIG_(?:COUNT|KEY_|VALUE_))/;

/** Runs no hook and no file system monitor: a checkout may have been written to by anybody. */
const SETTINGS: readonly (readonly [string, string])[] = [
  ['core.hooksPath', '/dev/null'],
  ['core.fsmonitor', 'false'],
  ['core.quotepath', 'false'],
  ['gc.auto', '0'],
];

/** Runs git to its end. Rejects with the signal's reason when it aborts. */
export function runGit(args: readonly string[], options: GitOptions): Promise<GitEnd> {
  const { cwd, signal } = options;
  return new Promise((resolve, reject) => {
    const child = execFile(
      'git',
      args,
      {
        cwd,
        signal,
        timeout: TIMEOUT_MS,
        maxBuffer: MAX_OUTPUT_BYTES,
        encoding: 'buffer',
        env: environment(options),
      },
      (error, stdout, stderr) => {
        if (error === null) resolve({ kind: 'ok', stdout });
        else if (signal.aborted) reject(signal.reason);
        else resolve(failed(error, `${stdout.toString('utf8')}\n${stderr.toString('utf8')}`));
      },
    );
    child.stdin?.end();
  });
}

function failed(
  error: Error & { readonly code?: unknown; readonly killed?: boolean },
  output: string,
): GitEnd {
  if (error.code === 'ENOENT') {
    return {
      kind: 'failed',
      status: undefined,
      message: 'git is not installed, or the folder does not exist',
    };
  }
  if (error.killed === true) {
    return { kind: 'failed', status: undefined, message: `git gave no answer within ${TIMEOUT_MS / 1000} s` };
  }
  const status = typeof error.code === 'number' ? error.code : undefined;
  return { kind: 'failed', status, message: output.trim() || error.message };
}

function environment({ env, settings = [] }: GitOptions): Record<string, string> {
  const kept = Object.entries(env).flatMap(([name, value]) =>
    value === undefined || WITHHELD.test(name) ? [] : [[name, value] as const],
  );
  const all = [...SETTINGS, ...settings];
  const given = all.flatMap(([name, value], index) => [
    [`GIT_CONFIG_KEY_${index}`, name] as const,
    [`GIT_CONFIG_VALUE_${index}`, value] as const,
  ]);
  return {
    ...Object.fromEntries([...kept, ...given]),
    GIT_CONFIG_COUNT: String(all.length),
    GIT_TERMINAL_PROMPT: '0',
    GIT_LITERAL_PATHSPECS: '1',
    LC_ALL: 'C',
  };
}

/**
 * The diff of a range (`main..HEAD`, `HEAD~1`), as git prints it without colours and external programs.
 * Throws an AxeError if git or the range is missing.
 */
export async function diffOfRange(
  range: string,
  options: { readonly cwd: string; readonly env: Environment; readonly signal: AbortSignal },
): Promise<string> {
  if (range.startsWith('-')) throw unusable(range, 'a range does not start with a hyphen');
  const result = await runGit([...CONFIG, 'diff', ...PLAIN, range, '--'], options);
  if (result.kind === 'ok') return result.stdout.toString('utf8');
  const [line = ''] = result.message.split('\n');
  // `git diff` outside of a repository speaks of comparing two paths instead.
  if (/not a git repository/i.test(line)) throw unusable(range, NO_REPOSITORY);
  throw unusable(range, line.replace(/^fatal: /, ''));
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

const NO_REPOSITORY = 'this folder is not in a git repository';

function unusable(range: string, reason: string): AxeError {
  return new AxeError(`cannot read the change "${range}": ${reason}`, {
    exitCode: 1,
    remedy:
      reason === NO_REPOSITORY
        ? 'Run it in a folder of the repository.'
        : 'Give `--git` a range that `git diff` takes, for example `main...HEAD` or `HEAD~1`.',
  });
}
