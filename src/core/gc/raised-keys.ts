import type { AgentConfig } from '../agent/config.js';

/**
 * The keys of a changed agent that a proposal must leave alone, by which it could do or cost more than before. Only
 * description, system prompt and how much `[memory]` keeps may change; tools and allowed hosts may become fewer.
 */
export function raisedKeys(before: AgentConfig, after: AgentConfig): readonly string[] {
  const raised = KEYS.filter(({ of }) => !isEqual(of(before), of(after))).map(({ key }) => key);
  if (!isSubset(after.tools, before.tools)) raised.push('tools');
  if (!isNarrower(after.allowedHosts, before.allowedHosts)) raised.push('allowed_hosts');
  return raised;
}

interface Key {
  readonly key: string;
  readonly of: (config: AgentConfig) => unknown;
}

/** Every key but those named above. */
const KEYS: readonly Key[] = [
  { key: 'name', of: ({ name }) => name },
  { key: 'model', of: ({ model }) => model },
  { key: 'skill', of: ({ skill }) => skill },
  { key: 'files', of: ({ files }) => files },
  { key: 'workdir', of: ({ workdir }) => workdir },
  { key: 'sub_agents', of: ({ subAgents }) => subAgents },
  { key: 'sub_agents_config', of: ({ subAgentsConfig }) => subAgentsConfig },
  { key: 'mcp_servers', of: ({ mcpServers }) => mcpServers },
  { key: 'memory', of: ({ memory }) => ({ ...memory, lastN: 0, hasLastN: true, maxEntries: 0 }) },
  { key: 'params', of: ({ params }) => params },
  { key: 'retry', of: ({ retry }) => retry },
  { key: 'budget', of: ({ budget }) => budget },
  { key: 'timeout', of: ({ timeoutSeconds }) => timeoutSeconds },
  { key: 'stream', of: ({ stream }) => stream },
];

/** Both are plain data that one function made, so their keys come in the same order. */
function isEqual(before: unknown, after: unknown): boolean {
  return JSON.stringify(before) === JSON.stringify(after);
}

function isSubset(some: readonly string[], all: readonly string[]): boolean {
  return some.every((one) => all.includes(one));
}

/** No host named means every host. */
function isNarrower(after: readonly string[], before: readonly string[]): boolean {
  return before.length === 0 || (after.length > 0 && isSubset(after, before));
}
