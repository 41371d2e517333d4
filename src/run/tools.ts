import { homedir } from 'node:os';
import { dirname, join, relative, resolve, sep } from 'node:path';
import type { LoadedAgent } from '../agent/agent-source.js';
import type { AgentConfig, McpServerConfig } from '../agent/config.js';
import { mayChange } from '../event/taint.js';
import type { Trigger } from '../event/trigger.js';
import type { Trust } from '../event/trust.js';
import type { GitHubClient } from '../github/client/client.js';
import type { GitHubReader } from '../github/reading/reader.js';
import { createGitHubReader } from '../github/reading/reader.js';
import type { Clock } from '../lib/clock.js';
import { MCP_CALL_TIMEOUT_MS, MCP_START_TIMEOUT_MS } from '../lib/defaults.js';
import type { Environment } from '../lib/environment.js';
import { messageOf } from '../lib/errors.js';
import type { Warning } from '../lib/warning.js';
import { ALL_NOTES_TOOLS } from '../memory/notes/place.js';
import { type GrantRules, grantTools, type RequestedTool } from '../tools/effects.js';
import { connectMcpServers, createRunServers, expandServer, valuesFor } from '../tools/mcp/connect.js';
import { openServer } from '../tools/mcp/server.js';
import { jailPlaces, untrackedCredentials } from '../tools/process/jail-places.js';
import { findCommandJail, makeHome } from '../tools/process/process-jail.js';
import { safePrograms, scrubEnv } from '../tools/process/programs.js';
import { createShell, type ProcessJail } from '../tools/process/shell.js';
import { REVIEW_TOOL_NAMES } from '../tools/review/review-tools.js';
import type { Effect, Tool } from '../tools/tool.js';
import {
  type ArtifactFolder,
  type Artifacts,
  createArtifactFolders,
} from '../tools/workspace/artifact-folders.js';
import type { Changes } from '../tools/workspace/changes.js';
import { type CommitFiles, createCommitWorkspace } from '../tools/workspace/commit-workspace.js';
import { type ProtectedPaths, protectedPaths } from '../tools/workspace/jail.js';
import { createWorkspace, type Workspace } from '../tools/workspace/workspace.js';
import type { ToolBox, ToolRequest } from './dependencies.js';
import { createTools, TOOL_NAMES, type ToolParts, unknownTool } from './tool-registry.js';

/** What tools are made in. */
export interface ToolSurroundings {
  readonly env: Environment;
  readonly cwd: string;
  readonly fetch: typeof globalThis.fetch;
  readonly clock: Clock;
  /** Told what servers are given by `${VAR}`: it must not leave. */
  keepSecret(values: readonly string[]): void;
  readonly where: GrantRules['where'];
  /** The `tools-allowed` input. */
  readonly toolsAllowed: readonly string[];
  /** Our own files, which no tool may write. */
  readonly ownFolder: string;
  /** Whose repository the tools that read on GitHub read; undefined without a token. */
  readonly client?: GitHubClient | undefined;
  /** Folders of the repository in which memory is kept; left out: none. */
  readonly memoryRoots?: readonly string[];
  /** Folders in which agents are looked for, relative to `cwd`; left out: only those that are known to everybody. */
  readonly agentsDirs?: readonly string[];
  /** Files that the run has read agents and skills from so far, absolute; left out: none. */
  readonly instructionFiles?: () => readonly string[];
  /** What the run is about; absent for a run without an event. */
  readonly trigger?: Trigger;
  readonly artifactDir?: string;
  readonly keepArtifacts?: ((folder: string) => Promise<string | undefined>) | undefined;
  /** What the file tools may change for a commit, and over the files of which; left out: nothing. */
  readonly changes?:
    | { readonly made: Changes; readonly files: CommitFiles; readonly isCheckedOut: boolean }
    | undefined;
}

