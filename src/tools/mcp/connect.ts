import type { McpServerConfig } from '../../agent/config.js';
import type { Environment } from '../../lib/environment.js';
import { cleanLine } from '../../lib/text/cut.js';
import type { Warning } from '../../lib/warning.js';
import { redact } from '../../safety/redact.js';
import type { Tool } from '../tool.js';
import { type ChosenTool, chooseTools } from './choose-tools.js';
import { describeFailure, type McpServer, openServer, type ServerDependencies, within } from './server.js';
import { isJsonObject, loadSchemaCheck } from './tool-schema.js';

/** Most tools of one server that are looked at before some are chosen. */
const MAX_OFFERED = 20_000;

/** Most pages of a tool list that are asked for. */
const MAX_PAGES = 100;

export interface ConnectOptions extends ServerDependencies {
  /** Where `${VAR}` in headers and arguments comes from; servers do not get it. */
  readonly env: Environment;
  /** Names of tools that are taken: the agent's built-ins. */
  readonly reserved: Iterable<string>;
  /** Opens a server; what it does at `close` ends with the agent's tools. */
  readonly open: typeof openServer;
  warn(warning: Warning): void;
}

export interface McpTools {
  /** Always in the same order for the same servers. */
  readonly tools: readonly Tool[];
  /** Ends sessions and programs; never rejects. Happens by itself when the run's signal aborts. */
  close(): Promise<void>;
}

interface UsableServer {
  readonly config: McpServerConfig;
  readonly server: McpServer;
  readonly tools: readonly unknown[];
}

/**
 * Connects to an agent's MCP servers, all at once, and makes tools of what they offer. A server that cannot be
 * reached, is too slow or does not follow the protocol is a warning (`mcp-server`) and left out; one that is lost later
 * answers calls with errors. What a server was given by `${VAR}` does not come back from it. Rejects only with the
 * signal's reason, when nothing is left running.
 */
export async function connectMcpServers(
  configs: readonly McpServerConfig[],
  options: ConnectOptions,
): Promise<McpTools> {
  const { signal, env, timeoutMs } = options;
  signal.throwIfAborted();
  const secrets = configs.flatMap((config) => valuesFor(config, env));
  const opened: McpServer[] = [];

  function complain(server: string, what: string): void {
    const message = `MCP server \`${cleanLine(server, 64)}\` ${what}`;
    options.warn({ code: 'mcp-server', message: redact(message, secrets) });
  }

  async function list(server: McpServer): Promise<readonly unknown[]> {
    const { tools, isCut } = await within(listTools(server), timeoutMs, signal);
    if (isCut)
      complain(server.name, `has an endless list of tools; the first ${tools.length} were looked at`);
    return tools;
  }

  /** Undefined and a warning if it is no use. */
  async function openAndList(config: McpServerConfig): Promise<UsableServer | undefined> {
    const { name } = config;
    let server: McpServer | undefined;
    try {
      server = await options.open(expandServer(config, env), options, (what) => complain(name, what));
      opened.push(server);
      return { config, server, tools: await list(server) };
    } catch (thrown) {
      if (signal.aborted) return undefined;
      complain(name, `is left out, the run goes on without its tools: ${describeFailure(thrown)}`);
      await server?.close();
      return undefined;
    }
  }

  async function close(): Promise<void> {
    signal.removeEventListener('abort', close);
    await Promise.all(opened.map((server) => server.close()));
  }

  const found = await Promise.all(configs.map(openAndList));
  if (signal.aborted) {
    await close();
    throw signal.reason;
  }
  signal.addEventListener('abort', close, { once: true });
  const usable = found.filter((one) => one !== undefined);
  const offers = usable.map(({ config, tools }) => ({ server: config.name, tools }));
  const choice = chooseTools(offers, new Set(options.reserved), await loadSchemaCheck());
  for (const { server, note } of choice.notes) complain(server, `offers ${note}`);
  const tools = choice.tools.flatMap((chosen) =>
    usable
      .filter(({ config }) => config.name === chosen.server)
      .map((from) => makeTool(chosen, from, secrets)),
  );
  return { tools, close };
}

