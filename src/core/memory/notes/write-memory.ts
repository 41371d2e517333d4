import type { NoteTarget } from './place.js';

/** What `write_memory` adds to a note. */
interface DatedEntry {
  readonly text: string;
  /** What the note begins with if it is empty. */
  readonly head?: string;
}

/**
 * An entry as memory-tools 2.2 has it: in long-term memory with date and time, in a daily note, which begins with
 * its date, with the time. In UTC; the content is not trimmed.
 */
export function formatDatedEntry(target: NoteTarget, content: string, now: Date): DatedEntry {
  const [date = '', time = ''] = formatTimestamp(now).slice(0, -1).split('T');
  const body = `${content}\n\n---\n\n`;
  if (target.kind !== 'daily') return { text: `## ${date} ${time} UTC\n\n${body}` };
  return { text: `## ${time} UTC\n\n${body}`, head: `# Daily Note - ${target.date}\n\n` };
}

/** What `write_memory` confirms. */
interface Confirmation {
  readonly type: MemoryType;
  readonly path: string;
  readonly timestamp: Date;
  /** Bytes of the file with the entry, and how many are too many. */
  readonly fileBytes: number;
  readonly warnBytes: number;
  /** Bytes of the content before it was cut, and how many one write may hold. */
  readonly givenBytes: number;
  readonly maxBytes: number;
}

/** What `write_memory` can write to. */
export type MemoryType = 'long_term' | 'daily';

/** The confirmation as JSON, its keys in the documented order. A file is too large strictly above `warnBytes`. */
export function formatConfirmation(written: Confirmation): string {
  const { type, path, timestamp, fileBytes, warnBytes, givenBytes, maxBytes } = written;
  const done = type === 'daily' ? 'Daily note created' : 'Memory updated';
  const isLarge = fileBytes > warnBytes;
  const warnings = [
    ...(isLarge
      ? [`File size ${fileBytes} bytes exceeds limit ${warnBytes} bytes. Consider memory maintenance.`]
      : []),
    ...(givenBytes > maxBytes ? [`Content truncated from ${givenBytes} bytes to ${maxBytes} byte cap.`] : []),
  ];
  return JSON.stringify({
    success: true,
    message: isLarge ? `${done} (warning: file size approaching limit)` : done,
    file_path: path,
    timestamp: formatTimestamp(timestamp),
    ...(warnings.length === 0 ? {} : { warning: warnings.join(' ') }),
  });
}

/** `2026-03-01T14:05:09Z`. */
function formatTimestamp(time: Date): string {
  return time.toISOString().replace(/\.\d+Z$/, 'Z');
}
