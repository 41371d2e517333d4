import type { Clock } from '../lib/clock.js';
import type { Environment } from '../lib/environment.js';
import { createListDirectory, createReadFile } from '../tools/files/read-files.js';
import { createSearchFiles } from '../tools/files/search-files.js';
import { createDeleteFile, createEditFile, createWriteFile } from '../tools/files/write-files.js';
import { createGitHubDiff, createGitHubFile, createGitHubHistory } from '../tools/github/code.js';
import type { CommitSources } from '../tools/github/commit-files.js';
import { createGitHubIssues } from '../tools/github/issues.js';
import type { GitHubReader } from '../tools/github/reader.js';
import { createGitHubSearch } from '../tools/github/search.js';
import { createGitHubChecks, createGitHubComments } from '../tools/github/talk.js';
import { createRunCommand, type Shell } from '../tools/process/shell.js';
import type { Tool } from '../tools/tool.js';
import { createUrlFetch } from '../tools/web/url-fetch.js';
import { createWebSearch } from '../tools/web/web-search.js';
import type { ArtifactFolder } from '../tools/workspace/artifact-folders.js';
import type { Workspace } from '../tools/workspace/workspace.js';

/** @internal */
export interface ToolParts {
  readonly env: Environment;
  readonly workspace: Workspace;
  /** The folder of the agent's `[artifacts]`; absent for an agent without artifacts. */
  readonly artifacts?: ArtifactFolder;
  readonly shell: Shell;
  readonly fetch: typeof globalThis.fetch;
  readonly clock: Clock;
  /** The absolute folder that commands run in. */
  readonly workdir: string;
  readonly allowedHosts: readonly string[];
  readonly secrets: readonly string[];
  /** The repository of the event; absent without an event or a token. */
  readonly github?: GitHubReader;
  /** The files of its commits, for what reads them all; absent with `github`. */
  readonly sourceAt?: CommitSources;
}

const TOOLS = {
  list_directory: ({ workspace, artifacts }) => createListDirectory(workspace, artifacts),
  read_file: ({ workspace, artifacts }) => createReadFile(workspace, artifacts),
  search_files: ({ workspace, clock }) => createSearchFiles(workspace, clock),
  write_file: ({ workspace, artifacts }) => createWriteFile(workspace, artifacts),
  edit_file: ({ workspace }) => createEditFile(workspace),
  delete_file: ({ workspace }) => createDeleteFile(workspace),
  run_command: ({ shell, workdir, secrets }) => createRunCommand(shell, workdir, secrets),
  url_fetch: ({ env, allowedHosts, secrets }) => createUrlFetch({ env, allowedHosts, secrets }),
  web_search: ({ fetch, env, secrets }) => createWebSearch(fetch, env, secrets),
} satisfies Record<string, (parts: ToolParts) => Tool>;

const GITHUB_TOOLS = {
  github_diff: createGitHubDiff,
  github_file: createGitHubFile,
  github_comments: createGitHubComments,
  github_checks: createGitHubChecks,
  github_history: createGitHubHistory,
  github_search: (github, { sourceAt, secrets, clock }) =>
    sourceAt && createGitHubSearch(github, { sourceAt, secrets, clock }),
  github_issues: createGitHubIssues,
} satisfies Record<string, (github: GitHubReader, parts: ToolParts) => Tool | undefined>;

export type BuiltInTool = keyof typeof TOOLS | keyof typeof GITHUB_TOOLS;

/** Undefined for a tool that reads GitHub, if it cannot be read. */
export function createTool(name: BuiltInTool, parts: ToolParts): Tool | undefined {
  if (!isOnGitHub(name)) return TOOLS[name](parts);
  return parts.github && GITHUB_TOOLS[name](parts.github, parts);
}

function isOnGitHub(name: BuiltInTool): name is keyof typeof GITHUB_TOOLS {
  return name in GITHUB_TOOLS;
}
