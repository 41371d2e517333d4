import type { TaintTracker } from '../core/event/taint.js';
import type { Effect, Tool } from '../core/tools/tool.js';

/** Effects of tools whose results are anybody's: a program that was started can reach a network too (D46). */
const TAINTING: ReadonlySet<Effect> = new Set(['network', 'execute']);

/** The tools, which tell the tracker what they bring: some with their first call, any other with a result that says so. */
export function trackTaint(tools: readonly Tool[], taint: TaintTracker): readonly Tool[] {
  return tools.map((tool) => ({
    ...tool,
    async execute(input, signal) {
      const source = { kind: 'tool', tool: tool.name } as const;
      if (TAINTING.has(tool.effect)) taint.add(source);
      const result = await tool.execute(input, signal);
      if (result.isTainted === true) taint.add(source);
      return result;
    },
  }));
}
