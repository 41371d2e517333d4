import type { Dependencies, ToolBox, ToolRequest } from '../core/dependencies.js';
import type { ToolSurroundings } from './tools.js';

const NOTHING: ToolBox = { tools: [], close: async () => {} };

/** Opens the tools of agents. The code of the tools is loaded only for an agent that asks for some (D34). */
export function createToolOpener(surroundings: ToolSurroundings): Dependencies['openTools'] {
  let opener: Promise<Dependencies['openTools']> | undefined;
  return async (request: ToolRequest) => {
    const { tools, mcpServers } = request.agent.config;
    if (tools.length === 0 && mcpServers.length === 0) return NOTHING;
    opener ??= import('./tools.js').then(({ createLoadedToolOpener }) =>
      createLoadedToolOpener(surroundings),
    );
    const open = await opener;
    return await open(request);
  };
}
