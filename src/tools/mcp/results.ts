import { isDeepStrictEqual } from 'node:util';
import type { CallToolResult } from '@modelcontextprotocol/client';
import { truncate } from '../../lib/text/bytes.js';
import { cleanLine } from '../../lib/text/format.js';
import type { ToolResult } from '../tool.js';
import { showOutput } from '../visible.js';

/** Longest name, address or type that is shown, in code points. */
const MAX_SHOWN = 200;

/**
 * The answer of `tools/call` as text: its texts joined by newlines, as in axe; what is not text described in a line;
 * structured content as JSON where it says more (MCP specification, tools, tool result). Hidden characters are written
 * out and the whole is cut by the one rule.
 */
export function formatResult({ content, structuredContent, isError = false }: CallToolResult): ToolResult {
  const parts = content.map(formatPart);
  if (structuredContent !== undefined && !isSaid(structuredContent, content)) {
    parts.push(JSON.stringify(structuredContent, null, 2));
  }
  if (parts.length === 0) return { text: 'MCP tool returned no content', isError };
  return { text: truncate(showOutput(parts.join('\n'))), isError };
}

type Content = CallToolResult['content'];

function formatPart(part: Content[number]): string {
  switch (part.type) {
    case 'text':
      return part.text;
    case 'image':
    case 'audio':
      return `[${part.type}: ${shown(part.mimeType)}, ${sizeOf(part.data)}, not shown]`;
    case 'resource': {
      const { resource } = part;
      const what = `resource ${shown(resource.uri)}: ${shown(resource.mimeType ?? 'unknown type')}`;
      return 'text' in resource
        ? `[${what}]\n${resource.text}`
        : `[${what}, ${sizeOf(resource.blob)}, not shown]`;
    }
    case 'resource_link':
      return `[link to the resource ${shown(part.uri)} (${shown(part.title ?? part.name)})]`;
  }
}

function sizeOf(base64: string): string {
  return `${Buffer.byteLength(base64, 'base64')} bytes`;
}

function shown(text: string): string {
  return cleanLine(text, MAX_SHOWN);
}

/**
 * Whether the content says the same as JSON, which servers send for older clients (MCP specification, tools, structured
 * content): as one text, or as the texts or parts of a list in the place of a single key (`{"result": …}`).
 */
function isSaid(structured: unknown, content: Content): boolean {
  const texts = content.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  const values = texts.map(parsedOrText);
  const said = [...texts, ...values, ...content, texts.join('\n'), texts, values, content];
  const [only, ...more] = Object.values(Object(structured));
  return said.some(
    (one) => isDeepStrictEqual(one, structured) || (more.length === 0 && isDeepStrictEqual(one, only)),
  );
}

function parsedOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
