import * as v from 'valibot';
import { decodeField } from '../../provenance.js';
import { type BranchAccess, noRepository, placeNotUnderstood } from './branch.js';

/** What stands in a commit, as GraphQL gives it. */
export interface GitEntry {
  readonly type: string;
  readonly mode: number;
  readonly oid: string;
  readonly sizeBytes: number;
}

export interface TreeEntry extends GitEntry {
  /** Of a blob: null where GitHub takes it for binary. */
  readonly text: string | null;
  /** What stands directly in a folder; only where `lists` asked for it. */
  readonly children: readonly (GitEntry & { readonly name: string })[] | undefined;
}

/** The newest commit of a branch and what stands at the paths that were asked for. */
type Newest =
  | {
      readonly kind: 'found';
      readonly head: string;
      readonly treeId: string;
      readonly isPublic: boolean;
      readonly entries: ReadonlyMap<string, TreeEntry>;
      readonly saved: ReadonlySet<string> | undefined;
    }
  | { readonly kind: 'missing'; readonly isPublic: boolean };

interface NewestRequest {
  readonly paths: readonly string[];
  /** Whether what stands in folders is listed. */
  readonly lists?: boolean | undefined;
  /** From when on the messages of its commits are read; undefined where they are not. */
  readonly since?: Date | undefined;
}

/**
 * Asks for paths of the newest commit. Branch and paths come from the same commit, since the paths are fields of it.
 * Throws a GitHubError.
 */
export async function fetchNewest(
  access: BranchAccess,
  { paths: requested, lists = false, since }: NewestRequest,
  signal: AbortSignal,
): Promise<Newest> {
  const { client, place } = access;
  const paths = [...new Set(requested)];
  const hasHistory = since !== undefined;
  const data = await client.graphql(queryFor(paths.length, { lists, hasHistory }), {
    variables: {
      owner: place.owner,
      name: place.name,
      ref: `refs/heads/${place.branch}`,
      ...Object.fromEntries(paths.map((path, index) => [`p${index}`, path])),
    },
    signal,
    missingIsNull: true,
  });
  const answer = v.safeParse(answerSchema, data);
  if (!answer.success) throw placeNotUnderstood('POST /graphql');
  const { repository } = answer.output;
  if (repository === null) throw noRepository(place);
  const isPublic = !repository.isPrivate;
  if (repository.ref === null) return { kind: 'missing', isPublic };
  const { oid: head, tree, history, ...fields } = repository.ref.target;
  const entries = new Map<string, TreeEntry>();
  for (const [index, path] of paths.entries()) {
    const entry = parseEntry(fields[`p${index}`]);
    if (entry !== undefined) entries.set(path, entry);
  }
  const saved =
    since === undefined || history === undefined
      ? undefined
      : await savedSince(access, { head, history, since }, signal);
  return { kind: 'found', head, treeId: tree.oid, isPublic, entries, saved };
}

/** The clocks of GitHub and of this machine may differ so much, in milliseconds. */
const CLOCK_SKEW_MS = 10 * 60_000;

/** The ids that commits name since then, on as many pages as there are. Throws a GitHubError. */
async function savedSince(
  { client, place }: BranchAccess,
  { head, history, since }: { readonly head: string; readonly history: History; readonly since: Date },
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  const saved = new Set<string>();
  for (let page = history; ; ) {
    for (const { message } of page.nodes)
      for (const [, id = ''] of message.matchAll(/^Axe-Save: (\S+)$/gm)) saved.add(decodeField(id));
    const oldestMs = Date.parse(page.nodes.at(-1)?.committedDate ?? '');
    const isFar = !(oldestMs > since.getTime() - CLOCK_SKEW_MS);
    if (isFar || !page.pageInfo.hasNextPage) return saved;
    const data = await client.graphql(HISTORY_QUERY, {
      variables: { owner: place.owner, name: place.name, head, after: page.pageInfo.endCursor },
      signal,
    });
    const answer = v.safeParse(historyAnswer, data);
    if (!answer.success) throw placeNotUnderstood('POST /graphql');
    page = answer.output.repository.object.history;
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

type History = v.InferOutput<typeof historySchema>;

const historyAnswer = v.object({
  repository: v.object({ object: v.object({ history: historySchema }) }),
});

/** Only the number of paths goes into the query; they themselves are variables. */
function queryFor(
  count: number,
  { lists, hasHistory }: { readonly lists: boolean; readonly hasHistory: boolean },
): string {
  const indexes = Array.from({ length: count }, (_, index) => index);
  const variables = indexes.map((index) => `, $p${index}: String!`).join('');
  const files = indexes.map((index) => `p${index}: file(path: $p${index}) { ...entry }`).join('\n');
  return `query ($owner: String!, $name: String!, $ref: String!${variables}) {
  repository(owner: $owner, name: $name) {
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
${count === 0 ? '' : entryFragment(lists)}`;
}

function entryFragment(lists: boolean): string {
  const children = lists ? ' ... on Tree { entries { name type mode oid size } }' : '';
  return `fragment entry on TreeEntry { type mode oid size object { ... on Blob { text }${children} } }`;
}

const answerSchema = v.object({
  repository: v.nullable(
    v.object({
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

const entrySchema = v.object({
  ...entryFields,
  object: v.nullish(
    v.object({
      text: v.nullish(v.string()),
      entries: v.nullish(v.array(v.object({ ...entryFields, name: v.string() }))),
    }),
  ),
});

/** Undefined where nothing is. */
function parseEntry(field: unknown): TreeEntry | undefined {
  if (field === null || field === undefined) return undefined;
  const parsed = v.safeParse(entrySchema, field);
  if (!parsed.success) throw placeNotUnderstood('POST /graphql');
  const { type, mode, oid, size, object } = parsed.output;
  const children = object?.entries?.map((child) => ({ ...child, sizeBytes: child.size }));
  return { type, mode, oid, sizeBytes: size, text: object?.text ?? null, children };
}
