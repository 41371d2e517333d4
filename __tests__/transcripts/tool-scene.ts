import { join } from 'node:path';
import { tempDir, writeFiles } from '../helpers/temp.js';
import { schedulePayload } from '../helpers/webhooks.js';
import type { Stage, StageOptions } from './stage.js';
import { setStageInProcess } from './stage-in-process.js';

/** What an agent of the tests asks for, as lines of TOML above its first table. */
export interface AgentParts {
  readonly name?: string;
  readonly tools?: readonly string[];
  readonly subAgents?: readonly string[];
  readonly memory?: boolean;
  /** Further tables. */
  readonly tables?: string;
}

/** The TOML of an agent. */
export function agentToml({
  name = 'worker',
  tools = [],
  subAgents = [],
  memory = false,
  tables = '',
}: AgentParts): string {
  return [
    `name = "${name}"`,
    'model = "anthropic/claude-sonnet-4-5"',
    `system_prompt = "You are ${name}."`,
    ...(tools.length === 0 ? [] : [`tools = ${JSON.stringify(tools)}`]),
    ...(subAgents.length === 0 ? [] : [`sub_agents = ${JSON.stringify(subAgents)}`]),
    ...(memory ? ['', '[memory]', 'enabled = true'] : []),
    '',
    tables,
  ].join('\n');
}

/** The stage of a scheduled run, which is trusted, of the agent `worker` and any others. */
export function scheduledStage(
  agents: readonly AgentParts[],
  options: StageOptions = {},
  set = setStageInProcess,
): Promise<Stage> {
  const base = agents.map((parts) => [
    `axe/agents/${parts.name ?? 'worker'}.toml`,
    agentToml(parts),
  ]);
  return set({
    event: { name: 'schedule', payload: schedulePayload('0 6 * * 1') },
    base: Object.fromEntries(base),
    ...options,
  });
}

/** A checkout with these files. */
export function checkout(files: Readonly<Record<string, string>>): string {
  const workspace = join(tempDir('checkout'), 'workspace');
  writeFiles(workspace, files);
  return workspace;
}

/** What the model was told by tools in a request, a text for each result. */
export function resultsOf(
  prompt: { readonly messages: readonly string[] } | undefined,
): readonly string[] {
  return (prompt?.messages ?? []).flatMap((message) =>
    message.startsWith('tool: ') ? [message.slice('tool: '.length)] : [],
  );
}
