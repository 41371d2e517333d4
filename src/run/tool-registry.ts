import { nearest } from '../agent/suggest.js';
import type { GitHubReader } from '../github/reading/reader.js';
import {
  createGitHubDiff,
  createGitHubFile,
  createGitHubHistory,
  createGitHubSearch,
} from '../github/tools/code.js';
import { createGitHubChecks, createGitHubComments } from '../github/tools/talk.js';
import type { Clock } from '../lib/clock.js';
import type { Environment } from '../lib/environment.js';
import { AxeError } from '../lib/errors.js';
import { ALL_NOTES_TOOLS } from '../memory/notes/place.js';
import { createListDirectory, createReadFile, createSearchFiles } from '../tools/files/read-files.js';
import { createDeleteFile, createEditFile, createWriteFile } from '../tools/files/write-files.js';
import { createRunCommand, type Shell } from '../tools/process/shell.js';
import { REVIEW_TOOL_NAMES } from '../tools/review/review-tools.js';
import type { Tool } from '../tools/tool.js';
import { createUrlFetch } from '../tools/web/url-fetch.js';
import { createWebSearch } from '../tools/web/web-search.js';
import type { ArtifactFolder } from '../tools/workspace/artifact-folders.js';
import type { Workspace } from '../tools/workspace/workspace.js';

/** What the tools are made of. */
export interface ToolParts {
  readonly env: Environment;
  readonly workspace: Workspace;
  /** The folder of the agent's `[artifacts]`; absent for an agent without. */
  readonly artifacts?: ArtifactFolder | undefined;
  readonly shell: Shell;
  readonly fetch: typeof globalThis.fetch;
  readonly clock: Clock;
  /** The folder commands run in: absolute, the workspace's. */
  readonly workdir: string;
  /** The agent's `allowed_hosts`. */
  readonly allowedHosts: readonly string[];
  /** The repository of the event; absent without an event or a token. */
  readonly github?: GitHubReader | undefined;
}

/** How each tool is made; the order here is the order every model sees them in, so that prompts can be cached. */
const TOOLS = {
  list_directory: ({ workspace, artifacts }) => createListDirectory(workspace, artifacts),
  read_file: ({ workspace, artifacts }) => createReadFile(workspace, artifacts),
  search_files: ({ workspace, clock }) => createSearchFiles(workspace, clock),
  write_file: ({ workspace, artifacts }) => createWriteFile(workspace, artifacts),
  edit_file: ({ workspace }) => createEditFile(workspace),
  delete_file: ({ workspace }) => createDeleteFile(workspace),
  run_command: ({ shell, workdir }) => createRunCommand(shell, workdir),
  url_fetch: ({ env, allowedHosts }) => createUrlFetch({ env, allowedHosts }),
  web_search: ({ fetch, env }) => createWebSearch(fetch, env),
} as const satisfies Readonly<Record<string, (parts: ToolParts) => Tool>>;

/** Those that read on GitHub. */
const GITHUB_TOOLS = {
  github_diff: createGitHubDiff,
  github_file: createGitHubFile,
  github_comments: createGitHubComments,
  github_checks: createGitHubChecks,
  github_history: createGitHubHistory,
  github_search: createGitHubSearch,
} as const satisfies Readonly<Record<string, (github: GitHubReader) => Tool>>;

/** The names an agent's `tools` may hold, in their order. */
export const TOOL_NAMES: readonly string[] = [...Object.keys(TOOLS), ...Object.keys(GITHUB_TOOLS)];

/**
 * The tools of these names, each once and always in the same order; and the names of those that read on GitHub where there is
 * no event to read of.
 */
export function createTools(names: readonly string[], parts: ToolParts) {
  const requested = new Set(names);
  const { github } = parts;
  const own = Object.entries(TOOLS).flatMap(([name, create]) => (requested.has(name) ? [create(parts)] : []));
  const onGitHub = Object.entries(GITHUB_TOOLS).filter(([name]) => requested.has(name));
  return {
    tools: github === undefined ? own : [...own, ...onGitHub.map(([, create]) => create(github))],
    absent: github === undefined ? onGitHub.map(([name]) => name) : [],
  };
}

/** The names that `tools` of an agent may hold; those of MCP servers and `call_agent` are not named there. */
export const AGENT_TOOLS: readonly string[] = [...TOOL_NAMES, ...REVIEW_TOOL_NAMES, ...ALL_NOTES_TOOLS];

/** axe's error (axe-behaviour §12), with the tool that may have been meant. */
export function unknownTool(name: string): AxeError {
  const meant = nearest(name, AGENT_TOOLS);
  const remedy = meant === undefined ? 'Remove it from `tools` of the agent.' : `Did you mean \`${meant}\`?`;
  return new AxeError(`failed to resolve tools: unknown tool "${name}"`, { exitCode: 2, remedy });
}