/** Makes the tools that agents ask for and may have (D22): built-in ones and those of MCP servers. */
export function createToolOpener(surroundings: ToolSurroundings) {
  const { env, fetch, clock } = surroundings;
  const workspaces = new Map<string, Workspace>();
  const jail = createJailFinder(surroundings);
  let isHomeReported = false;
  const running = createRunServers();
  const artifacts = createArtifactFolders(surroundings);
  let opening: Promise<typeof openServer> | undefined;
  const github = readerOf(surroundings);

  /** One workspace for a folder, so that sub-agents that change the same file do so one after the other. */
  function workspaceAt(root: string, open: () => Workspace): Workspace {
    const workspace = workspaces.get(root) ?? open();
    workspaces.set(root, workspace);
    return workspace;
  }

  function artifactFolderAt(root: string, { agent, callerEffects }: ToolRequest): ArtifactFolder {
    return {
      workspace: workspaceAt(root, () => createWorkspace(root, guardedPaths(surroundings))),
      isDefault: agent.config.artifacts.defaultWrite,
      onWritten(path, size) {
        if (callerEffects === undefined) artifacts.record({ path, agent: agent.name, size });
      },
    };
  }

  /** Where an agent works: what it may change for a commit is tracked, in the checkout or in memory alone. */
  function openWorkspace(root: string, trust: Trust): Workspace {
    const { cwd, changes, memoryRoots = [] } = surroundings;
    if (changes === undefined || !mayChange(trust)) return createWorkspace(root, guardedPaths(surroundings));
    const { made, files, isCheckedOut } = changes;
    // Only what a trusted run writes is left where later steps of the job find it.
    if (isCheckedOut && trust.level === 'trusted')
      return createWorkspace(root, guardedPaths(surroundings), { checkout: cwd, changes: made });
    const folder = relative(cwd, root).split(sep).join('/');
    return createCommitWorkspace(files, { folder, changes: made, memoryRoots });
  }

  function partsFor(request: ToolRequest, artifactDir?: string): ToolParts {
    const { agent, workdir, trust } = request;
    const root = resolve(surroundings.cwd, workdir);
    return {
      env,
      workspace: workspaceAt(root, () => openWorkspace(root, trust)),
      artifacts: artifactDir === undefined ? undefined : artifactFolderAt(artifactDir, request),
      shell: createShell({ ...env, AXE_ARTIFACT_DIR: artifactDir }, jail),
      fetch,
      clock,
      workdir: root,
      allowedHosts: agent.config.allowedHosts,
      github,
    };
  }

  /**
   * How servers are opened. In a run in which a tool may write, their programs all start before it can, those of agents
   * that are called later too, and run until its end.
   */
  async function howToOpen(
    request: ToolRequest,
    granted: readonly RequestedTool[],
  ): Promise<typeof openServer> {
    const callerEffects = new Set<Effect>([
      'read',
      'publish',
      'memory',
      ...granted.map(({ effect }) => effect),
    ]);
    const parts = partsFor(request);
    const below = (await request.callable()).map((agent) => {
      const rules = rulesFor({ ...request, agent, callerEffects }, surroundings);
      const { tools } = createTools(agent.config.tools, parts);
      return { servers: grantServers(agent.config, rules).allowed, tools: grantTools(tools, rules).granted };
    });
    if (![...granted, ...below.flatMap(({ tools }) => tools)].some(mayWrite)) return openServer;
    const programs = below.flatMap(({ servers }) => servers).filter(({ transport }) => transport === 'stdio');
    surroundings.keepSecret(programs.flatMap((server) => valuesFor(server, env)));
    const complain = (what: string) => request.warn({ code: 'mcp-server', message: `An MCP server ${what}` });
    const deps = connectionsOf(request, surroundings);
    // One that fails is told of by the agent that has it.
    await Promise.allSettled(
      programs.map(async (server) => await running.open(expandServer(server, env), deps, complain)),
    );
    return running.open;
  }

  async function openTools(request: ToolRequest): Promise<ToolBox> {
    const { config } = request.agent;
    const rules = rulesFor(request, surroundings);
    const isOfRun = request.callerEffects === undefined;
    const unknown = config.tools.find((name) => !TOOL_NAMES.includes(name));
    if (unknown !== undefined) throw unknownTool(unknown);
    // A run that is not trusted may write what `changes-allowed` names, and keeps that in memory.
    const hasArtifacts = surroundings.where === 'terminal' || request.trust.level === 'trusted';
    const artifactDir = hasArtifacts
      ? await artifacts.folderOf(request.agent, request.workdir, isOfRun)
      : undefined;
    const made = createTools(toolsOf(request.agent, surroundings), partsFor(request, artifactDir));
    const builtIn = grantTools(made.tools, rules);
    const servers = grantServers(config, rules);
    // The built-in agents make do with what there is: nobody chose their tools for this workflow or laptop.
    if (made.absent.length > 0 && request.agent.source !== 'built-in')
      request.warn(absentTools(made.absent, request, surroundings));
    for (const message of [...builtIn.withheld, ...servers.withheld])
      request.warn({ code: 'tool-not-available', message });
    const tools = await withoutUnjailed(builtIn.granted, jail, request);
    const hasCommands = tools.some(({ name }) => name === COMMANDS);
    if (!isHomeReported && hasCommands && surroundings.toolsAllowed.includes(WITH_HOME)) {
      isHomeReported = true;
      request.warn(HOME_IS_WRITABLE);
    }
    opening ??= howToOpen(request, [...tools, ...servers.allowed.map(asTool)]);
    const sealing = tools.map((tool) => (mayWrite(tool) ? beforeIt(tool, running.seal) : tool));
    return await withServers(sealing, servers.allowed, await opening, request, surroundings);
  }

  async function closeTools(warn: (warning: Warning) => void): Promise<Artifacts | undefined> {
    await running.close();
    return await artifacts.close((message) => warn({ code: 'artifacts-lost', message }));
  }

  return { openTools, closeTools };
}

