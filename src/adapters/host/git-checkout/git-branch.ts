import { join } from 'node:path';
import { messageOf } from '../../../core/errors.js';
import type {
  BranchCommit,
  BranchFile,
  BranchFiles,
  BranchGrowth,
  BranchRead,
  BranchTrouble,
  MemoryBranch,
} from '../../../core/memory/branch.js';
import { encodeBytes } from '../../../core/text/bytes.js';
import { withTempDir } from '../temp-dir.js';
import { firstLine, type Git, isPlain, listFiles, printed, readTexts, type TreeFile } from './git-objects.js';

/** A branch on a remote of a checkout. */
interface GitBranchOptions {
  readonly openGit: (signal: AbortSignal) => Git;
  readonly remote: string;
  readonly branch: string;
  /** Called with a commit that is now the branch's newest, and with its parent. */
  readonly pushed: (git: Git, commit: { readonly head: string; readonly parent: string }) => Promise<void>;
}

/**
 * A branch through the git of a checkout, with the credentials that git has there. The push is the compare-and-swap
 * (D12): when somebody else was faster, git refuses it and nothing is written.
 */
export function createGitBranch({ openGit, remote, branch, pushed }: GitBranchOptions): MemoryBranch {
  const ref = `refs/heads/${branch}`;
  const place: RemoteBranch = { remote, ref, tracking: `refs/remotes/${remote}/${branch}`, branch };
  return {
    name: branch,
    urlOf: () => '',
    read: (paths, signal) =>
      attempt(signal, (git) =>
        readBranch(git, place, { places: paths, wants: (file) => isAmong(file, paths) }),
      ),
    readAll: (folder, signal) =>
      attempt(signal, (git) => readBranch(git, place, { places: [folder], wants: () => true })),
    commit: (head, change, signal) => attempt(signal, (git) => commit(git, head, change)),
    create: (change, signal) => attempt(signal, (git) => commit(git, '', change)),
    growth: (earlier, head, signal) => attempt(signal, (git) => growthOf(git, earlier, head)),
    squash: (head, message, signal) =>
      attempt(signal, async (git) => {
        const id = await commitTree(git, `${head}^{tree}`, { parents: [], message });
        return await push(git, { id, parent: head, flags: [`--force-with-lease=${ref}:${head}`] });
      }),
  };

  async function commit(git: Git, parent: string, change: BranchFiles): Promise<BranchCommit> {
    const tree = await writeTree(git, parent, change);
    const parents = parent === '' ? [] : [parent];
    return await push(git, { id: await commitTree(git, tree, { parents, message: change.message }), parent });
  }

  async function push(
    git: Git,
    {
      id,
      parent,
      flags = [],
    }: { readonly id: string; readonly parent: string; readonly flags?: readonly string[] },
  ): Promise<BranchCommit> {
    const end = await git(['push', '--porcelain', ...flags, remote, `${id}:${ref}`], { isOnline: true });
    if (end.kind === 'failed') return pushTrouble(end.message, branch);
    await pushed(git, { head: id, parent });
    return { kind: 'committed', head: id };
  }

  /** What git refuses is a value; an aborted signal rejects. */
  async function attempt<T>(signal: AbortSignal, work: (git: Git) => Promise<T>): Promise<T | BranchTrouble> {
    try {
      return await work(openGit(signal));
    } catch (thrown) {
      if (signal.aborted) throw thrown;
      return { kind: 'failed', reason: 'error', message: messageOf(thrown) };
    }
  }
}

interface RemoteBranch {
  readonly remote: string;
  readonly branch: string;
  /** Its ref there, and the one that it is fetched to. */
  readonly ref: string;
  readonly tracking: string;
}

async function readBranch(
  git: Git,
  { remote, ref, tracking }: RemoteBranch,
  { places, wants }: { readonly places: readonly string[]; readonly wants: (file: TreeFile) => boolean },
): Promise<BranchRead> {
  const fetched = await git(['fetch', '--quiet', '--no-tags', remote, `+${ref}:${tracking}`], {
    isOnline: true,
  });
  if (fetched.kind === 'failed') return fetchTrouble(fetched.message);
  const head = await printed(git(['rev-parse', '--verify', tracking]));
  const found = (await listFiles(git, head, places)).filter(wants);
  const texts = await readTexts(
    git,
    found.filter(isPlain).map(({ id }) => id),
  );
  const files = new Map(found.map((file) => [file.path, asBranchFile(file, texts)] as const));
  return { kind: 'found', head, files, isPublic: false };
}

