import type { LoadedAgent } from './agent-source.js';
import type { TomlSource } from './fault.js';
import { inspectAgent } from './inspect.js';

/**
 * Reads an agent from its TOML text (axe-behaviour §2, D1 to D3). Unknown keys are warnings. Throws a ConfigError with
 * file, line and remedy, of several the first: TOML and type errors begin with axe's `failed to parse agent config
 * "<name>": `, wrong values have axe's messages.
 */
export function parseAgent(
  text: string,
  source: TomlSource,
): Pick<LoadedAgent, 'config' | 'warnings' | 'workflowWarnings'> {
  const { config, errors, warnings, workflowWarnings } = inspectAgent(text, source);
  const [first] = errors;
  if (first !== undefined) throw first;
  if (config === undefined) throw new Error('the schema refused a document without saying why');
  return { config, warnings, workflowWarnings };
}
