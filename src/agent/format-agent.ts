import { NOTES_LIMITS } from '../lib/defaults.js';
import type { AgentConfig } from './config.js';

/** Labels are padded to this width; a longer one is followed by its value at once, as in axe. */
const LABEL_WIDTH = 16;

type Field = readonly [label: string, value: string | undefined];

/**
 * An agent for people, as `agents show` prints it (axe-behaviour §18): fields that are set, in axe's order, and after
 * them the ones axe 0.1.0 did not have.
 */
export function formatAgent(config: AgentConfig): string {
  const fields = [
    ...generalFields(config),
    ...subAgentFields(config),
    ...memoryFields(config),
    ...paramFields(config),
    ...newerFields(config),
    ...notesFields(config),
  ];
  return fields.map(formatField).join('');
}

function generalFields(config: AgentConfig): readonly Field[] {
  return [
    ['Name', config.name],
    ['Description', text(config.description)],
    ['Model', config.model],
    ['System Prompt', text(config.systemPrompt)],
    ['Skill', text(config.skill)],
    ['Files', list(config.files)],
    ['Workdir', text(config.workdir)],
  ];
}

function subAgentFields({ subAgents, subAgentsConfig }: AgentConfig): readonly Field[] {
  if (subAgents.length === 0) return [];
  return [
    ['Sub-Agents', list(subAgents)],
    ['Max Depth', String(subAgentsConfig.maxDepth)],
    ['Parallel', String(subAgentsConfig.parallel ?? true)],
    ['Timeout', String(subAgentsConfig.timeoutSeconds)],
  ];
}

function memoryFields({ memory }: AgentConfig): readonly Field[] {
  return [
    ['Memory Enabled', memory.enabled ? 'true' : undefined],
    ['Memory Path', text(memory.path)],
    ['Memory LastN', positive(memory.lastN)],
    ['Memory MaxEntries', positive(memory.maxEntries)],
  ];
}

/** In the words axe has for its own keys of the table; what is as it is without a line goes without saying. */
function notesFields({ memory }: AgentConfig): readonly Field[] {
  return [
    ['Memory Notes', memory.notes ? 'true' : undefined],
    ['Memory Tools', list(memory.tools)],
    ['Memory Dir', text(memory.dir)],
    ['Memory Scope', memory.scope === 'project' ? undefined : memory.scope],
    ['Memory Project', text(memory.project)],
    ['Memory Daily', memory.daily === 'calendar' ? undefined : memory.daily],
    ['Memory Dedup', memory.dedup ? undefined : 'false'],
    ['Memory MaxInjectBytes', other(memory.maxInjectBytes, NOTES_LIMITS.injectBytes)],
    ['Memory MaxWriteBytes', other(memory.maxWriteBytes, NOTES_LIMITS.writeBytes)],
    ['Memory MaxLogBytes', positive(memory.maxLogBytes)],
    ['Memory WarnFileBytes', other(memory.warnFileBytes, NOTES_LIMITS.warnFileBytes)],
  ];
}

function paramFields({ params }: AgentConfig): readonly Field[] {
  return [
    ['Temperature', params.temperature === undefined ? undefined : formatFloat(params.temperature)],
    ['Max Tokens', positive(params.maxTokens)],
  ];
}

function newerFields(config: AgentConfig): readonly Field[] {
  const { memory, params, retry, budget, artifacts, review } = config;
  return [
    ['Tools', list(config.tools)],
    ['Allowed Hosts', list(config.allowedHosts)],
    ['MCP Servers', list(config.mcpServers.map((server) => server.name))],
    ['Provenance', memory.provenance === 'auto' ? undefined : memory.provenance],
    ['Effort', params.effort],
    ['API', params.api],
    ['Context Window', positive(params.contextWindow ?? 0)],
    ['Response Format', params.responseFormat?.type],
    ['Max Retries', retry.maxRetries === undefined ? undefined : String(retry.maxRetries)],
    ['Review Depth', review.depth],
    ['Verify Model', text(review.verifyModel)],
    ['Verifier', text(review.verifier)],
    ['Guidance', config.guidance === undefined ? undefined : String(config.guidance)],
    ['Budget', budget.maxTokens === 0 ? undefined : `${budget.maxTokens} tokens`],
    ['Artifacts', artifacts.enabled ? artifacts.dir || 'true' : undefined],
    ['Run Timeout', config.timeoutSeconds === 0 ? undefined : `${config.timeoutSeconds}s`],
  ];
}

function formatField([label, value]: Field): string {
  return value === undefined ? '' : `${`${label}:`.padEnd(LABEL_WIDTH)}${value}\n`;
}

function text(value: string): string | undefined {
  return value === '' ? undefined : value;
}

function list(values: readonly string[]): string | undefined {
  return values.length === 0 ? undefined : values.join(', ');
}

function other(value: number, usual: number): string | undefined {
  return value === usual ? undefined : String(value);
}

/** Zero means not set. */
function positive(value: number): string | undefined {
  return value === 0 ? undefined : String(value);
}

/**
 * A float as Go's `%g` prints it: the shortest digits that give the number back, with an exponent of at least two
 * digits from 1e6 upwards and below 1e-4 (axe-behaviour §15).
 */
export function formatFloat(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf';
  const [digits = '', power = ''] = value.toExponential().split('e');
  const exponent = Number(power);
  if (exponent >= -4 && exponent < 6) return String(value);
  return `${digits}e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`;
}
