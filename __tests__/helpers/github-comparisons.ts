import { githubError, type RestAnswer, type RestCall } from './github-answers.js';
import { historyOf, resolveCommit } from './github-history.js';
import { fullName } from './github-objects.js';
import { githubExample } from './github-openapi.js';

/** `GET …/compare/{basehead}` as JSON: how two commits stand to each other; the list of commits is left empty. */
export function commitComparison({ repo, params }: RestCall): RestAnswer {
  const [base = '', head = ''] = (params['basehead'] ?? '').split('...');
  const [from, to] = [resolveCommit(repo, base), resolveCommit(repo, head)];
  // Commits that a test has only the diff of stand one behind the other.
  if (repo.comparisons.has(`${base}...${head}`) && (from === undefined || to === undefined))
    return comparisonAnswer(fullName(repo), { aheadBy: 1, behindBy: 0 });
  if (from === undefined || to === undefined) return githubError(404, 'Not Found');
  const before = historyOf(repo.git, from.sha).map(({ sha }) => sha);
  const after = historyOf(repo.git, to.sha).map(({ sha }) => sha);
  if (!before.some((sha) => after.includes(sha))) {
    return githubError(404, `No common ancestor between ${base} and ${head}.`);
  }
  const aheadBy = after.filter((sha) => !before.includes(sha)).length;
  const behindBy = before.filter((sha) => !after.includes(sha)).length;
  return comparisonAnswer(fullName(repo), { aheadBy, behindBy });
}

function comparisonAnswer(
  name: string,
  { aheadBy, behindBy }: { readonly aheadBy: number; readonly behindBy: number },
): RestAnswer {
  const example = JSON.stringify(githubExample('commit-comparison'));
  const body = JSON.parse(example.replaceAll('octocat/Hello-World', name)) as Record<string, unknown>;
  return {
    status: 200,
    body: {
      ...body,
      status: statusOf(aheadBy, behindBy),
      ahead_by: aheadBy,
      behind_by: behindBy,
      total_commits: aheadBy,
      commits: [],
    },
  };
}

function statusOf(aheadBy: number, behindBy: number): string {
  if (aheadBy > 0) return behindBy > 0 ? 'diverged' : 'ahead';
  return behindBy > 0 ? 'behind' : 'identical';
}
