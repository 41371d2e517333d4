import type { AxeError } from '../errors.js';
import { compareBytes } from '../prompt/byte-order.js';

/** What a list of agents shows of one. */
export interface AgentLine {
  /** The `name` key of its file. */
  readonly name: string;
  readonly description: string;
  /** Why the agent cannot be used, if so. */
  readonly error?: AxeError | undefined;
}

/**
 * The lines of `agents list`: `name - description`, in byte order of the names. Invalid agents are left out, as in axe
 * (axe-behaviour §18).
 */
export function formatAgentList(agents: readonly AgentLine[]): string {
  return agents
    .filter(({ error }) => error === undefined)
    .sort((a, b) => compareBytes(a.name, b.name))
    .map(({ name, description }) => (description === '' ? `${name}\n` : `${name} - ${description}\n`))
    .join('');
}
