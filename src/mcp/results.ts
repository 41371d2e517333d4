import { cleanLine } from '../axe/prompt/cut.js';
import type { ToolResult } from '../axe/tools/tool.js';
import { truncate } from '../axe/tools/truncate.js';
import { showHidden } from '../axe/tools/visible.js';
import type { Answer } from './connection.js';

/** Longest name, address or type that is shown, in code points. */
const MAX_SHOWN = 200;

/**
 * The answer of `tools/call` as text: its texts joined by newlines, as in axe; what is not text described in a line;
 * structured content as JSON unless a text says the same (MCP specification, tools, tool result). Hidden characters
 * are written out and the whole is cut by the one rule.
 */
export function formatResult(answer: Answer): ToolResult {
  const parts = Array.isArray(answer['content']) ? answer['content'].map(formatPart) : [];
  const structured = answer['structuredContent'];
  if (isTable(structured) && !saysTheSame(parts, structured)) {
    parts.push(JSON.stringify(structured, null, 2));
  }
  const isError = answer['isError'] === true;
  if (parts.length === 0) return { text: 'MCP tool returned no content', isError };
  return { text: truncate(showHidden(parts.join('\n'))), isError };
}

function formatPart(part: unknown): string {
  if (!isTable(part)) return '[content that does not follow the protocol, not shown]';
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
  if (!isTable(resource)) return '[a resource that does not follow the protocol, not shown]';
  const what = `resource ${shown(resource['uri'])}: ${mediaTypeOf(resource)}`;
  return typeof resource['text'] === 'string'
    ? `[${what}]\n${resource['text']}`
    : `[${what}, ${sizeOf(resource['blob'])}, not shown]`;
}

function formatLink(link: Answer): string {
  const words = [shown(link['title'] ?? link['name']), shown(link['description'])].filter(Boolean).join(': ');
  return `[link to the resource ${shown(link['uri'])}${words === '' ? '' : ` (${words})`}]`;
}

function mediaTypeOf(part: Answer): string {
  return shown(part['mimeType']) || 'unknown type';
}

/** Size of what base64 stands for. */
function sizeOf(base64: unknown): string {
  const digits = textOf(base64).replace(/[\s=]+/g, '').length;
  return `${Math.floor((digits * 3) / 4)} bytes`;
}

/** A text is the same JSON, or all values are texts of their own: servers send both for older clients. */
function saysTheSame(parts: readonly string[], structured: Answer): boolean {
  const values = Object.values(structured);
  if (values.length > 0 && values.every((value) => typeof value === 'string' && parts.includes(value)))
    return true;
  const json = JSON.stringify(structured);
  return parts.some((part) => part.trimStart().startsWith('{') && jsonOf(part) === json);
}

function jsonOf(text: string): string | undefined {
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return undefined;
  }
}

function shown(value: unknown): string {
  return cleanLine(textOf(value).slice(0, 4 * MAX_SHOWN), MAX_SHOWN);
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function isTable(value: unknown): value is Answer {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
