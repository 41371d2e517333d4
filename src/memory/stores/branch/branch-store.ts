import type { GitHubClient } from '../../../github/client/client.js';
import { type Clock, DAY_MS } from '../../../lib/clock.js';
import { SAVE_BUDGET_MS } from '../../../lib/defaults.js';
import type { Environment } from '../../../lib/environment.js';
import { ConfigError, type Warning } from '../../../lib/errors.js';
import { count } from '../../../lib/text/format.js';
import type { MemoryTree } from '../../change.js';
import { isNotesPath, isTreePath } from '../../paths.js';
import { encodeField } from '../../run-log.js';
import { type FailedSave, type MemoryLocation, type MemoryStore, saveFailed } from '../../store.js';
import { notMemoryWarnings, tooLargeWarnings } from '../read-log.js';
import {
  type CommitResult,
  createTreeStore,
  type TreeBackend,
  type TreeSnapshot,
} from '../tree-store.js';
import { createMemoryBranch, type MemoryBranch } from './memory-branch.js';
import type { MemoryBranchPlace } from './memory-branch-read.js';

interface BranchStoreOptions {
  readonly branch: MemoryBranch;
  /** Folder on the branch that the tree's paths count from; empty for its top. */
  readonly folder: string;
  readonly clock: Clock;
  readonly mayCreate: boolean;
  /** Another repository's, so warnings count its files and name none. */
  readonly isElsewhere?: boolean;
  /** The run that writes, for the messages of commits. */
  readonly cause?: CommitCause;
  readonly log?: (line: string) => void;
}

/**
 * Memory on a branch of a repository: a folder of it as a tree with versions. The commit id is the
 * version, and moving the branch from one to the next is the compare-and-swap. Each save is one
 * commit whose message names the ids of the saved changes. Throws a ConfigError for a folder that
 * leads out of the branch.
 */
