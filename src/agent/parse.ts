import type { AgentLibrary, AgentText, LoadedAgent, SourceText } from './agent-source.js';
import type { TomlSource } from './fault.js';
import { inspectAgent } from './inspect.js';
import { makeConfig } from './make-config.js';

/**
 * Reads an agent from its TOML text (axe-behaviour §2, D1 to D3). Unknown keys are warnings. Throws a ConfigError with
 * file, line and remedy, of several the first: TOML and type errors begin with axe's `failed to parse agent config
 * "<name>": `, wrong values have axe's messages.
 */
export function parseAgent(
  text: string,
  source: TomlSource,
): Pick<LoadedAgent, 'config' | 'warnings' | 'workflowWarnings'> {
  const { raw, errors, warnings, workflowWarnings } = inspectAgent(text, source);
  const [first] = errors;
  if (first !== undefined) throw first;
  if (raw === undefined) throw new Error('the schema refused a document without saying why');
  const config = makeConfig(raw);
  return workflowWarnings.length === 0 ? { config, warnings } : { config, warnings, workflowWarnings };
}

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
