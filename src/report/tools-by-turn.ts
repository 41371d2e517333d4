import { groupBy } from '../lib/data.js';
import type { ToolCallRecord } from '../lib/outcome.js';
import { cleanLine, count, formatInteger, inlineCode } from '../lib/text/format.js';
import { callTarget } from '../loop/tool-calls.js';

/** The agent's calls, a line for each turn. `isHidden` leaves out what they were about. */
export function toolsByTurn(
  records: readonly ToolCallRecord[],
  isHidden: boolean,
): readonly string[] {
  return [...groupBy(records, ({ turn }) => turn)].map(([turn, turnRecords]) => {
    const calls = [...groupBy(turnRecords, nameOf)].map(([name, same]) =>
      formatCalls(name, same, isHidden),
    );
    return `Turn ${turn}: ${calls.join(', ')}`;
  });
}

/** The calls of one tool or sub-agent in a turn, with what they were about. */
function formatCalls(name: string, calls: readonly ToolCallRecord[], isHidden: boolean): string {
  const subjects = calls.map(({ tool, input }) => (tool === 'call_agent' ? '' : callTarget(input)));
  const targets = isHidden ? [] : [...new Set(subjects)].filter((target) => target !== '');
  const errors = calls.filter(({ isError }) => isError).length;
  const isDenied = calls.some((call) => call.isDenied);
  const errorRemarks = errors === 0 ? [] : [count(errors, 'error')];
  const remarks = [
    ...targets.slice(0, MAX_TARGETS).map(inlineCode),
    ...(targets.length > MAX_TARGETS ? ['…'] : []),
    ...(isDenied ? ['not offered'] : errorRemarks),
  ];
  const times = calls.length === 1 ? '' : ` × ${formatInteger(calls.length)}`;
  return `${inlineCode(name)}${times}${remarks.length === 0 ? '' : ` (${remarks.join(', ')})`}`;
}

const MAX_TARGETS = 5;

/**
 * The model chose the names, so each is cleaned; providers allow no more than 64 characters in a
 * tool's.
 */
function nameOf({ tool, input, isDenied }: ToolCallRecord): string {
  const shown = (name: string) => cleanLine(name, 64) || '(no name)';
  if (tool !== 'call_agent' || isDenied) return shown(tool);
  const agent =
    typeof input === 'object' && input !== null && 'agent' in input ? input.agent : undefined;
  return typeof agent === 'string' && agent !== ''
    ? `${shown(tool)} → ${shown(agent)}`
    : shown(tool);
}
