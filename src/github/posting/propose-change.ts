import { randomUUID } from 'node:crypto';
import * as v from 'valibot';
import type { Repository } from '../../event/trigger.js';
import { shown } from '../../lib/text/format.js';
import { formatMark, isMarked, type Mark } from '../../safety/mark.js';
import type { Edits } from '../../tools/workspace/changes.js';
import { askGraphQl, askRest, createOnce, inRepo, orRefusal } from '../client/ask.js';
import type { GitHubClient } from '../client/client.js';
import { GitHubError } from '../client/errors.js';
import { commitOnBranch, fetchState, refusedChange, requireUnmoved } from './commit-edits.js';

/** A change of files that people are asked to merge. Texts went through outbound cleaning (D24). */
interface ProposedChange {
  readonly repository: Repository;
  /** Branch that it is to go into; an open pull request keeps its own unless this one was asked for. */
  readonly base: string;
  readonly isBaseAsked?: boolean;
  /** Branch that it is put on, or the next free one with a number behind it. */
  readonly branch: string;
  readonly edits: Edits;
  /** Of the commit, one line. */
  readonly message: string;
  readonly title: string;
  readonly body: string;
  /** Who proposes what: finds the pull request of an earlier run again. */
  readonly mark: Mark;
}

/**
 * Commits edits on top of a branch and opens a pull request for them, or brings the open one of an earlier run up to date. The
 * commit is made by GitHub itself, which shows it as verified. Every file has to be at the newest commit what the run has read.
 * A branch with any commit but ours is left alone. Throws a GitHubError; no branch is left behind then.
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
  /** The job's own token has made the commit, so its workflows wait for a person. */
  readonly isByJob: boolean;
}> {
  const { repository, base, title, edits } = change;
  const branches = branchesFor(change.branch);
  const state = await fetchState(client, repository, { base, edits, branches }, signal);
  const { branch, from, pull } = await chooseBranch(client, change, state.branches, signal);
  const open = pull && isOpen(pull) ? pull : undefined;
  if (open !== undefined && open.base.ref !== base && change.isBaseAsked !== true)
    return await proposeChange(client, { ...change, base: open.base.ref }, signal);
  requireUnmoved(edits, base, state);
  const here = inRepo(repository);
  // A branch that was reset to its base for a moment would have its pull request closed by GitHub.
  const target = from === undefined ? branch : `${branch}-${randomUUID().slice(0, 8)}`;
  const ref = { ...here, ref: `refs/heads/${target}`, sha: state.head };
  await client.request('POST /repos/{owner}/{repo}/git/refs', { params: ref, signal });
  try {
    const commit = { edits, message: { headline: change.message } };
    const { oid, isByJob } = await commitOnBranch(client, repository, target, state.head, commit, signal);
    if (from !== undefined) {
      const refUpdates = [
        { name: `refs/heads/${branch}`, beforeOid: from, afterOid: oid, force: true },
        { name: `refs/heads/${target}`, beforeOid: oid, afterOid: '0'.repeat(40) },
      ];
      const variables = { input: { repositoryId: state.repositoryId, refUpdates } };
      await askGraphQl(client, MOVE_BRANCH, variables, v.unknown(), 'contents: write', signal);
    }
    const body = [formatMark({ ...change.mark, commit: oid }), change.body].join('\n');
    const params = { ...here, title, body, base };
    const { number, html_url: url } =
      open === undefined
        ? await createOnce(
            () => askRest(client, OPEN_PULL, { ...params, head: branch }, pullSchema, signal),
            async () => (await listPulls(client, repository, branch, signal)).find(isOpen),
          )
        : await askRest(client, UPDATE_PULL, { ...params, pull_number: open.number }, pullSchema, signal);
    return { number, url, branch, created: open === undefined, isByJob };
  } catch (thrown) {
    if (!(thrown instanceof GitHubError)) throw thrown;
    // What goes wrong with that is nobody's concern.
    const left = { ...here, ref: `heads/${target}` };
    await orRefusal(client.request('DELETE /repos/{owner}/{repo}/git/refs/{ref}', { params: left, signal }));
    if (NOT_PERMITTED.test(thrown.message)) throw thrown.with({ remedy: ALLOW });
    throw thrown.with({ remedy: thrown.remedy ?? PERMISSIONS });
  }
}

const OPEN_PULL = 'POST /repos/{owner}/{repo}/pulls';
const UPDATE_PULL = 'PATCH /repos/{owner}/{repo}/pulls/{pull_number}';

/** Puts a branch onto a commit in the place of the one it is known to have, and removes the one that the commit was made on. */
const MOVE_BRANCH = 'mutation ($input: UpdateRefsInput!) { updateRefs(input: $input) { clientMutationId } }';

const PERMISSIONS = 'It needs `contents: write` and `pull-requests: write` under `permissions:` of the job.';

/** GitHub refuses pull requests by the job's own token unless a setting allows them, in these words. */
const NOT_PERMITTED = /not permitted to create/i;
const ALLOW =
  'Allow GitHub Actions to create pull requests (Settings, Actions, General), or give a `github-token` that is allowed to.';

/** Branches that are tried, one after the other, where earlier ones belong to somebody else. */
const MAX_BRANCHES = 9;

/** The name that a branch was to have, and those that it gets where earlier ones are taken. */
function branchesFor(branch: string): readonly string[] {
  return Array.from({ length: MAX_BRANCHES }, (_, at) => (at === 0 ? branch : `${branch}-${at + 1}`));
}

/**
 * The first branch that is free, or whose newest commit is the one that a pull request of ours names: that of an earlier run,
 * open or closed.
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
    `the branches ${shown(wanted)} to \`${wanted}-${MAX_BRANCHES}\` are all taken`,
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

/** The newest pull requests of the branches for a change that were closed without being merged. Throws a GitHubError. */
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

/** The newest of a branch, open and closed. */
async function listPulls(
  client: GitHubClient,
  repository: Repository,
  branch: string,
  signal: AbortSignal,
): Promise<readonly FoundPull[]> {
  const head = `${repository.owner}:${branch}`;
  const params = { ...inRepo(repository), state: 'all', head, per_page: 20 };
  const pulls = await askRest(client, 'GET /repos/{owner}/{repo}/pulls', params, v.array(pullSchema), signal);
  return pulls.filter((pull) => pull.head.ref === branch);
}
