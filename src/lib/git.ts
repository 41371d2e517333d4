import { type ExecFileException, execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Environment } from './environment.js';
import { AxeError } from './errors.js';
import { createFiles, readWhole } from './files.js';

interface GitOptions {
  readonly cwd: string;
  readonly env: Environment;
  readonly signal: AbortSignal;
}

const MAX_OUTPUT_BYTES = 256 * 1024 * 1024;
/** A server that accepts a connection and says nothing must not hold a step for ever. */
const TIMEOUT_MS = 60_000;

/**
 * What the runner gives the action is not the business of the programs that a repository's
 * configuration makes git start.
 */
const WITHHELD =
  /^(?:INPUT_|ACTIONS_|STATE_)|^GIT_(?:DIR|WORK_TREE|INDEX_FILE|CONFIG_(?:COUNT|KEY_|VALUE_))/;

/** Runs no hook and no file system monitor: a checkout may have been written to by anybody. */
const SETTINGS = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'core.quotepath=false',
  'gc.auto=0',
].flatMap((setting) => ['-c', setting]);

/**
 * Runs git to its end; what it printed. Throws an AxeError with what it printed where it fails, and
 * the signal's reason when that aborts.
 */
export async function runGit(
  args: readonly string[],
  { cwd, env, signal }: GitOptions,
): Promise<string> {
  signal.throwIfAborted();
  const kept = Object.entries(env).filter(([name]) => !WITHHELD.test(name));
  const own = { GIT_TERMINAL_PROMPT: '0', GIT_LITERAL_PATHSPECS: '1', LC_ALL: 'C' };
  const options = {
    cwd,
    signal,
    timeout: TIMEOUT_MS,
    maxBuffer: MAX_OUTPUT_BYTES,
    env: { ...Object.fromEntries(kept), ...own },
  };
  return await new Promise((resolve, reject) => {
    const child = execFile('git', [...SETTINGS, ...args], options, (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else if (signal.aborted) reject(signal.reason);
      else reject(new AxeError(reasonOf(error, `${stdout}\n${stderr}`)));
    });
    child.stdin?.end();
  });
}

function reasonOf({ code, killed, message }: ExecFileException, output: string): string {
  if (code === 'ENOENT') return 'git is not installed, or the folder does not exist';
  if (killed === true) return `git did not answer within ${TIMEOUT_MS / 1000} s`;
  return output.trim() || message;
}

/**
 * The diff of a range (`main..HEAD`, `HEAD~1`), as git prints it without colours and external
 * programs. Throws an AxeError if git or the range is missing.
 */
export async function diffOfRange(range: string, options: GitOptions): Promise<string> {
  if (range.startsWith('-')) throw unusable(range, 'a range cannot start with a hyphen');
  try {
    return await runGit([...CONFIG, 'diff', ...PLAIN, range, '--'], options);
  } catch (thrown) {
    if (options.signal.aborted || !(thrown instanceof AxeError)) throw thrown;
    const [line = ''] = thrown.message.split('\n');
    throw unusable(range, line.replace(/^(?:fatal|warning): /, ''));
  }
}

/**
 * Those of these files that are there, as the commit has them that a range counts from; without
 * links and folders. Throws an AxeError.
 */
export async function filesAtBase(
  range: string,
  paths: readonly string[],
  options: GitOptions,
): Promise<readonly { readonly path: string; readonly content: string }[]> {
  // Of no path git lists what is in the root.
  if (paths.length === 0) return [];
  const revisions = (await runGit(['rev-parse', range], options)).trim().split('\n');
  // git marks with `^` what a range leaves out: of `a...b` the merge base.
  const base = revisions.find((one) => one.startsWith('^'))?.slice(1) ?? revisions[0] ?? '';
  const listed = await runGit(['ls-tree', '-z', '--full-tree', base, '--', ...paths], options);
  const files = [...listed.matchAll(/100(?:644|755) blob (\w+)\t([^\0]+)\0/g)];
  return await Promise.all(
    files.map(async ([, blob = '', path = '']) => {
      return { path, content: await runGit(['cat-file', 'blob', blob], options) };
    }),
  );
}

/**
 * Files as HEAD has them, without a look at the working tree; null for what is no file there.
 * `history` are those of the commits that HEAD comes from. Throws an AxeError.
 */
