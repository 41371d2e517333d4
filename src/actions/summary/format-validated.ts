import type { Fault } from '../../axe/agent/fault.js';
import { sourcePosition } from '../../axe/position.js';
import type { RunReport } from '../../pipeline/request.js';
import { tellResult } from '../../pipeline/validate/tell-validation.js';
import { allFaults, type CheckedAgent, isValid } from '../../pipeline/validate/validation.js';
import { code, count, oneLine, sections } from './markdown.js';

type Validated = Extract<RunReport, { readonly kind: 'validated' }>;

/** Faults that are listed; an annotation holds less, a summary a megabyte. */
const MAX_LISTED = 200;

/** The job summary of `mode: validate`: a row for each agent, and below it all that is wrong. */
export function validatedSummary({ validation }: Validated): string {
  const { agents, where } = validation;
  const faults = allFaults(validation);
  const listed = faults
    .slice(0, MAX_LISTED)
    .map((fault) => `- **${fault.severity}** ${code(sourcePosition(fault.at))}: ${tellFault(fault)}`);
  const left = faults.length - listed.length;
  return sections([
    `### axe-action: ${isValid(validation) ? 'the agents are valid' : 'the agents are not valid'}`,
    `${count(agents.length, 'agent')} of ${where}. No model was asked and memory was not touched.`,
    table(
      ['Agent', 'Model', 'Tools', 'Memory', 'Result'],
      agents.map((agent) => [code(agent.file), ...cellsOf(agent), tellResult(agent)]),
    ),
    listed.join('\n'),
    left > 0 ? `And ${left} more.` : '',
  ]);
}

/** The job log of `mode: validate`; the annotations tell the faults. */
export function validatedLines({ validation }: Validated): readonly string[] {
  const lines = validation.agents.map((agent) => `  ${agent.file}: ${tellResult(agent)}`);
  return [`Looked at ${count(lines.length, 'agent')} of ${validation.where}:`, ...lines];
}

/** Message and remedy as sentences. */
function tellFault({ message, remedy }: Fault): string {
  return oneLine(remedy === '' ? message : `${message.replace(/\.$/, '')}. ${remedy}`);
}

function cellsOf({ raw }: CheckedAgent): readonly string[] {
  if (raw === undefined) return ['', '', ''];
  const { model, tools, mcp_servers: servers, sub_agents: subAgents, memory } = raw;
  const others = [
    ...servers.map(({ name }) => `MCP ${name}`),
    ...subAgents.map((name) => `sub-agent ${name}`),
  ];
  return [
    model === '' ? '' : code(model),
    [...tools.map(code), ...others].join(', '),
    memory.enabled ? (memory.notes ? 'on, with notes' : 'on') : 'off',
  ];
}

/** Longest cell; what stands in a file is anybody's. */
const MAX_CELL = 300;

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map(cell).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

function cell(text: string): string {
  const shown = text.length > MAX_CELL ? `${text.slice(0, MAX_CELL)}…` : text;
  return oneLine(shown).replaceAll('|', '\\|');
}
