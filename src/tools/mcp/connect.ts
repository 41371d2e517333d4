import type { McpServerConfig } from '../../agent/config.js';
import type { Environment } from '../../lib/environment.js';
import { AxeError, type Warning } from '../../lib/errors.js';
import { cleanLine } from '../../lib/text/format.js';
import type { Secret } from '../../safety/secrets.js';
import type { Tool } from '../tool.js';
import {
  type ChosenTool,
  chooseTools,
  isJsonObject,
  loadSchemaCheck,
  type Offer,
} from './choose-tools.js';
import {
  describeFailure,
  type McpServer,
  type openServer,
  type ServerDependencies,
} from './server.js';

/**
 * Connects to an agent's MCP servers, all at once, and makes tools of their offers. A server that
 * cannot be reached, is too slow or does not follow the protocol is left out with a warning
 * (`mcp-server`) and named in `missing`, as is one that offers no tool; one that is lost later
 * answers calls with errors. The same servers always give the same order of tools. `close` ends
 * sessions and programs, never rejects, and is called when the signal aborts. Rejects, when nothing
 * is running any more, with the signal's reason or an AxeError for a missing server that is
 * required.
 */
export async function connectMcpServers(
  configs: readonly McpServerConfig[],
  options: ServerDependencies & {
    /** The values of `${VAR}` in headers and arguments; servers do not get the whole of it. */
    readonly env: Environment;
    /** The names of the agent's built-in tools, which no server's tool can have. */
    readonly reserved: Iterable<string>;
    /** Opens a server. Its `close` is called when the agent's tools are closed. */
    readonly open: typeof openServer;
    warn(warning: Warning): void;
  },
) {
  const { signal, env } = options;
  signal.throwIfAborted();
  const opened: McpServer[] = [];
  const problems = new Map<string, string>();

  function complain(server: string, problem: string): void {
    const message = `MCP server \`${cleanLine(server, 64)}\` ${problem}`;
    options.warn({ code: 'mcp-server', message });
  }

  /** Undefined, with a warning, if the server cannot be used. */
  async function openAndList(config: McpServerConfig): Promise<Offer<McpServer> | undefined> {
    const { name } = config;
    let server: McpServer | undefined;
    try {
      server = await options.open(expandServer(config, env), options, (problem) =>
        complain(name, problem),
      );
      opened.push(server);
      return { name, server, tools: await server.listTools() };
    } catch (thrown) {
      if (signal.aborted) return undefined;
      const reason = describeFailure(thrown, options.secrets);
      problems.set(name, reason);
      if (!config.required)
        complain(name, `is left out, the run goes on without its tools: ${reason}`);
      await server?.close();
      return undefined;
    }
  }

  async function close(): Promise<void> {
    signal.removeEventListener('abort', close);
    await Promise.all(opened.map((server) => server.close()));
  }

  const results = await Promise.all(configs.map(openAndList));
  if (signal.aborted) {
    await close();
    throw signal.reason;
  }
  signal.addEventListener('abort', close, { once: true });

  const offers = results.filter((offer) => offer !== undefined);
  const { tools, notes } = chooseTools(offers, new Set(options.reserved), await loadSchemaCheck());
  for (const { server, note } of notes) complain(server, `offers ${note}`);

  const isMissing = ({ name }: McpServerConfig) => {
    const server = offers.find((offer) => offer.name === name)?.server;
    return server === undefined || !tools.some((tool) => tool.server === server);
  };
  const missing = configs.filter(isMissing);
  const required = missing.find((config) => config.required);
  if (required !== undefined) {
    await close();
    throw requiredServerError(required.name, problems.get(required.name) ?? 'it offers no tool');
  }
  return { tools: tools.map(makeTool), missing: missing.map(({ name }) => name), close };
}

/** The run must not go on without this server. */
export function requiredServerError(server: string, reason: string): AxeError {
  const message = `the MCP server \`${cleanLine(server, 64)}\` is required and not available: ${reason}`;
  const remedy =
    'Start the run again once the server works, or remove `required = true` from its table.';
  return new AxeError(message, { remedy });
}

function makeTool(chosen: ChosenTool<McpServer>): Tool {
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
      return await server.call(chosen, input, signal);
    },
  };
}

/** axe's form of a variable in a header. */
const VARIABLE = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

/**
 * Replaces `${VAR}` in a server's headers, as axe does, and also in its arguments and variables, so
 * that a program can get a key although its environment is scrubbed. Throws an Error that names the
 * missing variable, and never a value.
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
 * The values that a server gets by `${VAR}`: they are secrets if they are hard to guess, whatever
 * the names of the variables are.
 */
export function secretsFor(server: McpServerConfig, env: Environment): readonly Secret[] {
  const { headers, args } = server;
  const texts = [...Object.values(headers), ...args, ...Object.values(server.env)];
  const names = texts.flatMap((text) => [...text.matchAll(VARIABLE)].map(([, name = '']) => name));
  return names.map((name) => ({ name, value: env[name] ?? '' }));
}

function expandHeader(name: string, text: string, env: Environment): string {
  const location = `header ${JSON.stringify(name)}`;
  const value = expand(text, location, env).trim();
  try {
    new Headers([[name, value]]);
  } catch {
    // The caught message is not used, because it quotes the value.
    throw new Error(`${location} holds a character that HTTP does not allow, perhaps a line break`);
  }
  return value;
}

/** Trims the value of a variable: secrets are often stored with a line break at the end. */
function expand(text: string, location: string, env: Environment): string {
  return text.replace(VARIABLE, (_, name: string) => {
    const value = env[name]?.trim() ?? '';
    if (value === '') {
      throw new Error(
        `${location} needs the environment variable \`${name}\`, which is not set or empty`,
      );
    }
    return value;
  });
}
