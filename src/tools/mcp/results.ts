import { cleanLine, truncate } from '../../lib/text/cut.js';
import { isBinary } from '../../prompt/context-files.js';
import type { ToolResult } from '../tool.js';
import { showOutput } from '../visible.js';
import type { CallAnswer } from './connection.js';
import { isJsonObject, isText } from './tool-schema.js';

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
  const more = isJsonObject(structuredContent) ? formatStructured(structuredContent, content) : undefined;
  const parts = [...content.map(formatPart), ...(more === undefined ? [] : [more])];
  const isError = answer['isError'] === true;
  if (parts.length === 0) return { text: 'MCP tool returned no content', isError };
  return { text: truncate(showOutput(parts.join('\n'))), isError };
}

function formatPart(part: unknown): string {
  if (!isJsonObject(part)) return '[content that does not follow the protocol, not shown]';
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
  if (!isJsonObject(resource)) return '[a resource that does not follow the protocol, not shown]';
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

/** Shorter texts cost nothing when they are shown twice. */
const LEAST_REPEATED = 80;

/** Shorter runs of base64 may be a name, a hash or a token that the model needs. */
const LEAST_OPAQUE = 512;

/**
 * The structured content of an answer as JSON for a model: undefined where the content says the same, which servers send
 * for older clients (MCP specification, tools, structured content); what repeats a text, and what stands for bytes, is
 * replaced by a word about it.
 */
function formatStructured(structured: CallAnswer, content: readonly unknown[]): string | undefined {
  const said = saidIn(content);
  const json = JSON.stringify(structured);
  const pretty = JSON.stringify(structured, null, 2);
  if (said.texts.some((text) => text.includes(json) || text.includes(pretty))) return undefined;
  if (look(structured, said).isSaid) return undefined;
  return JSON.stringify(shorten(structured, said), null, 2);
}

/** A text as it is shown: of one that is JSON, what stands for bytes is replaced by a word about it. */
function formatText(text: string): string {
  if (!/[A-Za-z0-9+/_-]{60}/.test(text) || text.length < LEAST_OPAQUE) return text;
  const [value] = parsed(text);
  if (typeof value !== 'object' || value === null) return text;
  const short = JSON.stringify(shorten(value, NOTHING_SAID), null, 2);
  return short === JSON.stringify(value, null, 2) ? text : short;
}

/** Size of what base64 stands for, in bytes. */
function base64Bytes(base64: string): number {
  return Math.floor((base64.replace(/[\s=]+/g, '').length * 3) / 4);
}

/** What the content of an answer says already. */
interface Said {
  readonly texts: readonly string[];
  readonly trimmed: ReadonlySet<string>;
  /** Canonical JSON of its texts that are JSON, and of its parts, by length: a set alone would hash every value. */
  readonly values: ReadonlyMap<number, ReadonlySet<string>>;
  /** Base64 of its pictures, sounds and files. */
  readonly data: ReadonlySet<string>;
}

function saidIn(content: readonly unknown[]): Said {
  const parts = content.filter(isJsonObject);
  const resources = parts.map(({ resource }) => resource).filter(isJsonObject);
  const texts = [...parts, ...resources].map(({ text }) => text).filter(isText);
  const values = new Map<number, Set<string>>();
  for (const value of [...parts, ...texts.flatMap(parsed)]) {
    const { canonical } = look(value, NOTHING_SAID);
    values.set(canonical.length, (values.get(canonical.length) ?? new Set()).add(canonical));
  }
  const data = [...parts.map(({ data }) => data), ...resources.map(({ blob }) => blob)].filter(isText);
  const all = texts.length > 1 ? [...texts, texts.join('\n')] : texts;
  return { texts, trimmed: new Set(all.map((text) => text.trim())), values, data: new Set(data) };
}

const NOTHING_SAID: Said = { texts: [], trimmed: new Set(), values: new Map(), data: new Set() };

/** A value as JSON whose keys are in order, and whether it, or each part of it, is said already. */
function look(value: unknown, said: Said): { readonly canonical: string; readonly isSaid: boolean } {
  if (typeof value !== 'object' || value === null) {
    const canonical = JSON.stringify(value) ?? 'null';
    return {
      canonical,
      isSaid: isValue(canonical, said) || (isText(value) && said.trimmed.has(value.trim())),
    };
  }
  const isList = Array.isArray(value);
  const entries = isList ? value.map((item): [string, unknown] => ['', item]) : sorted(value);
  const looked = entries.map(([key, item]) => ({ key, ...look(item, said) }));
  const canonical = isList
    ? `[${looked.map((one) => one.canonical).join(',')}]`
    : `{${looked.map((one) => `${JSON.stringify(one.key)}:${one.canonical}`).join(',')}}`;
  const isWhole = looked.length > 0 && looked.every(({ isSaid }) => isSaid);
  return { canonical, isSaid: isWhole || isValue(canonical, said) };
}

function sorted(value: object): readonly [string, unknown][] {
  return Object.entries(value).sort(([a], [b]) => (a < b ? -1 : Number(a > b)));
}

function isValue(canonical: string, { values }: Said): boolean {
  return values.get(canonical.length)?.has(canonical) === true;
}

function shorten(value: unknown, said: Said): unknown {
  if (isText(value)) return shortenText(value, said);
  if (Array.isArray(value)) return value.map((item) => shorten(item, said));
  if (!isJsonObject(value)) return value;
  const isMedia = value['type'] === 'image' || value['type'] === 'audio';
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      isMedia && key === 'data' && isText(item) ? notShown(item) : shorten(item, said),
    ]),
  );
}

function shortenText(text: string, { data, trimmed }: Said): string {
  if (data.has(text)) return notShown(text);
  const [head = ''] = /^data:[^,]{0,200};base64,/i.exec(text) ?? [];
  if (head !== '' && text.length >= LEAST_OPAQUE) return `${head}${notShown(text.slice(head.length))}`;
  if (isOpaque(text)) return notShown(text);
  if (text.length >= LEAST_REPEATED && trimmed.has(text.trim())) return '[the same as the text above]';
  return text;
}

/** One long run of base64, or lines of it that are all of one length but the last, that stands for no text. */
function isOpaque(text: string): boolean {
  if (text.length < LEAST_OPAQUE) return false;
  const lines = text.trim().split(/\r?\n/);
  const width = lines[0]?.length ?? 0;
  const isEven = lines.every((line, index) => line.length === width || index === lines.length - 1);
  if (!isEven || width < 60 || !lines.every((line) => /^[A-Za-z0-9+/_-]+={0,2}$/.test(line))) return false;
  return isBinary(Buffer.from(text, 'base64'));
}

function notShown(base64: string): string {
  return `[${base64Bytes(base64)} bytes, not shown]`;
}

function parsed(text: string): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(text);
    return [value];
  } catch {
    return [];
  }
}
