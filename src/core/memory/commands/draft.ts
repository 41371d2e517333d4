import { type MemoryEntry, readFields } from './entry.js';

/** What a person can change of an entry. */
export interface Fields {
  readonly task: string;
  readonly result: string;
}

/** The fields of an entry; of one without them, all it says is the result. */
export function fieldsOf({ task, result, body }: MemoryEntry): Fields {
  if (task === undefined && result === undefined) return { task: '', result: body.trim() };
  return { task: task ?? '', result: result ?? '' };
}

/** An entry's fields as a text to edit, in the form they have in the file. */
export function formatDraft({ task, result }: Fields): string {
  return `**Task:** ${task}\n**Result:** ${result}\n`;
}

/** The fields of an edited text; undefined if it has none of the two lines any more. */
export function parseDraft(text: string): Fields | undefined {
  const { task, result } = readFields(text.replaceAll('\r\n', '\n'));
  if (task === undefined && result === undefined) return undefined;
  return { task: task ?? '', result: result ?? '' };
}
