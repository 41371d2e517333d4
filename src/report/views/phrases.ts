import { markedAnswer } from '../../lib/outcome.js';
import { count } from '../../lib/text/format.js';
import type { PublicationResult } from '../../run/records.js';
import type { RecordOf } from '../run-record.js';
import { formatGcEnd } from './gc.js';

/** The lines that people are asked to report; `stack` is the bug's. */
export function bugReport(stack: string): string {
  return `This is a bug in axe-action; please report it with these lines:\n${stack}`;
}

/** The end of a collection in one sentence. */
export function formatGcSentence(end: Parameters<typeof formatGcEnd>[0], agent: string): string {
  return formatGcEnd(end, agent, (number) => count(number, 'entry'));
}

/** The publications of a run, as other texts of it tell of them. */
export function publicationsOf({
  posted: posts,
  published: { text, ...published },
}: RecordOf<'ran' | 'memory-command'>): PublicationResult {
  return { posts, ...published, ...text };
}

/** The answer of a run; one that is incomplete says so itself. */
export function answerOf({ work }: RecordOf<'ran'>): string {
  return markedAnswer({ kind: work.outcome, ...work.text });
}
