import { tellResult } from '../../commands/validate/format-validation.js';
import { allFaults, type CheckedAgent, isValid } from '../../commands/validate/validation.js';
import type { Fault } from '../../core/agent/fault.js';
import { shownFile, sourcePosition } from '../../core/position.js';
import { count } from '../../core/text/count.js';
import { cutToCharacters } from '../../core/text/cut.js';
import type { RunReport } from '../../run/request.js';
import { code, oneLine, sections } from './markdown.js';

type Validated = Extract<RunReport, { readonly kind: 'validated' }>;

/** Faults that are listed; an annotation holds less, a summary a megabyte. */
const MAX_LISTED = 200;

/** The job summary of `mode: validate`: a row for each agent, and below it all that is wrong. */
export function validatedSummary({ validation }: Validated): string {
  const { agents, where } = validation;
  const faults = allFaults(validation);
  const lines = faults
    .slice(0, MAX_LISTED)
    .map((fault) =>
      oneLine(`- **${fault.severity}** ${code(sourcePosition(fault.at))}: ${tellFault(fault)}`),
    );
  const left = faults.length - lines.length;
  return sections([
    `### axe-action: ${isValid(validation) ? 'the agents are valid' : 'the agents are not valid'}`,
    `${count(agents.length, 'agent')} of ${where}. No model was asked and memory was not touched.`,
    table(
      ['Agent', 'Model', 'Tools', 'Memory', 'Result'],
      agents.map((agent) => [name(agent.file), ...cellsOf(agent), tellResult(agent)]),
    ),
    lines.join('\n'),
    left > 0 ? `And ${left} more.` : '',
  ]);
}

/** The job log of `mode: validate`; the annotations tell the faults. */
export function validatedLines({ validation }: Validated): readonly string[] {
  const lines = validation.agents.map((agent) => `  ${shownFile(agent.file)}: ${tellResult(agent)}`);
  return [`Looked at ${count(lines.length, 'agent')} of ${validation.where}:`, ...lines];
}

/** Message and remedy as sentences. */
function tellFault({ message, remedy }: Fault): string {
  return withoutMarkup(remedy === '' ? message : `${message.replace(/\.$/, '')}. ${remedy}`);
}

/** Code stays code; the rest, in which names stand as a stranger wrote them, is no link, image or element. */
function withoutMarkup(text: string): string {
  const [first = '', ...others] = text.split(/(?<!`)(`[^`]+`)(?!`)/);
  const parts = [first, ...others];
  return parts.map((part, index) => (index % 2 === 1 ? part : part.replace(/[\\`[<]/g, '\\$&'))).join('');
}

function cellsOf({ raw }: CheckedAgent): readonly string[] {
  if (raw === undefined) return ['', '', ''];
  const { model, tools, mcp_servers: servers, sub_agents: subAgents, memory } = raw;
  const others = [
    ...servers.map((server) => `MCP ${name(server.name)}`),
    ...subAgents.map((agent) => `sub-agent ${name(agent)}`),
  ];
  return [
    model === '' ? '' : name(model),
    listed([...tools.map(name), ...others]),
    memory.enabled ? (memory.notes ? 'on, with notes' : 'on') : 'off',
  ];
}

/** Most characters of a name; what stands in a file is anybody's. */
const MAX_NAME = 100;

/** Most names in a cell. */
const MAX_NAMES = 20;

function name(text: string): string {
  return code(cutToCharacters(text, MAX_NAME));
}

function listed(names: readonly string[]): string {
  return [...names.slice(0, MAX_NAMES), ...(names.length > MAX_NAMES ? ['…'] : [])].join(', ');
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map(cell).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

function cell(text: string): string {
  return oneLine(text).replaceAll('|', '\\|');
}
