import { parseNoteName } from '../../memory/notes/note-name.js';
import type { NoteTarget } from '../../memory/notes/place.js';
import { isDate } from '../../text/dates.js';
import { ToolError } from '../../tool-error.js';

/** What the tools that write may write to. */
export const TARGETS = ['long_term', 'scratchpad', 'daily', 'note'] as const;

/** What a target says it is for, in the words of a tool's schema. */
export const TARGET_DESCRIPTION =
  '`long_term`: lasting facts, preferences and decisions. `scratchpad`: open tasks as a `- [ ]` checklist. `daily`: what happened on a day. `note`: a longer text under a name of its own.';

/** What a model names with `target` and `name`. Throws a ToolError for anything else. */
export function readTarget(target: string, name: string | undefined, today: string): NoteTarget {
  const kind = TARGETS.find((one) => one === target);
  switch (kind) {
    case 'long_term':
    case 'scratchpad':
      return { kind };
    case 'daily':
      return { kind, date: readDate(name ?? today) };
    case 'note':
      return { kind, name: readName(name) };
    case undefined:
      throw new ToolError(`unknown target: ${target}`);
  }
}

/** A day of the calendar. Throws a ToolError for anything else. */
export function readDate(date: string): string {
  if (!isDate(date)) throw new ToolError('invalid daily date name (expected YYYY-MM-DD)');
  return date;
}

function readName(given: string | undefined): string {
  const parsed = parseNoteName(given);
  if (parsed.kind === 'invalid') throw new ToolError(parsed.message);
  return parsed.name;
}
