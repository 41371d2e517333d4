import * as v from 'valibot';
import type { GitHubClient } from '../../../github/client/client.js';
import { GitHubError } from '../../../github/client/errors.js';
import { blobSha, fetchBlob, fetchTexts, fetchTree } from '../../../github/reading/contents.js';
import { decodeBytes } from '../../../lib/text/bytes.js';
import { foldersAbove } from '../../../lib/text/glob.js';
import type { MemoryTree } from '../../change.js';
import { compareByPriority, isTreePath } from '../../paths.js';
import { decodeField } from '../../run-log.js';
import type { FailedSave } from '../../store.js';
import { MAX_BYTES_READ, MAX_MEMORY_FILES } from '../read-log.js';
import { MEMORY_FILE } from '../tree-on-disk.js';

export type BranchRead =
  | {
      readonly kind: 'found';
      /** Commit id of the newest commit. */
      readonly head: string;
      /** Texts by path from the top of the repository; a path where nothing is has no entry. */
      readonly files: MemoryTree;
      /**
       * Files that must not be overwritten because they are not memory: by path, half a sentence
       * with the reason.
       */
      readonly refused: ReadonlyMap<string, string>;
      /** Paths in `refused` that are memory files beyond the limits of one read. */
      readonly left: readonly string[];
      readonly isPublic: boolean;
      /**
       * Ids that the commit messages name since the requested time; left out where no time was
       * requested.
       */
      readonly saved?: ReadonlySet<string>;
    }
  | { readonly kind: 'missing'; readonly isPublic: boolean }
  | FailedSave;

export interface MemoryBranchPlace {
  readonly owner: string;
  readonly name: string;
  /** Without `refs/heads/`. */
  readonly branch: string;
  /**
   * `https://github.com`, or the server of GHES (`GITHUB_SERVER_URL`), without a slash at its end.
   */
  readonly serverUrl: string;
  /**
   * True for the workflow's own repository, the only one that the job's token is for; undefined
   * outside a workflow.
   */
  readonly isOwn?: boolean;
  /** The input or variable that its token is given by. */
  readonly token: 'github-token' | 'repositories-token' | 'GITHUB_TOKEN' | 'GH_TOKEN';
}

export interface BranchAccess {
  readonly client: GitHubClient;
  readonly place: MemoryBranchPlace;
}

/** `octocat/hello`. */
export function repositoryName({ owner, name }: MemoryBranchPlace): string {
  return `${owner}/${name}`;
}

/** `octocat/hello@axe-memory`, for people. */
export function branchName(place: MemoryBranchPlace): string {
  return `${repositoryName(place)}@${place.branch}`;
}

/**
 * Checks GitHub's answer against a schema. Throws a GitHubError, since an answer that is not
 * understood does not show what was done.
 */
export function understood<Output>(
  schema: v.GenericSchema<unknown, Output>,
  answer: unknown,
  requestLine = 'POST /graphql',
): Output {
  const parsed = v.safeParse(schema, answer);
  if (parsed.success) return parsed.output;
  const message = `GitHub's answer to \`${requestLine}\` is not understood`;
  throw new GitHubError(message, { reason: 'unavailable' });
}

interface GitEntry {
  readonly path: string;
  readonly type: string;
  readonly mode: number;
  readonly oid: string;
  readonly size: number;
  /** As GraphQL gives it; undefined or null where it has to be fetched. */
  readonly text?: string | null;
}

/**
 * Reads files of the newest commit and the markdown files directly in some folders (with a `/` at
 * their end), and gives a reason for everything else there. It needs one query for files and
 * listings, and one for every fifty texts; texts that GraphQL cuts are fetched. Throws a
 * GitHubError.
 */
