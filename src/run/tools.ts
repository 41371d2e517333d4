import { homedir } from 'node:os';
import { dirname, join, relative, resolve, sep } from 'node:path';
import type { LoadedAgent } from '../agent/agent-source.js';
import type { McpServerConfig } from '../agent/model-keys.js';
import { closestWord } from '../agent/suggest.js';
import type { Trigger } from '../event/trigger.js';
import { mayChangeFiles, type Trust } from '../event/trust.js';
import type { GitHubClient } from '../github/client/client.js';
import type { Clock } from '../lib/clock.js';
import { MCP_CALL_TIMEOUT_MS, MCP_START_TIMEOUT_MS } from '../lib/defaults.js';
import type { Environment } from '../lib/environment.js';
import { AxeError, messageOf, type Warning } from '../lib/errors.js';
import { ALL_NOTES_TOOLS } from '../memory/paths.js';
import { type ProtectedPaths, protectedPaths } from '../safety/path-rules.js';
import {
  createListDirectory,
  createReadFile,
  createSearchFiles,
} from '../tools/files/read-files.js';
import { createDeleteFile, createEditFile, createWriteFile } from '../tools/files/write-files.js';
import { REVIEW_TOOL_NAMES } from '../tools/findings/review-tools.js';
import {
  createGitHubDiff,
  createGitHubFile,
  createGitHubHistory,
  createGitHubSearch,
} from '../tools/github/code.js';
import { createGitHubReader, type GitHubReader } from '../tools/github/reader.js';
import { createGitHubChecks, createGitHubComments } from '../tools/github/talk.js';
import {
  connectMcpServers,
  createRunServers,
  expandServer,
  valuesFor,
} from '../tools/mcp/connect.js';
import { openServer } from '../tools/mcp/server.js';
import { jailPlaces, untrackedCredentials } from '../tools/process/jail-places.js';
import { findCommandJail, makeHome } from '../tools/process/process-jail.js';
import { safePrograms, scrubEnv } from '../tools/process/programs.js';
import {
  createRunCommand,
  createShell,
  type ProcessJail,
  type Shell,
} from '../tools/process/shell.js';
import { effectsOf, grantTools, type RequestedTool, type Tool } from '../tools/tool.js';
import { createUrlFetch } from '../tools/web/url-fetch.js';
import { createWebSearch } from '../tools/web/web-search.js';
import {
  type ArtifactFolder,
  type Artifacts,
  createArtifactFolders,
} from '../tools/workspace/artifact-folders.js';
import type { Changes } from '../tools/workspace/changes.js';
import { type CommitFiles, createCommitWorkspace } from '../tools/workspace/commit-workspace.js';
import { createWorkspace, type Workspace } from '../tools/workspace/workspace.js';
import type { ToolBox, ToolRequest } from './dependencies.js';

/** What tools are made in. */
export interface ToolSurroundings {
  readonly env: Environment;
  readonly cwd: string;
  readonly fetch: typeof globalThis.fetch;
  readonly clock: Clock;
  /** Told what servers are given by `${VAR}`: it must not leave. */
  keepSecret(values: readonly string[]): void;
  readonly where: 'terminal' | 'workflow';
  readonly toolsAllowed: readonly string[];
  /** Our own files, which no tool may write. */
  readonly ownFolder: string;
  /** Whose repository the tools that read on GitHub read; undefined without a token. */
  readonly client?: GitHubClient;
  /** Folders of the repository in which memory is kept; left out: none. */
  readonly memoryRoots?: readonly string[];
  /**
   * Folders in which agents are looked for, relative to `cwd`; left out: only those that are known
   * to everybody.
   */
  readonly agentsDirs?: readonly string[];
  /** Files that the run has read agents and skills from so far, absolute; left out: none. */
  readonly instructionFiles?: () => readonly string[];
  /** What the run is about; absent for a run without an event. */
  readonly trigger?: Trigger;
  readonly artifactDir?: string;
  readonly keepArtifacts?: (folder: string) => Promise<string | undefined>;
  /**
   * What the file tools may change for a commit, and over the files of which; left out: nothing.
   */
  readonly changes?: {
    readonly made: Changes;
    readonly files: CommitFiles;
    readonly isCheckedOut: boolean;
  };
}