/** On a terminal there is no event to read on GitHub of, so the built-in agents read the folder that they are run in. */
function toolsOf({ source, config }: LoadedAgent, { where }: ToolSurroundings): readonly string[] {
  if (source !== 'built-in' || where !== 'terminal') return config.tools;
  const others = config.tools.filter((name) => !name.startsWith('github_'));
  return [...new Set([...others, 'list_directory', 'read_file', 'search_files'])];
}

function mayWrite({ name, effect }: RequestedTool): boolean {
  return effect === 'write' || name === COMMANDS;
}

function beforeIt(tool: Tool, before: () => void): Tool {
  return {
    ...tool,
    execute(input, signal) {
      before();
      return tool.execute(input, signal);
    },
  };
}

function grantServers({ mcpServers }: AgentConfig, rules: GrantRules) {
  const { granted, withheld } = grantTools(mcpServers.map(asTool), rules);
  return {
    allowed: mcpServers.filter(({ name }) => granted.some((server) => server.name === name)),
    withheld,
  };
}

type JailFinder = () => Promise<ProcessJail>;

/** Looks for a jail at the first call, once for a run: before its first command. */
function createJailFinder(surroundings: ToolSurroundings): JailFinder {
  const { env, cwd } = surroundings;
  const writesHome = mayWriteHome(surroundings);
  async function look(): Promise<ProcessJail> {
    const home = writesHome ? undefined : await makeHome(env['RUNNER_TEMP'] || undefined);
    const credentials = await untrackedCredentials(cwd, env);
    const programs = safePrograms(env['PATH'], writableFolders(surroundings));
    const places = () => {
      const paths = guardedPaths(surroundings);
      const instructionFolders = instructionFoldersOf(surroundings);
      return jailPlaces({ env, workspace: cwd, paths, instructionFolders, home, credentials });
    };
    return await findCommandJail({ env, programs, places });
  }
  let found: Promise<ProcessJail> | undefined;
  return () => {
    found ??= look();
    return found;
  };
}

/** A word of `tools-allowed`: commands write the home folder too. On a terminal they do, as axe's. */
const WITH_HOME = 'run_command(home)';

/** Where commands write what a program that we start could be read from. */
function writableFolders(surroundings: ToolSurroundings): readonly string[] {
  const { env, cwd } = surroundings;
  return mayWriteHome(surroundings) ? [cwd, env['HOME'] || homedir()] : [cwd];
}

function mayWriteHome({ where, toolsAllowed }: ToolSurroundings): boolean {
  return where === 'terminal' || toolsAllowed.includes(WITH_HOME);
}

const COMMANDS = 'run_command';

/** The machine is tried for an agent that may have commands: without a jail nobody has them (D50). */
async function withoutUnjailed(
  tools: readonly Tool[],
  jail: JailFinder,
  { warn }: ToolRequest,
): Promise<readonly Tool[]> {
  if (!tools.some(({ name }) => name === COMMANDS)) return tools;
  const reason = await jail().then(() => undefined, messageOf);
  if (reason === undefined) return tools;
  warn({
    code: 'tool-not-available',
    message: `The tool \`${COMMANDS}\` was withheld: this machine has no process jail, so a command could read the secrets of this step. Use a Linux runner that allows user namespaces or \`sudo\` without a password. No jail could be built: ${reason}`,
  });
  return tools.filter(({ name }) => name !== COMMANDS);
}

const HOME_IS_WRITABLE: Warning = {
  code: 'home-writable',
  message: `Commands write the home folder, since \`tools-allowed\` names \`${WITH_HOME}\`: they can change what programs of later steps read there. Name \`${COMMANDS}\` if they need not.`,
};