function makeTool(
  { tool, name, description, inputSchema }: ChosenTool,
  { server, config }: UsableServer,
  secrets: readonly string[],
): Tool {
  return {
    name,
    effect: config.transport === 'stdio' ? 'execute' : 'network',
    description,
    inputSchema,
    async execute(input, signal) {
      if (!isJsonObject(input)) {
        return { text: `${name} was not run: the arguments must be one JSON object.`, isError: true };
      }
      const result = await server.call({ name: tool, inputSchema }, input, signal);
      return { ...result, text: redact(result.text, secrets) };
    },
  };
}

/** Keeps the stdio servers of a run in which tools write: each starts before the first of them does, and ends with it. */
export function createRunServers() {
  const started = new Map<string, Promise<McpServer>>();
  let isSealed = false;

  /** The server of a configuration, started if it was not; over HTTP a new session. Rejects with an Error for people. */
  const open: typeof openServer = async (config, deps, complain) => {
    if (config.transport !== 'stdio') return await openServer(config, deps, complain);
    const key = JSON.stringify(config);
    let server = started.get(key);
    if (server === undefined) {
      if (isSealed)
        throw new Error(
          'its program was not running when a tool first wrote, and may have been changed since',
        );
      server = openServer(config, deps, complain);
      started.set(key, server);
    }
    return { ...(await server), close: async () => {} };
  };

  return {
    open,
    /** From now on no program is started: what it is made of may have been written. */
    seal(): void {
      isSealed = true;
    },
    async close(): Promise<void> {
      await Promise.allSettled([...started.values()].map(async (server) => await (await server).close()));
    },
  };
}

/**
 * Asks a server for its tools, unchecked and page by page, up to a limit: a list may be endless. Throws an Error for people if the
 * answer is not a list.
 */
async function listTools(server: McpServer) {
  const tools: unknown[] = [];
  const seen = new Set<string>();
  let cursor: string | undefined;
  do {
    const page = await server.request('tools/list', cursor === undefined ? {} : { cursor });
    if (!Array.isArray(page['tools'])) throw new Error('its answer to `tools/list` is not a list of tools');
    const isFull = tools.length + page['tools'].length > MAX_OFFERED;
    for (const tool of page['tools'].slice(0, MAX_OFFERED - tools.length)) tools.push(tool);
    const next = page['nextCursor'];
    cursor = typeof next === 'string' && next !== '' ? next : undefined;
    const isEndless = cursor !== undefined && (seen.has(cursor) || seen.size >= MAX_PAGES);
    if (isFull || isEndless) return { tools, isCut: true };
    if (cursor !== undefined) seen.add(cursor);
  } while (cursor !== undefined);
  return { tools, isCut: false };
}

/** axe's form of a variable in a header. */
const VARIABLE = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

/**
 * A server with `${VAR}` replaced in its headers, as axe does, and in its arguments and variables, which is how a program
 * gets a key although its environment is scrubbed. Throws an Error that names what is missing, and never a value.
 */
export function expandServer(server: McpServerConfig, env: Environment): McpServerConfig {
  return {
    ...server,
    headers: Object.fromEntries(
      Object.entries(server.headers).map(([name, value]) => [name, expandHeader(name, value, env)]),
    ),
    args: server.args.map((arg) => expand(arg, '`args`', env)),
    env: Object.fromEntries(
      Object.entries(server.env).map(([name, value]) => [name, expand(value, `\`env.${name}\``, env)]),
    ),
  };
}

/** The values that a server is given by `${VAR}`: they are secrets, whatever the variables are called. */
export function valuesFor({ headers, args, env: own }: McpServerConfig, env: Environment): readonly string[] {
  const texts = [...Object.values(headers), ...args, ...Object.values(own)];
  const names = texts.flatMap((text) => [...text.matchAll(VARIABLE)].map(([, name = '']) => name));
  return names.map((name) => env[name]?.trim() ?? '').filter((value) => value !== '');
}

function expandHeader(name: string, text: string, env: Environment): string {
  const where = `header ${JSON.stringify(name)}`;
  const value = expand(text, where, env).trim();
  try {
    new Headers([[name, value]]);
  } catch {
    // Not its message: that quotes the value.
    throw new Error(`${where} holds a character that HTTP does not allow, perhaps a line break`);
  }
  return value;
}

/** Surrounding white space of a variable goes: secrets are often stored with a line break at the end. */
function expand(text: string, where: string, env: Environment): string {
  return text.replace(VARIABLE, (_, name: string) => {
    const value = env[name]?.trim() ?? '';
    if (value === '') {
      throw new Error(`${where} needs the environment variable \`${name}\`, which is not set or empty`);
    }
    return value;
  });
}
