import type { McpServerConfig } from '../../agent/model-keys.js';
import { changesFiles, type RequestedTool } from '../grants.js';
import type { Tool } from '../tool.js';
import type { McpServer, openServer as OpenServer } from './server.js';

/** The tools and servers that an agent was granted. */
interface GrantedTools {
  readonly tools: readonly RequestedTool[];
  readonly servers: readonly McpServerConfig[];
}

const openServer: typeof OpenServer = async (...server) =>
  await (await import('./server.js')).openServer(...server);

/**
 * Opens the MCP servers of a run. If any tool of the run can write, a program of a server must start
 * before a tool first writes, because a tool could change it; and it ends with the run. Else servers
 * are opened when their agent is, and end with it.
 */
export function createRunServers() {
  const started = new Map<string, Promise<McpServer>>();
  let deciding: Promise<typeof OpenServer> | undefined;
  let isSealed = false;

  /**
   * Reuses the program of a configuration, or starts it; over HTTP opens a new session. Rejects
   * with an Error for people.
   */
  const openOnce: typeof OpenServer = async (config, deps, complain) => {
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

  async function decide(
    granted: GrantedTools,
    callable: () => Promise<readonly GrantedTools[]>,
    start: (servers: readonly McpServerConfig[], open: typeof OpenServer) => Promise<void>,
  ): Promise<typeof OpenServer> {
    const others = await callable();
    const tools = [granted, ...others].flatMap((agent) => agent.tools);
    if (!tools.some(changesFiles)) return openServer;

    const servers = others.flatMap((agent) => agent.servers);
    await start(
      servers.filter(({ transport }) => transport === 'stdio'),
      openOnce,
    );
    return openOnce;
  }

  return {
    /**
     * The function that opens servers. The first request, which is that of the run's own agent,
     * decides for all: `callable` says what the agents below it are granted, and `start` starts the
     * programs of their servers now. Later requests get the same function.
     */
    opener(...request: Parameters<typeof decide>): Promise<typeof OpenServer> {
      deciding ??= decide(...request);
      return deciding;
    },
    /** The tool; once it has run, no program is started, since it could have changed it. */
    sealBefore(tool: Tool): Tool {
      if (!changesFiles(tool)) return tool;
      return {
        ...tool,
        execute(input, signal) {
          isSealed = true;
          return tool.execute(input, signal);
        },
      };
    },
    async close(): Promise<void> {
      await Promise.allSettled(
        [...started.values()].map(async (server) => await (await server).close()),
      );
    },
  };
}
