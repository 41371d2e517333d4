import { dirname, join, relative, resolve, sep } from 'node:path';
import type { LoadedAgent } from '../agent/agent-source.js';
import type { McpServerConfig } from '../agent/model-keys.js';
import { closestWord } from '../agent/suggest.js';
import type { Trigger } from '../event/trigger.js';
import { type Rights, rightsOf, WHY_LIMITED } from '../event/trust.js';
import type { GitHubClient } from '../github/client/client.js';
import { createMaskedClient } from '../github/client/masked-client.js';
import type { Clock } from '../lib/clock.js';
import { MCP_CALL_TIMEOUT_MS, MCP_START_TIMEOUT_MS } from '../lib/defaults.js';
import type { Environment } from '../lib/environment.js';
import { AxeError, messageOf, type Warning } from '../lib/errors.js';
import { ALL_NOTES_TOOLS } from '../memory/paths.js';
import { type ProtectedPaths, protectedPaths } from '../safety/path-rules.js';
import type { Secrets } from '../safety/secrets.js';
import { REVIEW_TOOL_NAMES } from '../tools/findings/review-tools.js';
import type { CommitSources } from '../tools/github/commit-files.js';
import type { GitHubReader } from '../tools/github/reader.js';
import {
  allowsCommands,
  effectsOf,
  grantTools,
  type RequestedTool,
  RUN_COMMAND,
} from '../tools/grants.js';
import { createRunServers } from '../tools/mcp/run-servers.js';
import type { openServer } from '../tools/mcp/server.js';
import { createJailOnce, createThrowAwayOnce } from '../tools/process/command-jail.js';
import { safePrograms, scrubEnv } from '../tools/process/programs.js';
import { createShell } from '../tools/process/shell.js';
import { reachesNetwork, type Tool } from '../tools/tool.js';
import {
  type ArtifactFolder,
  type Artifacts,
  createArtifactFolders,
} from '../tools/workspace/artifact-folders.js';
import type { Changes } from '../tools/workspace/changes.js';
import { type CommitFiles, createCommitWorkspace } from '../tools/workspace/commit-workspace.js';
import { createMaskedWorkspace } from '../tools/workspace/masked-workspace.js';
import { createWorkspace, type Workspace } from '../tools/workspace/workspace.js';
import type { BuiltInTool, ToolParts } from './built-in-tools.js';
import type { BenchRequest, Dependencies, ToolBox, ToolRequest } from './dependencies.js';

/** @internal */
export interface ToolSurroundings {
  readonly env: Environment;
  readonly cwd: string;
  readonly fetch: typeof globalThis.fetch;
  readonly clock: Clock;
  /** The run's secrets; those that servers get by `${VAR}` are added. */
  readonly secrets: Secrets;
  readonly where: 'terminal' | 'workflow';
  readonly toolsAllowed: readonly string[];
  /** The folder of our own files, which no tool is allowed to write. */
  readonly ownFolder: string;
  /** For the tools that read GitHub; undefined without a token. */
  readonly client?: GitHubClient;
  /** The files of the repository's commits; undefined without a token or an event. */
  readonly sourceAt?: CommitSources;
  /** Folders of the repository with memory; left out: none. */
  readonly memoryRoots?: readonly string[];
  /** Folders to search for agents, relative to `cwd`; left out: none. */
  readonly agentsDirs?: readonly string[];
  /** Absolute paths of the agents and skills that the run has read so far; left out: none. */
  readonly instructionFiles?: () => readonly string[];
  /** Absent for a run without an event. */
  readonly trigger?: Trigger;
  readonly artifactDir?: string;
  readonly keepArtifacts?: (folder: string) => Promise<string | undefined>;
  /** For edits that are committed: `made` collects them; left out: no file can be edited. */
  readonly changes?: {
    readonly made: Changes;
    readonly files: CommitFiles;
    readonly isCheckedOut: boolean;
  };
}