/**
 * Makes the tools that agents ask for and may have (D22): built-in ones and those of MCP servers.
 */
export function createToolOpener(surroundings: ToolSurroundings) {
  const { env, cwd, fetch, clock, where, toolsAllowed, changes, memoryRoots = [] } = surroundings;
  const workspaces = new Map<string, Workspace>();
  const running = createRunServers();
  const artifacts = createArtifactFolders(surroundings);
  // The repository of the event: no other can be read, whatever the model asks for.
  const { client, trigger } = surroundings;
  const isOnGitHub = client !== undefined && trigger !== undefined && trigger.kind !== 'local';
  const github = isOnGitHub ? createGitHubReader(client, trigger, memoryRoots) : undefined;
  const agentsDirs = (surroundings.agentsDirs ?? []).map((dir) => resolve(cwd, dir));
  const instructionFolders = [
    ...agentsDirs,
    ...agentsDirs.map((dir) => join(dirname(dir), 'skills')),
  ];
  const { denied, readOnly } = protectedPaths(env);
  /**
   * What the file tools do not touch: besides what the environment names, all that steers or
   * remembers a run.
   */
  const guarded: ProtectedPaths = {
    denied,
    readOnly: [...readOnly, ...instructionFolders, surroundings.ownFolder],
    memory: memoryRoots.map((root) => resolve(cwd, root)),
    readOnlyNow: surroundings.instructionFiles,
  };
  // On a terminal commands write the home folder, as axe's.
  const writesHome = where === 'terminal' || toolsAllowed.includes(WITH_HOME);
  let isHomeReported = false;
  let opening: Promise<typeof openServer> | undefined;
  let foundJail: Promise<ProcessJail> | undefined;

  /** Looks for a jail at the first call, once for a run: before its first command. */
  function jail(): Promise<ProcessJail> {
    foundJail ??= findJail();
    return foundJail;
  }

  async function findJail(): Promise<ProcessJail> {
    const home = writesHome ? undefined : await makeHome(env['RUNNER_TEMP'] || undefined);
    const credentials = await untrackedCredentials(cwd, env);
    // Where commands write, a program that we start could be theirs.
    const programs = safePrograms(
      env['PATH'],
      writesHome ? [cwd, env['HOME'] || homedir()] : [cwd],
    );
    const places = () =>
      jailPlaces({ env, workspace: cwd, paths: guarded, instructionFolders, home, credentials });
    return await findCommandJail({ env, programs, places });
  }

  /**
   * One workspace for a folder, so that sub-agents that change the same file do so one after the
   * other.
   */
  function workspaceAt(root: string, open: () => Workspace): Workspace {
    const workspace = workspaces.get(root) ?? open();
    workspaces.set(root, workspace);
    return workspace;
  }

  /**
   * Where an agent works: what it may change for a commit is tracked, in the checkout or in memory
   * alone.
   */
  function openWorkspace(root: string, trust: Trust): Workspace {
    if (changes === undefined || !mayChangeFiles(trust)) return createWorkspace(root, guarded);
    const { made, files, isCheckedOut } = changes;
    // Only what a trusted run writes is left where later steps of the job find it.
    if (isCheckedOut && trust.level === 'trusted')
      return createWorkspace(root, guarded, { checkout: cwd, changes: made });
    const folder = relative(cwd, root).split(sep).join('/');
    return createCommitWorkspace(files, { folder, changes: made, memoryRoots });
  }

  function partsFor(
    { agent, workdir, trust, callerEffects }: ToolRequest,
    artifactDir?: string,
  ): ToolParts {
    const root = resolve(cwd, workdir);
    const artifactFolder =
      artifactDir === undefined
        ? undefined
        : {
            workspace: workspaceAt(artifactDir, () => createWorkspace(artifactDir, guarded)),
            isDefault: agent.config.artifacts.defaultWrite,
            onWritten(path: string, size: number) {
              if (callerEffects === undefined) artifacts.record({ path, agent: agent.name, size });
            },
          };
    return {
      env,
      workspace: workspaceAt(root, () => openWorkspace(root, trust)),
      artifacts: artifactFolder,
      shell: createShell({ ...env, AXE_ARTIFACT_DIR: artifactDir }, jail),
      fetch,
      clock,
      workdir: root,
      allowedHosts: agent.config.allowedHosts,
      github,
    };
  }

  /** Decides what an agent gets of its servers and of these tools. */
  function grant({ agent, trust, callerEffects }: ToolRequest, tools: readonly Tool[]) {
    const rules = {
      where,
      trust: trust.level,
      toolsAllowed: toolsAllowed.map((word) => (word === WITH_HOME ? COMMANDS : word)),
      parentEffects: where === 'terminal' ? undefined : callerEffects,
      mayChange: changes !== undefined && mayChangeFiles(trust),
    };
    const { mcpServers } = agent.config;
    const asked = mcpServers.map((server) => ({ ...asTool(server), server }));
    // Together, so that one line allows all.
    const { granted, withheld } = grantTools<Tool | (typeof asked)[number]>(
      [...tools, ...asked],
      rules,
    );
    return {
      tools: granted.flatMap((one) => ('server' in one ? [] : one)),
      servers: granted.flatMap((one) => ('server' in one ? one.server : [])),
      withheld,
    };
  }

  /**
   * How servers are opened. In a run in which a tool may write, their programs all start before it
   * can, those of agents that are called later too, and run until its end.
   */
  async function howToOpen(
    request: ToolRequest,
    granted: readonly RequestedTool[],
  ): Promise<typeof openServer> {
    const callerEffects = effectsOf(granted);
    const parts = partsFor(request);
    const below = (await request.callable()).map((agent) =>
      grant({ ...request, agent, callerEffects }, createTools(agent.config.tools, parts).tools),
    );
    if (![...granted, ...below.flatMap(({ tools }) => tools)].some(mayWrite)) return openServer;
    const programs = below
      .flatMap(({ servers }) => servers)
      .filter(({ transport }) => transport === 'stdio');
    surroundings.keepSecret(programs.flatMap((server) => valuesFor(server, env)));
    const complain = (what: string) =>
      request.warn({ code: 'mcp-server', message: `An MCP server ${what}` });
    const deps = connectionsOf(request, surroundings);
    // One that fails is told of by the agent that has it.
    await Promise.allSettled(
      programs.map(async (server) => await running.open(expandServer(server, env), deps, complain)),
    );
    return running.open;
  }

  /**
   * The machine is tried for an agent that may have commands: without a jail nobody has them (D50).
   */
  async function withoutUnjailed(
    tools: readonly Tool[],
    { warn }: ToolRequest,
  ): Promise<readonly Tool[]> {
    if (!tools.some(({ name }) => name === COMMANDS)) return tools;
    const reason = await jail().then(() => undefined, messageOf);
    if (reason !== undefined) {
      warn({
        code: 'tool-not-available',
        message: `The tool \`${COMMANDS}\` was withheld: this machine has no process jail, so a command could read the secrets of this step. Use a Linux runner that allows user namespaces or \`sudo\` without a password. No jail could be built: ${reason}`,
      });
      return tools.filter(({ name }) => name !== COMMANDS);
    }
    if (!isHomeReported && toolsAllowed.includes(WITH_HOME)) {
      isHomeReported = true;
      warn(HOME_IS_WRITABLE);
    }
    return tools;
  }

  async function openTools(request: ToolRequest): Promise<ToolBox> {
    const { agent, workdir, trust, callerEffects, warn } = request;
    const unknown = agent.config.tools.find((name) => !TOOL_NAMES.includes(name));
    if (unknown !== undefined) throw unknownTool(unknown);
    // A run that is not trusted may write what `changes-allowed` names, and keeps that in memory.
    const hasArtifacts = where === 'terminal' || trust.level === 'trusted';
    const artifactDir = hasArtifacts
      ? await artifacts.folderOf(agent, workdir, callerEffects === undefined)
      : undefined;
    const made = createTools(toolsOf(agent, where), partsFor(request, artifactDir));
    const granted = grant(request, made.tools);
    // The built-in agents make do with what there is: nobody chose their tools for this workflow or
    // laptop.
    if (made.absent.length > 0 && agent.source !== 'built-in')
      warn(absentTools(agent.name, made.absent, surroundings));
    for (const message of granted.withheld) warn({ code: 'tool-not-available', message });
    const tools = await withoutUnjailed(granted.tools, request);
    opening ??= howToOpen(request, [...tools, ...granted.servers.map(asTool)]);
    const open = await opening;
    const sealing = (tool: Tool): Tool => ({
      ...tool,
      execute(input, signal) {
        running.seal();
        return tool.execute(input, signal);
      },
    });
    const builtIn = tools.map((tool) => (mayWrite(tool) ? sealing(tool) : tool));
    if (granted.servers.length === 0) return { tools: builtIn, close: async () => {} };
    surroundings.keepSecret(granted.servers.flatMap((config) => valuesFor(config, env)));
    const ofServers = await connectMcpServers(granted.servers, {
      ...connectionsOf(request, surroundings),
      env,
      open,
      warn,
      reserved: [
        ...builtIn.map(({ name }) => name),
        ...REVIEW_TOOL_NAMES,
        ...ALL_NOTES_TOOLS,
        'call_agent',
      ],
    });
    return { tools: [...builtIn, ...ofServers.tools], close: ofServers.close };
  }

  async function closeTools(warn: (warning: Warning) => void): Promise<Artifacts | undefined> {
    await running.close();
    return await artifacts.close((message) => warn({ code: 'artifacts-lost', message }));
  }

  return { openTools, closeTools };
}

