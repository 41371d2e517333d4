import { MAX_OFFERED, MAX_PAGES } from './limits.js';
import type { McpServer } from './server.js';

/** What a server says its tools are, unchecked. */
export interface OfferedTools {
  readonly tools: readonly unknown[];
  /** Whether the list went on where we stopped. */
  readonly isCut: boolean;
}

/**
 * Asks a server for its tools, page by page, up to a limit: a list may be endless. Throws an Error for people if the
 * answer is no list.
 */
export async function listTools(server: McpServer): Promise<OfferedTools> {
  const tools: unknown[] = [];
  const seen = new Set<string>();
  let cursor: string | undefined;
  do {
    const page = await server.request('tools/list', cursor === undefined ? {} : { cursor });
    if (!Array.isArray(page['tools'])) throw new Error('its answer to `tools/list` is no list of tools');
    const isFull = tools.length + page['tools'].length > MAX_OFFERED;
    for (const tool of page['tools'].slice(0, MAX_OFFERED - tools.length)) tools.push(tool);
    const next = page['nextCursor'];
    cursor = typeof next === 'string' && next !== '' ? next : undefined;
    const isEndless = cursor !== undefined && (seen.has(cursor) || seen.size >= MAX_PAGES);
    if (isFull || isEndless) return { tools, isCut: true };
    if (cursor !== undefined) seen.add(cursor);
  } while (cursor !== undefined);
  return { tools, isCut: false };
}
