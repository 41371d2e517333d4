import { cutToBytes, utf8Bytes } from '../../text/cut.js';
import { readableText } from '../prompt-text.js';
import type { NoteEdit } from './edit.js';
import type { NoteWish } from './notes-port.js';
import type { NoteTarget } from './place.js';
import { formatDatedEntry } from './write-memory.js';

/** What a wish is made into an edit with. */
interface EditRules {
  /** Most bytes that one write may hold. */
  readonly maxWriteBytes: number;
  /** Whether long-term memory gets no line twice. */
  readonly dedup: boolean;
  redact(text: string): string;
  readonly now: Date;
}

/** An edit with the figures of its content. */
export interface ComposedEdit {
  readonly edit: NoteEdit;
  /** The content as it is stored. */
  readonly content: string;
  /** Bytes of it before and after it was cut. */
  readonly givenBytes: number;
  readonly keptBytes: number;
}

/** The one way from what a model writes to what is stored: readable text, redacted, then cut, then given its form (D10). */
export function composeEdit(target: NoteTarget, wish: NoteWish, rules: EditRules): ComposedEdit {
  switch (wish.kind) {
    case 'append':
      return withContent(wish.content, rules, (content) => appendEdit(target, { ...wish, content }, rules));
    case 'overwrite':
      return withContent(wish.content, rules, (text) => ({ kind: 'overwrite', text }));
  }
}

/** Cut after it is redacted, since half a secret would not be known for one. */
function withContent(
  given: string,
  { redact, maxWriteBytes }: EditRules,
  toEdit: (content: string) => NoteEdit,
): ComposedEdit {
  const clean = redact(readableText(given));
  const { text: content } = cutToBytes(clean, maxWriteBytes);
  return { edit: toEdit(content), content, givenBytes: utf8Bytes(clean), keptBytes: utf8Bytes(content) };
}

function appendEdit(
  target: NoteTarget,
  { content, form }: Extract<NoteWish, { readonly kind: 'append' }>,
  { dedup, now }: EditRules,
): NoteEdit {
  if (form === 'plain') return { kind: 'append', text: content, dedup: dedup && target.kind === 'long_term' };
  const entry =
    form === 'entry' ? formatDatedEntry(target, content, now) : sectionOf(form.heading, content, now);
  return { kind: 'append', ...entry, dedup: false };
}

function sectionOf(heading: string, content: string, now: Date): { readonly text: string } {
  return { text: formatDailySection(heading, content, now) };
}

/** Heading of what is kept of a conversation that is shortened; `messages` is how many of them it sums up. */
export function compactionHeading(messages: number | undefined): string {
  return messages === undefined ? 'compaction summary' : `compaction summary (${messages} msgs)`;
}

/** A part of a daily log: a blank line, `### HH:MM — <heading>` in UTC, and the text without space around it. */
function formatDailySection(heading: string, body: string, now: Date): string {
  return `\n### ${now.toISOString().slice(11, 16)} — ${heading}\n${body.trim()}\n`;
}
