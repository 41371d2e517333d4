import { randomUUID } from 'node:crypto';
import * as v from 'valibot';
import type { Repository } from '../../event/trigger.js';
import { quoteLine } from '../../lib/text/format.js';
import { foldersAbove } from '../../lib/text/glob.js';
import { formatMark, isMarked, type Mark } from '../../safety/mark.js';
import {
  askGraphQl,
  askRest,
  createOnce,
  orGitHubError,
  repositoryParams,
  unexpectedAnswer,
} from '../client/ask.js';
import type { GitHubClient } from '../client/client.js';
import { GitHubError, GRAPHQL } from '../client/errors.js';
import { NO_COMMIT } from '../reading/checks.js';
import { blobSha } from '../reading/contents.js';

/** A file before a run's first edit and after its last one; undefined for a missing file. */
export interface Edit {
  readonly before: Uint8Array | undefined;
  readonly after: Uint8Array | undefined;
}

/** Edits by path from the root of the repository. */
export type FileEdits = ReadonlyMap<string, Edit>;

/** A change of files that people are asked to merge. Its texts are sanitized already. */
interface ProposedChange {
  readonly repository: Repository;
  /** Branch to merge into; an open pull request keeps its own unless `isBaseAsked`. */
  readonly base: string;
  readonly isBaseAsked?: boolean;
  /** Branch for the commit; if it is taken, the next free one with a number at the end. */
  readonly branch: string;
  readonly edits: FileEdits;
  /** The headline of the commit. */
  readonly message: string;
  readonly title: string;
  readonly body: string;
  /** Finds the pull request of an earlier run with the same task again. */
  readonly mark: Mark;
}

/**
 * Commits edits on top of a branch and opens a pull request for them, or updates the open one of an
 * earlier run. GitHub itself makes the commit, so it is shown as verified. At the newest commit,
 * every file must be as the run has read it. A branch with any commit but ours is left alone.
 * Throws a GitHubError, and leaves no branch behind then.
 */
export async function proposeChange(
  client: GitHubClient,
  change: ProposedChange,
  signal: AbortSignal,
): Promise<{
  readonly number: number;
  readonly url: string;
  readonly branch: string;
  readonly created: boolean;
  /** The job's own token made the commit, so its workflows wait for a person. */
  readonly isByJob: boolean;
}> {
  const { repository, base, title, edits } = change;
  const branches = branchesFor(change.branch);
  const state = await fetchState(client, repository, { base, edits, branches }, signal);
  const { branch, from, pull } = await chooseBranch(client, change, state.branches, signal);
  const open = pull && isOpen(pull) ? pull : undefined;
  if (open !== undefined && open.base.ref !== base && change.isBaseAsked !== true)
    return await proposeChange(client, { ...change, base: open.base.ref }, signal);
  requireUnchanged(edits, base, state);

  // GitHub closes the pull request of a branch that is reset to its base, even for a moment.
  const here = repositoryParams(repository);
  const target = from === undefined ? branch : `${branch}-${randomUUID().slice(0, 8)}`;
  const ref = { ...here, ref: `refs/heads/${target}`, sha: state.head };
  await client.request('POST /repos/{owner}/{repo}/git/refs', { params: ref, signal });
  try {
    const message = { headline: change.message };
    const { oid, isByJob } = await commitOnBranch(
      client,
      { repository, branch: target, head: state.head, edits, message },
      signal,
    );
    if (from !== undefined) {
      const refUpdates = [
        { name: `refs/heads/${branch}`, beforeOid: from, afterOid: oid, force: true },
        { name: `refs/heads/${target}`, beforeOid: oid, afterOid: NO_COMMIT },
      ];
      const variables = { input: { repositoryId: state.repositoryId, refUpdates } };
      await askGraphQl(
        client,
        { query: MOVE_BRANCH, variables, permission: 'contents: write' },
        v.unknown(),
        signal,
      );
    }

    const body = [formatMark({ ...change.mark, commit: oid }), change.body].join('\n');
    const params = { ...here, title, body, base };
    const openRequest = { route: OPEN_PULL, params: { ...params, head: branch } };
    const updateRequest = { route: UPDATE_PULL, params: { ...params, pull_number: open?.number } };
    const openPull = () => askRest(client, openRequest, pullSchema, signal);
    const findOpenPull = async () =>
      (await listPulls(client, repository, branch, signal)).find(isOpen);
    const { number, html_url: url } =
      open === undefined
        ? await createOnce(openPull, findOpenPull)
        : await askRest(client, updateRequest, pullSchema, signal);
    return { number, url, branch, created: open === undefined, isByJob };
  } catch (thrown) {
    if (!(thrown instanceof GitHubError)) throw thrown;
    // A failure of the deletion must not hide the error.
    const params = { ...here, ref: `heads/${target}` };
    await orGitHubError(
      client.request('DELETE /repos/{owner}/{repo}/git/refs/{ref}', { params, signal }),
    );
    throw thrown.with({ remedy: thrown.remedy ?? PERMISSIONS });
  }
}

