import { join } from 'node:path';
import type { Environment } from '../../../core/environment.js';
import { AxeError, messageOf } from '../../../core/errors.js';
import type { MemoryBranch } from '../../../core/memory/branch.js';
import { withTempDir } from '../temp-dir.js';
import { createGitBranch } from './git-branch.js';
import { type Git, isPlain, listFiles, printed, readTexts, type TreeFile } from './git-objects.js';
import { type GitOptions, runGit } from './run-git.js';

/** A folder of a git checkout. */
export interface CheckoutOptions {
  /** Absolute; it exists. */
  readonly dir: string;
  readonly env: Environment;
  /** For requests to this server where git has no credentials of its own. */
  readonly access?: { readonly serverUrl: string; readonly token: string };
  /** Who commits where git does not know it. */
  readonly committer?: { readonly name: string; readonly email: string };
}

/** What a checkout says of a folder in it. */
interface Checkout {
  /** The folder from the top of the repository. */
  readonly folder: string;
  /** The branch that is checked out; undefined where that is a single commit. */
  readonly branch: string | undefined;
  /** Files that are not as they were checked out, by their paths in the folder; an empty text stands for no file. */
  readonly changed: ReadonlyMap<string, { readonly before: string; readonly now: string }>;
  /** A branch of the remote that the checkout is from. */
  openBranch(name: string): MemoryBranch;
}

/** What is looked at: memory is markdown, and the list that keeps its copies out of git. */
const LOOKED_AT = /(?:\.md|(?:^|\/)\.gitignore)$/;

/** Looks at a folder of a checkout. Throws an AxeError where there is no repository or its top is the folder. */
export async function openCheckout(options: CheckoutOptions, signal: AbortSignal): Promise<Checkout> {
  const plain = gitIn({ cwd: options.dir, env: options.env, signal });
  const prefix = await outputOf(plain(['rev-parse', '--show-prefix']));
  const folder = prefix.replace(/\/$/, '');
  if (folder === '') {
    throw new AxeError('memory is at the top of the repository, among files that are not memory', {
      remedy: 'Keep it in a folder, for example `memory-path: .axe/memory`.',
    });
  }
  const top = await outputOf(plain(['rev-parse', '--show-toplevel']));
  const settings = await settingsFor(options, gitIn({ cwd: top, env: options.env, signal }));
  const openGit = (until: AbortSignal): Git =>
    gitIn({ cwd: top, env: { ...settings.env, ...options.env }, signal: until }, settings.online);
  const git = openGit(signal);
  const head = await outputOf(git(['rev-parse', '--verify', 'HEAD']));
  const named = await git(['symbolic-ref', '--quiet', '--short', 'HEAD']);
  const branch = named.kind === 'ok' ? named.stdout.toString('utf8').trim() : undefined;
  const remote = await settingOf(git, `branch.${branch ?? ''}.remote`, 'origin');
  return {
    folder,
    branch,
    changed: await changedFiles(git, { head, folder }),
    openBranch: (name) =>
      createGitBranch({
        openGit,
        remote,
        branch: name,
        pushed: (own, commit) => follow(own, { ...commit, folder, isOwn: name === branch }),
      }),
  };
}

function gitIn(options: Omit<GitOptions, 'input' | 'indexFile'>, online: GitOptions['settings'] = []): Git {
  return (args, { isOnline = false, ...more } = {}) =>
    runGit(args, { ...options, ...more, ...(isOnline ? { settings: online } : {}) });
}

/** What git answers; an AxeError where there is nothing to ask. */
async function outputOf(end: ReturnType<Git>): Promise<string> {
  try {
    return await printed(end);
  } catch (thrown) {
    const message = messageOf(thrown);
    if (!/not a git repository/i.test(message)) throw new AxeError(`git: ${message}`, { cause: thrown });
    throw new AxeError('memory is not in a git repository', {
      cause: thrown,
      remedy: 'Check the repository out before this step, with `actions/checkout`.',
    });
  }
}