/** Opens the built-in tools and MCP servers that agents list, as far as the run allows them. */
export function createToolOpener(surroundings: ToolSurroundings) {
  const { env, cwd, fetch, clock, where, toolsAllowed } = surroundings;
  const secrets = surroundings.secrets.values;
  const workspaces = new Map<string, Workspace>();
  const servers = createRunServers();
  const artifacts = createArtifactFolders(surroundings);

  const github = openGitHub(surroundings);
  const instructionFolders = instructionFoldersOf(surroundings);
  const guarded = guardedPaths(surroundings, instructionFolders);
  const run = { env, workspace: cwd, paths: guarded, instructionFolders };
  const jail = createJailOnce({ ...run, where, toolsAllowed });
  const findThrowAway = createThrowAwayOnce({ ...run, where, toolsAllowed });

  /** Each folder has one workspace, so that sub-agents edit the same file one after the other. */
  function workspaceAt(root: string, open: () => Workspace): Workspace {
    const workspace = workspaces.get(root) ?? createMaskedWorkspace(open(), secrets);
    workspaces.set(root, workspace);
    return workspace;
  }

  function artifactFolderAt(
    artifactDir: string,
    { agent, callerEffects }: ToolRequest,
  ): ArtifactFolder {
    return {
      workspace: workspaceAt(artifactDir, () => createWorkspace(artifactDir, guarded)),
      isDefault: agent.config.artifacts.defaultWrite,
      onWritten(path: string, size: number) {
        if (callerEffects === undefined) artifacts.record({ path, agent: agent.name, size });
      },
    };
  }

  async function partsFor(request: ToolRequest, artifactDir?: string): Promise<ToolParts> {
    const root = resolve(cwd, request.workdir);
    const artifactFolder =
      artifactDir === undefined ? undefined : artifactFolderAt(artifactDir, request);
    return {
      env,
      workspace: workspaceAt(root, () =>
        openWorkspace(root, toolsOfRun(request), surroundings, guarded),
      ),
      artifacts: artifactFolder,
      shell: createShell({ ...env, AXE_ARTIFACT_DIR: artifactDir }, jail.find),
      fetch,
      clock,
      workdir: root,
      allowedHosts: request.agent.config.allowedHosts,
      secrets,
      github: await github,
      sourceAt: surroundings.sourceAt,
    };
  }

  /** The tools of the agents below one that was granted these tools. */
  async function grantedBelow(request: ToolRequest, granted: readonly RequestedTool[]) {
    const callerEffects = effectsOf(granted);
    const parts = await partsFor(request);
    const agents = await request.callable();
    return await Promise.all(
      agents.map(async (agent) => {
        const { tools } = await createTools(agent.config.tools, parts);
        return grant({ ...request, agent, callerEffects }, tools, surroundings);
      }),
    );
  }

  async function openTools(request: ToolRequest): Promise<ToolBox> {
    const { agent, workdir, callerEffects, warn } = request;
    const unknown = agent.config.tools.find((name) => !TOOL_NAMES.includes(name));
    if (unknown !== undefined) throw unknownTool(unknown);

    // A run that is not `own` has no artifacts: it can only edit the files that `changes-allowed`
    // names, and keeps those edits in memory.
    const hasArtifacts = where === 'terminal' || toolsOfRun(request) === 'all';
    const artifactDir = hasArtifacts
      ? await artifacts.folderOf(agent, workdir, callerEffects === undefined)
      : undefined;
    const created = await createTools(
      toolsOf(request, surroundings),
      await partsFor(request, artifactDir),
    );
    const granted = grant(request, created.tools, surroundings);
    // No warning for built-in agents, since nobody chose their tools for this workflow or machine.
    if (created.absent.length > 0 && agent.source !== 'built-in')
      warn(absentTools(agent.name, created.absent, surroundings));
    const missingServers = await withheldServers(agent, granted);
    for (const message of granted.withheld) warn({ code: 'tool-not-available', message });

    const jailed = await jail.withoutUnjailed(granted.tools, warn);
    const tools = request.reading.knowsPrivateMemory ? withoutNetwork(jailed, warn) : jailed;
    const open = await servers.opener(
      { ...granted, tools },
      () => grantedBelow(request, [...tools, ...granted.servers.map(asTool)]),
      (programs, openOnce) => startPrograms(programs, request, surroundings, openOnce),
    );
    const builtIn = tools.map(servers.sealBefore);
    const builtInNames = builtIn.map(({ name }) => name);
    const connecting = { surroundings, open, builtInNames };
    const connected = await connectServers(granted.servers, request, connecting);
    return {
      tools: [...builtIn, ...connected.tools],
      missingServers: [...missingServers, ...connected.missing],
      close: connected.close,
    };
  }

  async function closeTools(warn: (warning: Warning) => void): Promise<Artifacts | undefined> {
    await servers.close();
    return await artifacts.close((message) => warn({ code: 'artifacts-lost', message }));
  }

  return { openTools, openTestBench: benchOpener(surroundings, findThrowAway), closeTools };
}