/**
 * What the file tools do not touch: what the environment names, memory, the folders of agents with the skills
 * next to them, and our own files.
 */
function guardedPaths(surroundings: ToolSurroundings): ProtectedPaths {
  const { env, cwd, ownFolder, memoryRoots = [], instructionFiles } = surroundings;
  const { denied, readOnly } = protectedPaths(env);
  return {
    denied,
    readOnly: [...readOnly, ...instructionFoldersOf(surroundings), ownFolder],
    memory: memoryRoots.map((root) => resolve(cwd, root)),
    readOnlyNow: instructionFiles,
  };
}

function instructionFoldersOf({ cwd, agentsDirs = [] }: ToolSurroundings): readonly string[] {
  const dirs = agentsDirs.map((dir) => resolve(cwd, dir));
  return [...dirs, ...dirs.map((dir) => join(dirname(dir), 'skills'))];
}

/** The repository of the event: no other can be read, whatever the model asks for. */
function readerOf({ client, trigger, memoryRoots = [] }: ToolSurroundings): GitHubReader | undefined {
  if (client === undefined || trigger === undefined || trigger.kind === 'local') return undefined;
  return createGitHubReader(client, trigger, memoryRoots);
}

function rulesFor(
  { trust, callerEffects }: ToolRequest,
  { where, toolsAllowed, changes }: ToolSurroundings,
): GrantRules {
  const words = toolsAllowed.map((word) => (word === WITH_HOME ? COMMANDS : word));
  const parentEffects = where === 'terminal' ? undefined : callerEffects;
  const mayChangeFiles = changes !== undefined && mayChange(trust);
  return { where, trust: trust.level, toolsAllowed: words, parentEffects, mayChange: mayChangeFiles };
}

function asTool({ name, transport }: McpServerConfig): RequestedTool {
  return { name, effect: transport === 'stdio' ? 'execute' : 'network' };
}

async function withServers(
  builtIn: readonly Tool[],
  allowed: readonly McpServerConfig[],
  open: typeof openServer,
  request: ToolRequest,
  surroundings: ToolSurroundings,
): Promise<ToolBox> {
  if (allowed.length === 0) return { tools: builtIn, close: async () => {} };
  const { env } = surroundings;
  surroundings.keepSecret(allowed.flatMap((config) => valuesFor(config, env)));
  const { tools, close } = await connectMcpServers(allowed, {
    ...connectionsOf(request, surroundings),
    env,
    open,
    warn: (warning) => request.warn(warning),
    reserved: [...builtIn.map(({ name }) => name), ...REVIEW_TOOL_NAMES, ...ALL_NOTES_TOOLS, 'call_agent'],
  });
  return { tools: [...builtIn, ...tools], close };
}

/** What every connection of a run is made with. */
function connectionsOf({ signal }: ToolRequest, surroundings: ToolSurroundings) {
  const { cwd, fetch } = surroundings;
  return {
    childEnv: serverEnv(surroundings),
    cwd,
    signal,
    fetch,
    timeoutMs: MCP_START_TIMEOUT_MS,
    callTimeoutMs: MCP_CALL_TIMEOUT_MS,
  };
}

/**
 * What a server's program gets: what every program gets, and that by which the runner finds orphans. What it starts by
 * `PATH` runs out of the jail, so no tool may write it.
 */
function serverEnv({ env, cwd }: ToolSurroundings): Record<string, string> {
  const tracking = env['RUNNER_TRACKING_ID'];
  const PATH = safePrograms(env['PATH'], [cwd]).path;
  return { ...scrubEnv(env), PATH, ...(tracking !== undefined && { RUNNER_TRACKING_ID: tracking }) };
}

function absentTools(
  names: readonly string[],
  { agent }: ToolRequest,
  { trigger }: ToolSurroundings,
): Warning {
  const listed = names.map((name) => `\`${name}\``).join(', ');
  const isLocal = trigger === undefined || trigger.kind === 'local';
  const remedy = isLocal
    ? 'Give `--event` a webhook payload and a token in `GITHUB_TOKEN`.'
    : 'Give the step a `github-token`; on the command line set `GITHUB_TOKEN`.';
  return {
    code: 'tool-not-available',
    message: `agent "${agent.name}" asks for ${listed}, which ${names.length === 1 ? 'reads' : 'read'} GitHub: there is no ${isLocal ? 'event' : 'token'}`,
    remedy,
  };
}
