import type { LanguageModelV4CallOptions } from '@ai-sdk/provider';
import { APICallError } from '@ai-sdk/provider';

/**
 * How long the description of a tool may be, where a provider has refused a longer one: Azure does, and OpenAI did
 * until 2025 (github.com/run-llama/llama_index/pull/18784, github.com/getsentry/sentry-mcp/issues/106).
 */
export function roomForDescriptions(thrown: unknown): number | undefined {
  if (!APICallError.isInstance(thrown) || thrown.statusCode !== 400) return undefined;
  const room = /\bdescription\b[\s\S]*?\bmaximum length (\d+)/i.exec(String(thrown.responseBody))?.[1];
  return room === undefined ? undefined : Number(room);
}

/** The request with tools that are described in so many characters. */
export function withShortDescriptions(
  options: LanguageModelV4CallOptions,
  room: number,
): LanguageModelV4CallOptions {
  const tools = options.tools?.map((tool) => {
    if (tool.type !== 'function' || tool.description === undefined || tool.description.length <= room)
      return tool;
    return { ...tool, description: `${tool.description.slice(0, room - 1)}…` };
  });
  return tools === undefined ? options : { ...options, tools };
}
