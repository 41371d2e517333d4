import type { McpServerConfig } from '../axe/agent/config.js';
import { cleanLine } from '../axe/prompt/cut.js';
import type { Tool } from '../axe/tools/tool.js';
import type { Warning } from '../axe/warning.js';
import { type ChosenTool, chooseTools } from './choose-tools.js';
import { describeFailure } from './describe-failure.js';
import { type Environment, expandServer } from './expand.js';
import { listTools } from './list-tools.js';
import { type McpServer, openServer, type ServerWorld } from './server.js';
import { within } from './within.js';

/** What connecting needs. */
export interface ConnectOptions extends Omit<ServerWorld, 'complain'> {
  /** Where `${VAR}` in headers and arguments comes from; servers do not get it. */
  readonly env: Environment;
  /** Names of tools that are taken: the agent's built-ins. */
  readonly reserved: Iterable<string>;
  warn(warning: Warning): void;
}

/** The tools of an agent's MCP servers. */
export interface McpTools {
  /** Always in the same order for the same servers. */
  readonly tools: readonly Tool[];
  /** Ends sessions and programs; never rejects. Happens by itself when the run's signal aborts. */
  close(): Promise<void>;
}

/**
 * Connects to an agent's MCP servers, all at once, and makes tools of what they offer. A server that cannot be
 * reached, is too slow or does not follow the protocol is a warning (`mcp-server`) and left out; one that is lost later
 * answers calls with errors. Rejects only with the signal's reason, when nothing is left running.
 */
export async function connectMcpServers(
  configs: readonly McpServerConfig[],
  options: ConnectOptions,
): Promise<McpTools> {
  const { signal } = options;
  signal.throwIfAborted();
  const opened: McpServer[] = [];
  const close = async (): Promise<void> => {
    signal.removeEventListener('abort', closeSoon);
    await Promise.all(opened.map((server) => server.close()));
  };
  const closeSoon = (): void => void close();
  const found = await Promise.all(configs.map((config) => openAndList(config, options, opened)));
  if (signal.aborted) {
    await close();
    throw signal.reason;
  }
  signal.addEventListener('abort', closeSoon, { once: true });
  const usable = found.filter((one) => one !== undefined);
  const useless = opened.filter((server) => !usable.some((one) => one.server === server));
  await Promise.all(useless.map((server) => server.close()));
  const offers = usable.map(({ config, tools }) => ({ server: config.name, tools }));
  const choice = chooseTools(offers, new Set(options.reserved));
  for (const { server, note } of choice.notes) complain(options, server, `offers ${note}`);
  const tools = choice.tools.flatMap((chosen) => {
    const from = usable.find(({ config }) => config.name === chosen.server);
    return from === undefined ? [] : [makeTool(chosen, from)];
  });
  return { tools, close };
}

/** A server that stands and said what its tools are. */
interface UsableServer {
  readonly config: McpServerConfig;
  readonly server: McpServer;
  readonly tools: readonly unknown[];
}

/** Adds the server to those that have to be closed as soon as it is open; undefined and a warning if it is no use. */
async function openAndList(
  config: McpServerConfig,
  options: ConnectOptions,
  opened: McpServer[],
): Promise<UsableServer | undefined> {
  const { name } = config;
  const { timeoutMs: ms, clock, signal } = options;
  try {
    const world = { ...options, complain: (what: string) => complain(options, name, what) };
    const server = await openServer(expandServer(config, options.env), world);
    opened.push(server);
    const { tools, isCut } = await within(listTools(server), { ms, clock, signal });
    if (isCut)
      complain(options, name, `has an endless list of tools; the first ${tools.length} were looked at`);
    return { config, server, tools };
  } catch (thrown) {
    if (signal.aborted) return undefined;
    complain(options, name, `is left out, the run goes on without its tools: ${describeFailure(thrown)}`);
    return undefined;
  }
}

function complain({ warn }: ConnectOptions, server: string, what: string): void {
  warn({ code: 'mcp-server', message: `MCP server \`${cleanLine(server, 64)}\` ${what}` });
}

function makeTool(
  { tool, name, description, inputSchema }: ChosenTool,
  { server, config }: UsableServer,
): Tool {
  return {
    name,
    effect: config.transport === 'stdio' ? 'execute' : 'network',
    description,
    inputSchema,
    async execute(input, signal) {
      if (typeof input !== 'object' || input === null || Array.isArray(input)) {
        return { text: `${name} was not run: the arguments must be one JSON object.`, isError: true };
      }
      return await server.call(tool, { ...input }, signal);
    },
  };
}