export async function readPaths(
  access: BranchAccess,
  places: readonly string[],
  since: Date | undefined,
  signal: AbortSignal,
): Promise<BranchRead> {
  const lists = places.some((place) => place.endsWith('/'));
  const paths = places.flatMap((place) => [place.replace(/\/$/, ''), ...foldersAbove(place)]);
  const newest = await fetchNewest(access, { paths, lists, since }, signal);
  if (newest.kind === 'missing') return newest;
  const { head, isPublic, entries, saved } = newest;
  const [named, listed]: [GitEntry[], GitEntry[]] = [[], []];
  const inWay = new Map<string, string>();
  for (const place of places) {
    // A link in place of a folder would be replaced by a write.
    const folder = foldersAbove(place).find(
      (parent) => (entries.get(parent)?.type ?? 'tree') !== 'tree',
    );
    const entry = entries.get(place.replace(/\/$/, ''));
    if (folder !== undefined) inWay.set(place, `\`${folder}\` is not a folder`);
    else if (place.endsWith('/')) {
      // Nothing reads nested folders or backups.
      for (const { name, ...child } of entry?.object?.entries ?? [])
        if (child.type !== 'tree' && !name.endsWith('.bak'))
          listed.push({ ...child, path: place + name });
    } else if (entry !== undefined && !isFile(entry)) inWay.set(place, NOT_A_FILE);
    else if (entry !== undefined) named.push({ ...entry, path: place, text: entry.object?.text });
  }
  const contents = await fetchFiles(access, named, listed, signal);
  return {
    kind: 'found',
    head,
    isPublic,
    saved,
    ...contents,
    refused: new Map([...inWay, ...contents.refused]),
  };
}

/** A regular file, by git's mode; not a link, nor a submodule. */
function isFile({ type, mode }: Pick<GitEntry, 'type' | 'mode'>): boolean {
  return type === 'blob' && (mode & 0o170000) === 0o100000;
}

const NOT_A_FILE = 'it is not a regular file';

/**
 * Reads every markdown file below a folder of the newest commit, and gives a reason for every other
 * file. Throws a GitHubError.
 */
export async function readWholeBranch(
  access: BranchAccess,
  folder: string,
  signal: AbortSignal,
): Promise<BranchRead> {
  const newest = await fetchNewest(access, { paths: folder === '' ? [] : [folder] }, signal);
  if (newest.kind === 'missing') return newest;
  const { head, isPublic, treeId, entries } = newest;
  const nothing = {
    kind: 'found',
    head,
    isPublic,
    files: new Map(),
    refused: new Map(),
    left: [],
  } as const;
  const top = folder === '' ? { type: 'tree', oid: treeId } : entries.get(folder);
  if (top === undefined) return nothing;
  if (top.type !== 'tree')
    return { ...nothing, refused: new Map([[folder, 'it is not a folder']]) };
  const listing = await fetchTree({ ...access, repository: access.place, ref: top.oid }, signal);
  if (listing.truncated) {
    const message = `\`${folder || '/'}\` of ${branchName(access.place)} holds more files than GitHub lists`;
    const remedy = 'Give memory a folder of its own with `memory-path`.';
    throw new GitHubError(message, { reason: 'invalid', remedy });
  }
  const prefix = folder === '' ? '' : `${folder}/`;
  const files = listing.tree.filter(({ type }) => type !== 'tree');
  const listed = files.map(({ path, mode, sha, ...file }) => {
    return { ...file, path: prefix + path, mode: Number.parseInt(mode, 8), oid: sha };
  });
  return { ...nothing, ...(await fetchFiles(access, [], listed, signal)) };
}

/** Files of git that people keep next to a committed memory. */
const GIT_FILE = /(?:^|\/)\.git(?:ignore|attributes)$/;

const TOO_MUCH = `the folder holds more than ${MAX_MEMORY_FILES} files or ${MAX_BYTES_READ / 2 ** 20} MiB`;

/** Files for which one query asks. */
const BATCH_FILES = 50;

/** GraphQL cuts longer texts. */
const MAX_GRAPHQL_BYTES = 500_000;

/**
 * Fetches the texts of all named files, and of as many listed ones as fit, in the order of
 * {@link compareByPriority}. Short texts are fetched in batches. Throws a GitHubError.
 */
