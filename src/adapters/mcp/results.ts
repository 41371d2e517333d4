import { cleanLine } from '../../core/text/cut.js';
import { truncate } from '../../core/text/truncate.js';
import type { ToolResult } from '../../core/tools/tool.js';
import { showOutput } from '../../core/tools/visible.js';
import type { CallAnswer } from './connection.js';
import { base64Bytes, formatStructured, formatText } from './structured.js';

/** Longest name, address or type that is shown, in code points. */
const MAX_SHOWN = 200;

/**
 * The answer of `tools/call` as text: its texts joined by newlines, as in axe; what is not text described in a line;
 * structured content as JSON where it says more (MCP specification, tools, tool result). Hidden characters are written
 * out and the whole is cut by the one rule.
 */
export function formatResult(answer: CallAnswer): ToolResult {
  const content: readonly unknown[] = Array.isArray(answer['content']) ? answer['content'] : [];
  const { structuredContent } = answer;
  const more = isTable(structuredContent) ? formatStructured(structuredContent, content) : undefined;
  const parts = [...content.map(formatPart), ...(more === undefined ? [] : [more])];
  const isError = answer['isError'] === true;
  if (parts.length === 0) return { text: 'MCP tool returned no content', isError };
  return { text: truncate(showOutput(parts.join('\n'))), isError };
}

function formatPart(part: unknown): string {
  if (!isTable(part)) return '[content that does not follow the protocol, not shown]';
  switch (part['type']) {
    case 'text':
      return formatText(textOf(part['text']));
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

function formatLink(link: CallAnswer): string {
  const words = [shown(link['title'] ?? link['name']), shown(link['description'])].filter(Boolean).join(': ');
  return `[link to the resource ${shown(link['uri'])}${words === '' ? '' : ` (${words})`}]`;
}

function mediaTypeOf(part: CallAnswer): string {
  return shown(part['mimeType']) || 'unknown type';
}

function sizeOf(base64: unknown): string {
  return `${base64Bytes(textOf(base64))} bytes`;
}

function shown(value: unknown): string {
  return cleanLine(textOf(value).slice(0, 4 * MAX_SHOWN), MAX_SHOWN);
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function isTable(value: unknown): value is CallAnswer {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
