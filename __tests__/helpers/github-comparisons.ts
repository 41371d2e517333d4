import { githubError, type RestAnswer, type RestCall } from './github-answers.js';
import { historyOf, resolveCommit } from './github-history.js';
import { diffEntriesJson, fullName } from './github-objects.js';
import { githubExample } from './github-openapi.js';
import type { StoredRepo } from './github-state.js';

/** GitHub lists no more files between two commits, and makes no diff of more (REST API, "Compare two commits"). */
export const MAX_COMPARED_FILES = 300;

/**
 * `GET …/compare/{basehead}` as JSON: how two commits are related, the files of their diff where the test has one,
 * and one commit to stand for all of them.
 */
export function commitComparison({ repo, params }: RestCall): RestAnswer {
  const [base = '', head = ''] = (params['basehead'] ?? '').split('...');
  const [from, to] = [resolveCommit(repo, base), resolveCommit(repo, head)];
  // Commits that a test has only the diff of stand one behind the other, unless the branch left the first.
  if (repo.comparisons.has(`${base}...${head}`) && (from === undefined || to === undefined)) {
    const behindBy = repo.abandoned.has(base) ? 1 : 0;
    return comparisonAnswer(repo, { base, head, aheadBy: 1, behindBy });
  }
  if (from === undefined || to === undefined) return githubError(404, 'Not Found');
  const before = historyOf(repo.git, from.sha).map(({ sha }) => sha);
  const after = historyOf(repo.git, to.sha).map(({ sha }) => sha);
  if (!before.some((sha) => after.includes(sha))) {
    return githubError(404, `No common ancestor between ${base} and ${head}.`);
  }
  const aheadBy = after.filter((sha) => !before.includes(sha)).length;
  const behindBy = before.filter((sha) => !after.includes(sha)).length;
  return comparisonAnswer(repo, { base, head, aheadBy, behindBy });
}

interface Compared {
  readonly base: string;
  readonly head: string;
  readonly aheadBy: number;
  readonly behindBy: number;
}

function comparisonAnswer(repo: StoredRepo, { base, head, aheadBy, behindBy }: Compared): RestAnswer {
  const example = JSON.stringify(githubExample('commit-comparison'));
  const body = JSON.parse(example.replaceAll('octocat/Hello-World', fullName(repo))) as ComparisonBody;
  const [commit] = body.commits;
  const parents = [...(commit?.parents ?? [])].slice(0, 1);
  const diff = repo.comparisons.get(`${base}...${head}`);
  const listed = {
    ...commit,
    sha: head,
    parents: repo.merges.has(head) ? [...parents, ...parents] : parents,
  };
  return {
    status: 200,
    body: {
      ...body,
      status: statusOf(aheadBy, behindBy),
      ahead_by: aheadBy,
      behind_by: behindBy,
      total_commits: Math.min(1, aheadBy),
      commits: aheadBy === 0 ? [] : [listed],
      ...(diff === undefined
        ? {}
        : { files: diffEntriesJson(repo, diff, head).slice(0, MAX_COMPARED_FILES) }),
    },
  };
}

interface ComparisonBody extends Record<string, unknown> {
  readonly commits: readonly { readonly parents: readonly unknown[] }[];
}

function statusOf(aheadBy: number, behindBy: number): string {
  if (aheadBy > 0) return behindBy > 0 ? 'diverged' : 'ahead';
  return behindBy > 0 ? 'behind' : 'identical';
}