const OPEN_PULL = 'POST /repos/{owner}/{repo}/pulls';
const UPDATE_PULL = 'PATCH /repos/{owner}/{repo}/pulls/{pull_number}';

/** Moves a branch to the commit, if it is still at its known one, and deletes the temporary one. */
const MOVE_BRANCH =
  'mutation ($input: UpdateRefsInput!) { updateRefs(input: $input) { clientMutationId } }';

const PERMISSIONS =
  'It needs `contents: write` and `pull-requests: write` under `permissions:` of the job.';

/** Branches that are tried, one after the other, if earlier ones belong to somebody else. */
const MAX_BRANCHES = 9;

/** The preferred name of a branch, then the names to use if it is taken. */
function branchesFor(branch: string): readonly string[] {
  return Array.from({ length: MAX_BRANCHES }, (_, index) =>
    index === 0 ? branch : `${branch}-${index + 1}`,
  );
}

/**
 * The first branch that is free, or that is an earlier run's: then one of our pull requests, open
 * or closed, names its newest commit.
 */
async function chooseBranch(
  client: GitHubClient,
  { repository, branch: wanted, mark }: ProposedChange,
  branches: ReadonlyMap<string, string>,
  signal: AbortSignal,
): Promise<{ readonly branch: string; readonly from?: string; readonly pull?: FoundPull }> {
  for (const branch of branchesFor(wanted)) {
    const from = branches.get(branch);
    if (from === undefined) return { branch };

    const pulls = await listPulls(client, repository, branch, signal);
    const ours = pulls.filter(({ body }) => isMarked(body ?? '', { ...mark, commit: from }));
    const pull = ours.find(isOpen) ?? ours[0];
    if (pull !== undefined) return { branch, from, pull };
  }
  throw refusedChange(
    `the branches ${quoteLine(wanted)} to \`${wanted}-${MAX_BRANCHES}\` are all taken`,
    'Delete those that are no longer needed.',
  );
}

const pullSchema = v.object({
  number: v.number(),
  html_url: v.string(),
  state: v.string(),
  body: v.nullable(v.string()),
  merged_at: v.nullish(v.string()),
  head: v.object({ ref: v.string() }),
  base: v.object({ ref: v.string() }),
});

type FoundPull = v.InferOutput<typeof pullSchema>;

function isOpen({ state }: FoundPull): boolean {
  return state === 'open';
}

/**
 * Pull requests of the branches for a change that were closed without a merge; the newest of each
 * branch. Throws a GitHubError.
 */
export async function listClosedPulls(
  client: GitHubClient,
  repository: Repository,
  branch: string,
  signal: AbortSignal,
): Promise<readonly { readonly url: string; readonly body: string }[]> {
  const names = branchesFor(branch);
  const pulls = await Promise.all(names.map((name) => listPulls(client, repository, name, signal)));
  return pulls
    .flat()
    .filter((pull) => !isOpen(pull) && typeof pull.merged_at !== 'string')
    .map(({ html_url, body }) => ({ url: html_url, body: body ?? '' }));
}

/** The newest pull requests of a branch, open and closed. */
async function listPulls(
  client: GitHubClient,
  repository: Repository,
  branch: string,
  signal: AbortSignal,
): Promise<readonly FoundPull[]> {
  const head = `${repository.owner}:${branch}`;
  const params = { ...repositoryParams(repository), state: 'all', head, per_page: 20 };
  const pulls = await askRest(
    client,
    { route: 'GET /repos/{owner}/{repo}/pulls', params },
    v.array(pullSchema),
    signal,
  );
  return pulls.filter((pull) => pull.head.ref === branch);
}

/** Login and name of the job's own token. */
const JOB = 'github-actions[bot]';

/** Headline and body of a commit, which are sanitized already. */
interface CommitMessage {
  readonly headline: string;
  readonly body?: string;
}

interface EditsToCommit {
  readonly repository: Repository;
  readonly branch: string;
  readonly edits: FileEdits;
  readonly message: CommitMessage;
}

/**
 * Commits edits on a branch that others push to, on top of its newest commit, if every file there
 * is as the run has read it. If the branch moves at that moment, this is checked again. Throws a
 * GitHubError.
 */
export async function commitEdits(
  client: GitHubClient,
  { repository, branch, edits, message }: EditsToCommit,
  signal: AbortSignal,
) {
  let wasAnswerLost = false;
  for (let attempt = 1; ; attempt += 1) {
    const state = await fetchState(client, repository, { base: branch, edits }, signal);
    // GitHub may have made the commit although its answer was lost.
    if (wasAnswerLost && [...edits].every(([path, { after }]) => isAt(path, after, state)))
      return { oid: state.head, isByJob: false, url: state.url };

    requireUnchanged(edits, branch, state);
    try {
      const made = await commitOnBranch(
        client,
        { repository, branch, head: state.head, edits, message },
        signal,
      );
      return { ...made, url: state.url };
    } catch (thrown) {
      if (!(thrown instanceof GitHubError) || attempt === MAX_ATTEMPTS) throw thrown;
      const isLost = thrown.reason === 'unavailable';
      if (!isLost && thrown.reason !== 'moved') throw thrown;
      // After a lost answer, a branch that moved may have our own commit.
      wasAnswerLost ||= isLost;
    }
  }
}

