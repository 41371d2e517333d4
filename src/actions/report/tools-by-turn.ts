import { callTarget } from '../../core/loop/call-target.js';
import type { ToolCallRecord } from '../../core/outcome.js';
import { cleanLine } from '../../core/text/cut.js';
import { count, grouped } from '../../core/text/number.js';
import { code, details } from './markdown.js';

/** How often a turn called one tool or sub-agent. */
interface CallCount {
  /** One short line; a sub-agent is `call_agent → <name>`. The model chose it, so it may say anything. */
  readonly name: string;
  readonly calls: number;
  readonly errors: number;
  /** The tool was never offered: unknown, or withheld by a rule. */
  readonly isDenied: boolean;
  /** What the calls were about, each once, in one short line. */
  readonly targets: readonly string[];
}

/** Longest name that is shown, in code points; providers allow no more than this in a tool's name. */
const NAME_LENGTH = 64;

/** The tools and sub-agents that were called, in the order of their first call. */
export function countCalls(records: readonly ToolCallRecord[]): readonly CallCount[] {
  const counts = new Map<string, CallCount>();
  for (const record of records) {
    const name = nameOf(record);
    const before = counts.get(name);
    const targets = before?.targets ?? [];
    const target = record.tool === 'call_agent' ? '' : callTarget(record.input);
    counts.set(name, {
      name,
      calls: (before?.calls ?? 0) + 1,
      errors: (before?.errors ?? 0) + (record.isError ? 1 : 0),
      isDenied: record.isDenied,
      targets: target === '' || targets.includes(target) ? targets : [...targets, target],
    });
  }
  return [...counts.values()];
}

/** Most turns that are listed, tools and sub-agents of one, and targets of a tool: a model can make up names without end. */
const MAX_TURNS = 50;
const MAX_NAMES = 20;
const MAX_TARGETS = 5;

/** What the agent called in each of its turns, folded; empty where that is nothing. `isHidden`: for what is not said. */
export function formatToolsByTurn(records: readonly ToolCallRecord[], isHidden: boolean): string {
  const byTurn = new Map<number, ToolCallRecord[]>();
  for (const record of records) byTurn.set(record.turn, [...(byTurn.get(record.turn) ?? []), record]);
  if (byTurn.size === 0) return '';
  const lines = [...byTurn].slice(0, MAX_TURNS).map(([turn, own]) => {
    const counts = countCalls(own);
    const names = counts.slice(0, MAX_NAMES).map((one) => formatCall(one, isHidden));
    const left = counts.length - names.length;
    return `- Turn ${turn}: ${[...names, ...(left > 0 ? [`and ${left} more`] : [])].join(', ')}`;
  });
  const left = byTurn.size - lines.length;
  return details(
    `Tools by turn: ${count(records.length, 'call')} in ${count(byTurn.size, 'turn')}`,
    [...lines, ...(left > 0 ? [`- and ${count(left, 'more turn')}`] : [])].join('\n'),
  );
}

function formatCall({ name, calls, errors, isDenied, targets }: CallCount, isHidden: boolean): string {
  const shown = isHidden ? [] : targets.slice(0, MAX_TARGETS).map(code);
  const remarks = [
    ...shown,
    ...(!isHidden && targets.length > MAX_TARGETS ? ['…'] : []),
    ...(isDenied ? ['not offered'] : errors === 0 ? [] : [count(errors, 'error')]),
  ];
  const times = calls === 1 ? '' : ` × ${grouped(calls)}`;
  return `${code(name)}${times}${remarks.length === 0 ? '' : ` (${remarks.join(', ')})`}`;
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
