import type { AgentLibrary } from '../core/dependencies.js';

/** The agents, with warnings of what only a workflow cannot use of them. */
export function withWorkflowWarnings(agents: AgentLibrary): AgentLibrary {
  return {
    ...agents,
    async loadAgent(name) {
      const agent = await agents.loadAgent(name);
      return { ...agent, warnings: [...agent.warnings, ...(agent.workflowWarnings ?? [])] };
    },
  };
}