const COMMANDS = 'run_command';

/** A word of `tools-allowed`: commands write the home folder too. */
const WITH_HOME = 'run_command(home)';

const HOME_IS_WRITABLE: Warning = {
  code: 'home-writable',
  message: `Commands write the home folder, since \`tools-allowed\` names \`${WITH_HOME}\`: they can change what programs of later steps read there. Name \`${COMMANDS}\` if they need not.`,
};

/**
 * On a terminal there is no event to read on GitHub of, so the built-in agents read the folder that
 * they are run in.
 */
function toolsOf(
  { source, config }: LoadedAgent,
  where: ToolSurroundings['where'],
): readonly string[] {
  if (source !== 'built-in' || where !== 'terminal') return config.tools;
  const others = config.tools.filter((name) => !name.startsWith('github_'));
  return [...new Set([...others, 'list_directory', 'read_file', 'search_files'])];
}

function mayWrite({ name, effect }: RequestedTool): boolean {
  return effect === 'write' || name === COMMANDS;
}

function asTool({ name, transport }: McpServerConfig): RequestedTool {
  return { name, effect: transport === 'stdio' ? 'execute' : 'network' };
}

/**
 * What every connection of a run is made with. A server's program gets what every program gets, and
 * that by which the runner finds orphans. What it starts by `PATH` runs out of the jail, so no tool
 * may write it.
 */
