import type { LanguageModelV4CallOptions } from '@ai-sdk/provider';
import { field, parseJson } from './json.js';

/** Carries the places of failed results from the prompt to the request; it never leaves. */
const HEADER = 'x-failed-results';

/** Those whose models Converse takes a status for (API reference, `ToolResultBlock`). */
const WITH_STATUS = /anthropic\.claude-|amazon\.nova-/;

/** Notes which tool results are errors: the package for Bedrock sends their text alone. */
export function noteFailedResults(
  options: LanguageModelV4CallOptions,
  model: string,
): LanguageModelV4CallOptions {
  if (!WITH_STATUS.test(model)) return options;
  const results = options.prompt.flatMap((message) =>
    message.role === 'tool' ? message.content.filter(({ type }) => type === 'tool-result') : [],
  );
  const failed = results.flatMap((part, index) =>
    part.type === 'tool-result' && part.output.type.startsWith('error-') ? [index] : [],
  );
  return failed.length === 0
    ? options
    : { ...options, headers: { ...options.headers, [HEADER]: failed.join() } };
}

/** Sends the noted results with their status; to be put before whatever signs the body. */
export function withResultStatus(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return (input, init) => {
    const headers = new Headers(init?.headers);
    const failedResults = headers.get(HEADER);
    if (failedResults === null) return fetch(input, init);
    headers.delete(HEADER);
    const body = marked(String(init?.body), new Set(failedResults.split(',').map(Number)));
    return fetch(input, { ...init, headers: Object.fromEntries(headers), body });
  };
}

/** The order of results is that of the prompt. */
function marked(body: string, failed: ReadonlySet<number>): string {
  const request = parseJson(body);
  let index = -1;
  for (const block of listOf(field(request, 'messages')).flatMap((message) =>
    listOf(field(message, 'content')),
  )) {
    const result = field(block, 'toolResult');
    if (typeof result !== 'object' || result === null) continue;
    index += 1;
    if (failed.has(index)) Reflect.set(result, 'status', 'error');
  }
  return JSON.stringify(request);
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
