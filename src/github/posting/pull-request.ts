import * as v from 'valibot';
import type { Repository } from '../../axe/trigger.js';
import { askRest } from '../client/ask.js';
import type { GitHubClient } from '../client/client.js';
import { createOnce } from '../client/create-once.js';
import { GitHubError } from '../client/errors.js';
import { type Failed, failedBy } from '../client/failed.js';
import { isMarked } from '../reading/own-reviews.js';
import { type BranchProposal, putProposalBranch } from './proposal-branch.js';

/** A pull request that is kept up to date over many runs. Texts went through outbound cleaning (D24). */
export interface ProposedPull extends BranchProposal {
  /** A whole line that finds the pull request again; put before the body if it is not in it. */
  readonly marker: string;
  readonly title: string;
  readonly body: string;
}

/** What became of it. */
export type PullResult =
  | { readonly kind: 'published'; readonly url: string; readonly created: boolean }
  | Failed;

/**
 * Puts a change on a branch and opens a pull request for it, or brings the open one with the marker up to date. One that
 * was closed is done with: the next one is a new one. Rejects only for an aborted signal.
 */
export async function proposePull(
  client: GitHubClient,
  proposal: ProposedPull,
  signal: AbortSignal,
): Promise<PullResult> {
  try {
    await putProposalBranch(client, proposal, signal);
    const found = await findPull(client, proposal, signal);
    if (found !== undefined) return await bringUpToDate(client, { proposal, found }, signal);
    const opened = await createOnce({
      create: () => open(client, proposal, signal),
      find: () => findPull(client, proposal, signal),
    });
    return { kind: 'published', url: opened.html_url, created: true };
  } catch (thrown) {
    if (!(thrown instanceof GitHubError)) throw thrown;
    const { message } = thrown;
    return NOT_PERMITTED.test(message)
      ? { kind: 'failed', message, remedy: ALLOW }
      : failedBy(thrown, PERMISSIONS);
  }
}

const PERMISSIONS = 'It takes `contents: write` and `pull-requests: write` under `permissions:` of the job.';

/** GitHub refuses pull requests by the job's own token unless a setting allows them, in these words. */
const NOT_PERMITTED = /not permitted to create/i;
const ALLOW =
  'Allow GitHub Actions to create pull requests (Settings, Actions, General), or give a `github-token` that may.';

const pullSchema = v.object({
  number: v.number(),
  html_url: v.string(),
  body: v.nullable(v.string()),
});

type FoundPull = v.InferOutput<typeof pullSchema>;

async function findPull(
  client: GitHubClient,
  { repository, branch, marker }: ProposedPull,
  signal: AbortSignal,
): Promise<FoundPull | undefined> {
  const pulls = await askRest(
    client,
    {
      route: 'GET /repos/{owner}/{repo}/pulls',
      params: { ...repoParams(repository), state: 'open', head: `${repository.owner}:${branch}` },
      schema: v.array(pullSchema),
      what: 'the pull requests',
    },
    signal,
  );
  return pulls.find(({ body }) => isMarked(body ?? '', marker));
}

async function open(
  client: GitHubClient,
  proposal: ProposedPull,
  signal: AbortSignal,
): Promise<Pick<FoundPull, 'html_url'>> {
  const { repository, branch, title } = proposal;
  return await askRest(
    client,
    {
      route: 'POST /repos/{owner}/{repo}/pulls',
      params: {
        ...repoParams(repository),
        title,
        body: markedBody(proposal),
        head: branch,
        base: repository.defaultBranch,
      },
      schema: v.object({ html_url: v.string() }),
      what: 'the pull request',
    },
    signal,
  );
}

async function bringUpToDate(
  client: GitHubClient,
  { proposal, found }: { readonly proposal: ProposedPull; readonly found: FoundPull },
  signal: AbortSignal,
): Promise<PullResult> {
  await client.request('PATCH /repos/{owner}/{repo}/pulls/{pull_number}', {
    params: {
      ...repoParams(proposal.repository),
      pull_number: found.number,
      title: proposal.title,
      body: markedBody(proposal),
    },
    signal,
  });
  return { kind: 'published', url: found.html_url, created: false };
}

function repoParams({ owner, name }: Repository) {
  return { owner, repo: name };
}

function markedBody({ marker, body }: ProposedPull): string {
  return isMarked(body, marker) ? body : `${marker}\n${body}`;
}