function connectionsOf({ signal }: ToolRequest, { env, cwd, fetch }: ToolSurroundings) {
  const tracking = env['RUNNER_TRACKING_ID'];
  const PATH = safePrograms(env['PATH'], [cwd]).path;
  return {
    childEnv: {
      ...scrubEnv(env),
      PATH,
      ...(tracking !== undefined && { RUNNER_TRACKING_ID: tracking }),
    },
    cwd,
    signal,
    fetch,
    timeoutMs: MCP_START_TIMEOUT_MS,
    callTimeoutMs: MCP_CALL_TIMEOUT_MS,
  };
}

function absentTools(
  agent: string,
  names: readonly string[],
  { trigger }: ToolSurroundings,
): Warning {
  const listed = names.map((name) => `\`${name}\``).join(', ');
  const lacking = trigger === undefined || trigger.kind === 'local' ? 'event' : 'token';
  return {
    code: 'tool-not-available',
    message: `agent "${agent}" asks for ${listed} to read GitHub, and there is no ${lacking}`,
    remedy:
      'Give the step a `github-token`. On the command line set `GITHUB_TOKEN`, and give `--event` a webhook payload.',
  };
}

export interface ToolParts {
  readonly env: Environment;
  readonly workspace: Workspace;
  /** The folder of the agent's `[artifacts]`; absent for an agent without. */
  readonly artifacts?: ArtifactFolder;
  readonly shell: Shell;
  readonly fetch: typeof globalThis.fetch;
  readonly clock: Clock;
  /** The folder commands run in: absolute, the workspace's. */
  readonly workdir: string;
  readonly allowedHosts: readonly string[];
  /** The repository of the event; absent without an event or a token. */
  readonly github?: GitHubReader;
}

