import { createHash } from 'node:crypto';
import * as v from 'valibot';
import type { Repository } from '../../event/trigger.js';
import { ConfigError } from '../../lib/errors.js';
import { formatInteger } from '../../lib/text/format.js';
import {
  askGraphQl,
  askRest,
  orGitHubError,
  repositoryParams,
  unexpectedAnswer,
} from '../client/ask.js';
import type { GitHubClient } from '../client/client.js';
import { GitHubError } from '../client/errors.js';

/** Files as the base commit has them. */
export interface BaseCode {
  readonly repository: string;
  /** Every note is about this repository, also one that has its former name. */
  readonly isOnlyRepository: boolean;
  readonly commit: string;
  /** Whole texts by path, null if there is no such file; paths that were not read are left out. */
  readonly files: ReadonlyMap<string, string | null>;
  /** The requested commits that are in its history. */
  readonly history: ReadonlySet<string>;
  /** Current paths of renamed files, by their former paths. */
  readonly renamed: ReadonlyMap<string, string>;
}

/** The part of {@link BaseCode} that one request reads. */
export type FetchedCode = Pick<BaseCode, 'commit' | 'files' | 'history'>;

/** A commit, branch or tag of a repository, and how to ask for it. */
export interface RefPlace {
  readonly client: GitHubClient;
  readonly repository: Pick<Repository, 'owner' | 'name'>;
  readonly ref: string;
}

type PathAtRef =
  /** `path` is where the file lies, as GitHub says it: a link leads elsewhere. */
  | { readonly kind: 'file'; readonly path: string; readonly bytes: Uint8Array }
  /** At most 1,000 names. */
  | { readonly kind: 'folder'; readonly names: readonly string[] }
  | { readonly kind: 'missing' }
  /** A link, a submodule, or a file over the limit: half a sentence that says so. */
  | { readonly kind: 'refused'; readonly reason: string };

const contentSchema = v.object({
  type: v.string(),
  size: v.fallback(v.number(), 0),
  sha: v.fallback(v.string(), ''),
  path: v.fallback(v.string(), ''),
  encoding: v.fallback(v.string(), ''),
  content: v.fallback(v.string(), ''),
  entries: v.optional(v.array(v.object({ name: v.string() })), []),
});

/**
 * Reads a path through the contents API, byte for byte. A link to a file of the same ref is
 * followed by GitHub itself; any other is refused. Throws a GitHubError.
 */
export async function readPathAt(
  place: RefPlace,
  { path, maxBytes }: { readonly path: string; readonly maxBytes: number },
  signal: AbortSignal,
): Promise<PathAtRef> {
  const { client, repository, ref } = place;
  const route = 'GET /repos/{owner}/{repo}/contents/{path}';
  const params = { ...repositoryParams(repository), path, ref };
  const body = await orGitHubError(
    askRest(client, { route, params, accept: OBJECT }, v.unknown(), signal),
    'missing',
  );
  if (body instanceof GitHubError) return { kind: 'missing' };
  const answer = v.safeParse(contentSchema, body);
  if (!answer.success) return { kind: 'refused', reason: "GitHub's answer is not understood" };
  const { type, size, sha, encoding, content, entries } = answer.output;
  if (type === 'dir') return { kind: 'folder', names: entries.map(({ name }) => name) };
  if (type !== 'file') return { kind: 'refused', reason: `it is a ${type}, not a file` };
  if (size > maxBytes) {
    const reason = `it has ${formatInteger(size)} bytes; the limit is ${formatInteger(maxBytes)}`;
    return { kind: 'refused', reason };
  }
  const bytes = encoding === 'base64' ? decodeBase64(content) : await fetchBlob(place, sha, signal);
  return { kind: 'file', path: answer.output.path || path, bytes };
}

/** Answers also for files over 1 MB, without their content, and tells a folder from a file. */
const OBJECT = 'application/vnd.github.object+json';

