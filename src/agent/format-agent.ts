import type { AgentConfig } from './config.js';

/** Labels are padded to this width; as in axe, the value directly follows a longer one. */
const LABEL_WIDTH = 16;

/**
 * An agent as `agents show` prints it: the fields that are set, in axe's order, then those that axe
 * 0.1.0 did not have. `--json` shows all.
 */
export function formatAgent(config: AgentConfig): string {
  const { subAgents, subAgentsConfig, memory, params, retry, budget, artifacts, review } = config;
  const callers = (value: unknown) => (subAgents.length === 0 ? undefined : String(value));
  const fields: readonly (readonly [label: string, value: string | undefined])[] = [
    ['Name', config.name],
    ['Description', text(config.description)],
    ['Model', config.model],
    ['System Prompt', text(config.systemPrompt)],
    ['Skill', text(config.skill)],
    ['Files', list(config.files)],
    ['Workdir', text(config.workdir)],
    ['Sub-Agents', list(subAgents)],
    ['Max Depth', callers(subAgentsConfig.maxDepth)],
    ['Parallel', callers(subAgentsConfig.parallel ?? true)],
    ['Timeout', callers(subAgentsConfig.timeoutSeconds)],
    ['Memory Enabled', memory.enabled ? 'true' : undefined],
    ['Memory Path', text(memory.path)],
    ['Memory LastN', positive(memory.lastN)],
    ['Memory MaxEntries', positive(memory.maxEntries)],
    ['Temperature', params.temperature === undefined ? undefined : formatFloat(params.temperature)],
    ['Max Tokens', positive(params.maxTokens)],
    ['Tools', list(config.tools)],
    ['Allowed Hosts', list(config.allowedHosts)],
    ['MCP Servers', list(config.mcpServers.map((server) => server.name))],
    ['Memory Notes', memory.notes ? 'true' : undefined],
    ['Memory Tools', list(memory.tools)],
    ['Effort', params.effort],
    ['Response Format', params.responseFormat?.type],
    ['Max Retries', retry.maxRetries === undefined ? undefined : String(retry.maxRetries)],
    ['Review Depth', review.depth],
    ['Verifier', text(review.verifier)],
    ['Budget', budget.maxTokens === 0 ? undefined : `${budget.maxTokens} tokens`],
    ['Artifacts', artifacts.enabled ? artifacts.dir || 'true' : undefined],
    ['Run Timeout', config.timeoutSeconds === 0 ? undefined : `${config.timeoutSeconds}s`],
  ];
  return fields
    .map(([label, value]) =>
      value === undefined ? '' : `${`${label}:`.padEnd(LABEL_WIDTH)}${value}\n`,
    )
    .join('');
}

function text(value: string): string | undefined {
  return value === '' ? undefined : value;
}

function list(values: readonly string[]): string | undefined {
  return values.length === 0 ? undefined : values.join(', ');
}

/** Zero means not set. */
function positive(value: number): string | undefined {
  return value === 0 ? undefined : String(value);
}

/**
 * A finite number as Go's `%g` prints it: the shortest digits that identify the number, with an
 * exponent of at least two digits from 1e6 upwards and below 1e-4.
 */
export function formatFloat(value: number): string {
  const [digits = '', power = ''] = value.toExponential().split('e');
  const exponent = Number(power);
  if (exponent >= -4 && exponent < 6) return String(value);

  const sign = exponent < 0 ? '-' : '+';
  return `${digits}e${sign}${String(Math.abs(exponent)).padStart(2, '0')}`;
}
