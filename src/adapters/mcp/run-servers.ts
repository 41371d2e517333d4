import type { McpServerConfig } from '../../core/agent/config.js';
import { type McpServer, openServer, type ServerDependencies } from './server.js';

/** The stdio servers of a run in which tools write: each starts before the first of them does, and ends with the run. */
interface RunServers {
  /** The server of a configuration, started if it was not; over HTTP a new session. Rejects with an Error for people. */
  open: typeof openServer;
  /** From now on no program is started: what it is made of may have been written. */
  seal(): void;
  close(): Promise<void>;
}

/** Keeps the servers of a run, which its agents share. */
export function createRunServers(): RunServers {
  const started = new Map<string, Promise<McpServer>>();
  let isSealed = false;

  function start(config: McpServerConfig, deps: ServerDependencies): Promise<McpServer> {
    if (isSealed) {
      const reason = 'its program was not running when a tool first wrote, and may have been changed since';
      return Promise.reject(new Error(reason));
    }
    return openServer(config, deps);
  }

  return {
    async open(config, deps) {
      if (config.transport !== 'stdio') return await openServer(config, deps);
      const key = JSON.stringify(config);
      const server = started.get(key) ?? start(config, deps);
      started.set(key, server);
      return { ...(await server), close: async () => {} };
    },
    seal() {
      isSealed = true;
    },
    async close() {
      const ended = await Promise.allSettled(started.values());
      await Promise.all(
        ended.map(async (end) => (end.status === 'fulfilled' ? await end.value.close() : undefined)),
      );
    },
  };
}
