import type { Tool } from '../tool.js';
import { createGitHubChecks } from './github-checks.js';
import { createGitHubComments } from './github-comments.js';
import { createGitHubDiff } from './github-diff.js';
import { createGitHubFile } from './github-file.js';
import { createGitHubHistory } from './github-history.js';
import type { GitHubReader } from './github-port.js';
import { createGitHubSearch } from './github-search.js';

/** How each tool is made that reads on GitHub; in the order every model sees them in. */
const GITHUB_TOOLS = {
  github_diff: createGitHubDiff,
  github_file: createGitHubFile,
  github_comments: createGitHubComments,
  github_checks: createGitHubChecks,
  github_history: createGitHubHistory,
  github_search: createGitHubSearch,
} as const satisfies Readonly<Record<string, (github: GitHubReader) => Tool>>;

/** The names of the tools that read on GitHub, for an agent's `tools`. */
export const GITHUB_TOOL_NAMES: readonly string[] = Object.keys(GITHUB_TOOLS);

/** The tools that read on GitHub; all of them, in a fixed order. */
export function createGitHubTools(github: GitHubReader): readonly Tool[] {
  return Object.values(GITHUB_TOOLS).map((create) => create(github));
}