/** The tree of a commit with some files changed; neither the index nor the files of the checkout have a part in it. */
async function writeTree(git: Git, parent: string, { files, removed = [] }: BranchFiles): Promise<string> {
  return await withTempDir(async (folder) => {
    const index = { indexFile: join(folder, 'index') };
    await printed(git(['read-tree', parent === '' ? '--empty' : parent], index));
    for (const [path, text] of files) {
      const blob = await printed(git(['hash-object', '-w', '--stdin'], { input: encodeBytes(text) }));
      await printed(git(['update-index', '--add', '--cacheinfo', `100644,${blob},${path}`], index));
    }
    for (const path of removed) await printed(git(['update-index', '--force-remove', '--', path], index));
    return await printed(git(['write-tree'], index));
  });
}

/** `commit-tree` signs only if it is asked to, whatever the configuration says. */
async function commitTree(
  git: Git,
  tree: string,
  { parents, message }: { readonly parents: readonly string[]; readonly message: string },
): Promise<string> {
  const signs = await git(['config', '--bool', 'commit.gpgsign']);
  const isSigned = signs.kind === 'ok' && signs.stdout.toString('utf8').trim() === 'true';
  const args = ['commit-tree', tree, ...parents.flatMap((id) => ['-p', id]), ...(isSigned ? ['-S'] : [])];
  return await printed(git([...args, '-F', '-'], { input: Buffer.from(`${message}\n`) }));
}

async function growthOf(git: Git, earlier: string, head: string): Promise<BranchGrowth> {
  const end = await git(['merge-base', '--is-ancestor', earlier, head]);
  if (end.kind === 'ok') return { kind: 'grown' };
  if (end.status === 1) return { kind: 'replaced' };
  return { kind: 'failed', reason: 'error', message: firstLine(end.message) };
}

function isAmong({ path }: TreeFile, places: readonly string[]): boolean {
  const folder = path.slice(0, path.lastIndexOf('/') + 1);
  return places.includes(path) || (places.includes(folder) && path.endsWith('.md'));
}

function asBranchFile(file: TreeFile, texts: ReadonlyMap<string, string>): BranchFile {
  const text = texts.get(file.id);
  if (isPlain(file) && text !== undefined) return { kind: 'text', text };
  return {
    kind: 'refused',
    reason: file.mode === '120000' ? 'it is a symbolic link' : 'it is a submodule',
  };
}

const DENIED =
  /\b40[13]\b|denied to|permission denied|authentication failed|could not read (?:username|password)|invalid credentials|not allowed to push|protected branch|GH006|GH013|hook declined|repository rule/i;
/** Somebody else was faster: git says so itself, or the server when both arrive at the same moment. */
const RACED =
  /^!.*\[(?:rejected\]|remote rejected\].*(?:cannot lock ref|failed to update ref|incorrect old value|reference already exists))/m;
const REFUSED = /^!.*\[remote rejected\]/m;
const NO_BRANCH = /couldn't find remote ref/i;
const RETRY_AFTER_MS = 2_000;

/** Why a fetch failed, if not because there is no such branch. */
function fetchTrouble(message: string): BranchRead {
  if (NO_BRANCH.test(message)) return { kind: 'missing', isPublic: false };
  const cause = `git fetch: ${causeOf(message)}`;
  if (!DENIED.test(message))
    return { kind: 'failed', reason: 'unavailable', message: cause, retryAfterMs: RETRY_AFTER_MS };
  const remedy =
    'Let git reach the repository: leave `persist-credentials: false` out of the checkout, or give `github-token`.';
  return { kind: 'failed', reason: 'denied', message: cause, remedy };
}

/** What became of a push that git says has failed. */
function pushTrouble(message: string, branch: string): BranchCommit {
  if (RACED.test(message)) return { kind: 'stale' };
  const cause = `git push to \`${branch}\`: ${causeOf(message)}`;
  // The connection may have ended after the branch was moved.
  if (!DENIED.test(message) && !REFUSED.test(message)) return { kind: 'unknown', message: cause };
  const remedy =
    'Give the job `contents: write`. If the branch is protected, allow the token to push to it, or name another one: `push --branch <name>`.';
  return { kind: 'failed', reason: 'denied', message: cause, remedy };
}

/** What the server said, or else what git did. */
function causeOf(message: string): string {
  const [, remote = ''] = /^remote: (?:error: )?(.*\S)/m.exec(message) ?? [];
  const [, rejected = ''] = /^!.*\[remote rejected\] \((.*)\)/m.exec(message) ?? [];
  const parts = [rejected, remote].filter((part) => part !== '');
  return parts.length === 0 ? firstLine(message) : parts.join(': ');
}