async function fetchFiles(
  access: BranchAccess,
  named: readonly GitEntry[],
  listed: readonly GitEntry[],
  signal: AbortSignal,
): Promise<Pick<Extract<BranchRead, { kind: 'found' }>, 'files' | 'refused' | 'left'>> {
  const wanted: GitEntry[] = [];
  const refused = new Map<string, string>();
  const unreadPaths: string[] = [];
  let bytes = 0;
  for (const entry of listed.toSorted((a, b) => compareByPriority(a.path, b.path))) {
    const { path, size } = entry;
    if (GIT_FILE.test(path)) continue;
    if (!isFile(entry)) refused.set(path, NOT_A_FILE);
    else if (!MEMORY_FILE.test(path) || !isTreePath(path))
      refused.set(path, 'it is not a markdown file');
    else if (wanted.length >= MAX_MEMORY_FILES || bytes + size > MAX_BYTES_READ)
      unreadPaths.push(path);
    else {
      wanted.push(entry);
      bytes += size;
    }
  }
  for (const path of unreadPaths) refused.set(path, TOO_MUCH);
  const texts = new Map<string, string | null | undefined>();
  const short = wanted.filter(({ size }) => size <= MAX_GRAPHQL_BYTES).map(({ oid }) => oid);
  const ids = [...new Set(short)];
  for (let from = 0; from < ids.length; from += BATCH_FILES) {
    const batch = ids.slice(from, from + BATCH_FILES);
    const fetched = await fetchTexts(access.client, access.place, batch, signal);
    for (const [oid, { text }] of fetched) texts.set(oid, text);
  }
  const files = new Map<string, string>();
  for (const { path, oid, text = texts.get(oid) } of [...wanted, ...named]) {
    const content = await contentOf(access, oid, text, signal);
    if (content.startsWith(LFS_POINTER)) refused.set(path, 'its content is in Git LFS');
    else files.set(path, content);
  }
  return { files, refused, left: unreadPaths };
}

/** First line of what Git LFS leaves in place of a file (git-lfs, docs/spec.md). */
const LFS_POINTER = 'version https://git-lfs.github.com/spec/v1';

/**
 * Returns a file's content. GraphQL cuts long texts, drops a byte order mark and guesses encodings,
 * so its text counts only if it has the blob's id; otherwise the bytes are fetched. Throws a
 * GitHubError.
 */
async function contentOf(
  { client, place }: BranchAccess,
  oid: string,
  text: string | null | undefined,
  signal: AbortSignal,
): Promise<string> {
  if (typeof text === 'string' && blobSha(Buffer.from(text)) === oid) return text;
  return decodeBytes(await fetchBlob({ client, repository: place }, oid, signal));
}

/** The newest commit of a branch, and its entries at the requested paths. */
type Newest =
  | {
      readonly kind: 'found';
      readonly repositoryId: string;
      readonly head: string;
      readonly treeId: string;
      readonly isPublic: boolean;
      readonly entries: ReadonlyMap<string, v.InferOutput<typeof entrySchema>>;
      readonly saved: ReadonlySet<string> | undefined;
    }
  | { readonly kind: 'missing'; readonly isPublic: boolean };

interface NewestRequest {
  readonly paths?: readonly string[];
  /** True to list the entries of folders too. */
  readonly lists?: boolean;
  /** Commit messages are read from this time on; not at all if it is undefined. */
  readonly since?: Date;
}

/**
 * Asks for paths of the newest commit. Branch and paths come from the same commit, since the paths
 * are fields of it. Throws a GitHubError.
 */
export async function fetchNewest(
  access: BranchAccess,
  { paths: requested = [], lists = false, since }: NewestRequest,
  signal: AbortSignal,
): Promise<Newest> {
  const { client, place } = access;
  const { owner, name, branch } = place;
  const paths = [...new Set(requested)];
  const named = paths.map((path, index) => [`p${index}`, path] as const);
  const data = await client.graphql(
    queryFor(
      named.map(([alias]) => alias),
      lists,
      since !== undefined,
    ),
    {
      variables: { owner, name, ref: `refs/heads/${branch}`, ...Object.fromEntries(named) },
      signal,
      missingIsNull: true,
    },
  );
  const { repository } = understood(answerSchema, data);
  if (repository === null) {
    const message = `GitHub knows no repository ${repositoryName(place)} that this token can see`;
    throw new GitHubError(message, { reason: 'missing' });
  }
  const isPublic = !repository.isPrivate;
  if (repository.ref === null) return { kind: 'missing', isPublic };
  const { oid: head, tree, history, ...fields } = repository.ref.target;
  const entries = named.flatMap(([alias, path]) => {
    const entry = understood(v.nullish(entrySchema), fields[alias]);
    return entry === null || entry === undefined ? [] : [[path, entry] as const];
  });
  const saved = since && history && (await savedSince(access, { head, history, since }, signal));
  const commit = { repositoryId: repository.id, head, treeId: tree.oid, isPublic, saved };
  return { kind: 'found', ...commit, entries: new Map(entries) };
}

