import type { NoteTarget } from './place.js';

/**
 * What `write_memory` appends (memory-tools 2.2): in long-term memory with date and time, in a daily note with the time,
 * and `head` where the note is empty. In UTC; the content is not trimmed.
 */
export function datedEntry(
  target: NoteTarget,
  content: string,
  now: Date,
): { readonly text: string; readonly head?: string } {
  const [date = '', time = ''] = formatTimestamp(now).slice(0, -1).split('T');
  const body = `${content}\n\n---\n\n`;
  if (target.kind !== 'daily') return { text: `## ${date} ${time} UTC\n\n${body}` };
  return { text: `## ${time} UTC\n\n${body}`, head: `# Daily Note - ${target.date}\n\n` };
}

/** `2026-03-01T14:05:09Z`. */
export function formatTimestamp(time: Date): string {
  return time.toISOString().replace(/\.\d+Z$/, 'Z');
}

/** A part of a daily log: a blank line, `### HH:MM — <heading>` in UTC, and the text without space around it. */
export function dailySection(heading: string, body: string, now: Date): string {
  return `\n### ${now.toISOString().slice(11, 16)} — ${heading}\n${body.trim()}\n`;
}

/** Heading of what is kept of a conversation that is shortened; `messages` is how many of them it sums up. */
export function compactionHeading(messages: number | undefined): string {
  return messages === undefined ? 'compaction summary' : `compaction summary (${messages} msgs)`;
}
