import type { Tool } from '../axe/tools/tool.js';

/** What an agent has read so far, itself or through its sub-agents. */
export interface Reading {
  /** Text from the open network, which anybody may have written (D19). */
  isTainted: boolean;
}

/**
 * The tools, of which those that reach the network note it with their first call: from there on the agent may say, to its
 * sub-agents too, what a stranger wanted it to say.
 */
export function noted(tools: readonly Tool[], reading: Reading): readonly Tool[] {
  return tools.map((tool) => (tool.effect === 'network' ? notedTool(tool, reading) : tool));
}

function notedTool(tool: Tool, reading: Reading): Tool {
  return {
    ...tool,
    execute(input, signal) {
      reading.isTainted = true;
      return tool.execute(input, signal);
    },
  };
}
