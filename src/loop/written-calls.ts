import { parseJson, propertyOf } from '../lib/data.js';

/**
 * Markers of calls in the templates of models. A server that does not know its model's template
 * passes such calls on as the answer.
 */
const MARKER = String.raw`<[|｜]?(?:tool|function)[_▁]calls?(?:[_▁]section)?(?:[_▁]begin)?[|｜]?>\s*[{[<]|<function=|\[TOOL_CALLS\]\s*[[{\w]`;

const END = String.raw`<(?:[|｜]?\/|[|｜])(?:tool|function)[_▁]calls?(?:[_▁]section)?(?:[_▁]end)?[|｜]?>|<\/function>(?!\s*<\/)`;

/** A code block can quote a call, so it is matched first and kept. */
const WRITTEN = new RegExp(
  String.raw`(^[ \t]*(\x60{3}|~{3})[\s\S]*?(?:^[ \t]*\2|$(?![\s\S])))|^[ \t]*(?:${MARKER})[\s\S]*?(?:${END}|$(?![\s\S]))`,
  'gm',
);

/**
 * The text without calls that the model wrote as text, or an empty one if it is a call of an
 * offered tool as a whole. Such calls are never run: a text can quote a stranger who wrote one.
 */
export function withoutWrittenCalls(text: string, offered: readonly string[]): string {
  if (isWholeCall(text, offered)) return '';
  const rest = text.replace(WRITTEN, (_, code: string | undefined) => code ?? '');
  return rest === text ? text : rest.trim();
}

const FENCE = /^(?:```|~~~)[^\n]*\n([\s\S]*?)\n?(?:```|~~~)$/;
const TAGS = /^(?:<[^<>\s]{1,60}>\s*)?([\s\S]*?)(?:\s*<[^<>\s]{1,60}>)?$/;
const PYTHONIC = /^\[?\s*([\w.]{1,100})\([\s\S]*\)\s*\]?$/;

/** The text is a call of an offered tool and nothing else, apart from a code fence and tags. */
function isWholeCall(text: string, offered: readonly string[]): boolean {
  const unfenced = FENCE.exec(text.trim())?.[1] ?? text.trim();
  const bare = (TAGS.exec(unfenced.trim())?.[1] ?? '').trim();
  const isOffered = (name: unknown) =>
    typeof name === 'string' && offered.includes(offeredName(name, offered));
  if (isOffered(PYTHONIC.exec(bare)?.[1])) return true;

  const value = parseJson(bare);
  const calls: readonly unknown[] = Array.isArray(value) ? value : [value];
  return calls.length > 0 && calls.every((call) => isOffered(nameIn(call)));
}

/** The name of the tool in a call as JSON, in the forms of several templates. */
function nameIn(call: unknown): unknown {
  const target = propertyOf(call, 'function') ?? propertyOf(call, 'tool') ?? call;
  if (typeof target === 'string') return target;
  return propertyOf(target, 'name') ?? propertyOf(call, 'tool_name');
}

/**
 * The offered tool that a name means. Some models write `functions.read_file`,
 * `read_file<|channel|>commentary` or `read_file:0`.
 */
export function offeredName(name: string, offered: readonly string[]): string {
  const bare = name
    .replace(/^(?:functions|tools?|default_api)[.:]/, '')
    .replace(/(?:<\|.*|:\d+)$/s, '');
  return offered.includes(name) || !offered.includes(bare) ? name : bare;
}
