/** A part of a daily log: a blank line, `### HH:MM — <heading>` in UTC, and the text without space around it. */
export function dailySection(heading: string, body: string, now: Date): string {
  return `\n### ${now.toISOString().slice(11, 16)} — ${heading}\n${body.trim()}\n`;
}

/** Heading of what is kept of a conversation that is shortened; `messages` is how many of them it sums up. */
export function compactionHeading(messages: number | undefined): string {
  return messages === undefined ? 'compaction summary' : `compaction summary (${messages} msgs)`;
}