export function createBranchStore(options: BranchStoreOptions): MemoryStore {
  const { branch, clock, mayCreate, isElsewhere = false, cause, log } = options;
  const top = normalFolder(options.folder);
  const prefix = top === '' ? '' : `${top}/`;
  const fromTop = (path: string): string => prefix + path;
  const backend: TreeBackend = { kind: 'branch', read, commit, placeOf, dropHistory };
  return createTreeStore(backend, { clock, log, budgetMs: SAVE_BUDGET_MS.branch });

  async function read(
    signal: AbortSignal,
    requested: readonly string[] | 'all',
    since?: Date,
  ): Promise<TreeSnapshot | FailedSave> {
    const answer =
      requested === 'all'
        ? await branch.readAll(top, signal)
        : await branch.read(requested.map(fromTop), signal, since);
    if (answer.kind === 'failed') return answer;
    const isMissing = answer.kind === 'missing';
    const tree = inFolder(isMissing ? [] : answer.files);
    const refused = inFolder(isMissing ? [] : answer.refused);
    const unreadPaths = isMissing ? [] : answer.left.map((path) => path.slice(prefix.length));
    const isExact = (path: string) =>
      requested !== 'all' && requested.includes(path) && !path.endsWith('/');
    const inWay = [...refused].find(([path]) => isExact(path) && !isNotesPath(path));
    if (inWay !== undefined) return inTheWay(...inWay);
    // A note's path that holds something else is neither read nor overwritten.
    const blocked = [...refused]
      .filter(([path]) => isNotesPath(path) && !unreadPaths.includes(path))
      .map(([path, reason]) => ({ ...inTheWay(path, reason), path, reason: 'refused' as const }));
    return {
      kind: 'snapshot',
      tree,
      version: isMissing ? '' : answer.head,
      warnings: leftOutWarnings(`\`${branch.name}\``, { refused, unreadPaths, isElsewhere }),
      saved: isMissing ? undefined : answer.saved,
      left: unreadPaths.length === 0 ? undefined : unreadPaths,
      blocked: blocked.length === 0 ? undefined : blocked,
      isPublic: answer.isPublic,
      refused,
    };
  }

  /** Keeps the files in the folder, by their paths relative to it. */
  function inFolder(files: Iterable<readonly [string, string]>): MemoryTree {
    const inside = [...files].filter(([path]) => path.startsWith(prefix));
    return new Map(inside.map(([path, value]) => [path.slice(prefix.length), value]));
  }

  async function commit(
    snapshot: TreeSnapshot,
    { tree, ids }: { readonly tree: MemoryTree; readonly ids: readonly string[] },
    signal: AbortSignal,
  ): Promise<CommitResult> {
    const { version: head, tree: before, isPublic = false, refused } = snapshot;
    const changed = [...tree].filter(([path, text]) => text !== (before.get(path) ?? ''));
    if (changed.length === 0) return { kind: 'committed', version: head };
    if (head === '' && !mayCreate)
      return saveFailed(
        'unavailable',
        `there is no branch \`${branch.name}\``,
        'Name one that exists with `--branch`.',
      );
    const paths = changed.map(([path]) => path);
    const inWay = [...(refused ?? [])].find(([path]) => paths.includes(path));
    if (inWay !== undefined) return inTheWay(...inWay);
    const isGone = ([path, text]: readonly [string, string]) => text === '' && before.has(path);
    const written = changed.filter((file) => !isGone(file));
    const change = {
      files: new Map(written.map(([path, text]) => [fromTop(path), text])),
      removed: changed.filter(isGone).map(([path]) => fromTop(path)),
      message: commitMessage(paths, ids, cause),
    };
    if (head !== '') return await branch.commit(head, change, signal);
    const created = await branch.create(change, signal);
    return created.kind === 'committed'
      ? { ...created, notices: [createdNotice(branch, isPublic)] }
      : created;
  }

  function placeOf(version: string, path: string): MemoryLocation {
    const inside = path === '' ? top : fromTop(path);
    const location = inside === '' ? branch.name : `${branch.name}:${inside}`;
    if (path === '') return { location };
    const url = version === '' ? undefined : branch.urlOf(inside);
    return { location, prefix: `${branch.name}:${prefix}`, url };
  }

  function inTheWay(path: string, reason: string): FailedSave {
    const message = `\`${placeOf('', path).location}\` is not a memory file: ${reason}`;
    const remedy = 'Replace it with a plain text file, or remove it; it is never overwritten.';
    return saveFailed('error', message, remedy);
  }

  async function dropHistory(signal: AbortSignal): Promise<CommitResult> {
    // A save without an answer is repeated on the same day, so older ids are not needed.
    const newest = await branch.read([], signal, new Date(clock.now().getTime() - DAY_MS));
    if (newest.kind === 'failed') return newest;
    if (newest.kind === 'missing') return { kind: 'committed', version: '' };
    const message = withTrailers(SQUASH_MESSAGE, savedLines([...(newest.saved ?? [])]));
    return await branch.squash(newest.head, message, signal);
  }
}

function normalFolder(folder: string): string {
  const plain = folder.replace(/^(?:\.?\/)+|\/+$/g, '').replace(/^\.$/, '');
  if (plain === '' || isTreePath(plain)) return plain;
  throw new ConfigError(`\`${folder}\` is not a folder of a repository`, {
    remedy: 'Set `memory-path` to a relative path without `..`, for example `.axe/memory`.',
  });
}

const SQUASH_MESSAGE = 'Keep memory without its history [skip ci]';

function createdNotice({ name }: MemoryBranch, isPublic: boolean): string {
  const created = `The branch \`${name}\` was created to keep memory.`;
  if (!isPublic) return created;
  return `${created} The repository is public, so everybody can read what is remembered there. Set \`memory-repo\` to keep it in a private repository.`;
}

interface CommitCause {
  /** As GitHub writes it: `pull_request`. */
  readonly event: string;
  /** Number of the run's issue or pull request. */
  readonly number: number | undefined;
  /** Address of the run; empty where there is none. */
  readonly runUrl: string;
}