/** Opens benches for tests of findings, if the run may run commands. */
function benchOpener(
  surroundings: ToolSurroundings,
  findThrowAway: ReturnType<typeof createThrowAwayOnce>,
): NonNullable<Dependencies['openTestBench']> {
  const { env, cwd } = surroundings;
  return async (request) => {
    const problem = whyNoCommands(request, surroundings);
    if (problem !== undefined) return problem;
    try {
      const { openTestBench } = await import('../tools/process/test-bench.js');
      const place = { workspace: cwd, env, head: request.head };
      return await openTestBench(await findThrowAway(), place, request.signal);
    } catch (thrown) {
      request.signal.throwIfAborted();
      return messageOf(thrown);
    }
  };
}

/** The reason why a run's commands, and so its tests of findings, are not run; half a sentence. */
function whyNoCommands(
  { agent, reading }: BenchRequest,
  { where, toolsAllowed }: ToolSurroundings,
): string | undefined {
  if (where === 'terminal') return 'tests run only in workflows';
  if (!agent.config.tools.includes(RUN_COMMAND))
    return `\`tools\` of the agent does not have \`${RUN_COMMAND}\``;
  if (!allowsCommands(toolsAllowed)) return `\`tools-allowed\` does not have \`${RUN_COMMAND}\``;
  return rightsOf(reading.begun).tools === 'all' ? undefined : WHY_LIMITED;
}

/** Only the event's repository can be read, whatever the model asks for. */
async function openGitHub({
  client,
  trigger,
  memoryRoots,
  secrets,
}: ToolSurroundings): Promise<GitHubReader | undefined> {
  if (client === undefined || trigger === undefined || trigger.kind === 'local') return undefined;
  const { createGitHubReader } = await import('../tools/github/reader.js');
  return createGitHubReader(createMaskedClient(client, secrets.values), trigger, memoryRoots);
}

function instructionFoldersOf({ cwd, agentsDirs = [] }: ToolSurroundings): readonly string[] {
  const agentFolders = agentsDirs.map((dir) => resolve(cwd, dir));
  return [...agentFolders, ...agentFolders.map((dir) => join(dirname(dir), 'skills'))];
}

/** Paths that file tools cannot write: those of the environment, of instructions and of memory. */
function guardedPaths(
  { env, cwd, ownFolder, instructionFiles, memoryRoots = [] }: ToolSurroundings,
  instructionFolders: readonly string[],
): ProtectedPaths {
  const { denied, readOnly } = protectedPaths(env);
  return {
    denied,
    readOnly: [...readOnly, ...instructionFolders, ownFolder],
    memory: memoryRoots.map((root) => resolve(cwd, root)),
    readOnlyNow: instructionFiles,
  };
}

/** Tracks edits that can be committed, either in the checkout or in memory alone. */
function openWorkspace(
  root: string,
  tools: Rights['tools'],
  { cwd, changes, memoryRoots = [] }: ToolSurroundings,
  guarded: ProtectedPaths,
): Workspace {
  if (changes === undefined || tools === 'read') return createWorkspace(root, guarded);

  const { made, files, isCheckedOut } = changes;
  // Only edits of a run with all tools are written to the checkout, where later steps read them.
  if (isCheckedOut && tools === 'all')
    return createWorkspace(root, guarded, { checkout: cwd, changes: made });
  const folder = relative(cwd, root).split(sep).join('/');
  return createCommitWorkspace(files, { folder, changes: made, memoryRoots });
}

/** A text that a run reads later takes no tool away from it. */
function toolsOfRun({ reading }: ToolRequest): Rights['tools'] {
  return rightsOf(reading.begun).tools;
}

/** For a run with private memory, if the machine cannot take the network away from commands. */
function withoutNetwork(tools: readonly Tool[], warn: (warning: Warning) => void): readonly Tool[] {
  for (const { name } of tools.filter(reachesNetwork)) {
    const message = `The tool \`${name}\` was withheld: this run knows private memory (\`memory-repo\`), and this machine cannot take the network away from commands. Use a Linux runner that allows network namespaces.`;
    warn({ code: 'tool-not-available', message });
  }
  return tools.filter((tool) => !reachesNetwork(tool));
}

