import * as v from 'valibot';
import type { BranchGrowth } from '../../../core/memory/branch.js';
import { GitHubError } from '../client/errors.js';
import { type BranchAccess, notUnderstood } from './memory-branch-place.js';
import { troubleOf } from './memory-branch-trouble.js';

/**
 * Whether a commit has an earlier one among its ancestors, by comparing both (REST API, compare two commits). The second
 * page is asked for, since only the first one carries the changed files. Trouble is a value; only an aborted signal rejects.
 */
export async function compareCommits(
  { client, place }: BranchAccess,
  { earlier, head }: { readonly earlier: string; readonly head: string },
  signal: AbortSignal,
): Promise<BranchGrowth> {
  const { owner, name: repo } = place;
  const params = { owner, repo, basehead: `${earlier}...${head}`, per_page: 1, page: 2 };
  try {
    const { body } = await client.request(COMPARE, { params, signal });
    const answer = v.safeParse(comparisonSchema, body);
    if (!answer.success) throw notUnderstood(COMPARE);
    const { status } = answer.output;
    return { kind: status === 'ahead' || status === 'identical' ? 'grown' : 'replaced' };
  } catch (thrown) {
    if (!(thrown instanceof GitHubError)) throw thrown;
    // Two commits without a common ancestor cannot be compared, nor one that GitHub has already thrown away.
    return thrown.reason === 'missing' ? { kind: 'replaced' } : troubleOf(place, thrown, 'reading');
  }
}

const COMPARE = 'GET /repos/{owner}/{repo}/compare/{basehead}';

const comparisonSchema = v.object({ status: v.picklist(['ahead', 'behind', 'diverged', 'identical']) });
