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
  /** `latin1` keeps each byte of the output as one character. */
  readonly encoding?: 'utf8' | 'latin1';
}

const MAX_OUTPUT_BYTES = 256 * 1024 * 1024;
/** A server that accepts a connection and never answers must not block a step. */
const TIMEOUT_MS = 60_000;

/** Variables that programs which git starts, by a repository's configuration, must not see. */
const WITHHELD =
  /^(?:INPUT_|ACTIONS_|STATE_)|^GIT_(?:DIR|WORK_TREE|INDEX_FILE|CONFIG_(?:COUNT|KEY_|VALUE_))/;

/** No hooks and no file system monitor: anybody can have written to a checkout. */
const SETTINGS = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'core.quotepath=false',
  'gc.auto=0',
].flatMap((setting) => ['-c', setting]);

/**
 * Runs git and returns its output. Throws an AxeError with the output if git fails, and the
 * signal's reason if the signal aborts.
 */
export async function runGit(
  args: readonly string[],
  { cwd, env, signal, encoding = 'utf8' }: GitOptions,
): Promise<string> {
  signal.throwIfAborted();

  const inherited = Object.entries(env).filter(([name]) => !WITHHELD.test(name));
  const gitVariables = { GIT_TERMINAL_PROMPT: '0', GIT_LITERAL_PATHSPECS: '1', LC_ALL: 'C' };
  const options = {
    cwd,
    signal,
    encoding,
    timeout: TIMEOUT_MS,
    maxBuffer: MAX_OUTPUT_BYTES,
    env: { ...Object.fromEntries(inherited), ...gitVariables },
  };
  return await new Promise((fulfill, reject) => {
    const child = execFile('git', [...SETTINGS, ...args], options, (error, stdout, stderr) => {
      if (error === null) fulfill(stdout);
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
 * The diff of a range (`main..HEAD`, `HEAD~1`), without colors and external programs. Throws an
 * AxeError if git or the range is missing.
 */
export async function diffOfRange(range: string, options: GitOptions): Promise<string> {
  if (range.startsWith('-')) throw unusable(range, 'a range cannot start with a hyphen');
  try {
    return await runGit([...CONFIG, 'diff', ...PLAIN_DIFF, range, '--'], options);
  } catch (thrown) {
    if (options.signal.aborted || !(thrown instanceof AxeError)) throw thrown;
    const [line = ''] = thrown.message.split('\n');
    throw unusable(range, line.replace(/^(?:fatal|warning): /, ''));
  }
}

/**
 * Reads those of the given files that exist at the base commit of a range, without links. A path
 * that ends in `/` is a folder, whose files are read. Throws an AxeError.
 */
export async function filesAtBase(
  range: string,
  paths: readonly string[],
  options: GitOptions,
): Promise<readonly { readonly path: string; readonly content: string }[]> {
  // Without a path git would list the root folder.
  if (paths.length === 0) return [];

  const revisions = (await runGit(['rev-parse', range], options)).trim().split('\n');
  // git marks the revision that a range excludes with `^`; for `a...b` that is the merge base.
  const excluded = revisions.find((revision) => revision.startsWith('^'));
  const base = excluded?.slice(1) ?? revisions[0] ?? '';

  const listing = await runGit(
    ['ls-tree', '-r', '-z', '--full-tree', base, '--', ...paths],
    options,
  );
  const isWanted = (file: string) =>
    paths.some((path) => file === path || (path.endsWith('/') && file.startsWith(path)));
  const files = [...listing.matchAll(/100(?:644|755) blob (\w+)\t([^\0]+)\0/g)].filter(
    ([, , path = '']) => isWanted(path),
  );
  return await Promise.all(
    files.map(async ([, blob = '', path = '']) => {
      return { path, content: await runGit(['cat-file', 'blob', blob], options) };
    }),
  );
}

/**
 * Reads files at HEAD and not from the working tree; null for a path that is not a file there.
 * `history` has the commits that are HEAD or its ancestors. Throws an AxeError.
 */
export async function codeAtHead(
  paths: readonly string[],
  commits: readonly string[],
  options: GitOptions,
) {
  const commit = (await runGit(['rev-parse', '--verify', 'HEAD'], options)).trim();
  const files = await filesAtBase(commit, paths, options);
  const contents = new Map(files.map(({ path, content }) => [path, content]));

  const requireAncestor = async (candidate: string) => {
    await runGit(['merge-base', '--is-ancestor', candidate, commit], options);
    return candidate;
  };
  const checks = await Promise.allSettled(commits.map(requireAncestor));
  options.signal.throwIfAborted();
  const ancestors = checks.flatMap((check) => (check.status === 'fulfilled' ? check.value : []));

  return {
    commit,
    files: new Map(paths.map((path) => [path, contents.get(path) ?? null])),
    history: new Set([commit, ...ancestors]),
  };
}

/**
 * HEAD is a commit, or a merge of it into another one, as `actions/checkout` makes it for a pull
 * request. The text of a merge names its parents also where the history was not fetched.
 */
export async function isAtCommit(commit: string, options: GitOptions): Promise<boolean> {
  const head = (await runGit(['rev-parse', '--verify', 'HEAD'], options)).trim();
  if (head === commit) return true;
  const text = await runGit(['cat-file', 'commit', head], options);
  const [header = ''] = text.split('\n\n');
  const parents = [...header.matchAll(/^parent (\w+)$/gm)].map(([, parent]) => parent);
  return parents.length === 2 && parents[1] === commit;
}

/** A file as a commit has it. */
export interface CommittedFile {
  readonly path: string;
  readonly kind: 'file' | 'executable' | 'link';
  readonly content: Buffer;
}

/**
 * Tracked files that the working tree has otherwise than HEAD, or no longer has, as HEAD has them.
 * Throws an AxeError.
 */
export async function changedSinceHead(options: GitOptions): Promise<readonly CommittedFile[]> {
  const args = ['diff', '--raw', '-z', '--no-renames', '--no-abbrev', '--no-ext-diff'];
  const raw = await runGit([...args, '--ignore-submodules=all', 'HEAD', '--'], options);
  const changes = [...raw.matchAll(/:(100644|100755|120000) \d+ (\w+) \w+ \w\0([^\0]+)\0/g)];
  return await Promise.all(
    changes.map(async ([, mode = '', blob = '', path = '']) => {
      const bytes = await runGit(['cat-file', 'blob', blob], { ...options, encoding: 'latin1' });
      const kind = KINDS[mode] ?? 'file';
      return { path, kind, content: Buffer.from(bytes, 'latin1') };
    }),
  );
}

const KINDS: Readonly<Record<string, CommittedFile['kind']>> = {
  '100755': 'executable',
  '120000': 'link',
};

/**
 * The path to which the newest commit of a path renamed the file; undefined if that commit did
 * something else. Throws an AxeError.
 */
export async function renamedPath(path: string, options: GitOptions): Promise<string | undefined> {
  const log = ['log', '-1', '--first-parent', '-m', '--format=%H', 'HEAD', '--', path];
  const commit = (await runGit(log, options)).trim();
  if (commit === '') return undefined;

  const flags = ['-m', '--first-parent', '--format=', '-M', '-l0', '--diff-filter=R'];
  const names = await runGit(['show', ...flags, '--name-status', '-z', commit], options);
  // Each rename has three fields: its status, the former path and the new one.
  const fields = names.split('\0');
  const index = fields.findIndex((field, number) => number % 3 === 1 && field === path);
  return index < 0 ? undefined : fields[index + 1];
}

/** Output for programs, which no diff driver and no other configuration of a user changes. */
export const PLAIN_DIFF = [
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

/** Settings for the same purpose that have no option in git, or only in newer versions. */
const CONFIG = ['core.quotepath=true', 'diff.relative=false'].flatMap((setting) => ['-c', setting]);

function unusable(range: string, reason: string): AxeError {
  return new AxeError(`cannot read the change "${range}": ${reason}`, {
    remedy:
      'In a folder of a repository, give `--git` a range that `git diff` takes, for example `HEAD~1`, or `main...HEAD` with a branch that `git branch --all` lists.',
  });
}

/**
 * The root of the git checkout that contains a folder; undefined if none does. A worktree's `.git`
 * is a file.
 */
export async function findRepositoryRoot(folder: string): Promise<string | undefined> {
  for (let candidate = folder; ; candidate = dirname(candidate)) {
    const git = await stat(join(candidate, '.git')).catch(() => undefined);
    if (git !== undefined) return candidate;
    if (dirname(candidate) === candidate) return undefined;
  }
}

/**
 * The repository of a checkout's remote `origin`, on any server or only on `serverUrl`; undefined
 * if there is none.
 */
export async function readOrigin(root: string, serverUrl?: string) {
  const config = await readFile(join(await gitFolder(root), 'config'), 'utf8').catch(() => '');
  const [, section = ''] = /^\[remote "origin"\]\n((?:[\t ].*\n?)*)/m.exec(config) ?? [];
  const [, originHost, owner = '', name = ''] = ORIGIN.exec(section) ?? [];
  const host = originHost === 'ssh.github.com' ? 'github.com' : originHost;

  const isOnServer =
    serverUrl === undefined || (URL.canParse(serverUrl) && new URL(serverUrl).hostname === host);
  return host === undefined || !isOnServer ? undefined : { host, owner, name };
}

/**
 * The folder that has a checkout's git configuration. The `.git` of a worktree or submodule is a
 * file that names its folder.
 */
async function gitFolder(root: string): Promise<string> {
  const git = join(root, '.git');
  const [, gitDir] = /^gitdir: (.+)/.exec(await readFile(git, 'utf8').catch(() => '')) ?? [];
  if (gitDir === undefined) return git;

  const folder = resolve(root, gitDir);
  const common = await readFile(join(folder, 'commondir'), 'utf8').catch(() => '.');
  return resolve(folder, common.trim());
}

/** An address, or the short form of SSH: `git@github.com:owner/name.git`. */
const ORIGIN =
  /^\s*url\s*=\s*(?:\w+:\/\/)?(?:[^@/\n]*@)?([\w-]+(?:\.[\w-]+)+)(?::\d+)?[:/]([\w-]+)\/([\w.-]+?)(?:\.git)?\/?$/m;

/**
 * The nearest folder with an `action.yml` at or above `folder`, in which the action's code is;
 * `folder` itself if there is none.
 */
export function actionFolder(folder: string): string {
  for (let candidate = folder; dirname(candidate) !== candidate; candidate = dirname(candidate)) {
    const hasAction = (name: string) => existsSync(join(candidate, name));
    if (['action.yml', 'action.yaml'].some(hasAction)) return candidate;
  }
  return folder;
}

/**
 * The commit that is checked out in a folder: `.git/HEAD` has its id or names its branch. Undefined
 * if there is no checkout or it cannot be read.
 */
export async function readCheckedOut(folder: string): Promise<string | undefined> {
  const head = await readGitFile(folder, 'HEAD');
  const [, ref] = /^ref: (refs\/[^\s]+)$/m.exec(head) ?? [];
  if (ref === undefined) return commitIn(head);
  if (ref.split('/').includes('..')) return undefined;

  const loose = commitIn(await readGitFile(folder, ref));
  return loose ?? packedCommit(await readGitFile(folder, 'packed-refs'), ref);
}

/** Empty if it does not exist or is not a regular file. */
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
  const refLine = packed.split('\n').find((line) => line.endsWith(` ${ref}`));
  return refLine === undefined ? undefined : commitIn(refLine);
}
