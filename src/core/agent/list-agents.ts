import { BUILT_IN_AGENTS } from './built-in.js';
import { parseAgent } from './parse.js';

/** What a list of agents shows of one. */
export interface AgentLine {
  /** What it is run by: the name of its file, whatever its `name` key says. */
  readonly id: string;
  readonly description: string;
}

/** The lines of `agents list`: `name - description` (axe-behaviour §18), in the order in which agents are looked up. */
export function formatAgentList(agents: readonly AgentLine[]): string {
  return agents
    .map(({ id, description }) => (description === '' ? `${id}\n` : `${id} - ${description}\n`))
    .join('');
}

/** The agents that come with the product, which are looked up last. */
export function builtInLines(): readonly AgentLine[] {
  return BUILT_IN_AGENTS.map(({ name, toml }) => {
    const { config } = parseAgent(toml, { name, file: name });
    return { id: name, description: config.description };
  });
}
