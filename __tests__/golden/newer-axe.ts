import type { Outcome } from './replay.js';
import type { WireRequest } from './wire.js';

/**
 * What a newer axe than the recorded one does where it did this: `--json` has more keys (D2). None of the recorded
 * answers is a refusal, and none was tried again.
 */
export function asNewerAxe(axe: Outcome): Outcome {
  // Where only some words were recorded there is a matcher in place of the text.
  if (typeof axe.stdout !== 'string' || !axe.stdout.startsWith('{"content":')) return axe;
  const details = escapeAsGo(JSON.stringify(toolCallDetails(axe.requests)));
  const stdout = axe.stdout
    .replace('"stop_reason":', '"refused":false,"retry_attempts":0,"stop_reason":')
    .replace(/"tool_calls":\d+\}\n$/, (last) => `"tool_call_details":${details},${last}`);
  return { ...axe, stdout };
}

/** The calls in the last request, which repeats all of them with their results. */
function toolCallDetails(requests: readonly WireRequest[]): readonly object[] {
  const messages = requests.at(-1)?.messages ?? [];
  const results = new Map(
    messages.flatMap((message) => message.toolResults).map((result) => [result.id, result]),
  );
  return messages
    .flatMap((message) => message.toolCalls)
    .map(({ id, name, input }) => {
      const result = results.get(id);
      return { input, is_error: result?.isError, name, output: result?.text };
    });
}

function escapeAsGo(json: string): string {
  return json.replaceAll('&', '\\u0026').replaceAll('<', '\\u003c').replaceAll('>', '\\u003e');
}