export async function codeAtHead(
  paths: readonly string[],
  commits: readonly string[],
  options: GitOptions,
) {
  const commit = (await runGit(['rev-parse', '--verify', 'HEAD'], options)).trim();
  const found = new Map(
    (await filesAtBase(commit, paths, options)).map(({ path, content }) => [path, content]),
  );
  const isIn = (one: string) =>
    runGit(['merge-base', '--is-ancestor', one, commit], options).then(() => one);
  const asked = await Promise.allSettled(commits.map(isIn));
  options.signal.throwIfAborted();
  return {
    commit,
    files: new Map(paths.map((path) => [path, found.get(path) ?? null])),
    history: new Set([
      commit,
      ...asked.flatMap((one) => (one.status === 'fulfilled' ? one.value : [])),
    ]),
  };
}

/**
 * Output for programs: no colours, no user's diff driver, and nothing that a user's configuration
 * shows otherwise.
 */
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

function unusable(range: string, reason: string): AxeError {
  return new AxeError(`cannot read the change "${range}": ${reason}`, {
    remedy:
      'In a folder of a repository, give `--git` a range that `git diff` takes, for example `main...HEAD` or `HEAD~1`.',
  });
}

/**
 * The folder of the git checkout that a folder is in; undefined where there is none. A worktree's
 * `.git` is a file.
 */
export async function findRepositoryRoot(folder: string): Promise<string | undefined> {
  for (let at = folder; ; at = dirname(at)) {
    if ((await stat(join(at, '.git')).catch(() => undefined)) !== undefined) return at;
    if (dirname(at) === at) return undefined;
  }
}

/**
 * The repository of a checkout's remote `origin`, on any server or on that one alone; undefined
 * where it names none.
 */
export async function readOrigin(root: string, serverUrl?: string) {
  const config = await readFile(join(await gitFolder(root), 'config'), 'utf8').catch(() => '');
  const [, section = ''] = /^\[remote "origin"\]\n((?:[\t ].*\n?)*)/m.exec(config) ?? [];
  const [, named, owner = '', name = ''] = ORIGIN.exec(section) ?? [];
  const host = named === 'ssh.github.com' ? 'github.com' : named;
  const isThere =
    serverUrl === undefined || (URL.canParse(serverUrl) && new URL(serverUrl).hostname === host);
  return host === undefined || !isThere ? undefined : { host, owner, name };
}

/**
 * The folder with git's configuration of a checkout; a worktree's or submodule's `.git` is a file
 * that leads there.
 */
async function gitFolder(root: string): Promise<string> {
  const git = join(root, '.git');
  const [, own] = /^gitdir: (.+)/.exec(await readFile(git, 'utf8').catch(() => '')) ?? [];
  if (own === undefined) return git;
  const folder = resolve(root, own);
  const common = await readFile(join(folder, 'commondir'), 'utf8').catch(() => '.');
  return resolve(folder, common.trim());
}

/** An address, or the short form of SSH: `git@github.com:owner/name.git`. */
const ORIGIN =
  /^\s*url\s*=\s*(?:\w+:\/\/)?(?:[^@/\n]*@)?([\w-]+(?:\.[\w-]+)+)(?::\d+)?[:/]([\w-]+)\/([\w.-]+?)(?:\.git)?\/?$/m;

/**
 * The folder of the action that a file of its code lies below: the nearest with an `action.yml`;
 * without one, `folder`.
 */
export function actionFolder(folder: string): string {
  for (let at = folder; dirname(at) !== at; at = dirname(at)) {
    if (['action.yml', 'action.yaml'].some((name) => existsSync(join(at, name)))) return at;
  }
  return folder;
}

/**
 * The commit that is checked out in a folder, as git keeps it: its own name in `.git/HEAD`, or the
 * branch that is named there. Undefined where there is no checkout, or one that cannot be read.
 */
export async function readCheckedOut(folder: string): Promise<string | undefined> {
  const head = await readGitFile(folder, 'HEAD');
  const [, ref] = /^ref: (refs\/[^\s]+)$/m.exec(head) ?? [];
  if (ref === undefined) return commitIn(head);
  if (ref.split('/').includes('..')) return undefined;
  const loose = commitIn(await readGitFile(folder, ref));
  return loose ?? packedCommit(await readGitFile(folder, 'packed-refs'), ref);
}

/** Empty where it is not there or no plain file. */
async function readGitFile(folder: string, name: string): Promise<string> {
  const path = join(folder, '.git', name);
  return (
    (await readWhole(createFiles(), path, { followLinks: false }).catch(() => undefined)) ?? ''
  );
}

function commitIn(text: string): string | undefined {
  return /^[0-9a-f]{40}(?:[0-9a-f]{24})?(?=\s|$)/.exec(text)?.[0];
}

function packedCommit(packed: string, ref: string): string | undefined {
  const line = packed.split('\n').find((one) => one.endsWith(` ${ref}`));
  return line === undefined ? undefined : commitIn(line);
}
