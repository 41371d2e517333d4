import type { Tool } from '../axe/tools/tool.js';

/** What an agent has read so far, itself or through its sub-agents. */
export interface Reading {
  /** Text that people without write access may have written (D19). */
  isTainted: boolean;
}

/**
 * The tools, which note what they bring: those that reach the network with their first call, any other with a result
 * that says so. From there on the agent may say, to its sub-agents too, what a stranger wanted it to say.
 */
export function noted(tools: readonly Tool[], reading: Reading): readonly Tool[] {
  return tools.map((tool) => notedTool(tool, reading));
}

function notedTool(tool: Tool, reading: Reading): Tool {
  return {
    ...tool,
    async execute(input, signal) {
      if (tool.effect === 'network') reading.isTainted = true;
      const result = await tool.execute(input, signal);
      if (result.isTainted === true) reading.isTainted = true;
      return result;
    },
  };
}
