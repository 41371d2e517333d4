import type { McpServerConfig } from '../../agent/config.js';
import type { Environment } from '../../lib/environment.js';
import { cleanLine } from '../../lib/text/cut.js';
import type { Warning } from '../../lib/warning.js';
import { redact } from '../../safety/redact.js';
import type { Tool } from '../tool.js';
import { type ChosenTool, chooseTools } from './choose-tools.js';
import { describeFailure, within } from './connection.js';
import type { McpServer, openServer, ServerDependencies } from './server.js';

/** Most tools of one server that are looked at before some are chosen. */
export const MAX_OFFERED = 20_000;

/** Most pages of a tool list that are asked for. */
export const MAX_PAGES = 100;

/** How often the tools of an agent's servers are listed anew in a run. */
const MAX_LISTINGS = 20;

export interface ConnectOptions extends Omit<ServerDependencies, 'complain'> {
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
  /** The tools as they are now, if a server has said that its own have changed; undefined if none has. */
  changed(): Promise<readonly Tool[] | undefined>;
  /** Ends sessions and programs; never rejects. Happens by itself when the run's signal aborts. */
  close(): Promise<void>;
}

/**
 * Connects to an agent's MCP servers, all at once, and makes tools of what they offer. A server that cannot be
 * reached, is too slow or does not follow the protocol is a warning (`mcp-server`) and left out; one that is lost later
 * answers calls with errors. What a server was given by `${VAR}` does not come back from it. Rejects only with the signal's reason, when nothing is left running.
 */
export async function connectMcpServers(
  configs: readonly McpServerConfig[],
  given: ConnectOptions,
): Promise<McpTools> {
  const { signal } = given;
  signal.throwIfAborted();
  const secrets = configs.flatMap((config) => valuesFor(config, given.env));
  const hide = (text: string): string => redact(text, secrets);
  const options = {
    ...given,
    warn: (warning: Warning) => given.warn({ ...warning, message: hide(warning.message) }),
  };
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
  let usable = found.filter((one) => one !== undefined);
  const useless = opened.filter((server) => !usable.some((one) => one.server === server));
  await Promise.all(useless.map((server) => server.close()));
  const reported = new Set<string>();
  let listings = 0;

  function choose(): readonly Tool[] {
    const offers = usable.map(({ config, tools }) => ({ server: config.name, tools }));
    const choice = chooseTools(offers, new Set(options.reserved));
    for (const { server, note } of choice.notes) {
      if (!reported.has(`${server}: ${note}`)) complain(options, server, `offers ${note}`);
      reported.add(`${server}: ${note}`);
    }
    return choice.tools.flatMap((chosen) => {
      const from = usable.find(({ config }) => config.name === chosen.server);
      return from === undefined ? [] : [makeTool(chosen, from, hide)];
    });
  }

  async function changed(): Promise<readonly Tool[] | undefined> {
    const isChanged = usable.map(({ server }) => server.hasNewTools());
    if (!isChanged.includes(true) || listings >= MAX_LISTINGS) return undefined;
    listings += 1;
    usable = await Promise.all(usable.map((one, index) => (isChanged[index] ? listAnew(one, options) : one)));
    signal.throwIfAborted();
    return choose();
  }

  return { tools: choose(), changed, close };
}

/** The server with its new tools, or with the old ones and a warning where they cannot be had. */
async function listAnew(one: UsableServer, options: ConnectOptions): Promise<UsableServer> {
  try {
    return { ...one, tools: await list(one.server, options) };
  } catch (thrown) {
    if (!options.signal.aborted)
      complain(
        options,
        one.config.name,
        `has other tools now, which could not be listed: ${describeFailure(thrown)}`,
      );
    return one;
  }
}

/** What it offers; a list without end is a warning. */
async function list(server: McpServer, options: ConnectOptions): Promise<readonly unknown[]> {
  const { tools, isCut } = await within(listTools(server), options.timeoutMs, options.signal);
  if (isCut)
    complain(options, server.name, `has an endless list of tools; the first ${tools.length} were looked at`);
  return tools;
}

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
  try {
    const deps = { ...options, complain: (what: string) => complain(options, name, what) };
    const server = await options.open(expandServer(config, options.env), deps);
    opened.push(server);
    return { config, server, tools: await list(server, options) };
  } catch (thrown) {
    if (options.signal.aborted) return undefined;
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
  hide: (text: string) => string,
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
      const result = await server.call(tool, { ...input }, signal);
      return { ...result, text: hide(result.text) };
    },
  };
}

/**
 * Asks a server for its tools, unchecked and page by page, up to a limit: a list may be endless. Throws an Error for people if the
 * answer is not a list.
 */
export async function listTools(server: McpServer) {
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

/** Field names and values of HTTP (RFC 9110, 5.1 and 5.5), which are ASCII as far as anybody can rely on. */
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

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
  if (!HEADER_NAME.test(name)) throw new Error(`${where} is not a name that HTTP allows`);
  if (!HEADER_VALUE.test(value)) {
    throw new Error(`the value of ${where} holds a character that HTTP does not allow, perhaps a line break`);
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
