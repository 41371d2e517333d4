import { decodeBytes, encodeBytes } from '../../../src/lib/text/bytes.js';
import { decodeField } from '../../../src/memory/run-log.js';
import type { FailedSave } from '../../../src/memory/store.js';
import type { BranchFiles, MemoryBranch } from '../../../src/memory/stores/branch/memory-branch.js';
import type { BranchRead } from '../../../src/memory/stores/branch/memory-branch-read.js';
import type { CommitResult } from '../../../src/memory/stores/tree-store.js';

/** A text, or why there is none. */
type FakeFile = string | { readonly refused: string };

/** A commit of the fake, as GitHub would show it. */
export interface FakeCommit {
  readonly id: string;
  readonly parent: FakeCommit | undefined;
  readonly message: string;
  readonly files: ReadonlyMap<string, FakeFile>;
}

/**
 * What a client's calls may be made to do instead, or before; a fault that throws is a call that
 * throws.
 */
export interface BranchFaults {
  readonly read?: () => FailedSave | undefined;
  /**
   * Of `commit`, `create` and `squash`: `unknown` loses the answer after it was made, `late` is
   * made after its caller has given up, and the others stand in for it.
   */
  readonly commit?: () => Exclude<CommitResult, { kind: 'committed' }> | 'late' | undefined;
  /**
   * Awaited before each call and, as `answer`, before each answer to one that writes: whoever never
   * returns has died.
   */
  readonly step?: (operation: string) => Promise<void>;
  /** Told in the very moment in which the branch moves. */
  readonly moved?: () => void;
}

/** A branch on GitHub, and the clients that runs open over it. */
export interface FakeBranch {
  /** Newest commit; undefined where there is no branch. */
  head: FakeCommit | undefined;
  isPublic: boolean;
  /** Calls in their order. */
  readonly calls: string[];
  open(faults?: BranchFaults): MemoryBranch;
  /** The text of a file. */
  text(path: string): string | undefined;
  /**
   * Somebody commits by hand: a text, something that is not a text file, or undefined to remove the
   * file.
   */
  put(path: string, file: FakeFile | undefined): void;
  /** Somebody puts other commits in the place of all. */
  forcePush(files: Readonly<Record<string, string>>): void;
  /** Commits from the newest to the first. */
  log(): readonly FakeCommit[];
}

