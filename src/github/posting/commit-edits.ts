import * as v from 'valibot';
import type { Repository } from '../../event/trigger.js';
import { shown } from '../../lib/text/format.js';
import type { Edits } from '../../tools/workspace/changes.js';
import { askGraphQl, notUnderstood } from '../client/ask.js';
import type { GitHubClient } from '../client/client.js';
import { GitHubError, GRAPHQL } from '../client/errors.js';
import { blobSha } from '../reading/contents.js';

/** Login and name that the job's own token acts under. */
const JOB = 'github-actions[bot]';

interface NewCommit {
  readonly edits: Edits;
  /** Went through outbound cleaning (D24). */
  readonly message: { readonly headline: string; readonly body?: string | undefined };
}

interface MadeCommit {
  readonly oid: string;
  /** The job's own token has made it, so its workflows wait for a person. */
  readonly isByJob: boolean;
}

/**
 * Commits edits on a branch that others push to. The commit is put on the newest one, if every file is there what the run has
 * read; where the branch moves just then, that is looked at again. Throws a GitHubError.
 */
export async function commitEdits(
  client: GitHubClient,
  repository: Repository,
  branch: string,
  commit: NewCommit,
  signal: AbortSignal,
): Promise<MadeCommit & { readonly url: string }> {
  const { edits } = commit;
  let lost = false;
  for (let attempt = 1; ; attempt += 1) {
    const state = await fetchState(client, repository, { base: branch, edits }, signal);
    // GitHub may have made the commit although its answer did not come.
    if (lost && [...edits].every(([path, { after }]) => isAt(path, after, state)))
      return { oid: state.head, isByJob: false, url: state.url };
    requireUnmoved(edits, branch, state);
    try {
      const made = await commitOnBranch(client, repository, branch, state.head, commit, signal);
      return { ...made, url: state.url };
    } catch (thrown) {
      if (!(thrown instanceof GitHubError) || attempt === MAX_ATTEMPTS) throw thrown;
      const isLost = thrown.reason === 'unavailable';
      if (!isLost && !MOVED.test(thrown.message)) throw thrown;
      // Once an answer was lost, a branch that moved may have our own commit.
      lost ||= isLost;
    }
  }
}

const MAX_ATTEMPTS = 3;
/** GitHub's words where a branch is not at the commit that was expected. */
const MOVED = /expected branch to point to/i;

/** Asks for the base, for what it has at each path and the folders above it, and for the branches, all at one moment. */
export async function fetchState(
  client: GitHubClient,
  { owner, name }: Repository,
  { base, edits, branches = [] }: { base: string; edits: Edits; branches?: readonly string[] },
  signal: AbortSignal,
) {
  const paths = [...new Set([...edits.keys()].flatMap((path) => [path, ...foldersAbove(path)]))];
  const files = paths.map((path, at) => [`file${at}`, path] as const);
  const refs = branches.map((branch, at) => [`branch${at}`, `refs/heads/${branch}`] as const);
  const variables = [...files, ...refs].map(([alias]) => `, $${alias}: String!`).join('');
  const query = `query ($owner: String!, $name: String!, $base: String!${variables}) {
  repository(owner: $owner, name: $name) {
    id
    url
    base: ref(qualifiedName: $base) {
      target { oid ... on Commit {
        ${files.map(([alias]) => `${alias}: file(path: $${alias}) { oid type mode }`).join('\n        ')}
      } }
    }
    ${refs.map(([alias]) => `${alias}: ref(qualifiedName: $${alias}) { target { oid } }`).join('\n    ')}
  }
}`;
  const asked = { owner, name, base: `refs/heads/${base}`, ...Object.fromEntries([...files, ...refs]) };
  const permission = 'contents: read';
  const missing = { missingIsNull: true };
  const answer = await askGraphQl(client, query, asked, stateSchema, permission, signal, missing);
  const { id, url, base: at, ...others } = answer.repository;
  if (at === null) throw refusedChange(`there is no branch ${shown(base)}`);
  const entries = new Map<string, v.InferOutput<typeof entrySchema>>();
  for (const [alias, path] of files) {
    const entry = v.safeParse(v.nullable(entrySchema), at.target[alias]);
    if (!entry.success) throw notUnderstood(GRAPHQL);
    if (entry.output !== null) entries.set(path, entry.output);
  }
  const heads = branches.flatMap((branch, index) => {
    const found = others[`branch${index}`];
    return v.is(branchSchema, found) ? [[branch, found.target.oid] as const] : [];
  });
  return {
    repositoryId: id,
    /** The repository's address. */
    url,
    /** Newest commit of the base. */
    head: at.target.oid,
    entries,
    /** Newest commits of those branches that are there. */
    branches: new Map(heads),
  };
}

