import { isObject } from '../lib/data.js';
import { LAST_SAME_CALL, MAX_SAME_CALLS } from '../lib/defaults.js';
import { isChanging, type Tool } from '../tools/tool.js';
import type { ToolCall } from './messages.js';

/**
 * Recognizes calls that lead nowhere: they were made before, and nothing has changed since. Order of
 * arguments does not matter, nor do calls in between. The counts begin anew with a call that was
 * never made before, and with one that changes something, unless it only repeats the call right
 * before it.
 */
export class Circles {
  readonly #known = new Set<string>();
  readonly #counts = new Map<string, number>();
  #lastKey = '';
  #repeatsInRow = 0;

  /** The calls of a turn, each with the number of equal calls before it. */
  count(calls: readonly ToolCall[], tools: readonly Tool[]): readonly ToolCall[] {
    return calls.map((call) => {
      const repeats = this.#countCall(call, tools);
      return repeats === 0 ? call : { ...call, repeats };
    });
  }

  /** Allows all calls again, because results of earlier ones were left out of the conversation. */
  forget(): void {
    this.#counts.clear();
    this.#repeatsInRow = 0;
  }

  /** The model had enough calls in a row that were not run. */
  get areClosed(): boolean {
    return this.#repeatsInRow >= LAST_SAME_CALL - MAX_SAME_CALLS;
  }

  #countCall(call: ToolCall, tools: readonly Tool[]): number {
    const tool = tools.find(({ name }) => name === call.tool);
    const key = keyOf(call, tool);
    const isNews = tool !== undefined && isChanging(tool) && key !== this.#lastKey;
    if (isNews || !this.#known.has(key)) this.#counts.clear();
    this.#known.add(key);
    this.#lastKey = key;

    const repeats = this.#counts.get(key) ?? 0;
    this.#counts.set(key, repeats + 1);
    this.#repeatsInRow = repeats >= MAX_SAME_CALLS ? this.#repeatsInRow + 1 : 0;
    return repeats;
  }
}

/** A tool that does not exist gives the same answer to all arguments. */
function keyOf({ tool: name, input, unread }: ToolCall, tool: Tool | undefined): string {
  return JSON.stringify(tool === undefined ? [name] : [name, withSortedKeys(input ?? unread)]);
}

function withSortedKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withSortedKeys);
  if (!isObject(value)) return value;
  const entries = Object.entries(value).sort(([first], [second]) => (first < second ? -1 : 1));
  return Object.fromEntries(entries.map(([key, inner]) => [key, withSortedKeys(inner)]));
}
