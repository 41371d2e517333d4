import type { Fault } from '../agent/fault.js';
import { shownFile, sourcePosition } from '../lib/errors.js';
import { cutToCharacters } from '../lib/text/cut.js';
import { count } from '../lib/text/number.js';
import {
  allFaults,
  type CheckedAgent,
  formatValidation,
  formatVerdict,
  isValid,
  type Validation,
} from '../run/validate/validation.js';
import { code, oneLine, sections, table } from './markdown.js';
import type { Annotation, RunSummary } from './run-summary.js';

export function summarizeValidation(validation: Validation): RunSummary {
  const { agents, where } = validation;
  const lines = agents.map((agent) => `  ${shownFile(agent.file)}: ${formatVerdict(agent)}`);
  return {
    outputs: {
      conclusion: isValid(validation) ? 'success' : 'failure',
      response: formatValidation(validation).join('\n'),
      'memory-saved': 'false',
    },
    markdown: formatFaults(validation),
    // The annotations tell the faults.
    log: [`Looked at ${count(lines.length, 'agent')} of ${where}:`, ...lines],
    annotations: annotationsOf(allFaults(validation)),
  };
}

/** Faults that are listed; an annotation holds less, a summary a megabyte. */
const MAX_LISTED = 200;

/** A row for each agent, and below it all that is wrong. */
function formatFaults(validation: Validation): string {
  const { agents, where } = validation;
  const faults = allFaults(validation);
  const lines = faults
    .slice(0, MAX_LISTED)
    .map((fault) =>
      oneLine(`- **${fault.severity}** ${code(sourcePosition(fault.at))}: ${formatFault(fault)}`),
    );
  const left = faults.length - lines.length;
  return sections([
    `### axe-action: ${isValid(validation) ? 'the agents are valid' : 'the agents are not valid'}`,
    `${count(agents.length, 'agent')} of ${where}. No model was asked and memory was not touched.`,
    table(
      ['Agent', 'Model', 'Tools', 'Memory', 'Result'],
      agents.map((agent) => [name(agent.file), ...cellsOf(agent), formatVerdict(agent)]),
    ),
    lines.join('\n'),
    left > 0 ? `And ${left} more.` : '',
  ]);
}

/** The runner shows ten annotations of a kind for a step (D35); the tenth counts what is left. */
const MAX_ANNOTATIONS = 9;

/** What is wrong with agents, at their lines. */
function annotationsOf(faults: readonly Fault[]): readonly Annotation[] {
  return (['error', 'warning'] as const).flatMap((level) => {
    const own = faults.filter(({ severity }) => severity === level);
    const left = own.length - MAX_ANNOTATIONS;
    const message = `${count(left, `more ${level}`)}; the job summary lists them.`;
    return [
      ...own.slice(0, MAX_ANNOTATIONS).map(({ message, remedy, at }) => ({
        level,
        title: 'Agent',
        message: [message, remedy].join('\n').trim(),
        at,
      })),
      ...(left > 0 ? [{ level, title: 'Agent', message }] : []),
    ];
  });
}

/** Message and remedy as sentences. */
function formatFault({ message, remedy }: Fault): string {
  return withoutMarkup(remedy === '' ? message : `${message.replace(/\.$/, '')}. ${remedy}`);
}

/** Code stays code; the rest, in which names stand as a stranger wrote them, is no link, image or element. */
function withoutMarkup(text: string): string {
  const [first = '', ...others] = text.split(/(?<!`)(`[^`]+`)(?!`)/);
  const parts = [first, ...others];
  return parts.map((part, index) => (index % 2 === 1 ? part : part.replace(/[\\`[<]/g, '\\$&'))).join('');
}

function cellsOf({ config }: CheckedAgent): readonly string[] {
  if (config === undefined) return ['', '', ''];
  const { model, tools, mcpServers: servers, subAgents, memory } = config;
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