/** `octocat/hello@main:axe/agents/a.toml`, for people; a sha is shortened. */
export function locationOf({ repository, ref }: RefPlace, path: string): string {
  const shortRef = /^[0-9a-f]{40,64}$/.test(ref) ? ref.slice(0, 7) : ref;
  return `${repository.owner}/${repository.name}@${shortRef}:${path}`;
}

/** A blob's bytes, of any size up to 100 MB. Throws a GitHubError. */
export async function fetchBlob(
  { client, repository }: Omit<RefPlace, 'ref'>,
  sha: string,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const route = 'GET /repos/{owner}/{repo}/git/blobs/{file_sha}';
  const params = { ...repositoryParams(repository), file_sha: sha };
  return decodeBase64((await askRest(client, { route, params }, blobSchema, signal)).content);
}

/** The name that git gives to a file's bytes. */
export function blobSha(bytes: Uint8Array): string {
  return createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
}

const textSchema = v.object({
  isBinary: v.nullish(v.boolean()),
  isTruncated: v.nullish(v.boolean()),
  text: v.nullish(v.string()),
});
type BlobText = v.InferOutput<typeof textSchema>;
const textsSchema = v.object({ repository: v.record(v.string(), v.unknown()) });

const BLOB_FIELDS = '... on Blob { isBinary isTruncated text }';

/** Levels of a folder that is read whole. */
const FOLDER_LEVELS = 3;

/** The fields of a folder's files; GraphQL cannot repeat a query by itself. */
function folderFields(levels: number): string {
  const below = levels > 1 ? ` ... on Tree { ${folderFields(levels - 1)} }` : '';
  return `entries { name object { ${BLOB_FIELDS}${below} } }`;
}

const folderSchema = v.object({
  entries: v.array(v.object({ name: v.string(), object: v.nullish(v.unknown()) })),
});

/** The files of a folder, in the form of {@link fetchTexts}. */
function textsIn(folder: unknown, name: string): readonly (readonly [string, BlobText])[] {
  if (!v.is(folderSchema, folder))
    return v.is(textSchema, folder) && !name.endsWith('/') ? [[name, folder]] : [];
  return folder.entries.flatMap((entry) => {
    const isFolder = v.is(folderSchema, entry.object);
    return textsIn(entry.object, `${name}${entry.name}${isFolder ? '/' : ''}`);
  });
}

/**
 * Texts of files, each named by its sha or as `ref:path`, in one request; files that do not exist
 * are left out. A name that ends in `/` is a folder, whose files are given with those of two more
 * levels. GitHub cuts long texts and converts bytes that are not UTF-8, so a text is that of
 * the file only if {@link blobSha} says so. Throws a GitHubError.
 */
