import type { ToolCallRecord } from '../../core/outcome.js';
import { cleanLine } from '../../core/text/cut.js';

/** How often a run called one tool or sub-agent. */
export interface CallCount {
  /** One short line; a sub-agent is `call_agent → <name>`. The model chose it, so it may say anything. */
  readonly name: string;
  readonly calls: number;
  readonly errors: number;
  /** The tool was never offered: unknown, or withheld by a rule. */
  readonly isDenied: boolean;
}

/** Longest name that is shown, in code points; providers allow no more than this in a tool's name. */
const NAME_LENGTH = 64;

/** The tools and sub-agents that were called, in the order of their first call. */
export function countCalls(records: readonly ToolCallRecord[]): readonly CallCount[] {
  const counts = new Map<string, CallCount>();
  for (const record of records) {
    const name = nameOf(record);
    const { calls, errors } = counts.get(name) ?? { calls: 0, errors: 0 };
    counts.set(name, {
      name,
      calls: calls + 1,
      errors: errors + (record.isError ? 1 : 0),
      isDenied: record.isDenied,
    });
  }
  return [...counts.values()];
}

function nameOf({ tool, input, isDenied }: ToolCallRecord): string {
  const agent = tool === 'call_agent' && !isDenied ? agentOf(input) : '';
  return agent === '' ? shown(tool) : `${shown(tool)} → ${shown(agent)}`;
}

function agentOf(input: unknown): string {
  const agent = typeof input === 'object' && input !== null && 'agent' in input ? input.agent : '';
  return typeof agent === 'string' ? agent : '';
}

function shown(name: string): string {
  return cleanLine(name, NAME_LENGTH) || '(no name)';
}
