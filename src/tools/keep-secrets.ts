import { holdsSecret, redact } from '../safety/redact.js';
import type { Effect, Tool } from './tool.js';

/** Effects of tools whose arguments leave: what was started can reach a network too. */
const LEAVING: ReadonlySet<Effect> = new Set(['network', 'execute']);

/**
 * The tools, with which no secret leaves: a call that holds a known one is refused where its arguments go out, and results
 * are without any. `secrets` is read at each call, since a run may learn more of them.
 */
export function keepSecrets(tools: readonly Tool[], secrets: readonly string[]): readonly Tool[] {
  return tools.map((tool) => ({
    ...tool,
    async execute(input, signal) {
      if (LEAVING.has(tool.effect) && holdsSecret(textsOf(input).join('\n'), secrets)) {
        const text = `${tool.name} was not run: its arguments hold a secret of this job, which must not leave. Call it without.`;
        return { text, isError: true };
      }
      const result = await tool.execute(input, signal);
      return { ...result, text: redact(result.text, secrets) };
    },
  }));
}

/** All texts of a value of JSON; names come last, since a secret may be split over several arguments. */
function textsOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  const names = Array.isArray(value) ? [] : Object.keys(value);
  return [...Object.values(value).flatMap(textsOf), ...names];
}