export async function fetchTexts(
  client: GitHubClient,
  { owner, name }: { readonly owner: string; readonly name: string },
  names: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, BlobText>> {
  const aliased = names.map((fileName, index) => [`file${index}`, fileName] as const);
  const variables = aliased.map(([alias]) => `, $${alias}: String!`).join('');
  const fields = aliased.map(([alias, fileName]) => {
    const folder = fileName.endsWith('/') ? ` ... on Tree { ${folderFields(FOLDER_LEVELS)} }` : '';
    return `${alias}: object(expression: $${alias}) { ${BLOB_FIELDS}${folder} }`;
  });
  const query = `query ($owner: String!, $name: String!${variables}) {
  repository(owner: $owner, name: $name) {
    ${fields.join('\n    ')}
  }
}`;
  const expressions = aliased.map(([alias, fileName]) => [alias, fileName.replace(/\/$/, '')]);
  const params = { owner, name, ...Object.fromEntries(expressions) };
  const { repository } = await askGraphQl(
    client,
    { query, variables: params, permission: 'contents: read' },
    textsSchema,
    signal,
  );
  return new Map(
    aliased.flatMap(([alias, fileName]) => {
      const object = repository[alias];
      if (fileName.endsWith('/')) return textsIn(object, fileName);
      return v.is(textSchema, object) ? [[fileName, object] as const] : [];
    }),
  );
}

/**
 * Texts of files as a commit has them, in one request: null for one that is not there, undefined
 * for one that is binary or too large. Throws a GitHubError.
 */
export async function fetchFilesAt(
  client: GitHubClient,
  { repository, commit }: { readonly repository: Repository; readonly commit: string },
  paths: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string | null | undefined>> {
  const names = paths.map((path) => `${commit}:${path}`);
  const blobs = await fetchTexts(client, repository, [commit, ...names], signal);
  // No file is missing of a commit that GitHub does not have here.
  const missing = blobs.has(commit) ? null : undefined;
  return new Map(
    paths.map((path, index) => {
      const blob = blobs.get(names[index] ?? '');
      if (blob === undefined) return [path, missing];
      const isWhole = blob.isBinary !== true && blob.isTruncated !== true;
      return [path, isWhole ? (blob.text ?? undefined) : undefined];
    }),
  );
}

const treeSchema = v.object({
  truncated: v.fallback(v.boolean(), false),
  tree: v.array(
    v.object({
      path: v.string(),
      mode: v.string(),
      type: v.string(),
      sha: v.string(),
      size: v.fallback(v.number(), 0),
    }),
  ),
});

/**
 * Everything a ref or tree holds, as far as GitHub lists it at once: 100,000 entries or 7 MB (REST
 * API, "Get a tree"). Throws a GitHubError.
 */
export function fetchTree({ client, repository, ref }: RefPlace, signal: AbortSignal) {
  const params = { ...repositoryParams(repository), tree_sha: ref, recursive: '1' };
  return askRest(
    client,
    { route: 'GET /repos/{owner}/{repo}/git/trees/{tree_sha}', params },
    treeSchema,
    signal,
  );
}

/** Blobs always come in base64 (REST API, "Get a blob"). */
const blobSchema = v.object({ content: v.string(), encoding: v.literal('base64') });

function decodeBase64(content: string): Uint8Array {
  return new Uint8Array(Buffer.from(content, 'base64'));
}

/**
 * A path as the API takes it: relative to the repository's root, without `.` or empty parts; the
 * empty string is the root. `workspace` is the root's place on the runner. Throws a ConfigError for
 * a path that leads outside.
 */
export function repositoryPath(path: string, workspace?: string): string {
  const root = `${(workspace ?? '').replace(/\/+$/, '')}/`;
  const relative = root !== '/' && `${path}/`.startsWith(root) ? path.slice(root.length) : path;
  const parts = relative.split('/').filter((part) => part !== '' && part !== '.');
  if (relative.startsWith('/') || parts.includes('..') || /[\\\0]/.test(relative)) {
    throw new ConfigError(`the path ${JSON.stringify(path)} is not in the repository`, {
      remedy: 'In a workflow, name files by their path from the root of the repository.',
    });
  }
  return parts.join('/');
}

/**
 * The sha of the commit that a branch, a tag or a sha names now. Throws a GitHubError: `missing`
 * for a repository that is not there or not to be seen, `invalid` for a ref it does not have (REST
 * API, "Get a commit").
 */
export async function resolveCommit(
  { client, repository, ref }: RefPlace,
  signal: AbortSignal,
): Promise<string> {
  const route = 'GET /repos/{owner}/{repo}/commits/{ref}';
  const params = { ...repositoryParams(repository), ref };
  const { body } = await client.request(route, { params, accept: SHA, signal });
  if (typeof body === 'string' && /^[0-9a-f]{40,64}$/.test(body.trim())) return body.trim();
  throw unexpectedAnswer(`GET /repos/${repository.owner}/${repository.name}/commits/${ref}`);
}

const SHA = 'application/vnd.github.sha';

/**
 * Files of a branch, the default one if it is undefined, as its newest commit has them, and which
 * commits are in its history, in one request. Undefined where the branch is not there. Throws a
 * GitHubError.
 */
export async function fetchBaseCode(
  client: GitHubClient,
  {
    repository: { owner, name },
    branch,
    paths,
    commits,
  }: {
    readonly repository: Pick<Repository, 'owner' | 'name'>;
    readonly branch: string | undefined;
    readonly paths: readonly string[];
    readonly commits: readonly string[];
  },
  signal: AbortSignal,
): Promise<FetchedCode | undefined> {
  const files = paths.map((path, index) => [`p${index}`, path] as const);
  const compared = commits.map((sha, index) => [`c${index}`, sha] as const);
  const ref = branch === undefined ? [] : [['ref', `refs/heads/${branch}`] as const];
  const aliased = [...files, ...compared, ...ref];
  const tip = branch === undefined ? 'defaultBranchRef' : 'ref(qualifiedName: $ref)';
  const query = `query ($owner: String!, $name: String!${aliased.map(([alias]) => `, $${alias}: String!`).join('')}) {
  repository(owner: $owner, name: $name) {
    base: ${tip} { target { ... on Commit { oid ${files.map(([alias]) => `${alias}: file(path: $${alias}) { ${CODE} }`).join(' ')} } } }
    history: ${tip} { name ${compared.map(([alias]) => `${alias}: compare(headRef: $${alias}) { aheadBy }`).join(' ')} }
  }
}`;
  const variables = { owner, name, ...Object.fromEntries(aliased) };
  const answer = await askGraphQl(
    client,
    {
      query,
      variables,
      permission: 'contents: read',
      missingIsNull: true,
      // A commit that GitHub does not compare is in no history that we know.
      mayLack: [{ field: 'history', permission: 'contents: read', onLack: () => undefined }],
    },
    answerSchema,
    signal,
  );
  const { base, history } = answer.repository;
  if (base === null) return undefined;
  const { oid: commit, ...entries } = base.target;
  const texts = new Map<string, string | null>();
  for (const [alias, path] of files) {
    const text = textOf(entries[alias]);
    if (text !== undefined) texts.set(path, text);
  }
  const known = compared.filter(([alias]) => v.is(inHistorySchema, history?.[alias]));
  return { commit, files: texts, history: new Set([commit, ...known.map(([, sha]) => sha)]) };
}

/**
 * The path to which the newest commit of a path renamed the file; undefined if that commit did
 * something else. Throws a GitHubError.
 */
export async function fetchRenamedPath(
  { client, repository, branch }: Omit<RefPlace, 'ref'> & { readonly branch: string | undefined },
  path: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const place = repositoryParams(repository);
  const newest = { ...place, path, per_page: 1, ...(branch !== undefined && { sha: branch }) };
  const list = { route: 'GET /repos/{owner}/{repo}/commits', params: newest } as const;
  const [commit] = await askRest(client, list, v.array(v.object({ sha: v.string() })), signal);
  if (commit === undefined) return undefined;

  const params = { ...place, ref: commit.sha };
  const single = { route: 'GET /repos/{owner}/{repo}/commits/{ref}', params } as const;
  const { files } = await askRest(client, single, commitFilesSchema, signal);
  return files.find((file) => file.status === 'renamed' && file.previous_filename === path)
    ?.filename;
}

const commitFilesSchema = v.object({
  files: v.fallback(
    v.array(
      v.object({
        filename: v.string(),
        status: v.string(),
        previous_filename: v.optional(v.string()),
      }),
    ),
    [],
  ),
});

const CODE = 'object { ... on Blob { text isTruncated } }';

const answerSchema = v.object({
  repository: v.object({
    base: v.nullable(v.object({ target: v.looseObject({ oid: v.string() }) })),
    history: v.nullish(v.record(v.string(), v.unknown())),
  }),
});

const inHistorySchema = v.object({ aheadBy: v.literal(0) });

const entrySchema = v.object({
  object: v.nullish(
    v.object({ text: v.nullish(v.string()), isTruncated: v.optional(v.boolean()) }),
  ),
});

/** Null if there is no file; undefined if it is binary, or GitHub does not give all of it. */
function textOf(entry: unknown): string | null | undefined {
  if (entry === null || entry === undefined) return null;
  if (!v.is(entrySchema, entry)) return undefined;
  const { object } = entry;
  if (object?.isTruncated === undefined) return null;
  return object.isTruncated ? undefined : (object.text ?? undefined);
}
