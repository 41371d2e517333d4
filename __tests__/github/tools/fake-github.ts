import type { GitHubReader } from '../../../src/github/reading/reader.js';
import { ToolError } from '../../../src/lib/errors.js';

/** A repository on GitHub that holds what a test gives it; everything else is refused. `writers` may write. */
export function createFakeGitHub(
  parts: Partial<GitHubReader> & { readonly writers?: readonly string[] } = {},
): GitHubReader {
  const { writers = [], ...given } = parts;
  const refuse = async () => {
    throw new ToolError('not in this test');
  };
  return {
    number: 42,
    change: refuse,
    file: refuse,
    history: refuse,
    discussion: refuse,
    checks: refuse,
    searchCode: refuse,
    searchIssues: refuse,
    areWriters: async (logins) => logins.every((login) => writers.includes(login)),
    ...given,
  };
}
