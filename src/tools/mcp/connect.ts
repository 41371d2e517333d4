import type { McpServerConfig } from '../../agent/config.js';
import type { Environment } from '../../lib/environment.js';
import type { Warning } from '../../lib/errors.js';
import { cleanLine } from '../../lib/text/format.js';
import { redact } from '../../safety/redact.js';
import type { Tool } from '../tool.js';
import {
  type ChosenTool,
  chooseTools,
  isJsonObject,
  loadSchemaCheck,
  type Offer,
} from './choose-tools.js';
import { describeFailure, type McpServer, openServer, type ServerDependencies } from './server.js';

/**
 * Connects to an agent's MCP servers, all at once, and makes tools of what they offer. A server
 * that cannot be reached, is too slow or does not follow the protocol is a warning (`mcp-server`)
 * and left out; one that is lost later answers calls with errors. What a server was given by
 * `${VAR}` does not come back from it. The tools have always the same order for the same servers.
 * `close` ends sessions and programs, never rejects, and happens by itself when the signal aborts.
 * Rejects only with the signal's reason, when nothing is left running.
 */
export async function connectMcpServers(
  configs: readonly McpServerConfig[],
  options: ServerDependencies & {
    /** Where `${VAR}` in headers and arguments comes from; servers do not get it. */
    readonly env: Environment;
    /** Names of tools that are taken: the agent's built-ins. */
    readonly reserved: Iterable<string>;
    /** Opens a server; what it does at `close` ends with the agent's tools. */
    readonly open: typeof openServer;
    warn(warning: Warning): void;
  },
) {
  const { signal, env } = options;
  signal.throwIfAborted();
  const secrets = configs.flatMap((config) => valuesFor(config, env));
  const opened: McpServer[] = [];

  function complain(server: string, what: string): void {
    const message = `MCP server \`${cleanLine(server, 64)}\` ${what}`;
    options.warn({ code: 'mcp-server', message: redact(message, secrets) });
  }

  /** Undefined and a warning if it is no use. */
  async function openAndList(config: McpServerConfig): Promise<Offer<McpServer> | undefined> {
    const { name } = config;
    let server: McpServer | undefined;
    try {
      server = await options.open(expandServer(config, env), options, (what) =>
        complain(name, what),
      );
      opened.push(server);
      return { name, server, tools: await server.listTools() };
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
  const offers = found.filter((one) => one !== undefined);
  const { tools, notes } = chooseTools(offers, new Set(options.reserved), await loadSchemaCheck());
  for (const { server, note } of notes) complain(server, `offers ${note}`);
  return { tools: tools.map((chosen) => makeTool(chosen, secrets)), close };
}

function makeTool(chosen: ChosenTool<McpServer>, secrets: readonly string[]): Tool {
  const { name, description, inputSchema, server } = chosen;
  return {
    name,
    effect: server.isProgram ? 'execute' : 'network',
    description,
    inputSchema,
    async execute(input, signal) {
      if (!isJsonObject(input)) {
        return {
          text: `${name} was not run: the arguments must be one JSON object.`,
          isError: true,
        };
      }
      const result = await server.call(chosen, input, signal);
      return { ...result, text: redact(result.text, secrets) };
    },
  };
}

/**
 * Keeps the stdio servers of a run in which tools write: each starts before the first of them does,
 * and ends with it.
 */
export function createRunServers() {
  const started = new Map<string, Promise<McpServer>>();
  let isSealed = false;

  /**
   * The server of a configuration, started if it was not; over HTTP a new session. Rejects with an
   * Error for people.
   */
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
      await Promise.allSettled(
        [...started.values()].map(async (server) => await (await server).close()),
      );
    },
  };
}

/** axe's form of a variable in a header. */
const VARIABLE = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

/**
 * A server with `${VAR}` replaced in its headers, as axe does, and in its arguments and variables,
 * which is how a program gets a key although its environment is scrubbed. Throws an Error that
 * names what is missing, and never a value.
 */
export function expandServer(server: McpServerConfig, env: Environment): McpServerConfig {
  return {
    ...server,
    headers: Object.fromEntries(
      Object.entries(server.headers).map(([name, value]) => [name, expandHeader(name, value, env)]),
    ),
    args: server.args.map((arg) => expand(arg, '`args`', env)),
    env: Object.fromEntries(
      Object.entries(server.env).map(([name, value]) => [
        name,
        expand(value, `\`env.${name}\``, env),
      ]),
    ),
  };
}

/**
 * The values that a server is given by `${VAR}`: they are secrets, whatever the variables are
 * called.
 */
export function valuesFor(
  { headers, args, env: own }: McpServerConfig,
  env: Environment,
): readonly string[] {
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

/**
 * Surrounding white space of a variable goes: secrets are often stored with a line break at the
 * end.
 */
function expand(text: string, where: string, env: Environment): string {
  return text.replace(VARIABLE, (_, name: string) => {
    const value = env[name]?.trim() ?? '';
    if (value === '') {
      throw new Error(
        `${where} needs the environment variable \`${name}\`, which is not set or empty`,
      );
    }
    return value;
  });
}
