import type { Outcome } from './replay.js';
import type { WireRequest } from './wire.js';

/**
 * What a newer axe than the recorded one does where it did this: `--json` has more keys (D2), `-v` says where the task is from,
 * and a dry run shows the limits, the message, the tools and the MCP servers; a missing key is a fault of the configuration. None
 * of the recorded answers is a refusal, and none was tried again.
 */
export function asNewerAxe(recorded: Outcome): Outcome {
  const axe = { ...recorded, stderr: newerVerbose(recorded.stderr) };
  // Where only some words were recorded there is a matcher in place of the text.
  if (typeof axe.stdout !== 'string') return axe;
  if (/^API key for provider/.test(String(axe.stderr))) return { ...axe, exit: 2 };
  if (/^(?:latin1:)?=== Dry Run ===\n/.test(axe.stdout))
    return { ...axe, stdout: newerDryRun(axe.stdout) };
  if (!axe.stdout.startsWith('{"content":')) return axe;
  const details = escapeAsGo(JSON.stringify(toolCallDetails(axe.requests))).replaceAll(
    '"duration_ms":0',
    '"duration_ms":<n>',
  );
  const stdout = axe.stdout
    .replace('"stop_reason":', '"refused":false,"retry_attempts":0,"stop_reason":')
    .replace(/"tool_calls":\d+\}\n$/, (last) => `"tool_call_details":${details},${last}`);
  return { ...axe, stdout };
}

function newerVerbose(stderr: Outcome['stderr']): Outcome['stderr'] {
  if (typeof stderr !== 'string') return stderr;
  return stderr
    .replace('\nStdin:    no\n', '\nPrompt:   default\n')
    .replace('\nStdin:    yes\n', '\nPrompt:   stdin\n');
}

function newerDryRun(stdout: string): string {
  return stdout
    .replace(/^Params: .*\n/m, '$&Budget:   0 tokens (0 = unlimited)\nStream:   no\n')
    .replace('--- Stdin ---\n(none)\n', '--- User Message ---\n(default)\n')
    .replace('--- Stdin ---\n', '--- User Message ---\n')
    .replace('--- Sub-Agents ---\n', '--- Tools ---\n(none)\n\n--- MCP Servers ---\n(none)\n\n$&');
}

/** The calls in the last request, which repeats all of them with their results. */
function toolCallDetails(requests: readonly WireRequest[]): readonly object[] {
  const messages = requests.at(-1)?.messages ?? [];
  const results = new Map(
    messages.flatMap((message) => message.toolResults).map((result) => [result.id, result]),
  );
  const turns = messages.map((message) => message.toolCalls).filter((calls) => calls.length > 0);
  return turns.flatMap((calls, index) =>
    calls.map(({ id, name, input }) => {
      const result = results.get(id);
      return {
        duration_ms: 0,
        input,
        is_error: result?.isError,
        name,
        output: result?.text,
        turn: index,
      };
    }),
  );
}

function escapeAsGo(json: string): string {
  return json.replaceAll('&', '\\u0026').replaceAll('<', '\\u003c').replaceAll('>', '\\u003e');
}