/** The repository before the change. */
type State = Awaited<ReturnType<typeof fetchState>>;

const entrySchema = v.object({ oid: v.string(), type: v.string(), mode: v.number() });
const branchSchema = v.object({ target: v.object({ oid: v.string() }) });
const stateSchema = v.object({
  repository: v.looseObject({
    id: v.string(),
    url: v.string(),
    base: v.nullable(v.object({ target: v.looseObject({ oid: v.string() }) })),
  }),
});

function foldersAbove(path: string): readonly string[] {
  const names = path.split('/').slice(0, -1);
  return names.map((_, at) => names.slice(0, at + 1).join('/'));
}

export function refusedChange(message: string, remedy?: string): GitHubError {
  return new GitHubError(message, { reason: 'invalid', remedy });
}

const PLAIN_FILE = 0o100644;

/** Whether a path has these bytes, or nothing. */
function isAt(path: string, bytes: Uint8Array | undefined, { entries }: State): boolean {
  const isInFolders = foldersAbove(path).every((folder) => (entries.get(folder)?.type ?? 'tree') === 'tree');
  return isInFolders && entries.get(path)?.oid === (bytes && blobSha(bytes));
}

/** Throws a GitHubError that names the files which are not what the run has read, or that a commit cannot carry. */
export function requireUnmoved(edits: Edits, base: string, state: State): void {
  const { entries } = state;
  const moved = [...edits].flatMap(([path, { before }]) => (isAt(path, before, state) ? [] : [shown(path)]));
  if (moved.length > 0) {
    const are = moved.length === 1 ? 'is' : 'are';
    throw refusedChange(
      `${moved.join(', ')} ${are} not as the run has read ${moved.length === 1 ? 'it' : 'them'} on ${shown(base)}`,
      `Run it again. A checkout has to be of ${shown(base)}.`,
    );
  }
  const special = [...edits.keys()].filter((path) => (entries.get(path)?.mode ?? PLAIN_FILE) !== PLAIN_FILE);
  if (special.length > 0)
    throw refusedChange(
      `${special.map(shown).join(', ')}: a commit through the API cannot keep links or executable files`,
      'Leave these files out, or change them by hand.',
    );
}

/** Makes the commit on a branch that is at `head`. Throws a GitHubError. */
export async function commitOnBranch(
  client: GitHubClient,
  { owner, name }: Repository,
  branch: string,
  head: string,
  { edits, message }: NewCommit,
  signal: AbortSignal,
): Promise<MadeCommit> {
  const additions: object[] = [];
  const deletions: object[] = [];
  for (const [path, { after }] of edits) {
    if (after === undefined) deletions.push({ path });
    else additions.push({ path, contents: Buffer.from(after).toString('base64') });
  }
  const input = {
    branch: { repositoryNameWithOwner: `${owner}/${name}`, branchName: branch },
    expectedHeadOid: head,
    message,
    fileChanges: { additions, deletions },
  };
  const query = `mutation ($input: CreateCommitOnBranchInput!) {
  createCommitOnBranch(input: $input) { commit { oid author { name } } }
}`;
  const answer = await askGraphQl(client, query, { input }, commitSchema, 'contents: write', signal);
  const { oid, author } = answer.createCommitOnBranch.commit;
  return { oid, isByJob: author?.name === JOB };
}

const commitSchema = v.object({
  createCommitOnBranch: v.object({
    commit: v.object({ oid: v.string(), author: v.nullish(v.object({ name: v.nullish(v.string()) })) }),
  }),
});