/** Decides which of its servers and of these tools an agent gets. */
function grant(
  request: ToolRequest,
  tools: readonly Tool[],
  { where, toolsAllowed, changes }: ToolSurroundings,
) {
  const { agent, callerEffects } = request;
  const rules = {
    where,
    tools: toolsOfRun(request),
    toolsAllowed,
    parentEffects: where === 'terminal' ? undefined : callerEffects,
    mayChange: changes !== undefined && toolsOfRun(request) !== 'read',
    knowsPrivateMemory: request.reading.knowsPrivateMemory,
  };
  const servers = agent.config.mcpServers.map((server) => ({ ...asTool(server), server }));
  // In one call, so that a single message names all that `tools-allowed` lacks.
  const { granted, withheld } = grantTools<Tool | (typeof servers)[number]>(
    [...tools, ...servers],
    rules,
  );
  return {
    tools: granted.flatMap((item) => ('server' in item ? [] : item)),
    servers: granted.flatMap((item) => ('server' in item ? item.server : [])),
    withheld,
  };
}

/** Names of servers that were not granted. Throws an AxeError if one of them is required. */
async function withheldServers(
  { config }: LoadedAgent,
  granted: { readonly servers: readonly McpServerConfig[]; readonly withheld: readonly string[] },
): Promise<readonly string[]> {
  const servers = config.mcpServers.filter((server) => !granted.servers.includes(server));
  const required = servers.find((server) => server.required)?.name;
  if (required === undefined) return servers.map(({ name }) => name);

  const { requiredServerError } = await import('../tools/mcp/connect.js');
  const reason = granted.withheld.find((message) =>
    message.startsWith(`The tool \`${required}\` `),
  );
  throw requiredServerError(required, reason ?? 'it was withheld');
}

/** Starts the programs of servers. The agent that uses a server reports if it has failed. */
async function startPrograms(
  programs: readonly McpServerConfig[],
  request: ToolRequest,
  surroundings: ToolSurroundings,
  open: typeof openServer,
): Promise<void> {
  const { env } = surroundings;
  const { expandServer, secretsFor } = await import('../tools/mcp/connect.js');
  surroundings.secrets.add(programs.flatMap((server) => secretsFor(server, env)));
  const complain = (problem: string) =>
    request.warn({ code: 'mcp-server', message: `An MCP server ${problem}` });
  const connections = connectionsOf(request, surroundings);
  await Promise.allSettled(
    programs.map(async (server) => await open(expandServer(server, env), connections, complain)),
  );
}

async function connectServers(
  servers: readonly McpServerConfig[],
  request: ToolRequest,
  {
    surroundings,
    open,
    builtInNames,
  }: {
    readonly surroundings: ToolSurroundings;
    readonly open: typeof openServer;
    readonly builtInNames: readonly string[];
  },
) {
  if (servers.length === 0) return { tools: [], missing: [], close: async () => {} };
  const { env } = surroundings;
  const { connectMcpServers, secretsFor } = await import('../tools/mcp/connect.js');
  surroundings.secrets.add(servers.flatMap((config) => secretsFor(config, env)));
  return await connectMcpServers(servers, {
    ...connectionsOf(request, surroundings),
    env,
    open,
    warn: request.warn,
    reserved: [...builtInNames, ...REVIEW_TOOL_NAMES, ...ALL_NOTES_TOOLS, 'call_agent'],
  });
}

/** Tools that read the code of a repository on GitHub. */
const CODE_ON_GITHUB = ['github_diff', 'github_file', 'github_search'];

/**
 * On a terminal there is no event. So the folder is read instead of GitHub by built-in agents, and
 * for a change by every agent that reads code on GitHub.
 */
function toolsOf(
  { agent: { source, config }, hasChange }: ToolRequest,
  { where }: ToolSurroundings,
): readonly string[] {
  const isBuiltIn = source === 'built-in';
  const readsCode = config.tools.some((name) => CODE_ON_GITHUB.includes(name));
  if (where !== 'terminal' || !(isBuiltIn || (hasChange && readsCode))) return config.tools;

  const isReplaced = (name: string) =>
    isBuiltIn ? name.startsWith('github_') : CODE_ON_GITHUB.includes(name);
  const others = config.tools.filter((name) => !isReplaced(name));
  return [...new Set([...others, 'list_directory', 'read_file', 'search_files'])];
}

