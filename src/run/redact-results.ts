import { redact } from '../core/sanitize/redact.js';
import type { Tool } from '../core/tools/tool.js';

/**
 * The tools, whose results reach the model without secrets (D49): what a model has never seen it can spell in no
 * encoding. `secrets` is read at each call, since a run may learn more of them.
 */
export function redactResults(tools: readonly Tool[], secrets: readonly string[]): readonly Tool[] {
  return tools.map((tool) => ({
    ...tool,
    async execute(input, signal) {
      const result = await tool.execute(input, signal);
      return { ...result, text: redact(result.text, secrets) };
    },
  }));
}