const MAX_NAME_CHARACTERS = 64;

/**
 * The message of a commit that writes these files: it names the agents and the run, and quotes
 * nothing from memory. Pushes with an app's token start workflows, hence the `[skip ci]`. The
 * number has no `#`, because GitHub would show each commit in that conversation, even in a
 * repository where the number is somebody else's. `ids` are the ids of the saved changes: after a
 * lost answer they are looked up in the history.
 */
export function commitMessage(
  paths: readonly string[],
  ids: readonly string[],
  cause?: CommitCause,
): string {
  const names = [...new Set(paths.filter((path) => /\.(?:md|bak)$/.test(path)).map(agentOf))];
  const agents = names.length === 0 ? '' : ` of ${names.join(', ')}`;
  const number = cause?.number === undefined ? '' : ` ${cause.number}`;
  const causeText = cause === undefined ? '' : ` (${cause.event}${number})`;
  const subject = `Update memory${agents}${causeText} [skip ci]`;
  const run = cause === undefined || cause.runUrl === '' ? [] : [`Run: ${cause.runUrl}`];
  return withTrailers(subject, [...run, ...savedLines(ids)]);
}

function withTrailers(subject: string, lines: readonly string[]): string {
  return lines.length === 0 ? subject : `${subject}\n\n${lines.join('\n')}`;
}

function savedLines(ids: readonly string[]): readonly string[] {
  return ids.map((id) => `Axe-Save: ${encodeField(id)}`);
}

/**
 * `apart/pr-reviewer.state.md` → `pr-reviewer`. People choose paths, so only the characters of an
 * agent's name are kept.
 */
function agentOf(path: string): string {
  const name = path.replace(/(?:\.state)?(?:\.md)?(?:\.bak)?$/, '');
  if (isNotesPath(`${name}.md`)) return 'notes';
  return name
    .replace(/(^|\/)apart\//, '$1')
    .replace(/[^A-Za-z0-9._/-]+/g, '-')
    .slice(0, MAX_NAME_CHARACTERS);
}

/** Warns about files that are not loaded; those of another repository are counted and not named. */
function leftOutWarnings(
  subject: string,
  {
    refused,
    unreadPaths,
    isElsewhere,
  }: {
    readonly refused: ReadonlyMap<string, string>;
    readonly unreadPaths: readonly string[];
    readonly isElsewhere: boolean;
  },
): readonly Warning[] {
  const notMemory = [...refused].flatMap(([path, reason]) =>
    unreadPaths.includes(path) ? [] : `${JSON.stringify(path)} (${reason})`,
  );
  const tooLarge = unreadPaths.map((path) => JSON.stringify(path));
  const shown = (names: readonly string[]) =>
    isElsewhere && names.length > 0 ? [count(names.length, 'file')] : names;
  return [...notMemoryWarnings(subject, shown(notMemory)), ...tooLargeWarnings(shown(tooLarge))];
}

/** This branch contains only memory, so its history can be dropped. */
export const OWN_BRANCH = 'axe-memory';

/** Memory on a branch of a repository, through GitHub's API. */
export function openBranchMemory({
  client,
  owner,
  name,
  branch,
  token,
  env,
  ...options
}: Omit<BranchStoreOptions, 'branch'> &
  Pick<MemoryBranchPlace, 'owner' | 'name' | 'branch' | 'token'> & {
    readonly client: GitHubClient;
    readonly env: Environment;
  }): MemoryStore {
  const serverUrl = (env['GITHUB_SERVER_URL'] || 'https://github.com').replace(/\/+$/, '');
  const workflowRepository = env['GITHUB_REPOSITORY'] ?? '';
  const isOwn =
    workflowRepository === ''
      ? undefined
      : workflowRepository.toLowerCase() === `${owner}/${name}`.toLowerCase();
  const place = { owner, name, branch, token, serverUrl, isOwn };
  const memoryBranch = createMemoryBranch(client, place);
  return createBranchStore({ ...options, branch: memoryBranch, isElsewhere: isOwn === false });
}
