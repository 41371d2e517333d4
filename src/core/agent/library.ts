import type { AgentLibrary } from '../dependencies.js';
import type { AgentText, LoadedAgent, SourceText } from './agent-source.js';
import { parseAgent } from './parse.js';

/** The agents and skills that a source reads, as a run uses them. */
export function createAgentLibrary(source: SourceText): Pick<AgentLibrary, 'loadAgent' | 'loadSkill'> {
  const loaded = new Map<string, AgentText>();
  return {
    async loadAgent(name) {
      const text = await source.read(name);
      loaded.set(text.source, text);
      return loadText(name, text);
    },
    // Next to the agent alone, so that a repository cannot put its own skill under an agent of the user's.
    async loadSkill(path, agent) {
      const own = agent?.config.skill === path ? loaded.get(agent.source) : undefined;
      return await (own ?? source).loadSkill(path);
    },
  };
}

/** An agent from its text. Throws a ConfigError. */
export function loadText(name: string, { text, file, source }: AgentText): LoadedAgent {
  return { name, ...parseAgent(text, { name, file }), source };
}