function asTool({ name, transport }: McpServerConfig): RequestedTool {
  return { name, effect: transport === 'stdio' ? 'execute' : 'network' };
}

/**
 * Options for every connection to a server. A server program gets the environment of all programs,
 * and the id that the runner finds orphans by. Programs that it starts by `PATH` run outside of the
 * jail, so `PATH` has only folders that no tool can write.
 */
function connectionsOf({ signal }: ToolRequest, { env, cwd, fetch, secrets }: ToolSurroundings) {
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
    secrets: secrets.values,
  };
}

function absentTools(
  agent: string,
  names: readonly string[],
  { trigger, where }: ToolSurroundings,
): Warning {
  const listed = names.map((name) => `\`${name}\``).join(', ');
  const missing = trigger === undefined || trigger.kind === 'local' ? 'event' : 'token';
  return {
    code: 'tool-not-available',
    message: `agent "${agent}" asks for ${listed} to read GitHub, and there is no ${missing}`,
    remedy:
      where === 'terminal'
        ? 'Set `GITHUB_TOKEN`, and give `--event` a webhook payload. With `--git`, files of this folder are read instead.'
        : 'Give the step a `github-token`. On the command line set `GITHUB_TOKEN`.',
  };
}

const TOOLS: Readonly<Record<BuiltInTool, true>> = {
  list_directory: true,
  read_file: true,
  search_files: true,
  write_file: true,
  edit_file: true,
  delete_file: true,
  run_command: true,
  url_fetch: true,
  web_search: true,
  github_diff: true,
  github_file: true,
  github_comments: true,
  github_checks: true,
  github_history: true,
  github_search: true,
  github_issues: true,
};

/**
 * Names of the built-in tools. Every model gets them in this order, so that prompts can be cached.
 * @internal
 */
export const TOOL_NAMES: readonly string[] = Object.keys(TOOLS);

/**
 * Creates each named tool once, always in the same order. `absent` names the tools that read
 * GitHub, if it cannot be read.
 * @internal
 */
export async function createTools(names: readonly string[], parts: ToolParts) {
  const requested = TOOL_NAMES.filter((name): name is BuiltInTool => names.includes(name));
  if (requested.length === 0) return { tools: [], absent: [] };
  const { createTool } = await import('./built-in-tools.js');
  const created = requested.map((name) => ({ name, tool: createTool(name, parts) }));
  return {
    tools: created.flatMap(({ tool }) => tool ?? []),
    absent: created.flatMap(({ name, tool }) => (tool === undefined ? [name] : [])),
  };
}

/** Names allowed in `tools` of an agent; tools of MCP servers and `call_agent` are not listed there. */
export const AGENT_TOOLS: readonly string[] = [
  ...TOOL_NAMES,
  ...REVIEW_TOOL_NAMES,
  ...ALL_NOTES_TOOLS,
];

/** Tools that change files, run commands or reach the network, which a workflow has to allow. */
export const GUARDED_TOOLS: readonly string[] = [
  'run_command',
  'write_file',
  'edit_file',
  'delete_file',
  'url_fetch',
  'web_search',
] satisfies readonly BuiltInTool[];

/** Names that other programs give the same tools, in small letters. */
const OTHER_NAMES = new Map([
  ['read', 'read_file'],
  ['write', 'write_file'],
  ['edit', 'edit_file'],
  ['multiedit', 'edit_file'],
  ['bash', 'run_command'],
  ['shell', 'run_command'],
  ['grep', 'search_files'],
  ['glob', 'search_files'],
  ['ls', 'list_directory'],
  ['webfetch', 'url_fetch'],
  ['websearch', 'web_search'],
]);

/** axe's error, with the most similar tool as the remedy. */
export function unknownTool(name: string): AxeError {
  const similar = OTHER_NAMES.get(name.toLowerCase()) ?? closestWord(name, AGENT_TOOLS);
  const remedy =
    similar === undefined ? 'Remove it from `tools` of the agent.' : `Did you mean \`${similar}\`?`;
  return new AxeError(`failed to resolve tools: unknown tool "${name}"`, { exitCode: 2, remedy });
}