/** No branch at first: its first commit, by whomever, creates it. */
export function createFakeBranch(): FakeBranch {
  const commits = new Map<string, FakeCommit>();
  /** Commits that arrive with the next call, whoever makes it. */
  const late: (() => void)[] = [];
  const branch: FakeBranch = {
    head: undefined,
    isPublic: false,
    calls: [],
    open,
    text(path) {
      const file = branch.head?.files.get(path);
      return typeof file === 'string' ? file : undefined;
    },
    put(path, file) {
      const files = new Map(branch.head?.files);
      if (file === undefined) files.delete(path);
      else files.set(path, file);
      branch.head = commitOf({ parent: branch.head, message: 'by hand', files });
    },
    forcePush(files) {
      branch.head = commitOf({ parent: undefined, message: 'forced', files: asFiles(files) });
    },
    log() {
      const line: FakeCommit[] = [];
      for (let commit = branch.head; commit !== undefined; commit = commit.parent)
        line.push(commit);
      return line;
    },
  };
  return branch;

  function commitOf(parts: Omit<FakeCommit, 'id'>): FakeCommit {
    const commit = { id: `c${commits.size + 1}`, ...parts };
    commits.set(commit.id, commit);
    return commit;
  }

  function open(faults: BranchFaults = {}): MemoryBranch {
    const client: MemoryBranch = {
      name: 'octocat/hello@axe-memory',
      urlOf: (path) => `https://github.com/octocat/hello/blob/axe-memory/${path}`,
      read: (paths, signal, since) =>
        look('read', signal, (files) => files.filter(([path]) => isAmong(path, paths)), since),
      readAll: (folder, signal) =>
        look('readAll', signal, (files) =>
          files.filter(([path]) => folder === '' || path.startsWith(`${folder}/`)),
        ),
      commit: (head, change, signal) =>
        move('commit', signal, () => {
          if (branch.head === undefined || branch.head.id !== head) return undefined;
          return { parent: branch.head, ...change };
        }),
      create: (change, signal) =>
        move('create', signal, () =>
          branch.head === undefined ? { parent: undefined, ...change } : undefined,
        ),
      squash: (head, message, signal) =>
        move('squash', signal, () => {
          if (branch.head?.id !== head) return undefined;
          return { parent: undefined, message, files: new Map(), base: branch.head.files };
        }),
    };
    return client;

    async function look(
      operation: string,
      signal: AbortSignal,
      choose: (
        files: readonly (readonly [string, FakeFile])[],
      ) => readonly (readonly [string, FakeFile])[],
      since?: Date,
    ): Promise<BranchRead> {
      await begin(operation, signal);
      const fault = faults.read?.();
      if (fault !== undefined) return fault;
      const { head, isPublic } = branch;
      if (head === undefined) return { kind: 'missing', isPublic };
      const saved = since === undefined ? {} : { saved: savedIn(branch.log()) };
      const [files, refused] = [new Map<string, string>(), new Map<string, string>()];
      for (const [path, file] of choose([...head.files])) {
        if (typeof file === 'string') files.set(path, file);
        else refused.set(path, file.refused);
      }
      return { kind: 'found', head: head.id, files, refused, left: [], isPublic, ...saved };
    }

    async function move(
      operation: string,
      signal: AbortSignal,
      next: () => NextCommit | undefined,
    ): Promise<CommitResult> {
      await begin(operation, signal);
      const fault = faults.commit?.();
      if (fault === 'late') {
        late.push(() => void make(next()));
        return { kind: 'unknown', message: 'no answer in time' };
      }
      if (fault !== undefined && fault.kind !== 'unknown') return fault;
      // From the look to the move nobody else gets a turn: GitHub moves a branch from one commit to
      // another, or not.
      const made = next();
      const head = make(made);
      if (head === undefined) return fault ?? { kind: 'conflict' };
      await faults.step?.('answer');
      return fault ?? { kind: 'committed', version: head.id };
    }

    function make(made: NextCommit | undefined): FakeCommit | undefined {
      if (made === undefined) return undefined;
      const { parent, message, files, base = parent?.files, removed = [] } = made;
      const all = new Map([...(base ?? []), ...asFiles(files)]);
      for (const path of removed) {
        if (!all.delete(path)) throw new Error(`${path} is not there, GitHub refuses to remove it`);
      }
      const head = commitOf({ parent, message, files: all });
      branch.head = head;
      faults.moved?.();
      return head;
    }

    async function begin(operation: string, signal: AbortSignal): Promise<void> {
      for (const arrive of late.splice(0)) arrive();
      branch.calls.push(operation);
      await faults.step?.(operation);
      signal.throwIfAborted();
    }
  }
}

/** The ids that messages of commits name. */
function savedIn(commits: readonly FakeCommit[]): ReadonlySet<string> {
  const ids = commits.flatMap(({ message }) => [...message.matchAll(/^Axe-Save: (\S+)$/gm)]);
  return new Set(ids.map(([, id = '']) => decodeField(id)));
}

interface NextCommit extends BranchFiles {
  readonly parent: FakeCommit | undefined;
  /** Files that stay; the parent's unless said otherwise. */
  readonly base?: ReadonlyMap<string, FakeFile>;
}

/** A folder, with a `/` at its end, means the files directly in it. */
function isAmong(path: string, places: readonly string[]): boolean {
  return places.includes(path) || places.includes(path.slice(0, path.lastIndexOf('/') + 1));
}

/** As they come back: what cannot be bytes is not kept. */
function asFiles(
  files: ReadonlyMap<string, string> | Readonly<Record<string, string>>,
): ReadonlyMap<string, FakeFile> {
  const entries = files instanceof Map ? [...files] : Object.entries(files);
  return new Map(entries.map(([path, text]) => [path, decodeBytes(encodeBytes(text))]));
}
