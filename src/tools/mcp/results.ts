import { isDeepStrictEqual } from 'node:util';
import { cleanLine, truncate } from '../../lib/text/cut.js';
import { isBinary } from '../../prompt/context.js';
import type { ToolResult } from '../tool.js';
import { showOutput } from '../visible.js';
import { isJsonObject, type JsonObject } from './tool-schema.js';

/** Longest name, address or type that is shown, in code points. */
const MAX_SHOWN = 200;

/**
 * The answer of `tools/call` as text: its texts joined by newlines, as in axe; what is not text described in a line;
 * structured content as JSON where it says more (MCP specification, tools, tool result). Hidden characters are written
 * out and the whole is cut by the one rule.
 */
export function formatResult(answer: JsonObject): ToolResult {
  const content: readonly unknown[] = Array.isArray(answer['content']) ? answer['content'] : [];
  const { structuredContent } = answer;
  const parts = content.map(formatPart);
  if (isJsonObject(structuredContent) && !isSaid(structuredContent, content)) {
    parts.push(JSON.stringify(structuredContent, withoutBytes, 2));
  }
  const isError = answer['isError'] === true;
  if (parts.length === 0) return { text: 'MCP tool returned no content', isError };
  return { text: truncate(showOutput(parts.join('\n'))), isError };
}

function formatPart(part: unknown): string {
  if (!isJsonObject(part)) return '[content that does not follow the protocol, not shown]';
  switch (part['type']) {
    case 'text':
      return textOf(part['text']);
    case 'image':
    case 'audio':
      return `[${part['type']}: ${mediaTypeOf(part)}, ${sizeOf(part['data'])}, not shown]`;
    case 'resource':
      return formatResource(part['resource']);
    case 'resource_link':
      return formatLink(part);
    default:
      return `[content of the type ${JSON.stringify(shown(part['type']))}, not shown]`;
  }
}

function formatResource(resource: unknown): string {
  if (!isJsonObject(resource)) return '[a resource that does not follow the protocol, not shown]';
  const what = `resource ${shown(resource['uri'])}: ${mediaTypeOf(resource)}`;
  return typeof resource['text'] === 'string'
    ? `[${what}]\n${resource['text']}`
    : `[${what}, ${sizeOf(resource['blob'])}, not shown]`;
}

function formatLink(link: JsonObject): string {
  const words = [shown(link['title'] ?? link['name']), shown(link['description'])].filter(Boolean).join(': ');
  return `[link to the resource ${shown(link['uri'])}${words === '' ? '' : ` (${words})`}]`;
}

function mediaTypeOf(part: JsonObject): string {
  return shown(part['mimeType']) || 'unknown type';
}

function sizeOf(base64: unknown): string {
  return `${Math.floor((textOf(base64).replace(/[\s=]+/g, '').length * 3) / 4)} bytes`;
}

function shown(value: unknown): string {
  return cleanLine(textOf(value).slice(0, 4 * MAX_SHOWN), MAX_SHOWN);
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/**
 * Whether the content says the same as JSON, which servers send for older clients (MCP specification, tools, structured
 * content): as one text, or as the texts or parts of a list in the place of a single key (`{"result": …}`).
 */
function isSaid(structured: JsonObject, content: readonly unknown[]): boolean {
  const parts = content.filter(isJsonObject);
  const texts = parts.flatMap(({ text }) => (typeof text === 'string' ? [text] : []));
  const values = texts.map(parsedOrText);
  const said: readonly unknown[] = [...texts, ...values, ...parts, texts.join('\n'), texts, values, parts];
  const [only, ...more] = Object.values(structured);
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

/** Shorter runs of base64 may be a name, a hash or a token that the model needs. */
const BASE64 = /^[A-Za-z0-9+/_-]{512,}={0,2}$/;

/** A picture as base64 tells a model nothing, and costs as much as a book. */
function withoutBytes(_key: string, value: unknown): unknown {
  const base64 = textOf(value).replace(/^data:[^,]{0,200};base64,/, '');
  return BASE64.test(base64) && isBinary(Buffer.from(base64, 'base64'))
    ? `[${sizeOf(base64)}, not shown]`
    : value;
}