async function settingOf(git: Git, name: string, fallback: string): Promise<string> {
  const end = await git(['config', '--get', name]);
  return (end.kind === 'ok' && end.stdout.toString('utf8').trim()) || fallback;
}

interface Settings {
  readonly env: Readonly<Record<string, string>>;
  /** For commands that reach the remote. */
  readonly online: NonNullable<GitOptions['settings']>;
}

/** Identity and credentials, where git has none: a second `Authorization` header would be refused (GitHub answers 400). */
async function settingsFor({ committer, access }: CheckoutOptions, git: Git): Promise<Settings> {
  const isKnown = (await settingOf(git, 'user.email', '')) !== '';
  const env =
    committer === undefined || isKnown
      ? {}
      : {
          GIT_AUTHOR_NAME: committer.name,
          GIT_AUTHOR_EMAIL: committer.email,
          GIT_COMMITTER_NAME: committer.name,
          GIT_COMMITTER_EMAIL: committer.email,
        };
  if (access === undefined || access.token === '') return { env, online: [] };
  const server = `${access.serverUrl.replace(/\/+$/, '')}/`;
  const header = await git(['config', '--get-urlmatch', 'http.extraheader', server]);
  if (header.kind === 'ok') return { env, online: [] };
  const basic = Buffer.from(`x-access-token:${access.token}`).toString('base64');
  return { env, online: [[`http.${server}.extraheader`, `AUTHORIZATION: basic ${basic}`]] };
}

/** What the folder holds now, as git would commit it, against what was checked out. */
async function changedFiles(
  git: Git,
  { head, folder }: { readonly head: string; readonly folder: string },
): Promise<Checkout['changed']> {
  const tree = await withTempDir(async (temp) => {
    const index = { indexFile: join(temp, 'index') };
    await printed(git(['read-tree', head], index));
    await printed(git(['add', '--all', '--force', '--', folder], index));
    return await printed(git(['write-tree'], index));
  });
  const before = byPath(await listFiles(git, head, [folder]));
  const now = byPath(await listFiles(git, tree, [folder]));
  const paths = [...new Set([...before.keys(), ...now.keys()])].filter(
    (path) => LOOKED_AT.test(path) && before.get(path)?.id !== now.get(path)?.id,
  );
  const files = paths.flatMap((path) =>
    [before.get(path), now.get(path)].filter((file) => file !== undefined),
  );
  const linked = files.find((file) => !isPlain(file));
  if (linked !== undefined) {
    throw new AxeError(`\`${linked.path}\` is not a regular file, so it is not memory`, {
      remedy: 'Put a plain text file in its place.',
    });
  }
  const texts = await readTexts(
    git,
    files.map(({ id }) => id),
  );
  const textOf = (file: TreeFile | undefined): string => texts.get(file?.id ?? '') ?? '';
  return new Map(
    paths.map((path) => [
      path.slice(folder.length + 1),
      { before: textOf(before.get(path)), now: textOf(now.get(path)) },
    ]),
  );
}

function byPath(files: readonly TreeFile[]): ReadonlyMap<string, TreeFile> {
  return new Map(files.map((file) => [file.path, file]));
}

interface Following {
  readonly head: string;
  readonly parent: string;
  readonly folder: string;
  /** It is the branch that is checked out. */
  readonly isOwn: boolean;
}

/**
 * After a push that nobody came before, the checkout is where a commit and a push by hand would have left it. Otherwise
 * it stays at the commit it was at: its other files are those of that one.
 */
async function follow(git: Git, { head, parent, folder, isOwn }: Following): Promise<void> {
  if (!isOwn) return;
  const moved = await git(['update-ref', 'HEAD', head, parent]);
  if (moved.kind === 'ok') await git(['reset', '--quiet', 'HEAD', '--', folder]);
}
