import type { LoadedAgent } from '../core/agent/loaded-agent.js';
import type { Dependencies } from '../core/dependencies.js';

/**
 * The folder that an agent works in, empty where it names none. Throws a ConfigError for one outside of the workspace:
 * file tools, context files and programs all start there (D48).
 */
export async function agentWorkdir(
  { name, config }: LoadedAgent,
  { confine }: Dependencies,
): Promise<string> {
  const { workdir } = config;
  if (workdir === '' || confine === undefined) return workdir;
  return await confine(workdir, `\`workdir\` of the agent "${name}"`);
}