const MAX_ATTEMPTS = 3;

/**
 * Reads the base, its entries at each path and at the folders above it, and the branches, all in
 * one request, so that they are of one moment.
 */
async function fetchState(
  client: GitHubClient,
  { owner, name }: Repository,
  { base, edits, branches = [] }: { base: string; edits: FileEdits; branches?: readonly string[] },
  signal: AbortSignal,
) {
  const paths = [...new Set([...edits.keys()].flatMap((path) => [path, ...foldersAbove(path)]))];
  const files = paths.map((path, index) => [`file${index}`, path] as const);
  const refs = branches.map((branch, index) => [`branch${index}`, `refs/heads/${branch}`] as const);
  const declarations = [...files, ...refs].map(([alias]) => `, $${alias}: String!`).join('');
  const query = `query ($owner: String!, $name: String!, $base: String!${declarations}) {
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

  const variables = {
    owner,
    name,
    base: `refs/heads/${base}`,
    ...Object.fromEntries([...files, ...refs]),
  };
  const permission = 'contents: read';
  const missing = { missingIsNull: true };
  const answer = await askGraphQl(
    client,
    { query, variables, permission, ...missing },
    stateSchema,
    signal,
  );
  const { id, url, base: baseRef, ...refsByAlias } = answer.repository;
  if (baseRef === null) throw refusedChange(`there is no branch ${quoteLine(base)}`);

  const entries = new Map<string, v.InferOutput<typeof entrySchema>>();
  for (const [alias, path] of files) {
    const entry = v.safeParse(v.nullable(entrySchema), baseRef.target[alias]);
    if (!entry.success) throw unexpectedAnswer(GRAPHQL);
    if (entry.output !== null) entries.set(path, entry.output);
  }
  const heads = branches.flatMap((branch, index) => {
    const ref = refsByAlias[`branch${index}`];
    return v.is(branchSchema, ref) ? [[branch, ref.target.oid] as const] : [];
  });

  return {
    repositoryId: id,
    /** The repository's address. */
    url,
    /** Newest commit of the base. */
    head: baseRef.target.oid,
    entries,
    /** Newest commits of the branches that exist. */
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

export function refusedChange(message: string, remedy?: string): GitHubError {
  return new GitHubError(message, { reason: 'invalid', remedy });
}

const PLAIN_FILE = 0o100644;

/** The path has exactly these bytes; for undefined, it has no file. */
function isAt(path: string, bytes: Uint8Array | undefined, { entries }: State): boolean {
  const isInFolders = foldersAbove(path).every(
    (folder) => (entries.get(folder)?.type ?? 'tree') === 'tree',
  );
  return isInFolders && entries.get(path)?.oid === (bytes && blobSha(bytes));
}

/** Throws a GitHubError if a file is not as the run has read it, or if a commit cannot carry it. */
function requireUnchanged(edits: FileEdits, base: string, state: State): void {
  const { entries } = state;
  const changed = [...edits].flatMap(([path, { before }]) =>
    isAt(path, before, state) ? [] : [quoteLine(path)],
  );
  if (changed.length > 0) {
    const isOne = changed.length === 1;
    const are = isOne ? 'is' : 'are';
    const them = isOne ? 'it' : 'them';
    throw refusedChange(
      `${changed.join(', ')} ${are} not as the run has read ${them} on ${quoteLine(base)}`,
      `Run it again. If the workflow checks out a branch, it must be ${quoteLine(base)}.`,
    );
  }

  const special = [...edits.keys()].filter(
    (path) => (entries.get(path)?.mode ?? PLAIN_FILE) !== PLAIN_FILE,
  );
  if (special.length > 0)
    throw refusedChange(
      `${special.map(quoteLine).join(', ')}: a commit through the API cannot keep links or executable files`,
      'Leave these files out, or change them by hand.',
    );
}

/** Makes the commit on a branch that is at `head`. Throws a GitHubError. */
async function commitOnBranch(
  client: GitHubClient,
  { repository, branch, head, edits, message }: EditsToCommit & { readonly head: string },
  signal: AbortSignal,
): Promise<{ readonly oid: string; readonly isByJob: boolean }> {
  const { owner, name } = repository;
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
  const answer = await askGraphQl(
    client,
    { query, variables: { input }, permission: 'contents: write' },
    commitSchema,
    signal,
  );
  const { oid, author } = answer.createCommitOnBranch.commit;
  return { oid, isByJob: author?.name === JOB };
}

const commitSchema = v.object({
  createCommitOnBranch: v.object({
    commit: v.object({
      oid: v.string(),
      author: v.nullish(v.object({ name: v.nullish(v.string()) })),
    }),
  }),
});