/**
 * How each tool is made; the order here is the order every model sees them in, so that prompts can
 * be cached.
 */
const TOOLS: Readonly<Record<string, (parts: ToolParts) => Tool>> = {
  list_directory: ({ workspace, artifacts }) => createListDirectory(workspace, artifacts),
  read_file: ({ workspace, artifacts }) => createReadFile(workspace, artifacts),
  search_files: ({ workspace, clock }) => createSearchFiles(workspace, clock),
  write_file: ({ workspace, artifacts }) => createWriteFile(workspace, artifacts),
  edit_file: ({ workspace }) => createEditFile(workspace),
  delete_file: ({ workspace }) => createDeleteFile(workspace),
  run_command: ({ shell, workdir }) => createRunCommand(shell, workdir),
  url_fetch: ({ env, allowedHosts }) => createUrlFetch({ env, allowedHosts }),
  web_search: ({ fetch, env }) => createWebSearch(fetch, env),
};

const GITHUB_TOOLS: Readonly<Record<string, (github: GitHubReader) => Tool>> = {
  github_diff: createGitHubDiff,
  github_file: createGitHubFile,
  github_comments: createGitHubComments,
  github_checks: createGitHubChecks,
  github_history: createGitHubHistory,
  github_search: createGitHubSearch,
};

/** The names an agent's `tools` may hold, in their order. */
export const TOOL_NAMES: readonly string[] = [...Object.keys(TOOLS), ...Object.keys(GITHUB_TOOLS)];

/**
 * The tools of these names, each once and always in the same order; and the names of those that
 * read on GitHub where there is no event to read of.
 */
export function createTools(names: readonly string[], parts: ToolParts) {
  const requested = new Set(names);
  const { github } = parts;
  const own = Object.entries(TOOLS).flatMap(([name, create]) =>
    requested.has(name) ? [create(parts)] : [],
  );
  const onGitHub = Object.entries(GITHUB_TOOLS).filter(([name]) => requested.has(name));
  return {
    tools: github === undefined ? own : [...own, ...onGitHub.map(([, create]) => create(github))],
    absent: github === undefined ? onGitHub.map(([name]) => name) : [],
  };
}

/**
 * The names that `tools` of an agent may hold; those of MCP servers and `call_agent` are not named
 * there.
 */
export const AGENT_TOOLS: readonly string[] = [
  ...TOOL_NAMES,
  ...REVIEW_TOOL_NAMES,
  ...ALL_NOTES_TOOLS,
];

/** axe's error (axe-behaviour §12), with the tool that may have been meant. */
export function unknownTool(name: string): AxeError {
  const meant = closestWord(name, AGENT_TOOLS);
  const remedy =
    meant === undefined ? 'Remove it from `tools` of the agent.' : `Did you mean \`${meant}\`?`;
  return new AxeError(`failed to resolve tools: unknown tool "${name}"`, { exitCode: 2, remedy });
}