/** The clocks of GitHub and of this machine may differ so much, in milliseconds. */
const CLOCK_SKEW_MS = 10 * 60_000;

/** Reads the ids that commits name since a time, on all pages. Throws a GitHubError. */
async function savedSince(
  { client, place: { owner, name } }: BranchAccess,
  {
    head,
    history,
    since,
  }: {
    readonly head: string;
    readonly history: v.InferOutput<typeof historySchema>;
    readonly since: Date;
  },
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  const saved = new Set<string>();
  for (let page = history; ; ) {
    for (const { message } of page.nodes)
      for (const [, id = ''] of message.matchAll(/^Axe-Save: (\S+)$/gm)) saved.add(decodeField(id));
    const oldestMs = Date.parse(page.nodes.at(-1)?.committedDate ?? '');
    const isFar = !(oldestMs > since.getTime() - CLOCK_SKEW_MS);
    if (isFar || !page.pageInfo.hasNextPage) return saved;
    const variables = { owner, name, head, after: page.pageInfo.endCursor };
    const answer = understood(
      historyAnswer,
      await client.graphql(HISTORY_QUERY, { variables, signal }),
    );
    page = answer.repository.object.history;
  }
}

const HISTORY = 'nodes { message committedDate } pageInfo { hasNextPage endCursor }';

const HISTORY_QUERY = `query ($owner: String!, $name: String!, $head: GitObjectID!, $after: String) {
  repository(owner: $owner, name: $name) {
    object(oid: $head) { ... on Commit { history(first: 100, after: $after) { ${HISTORY} } } }
  }
}`;

const historySchema = v.object({
  nodes: v.array(v.object({ message: v.string(), committedDate: v.string() })),
  pageInfo: v.object({ hasNextPage: v.boolean(), endCursor: v.nullish(v.string()) }),
});

const historyAnswer = v.object({
  repository: v.object({ object: v.object({ history: historySchema }) }),
});

/** The paths themselves are variables. */
function queryFor(aliases: readonly string[], lists: boolean, hasHistory: boolean): string {
  const variables = aliases.map((alias) => `, $${alias}: String!`).join('');
  const files = aliases.map((alias) => `${alias}: file(path: $${alias}) { ...entry }`).join('\n');
  const children = lists ? ' ... on Tree { entries { name type mode oid size } }' : '';
  const fragment = `fragment entry on TreeEntry { type mode oid size object { ... on Blob { text }${children} } }`;
  return `query ($owner: String!, $name: String!, $ref: String!${variables}) {
  repository(owner: $owner, name: $name) {
    id
    isPrivate
    ref(qualifiedName: $ref) {
      target {
        oid
        ... on Commit {
          tree { oid }
          ${hasHistory ? `history(first: 100) { ${HISTORY} }` : ''}
          ${files}
        }
      }
    }
  }
}
${aliases.length === 0 ? '' : fragment}`;
}

const answerSchema = v.object({
  repository: v.nullable(
    v.object({
      id: v.string(),
      isPrivate: v.boolean(),
      ref: v.nullable(
        v.object({
          target: v.looseObject({
            oid: v.string(),
            tree: v.object({ oid: v.string() }),
            history: v.optional(historySchema),
          }),
        }),
      ),
    }),
  ),
});

const entryFields = { type: v.string(), mode: v.number(), oid: v.string(), size: v.number() };

const childSchema = v.object({ ...entryFields, name: v.string() });

const entrySchema = v.object({
  ...entryFields,
  object: v.nullish(
    v.object({ text: v.nullish(v.string()), entries: v.nullish(v.array(childSchema)) }),
  ),
});
