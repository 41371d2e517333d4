import { MAX_COMMENT_CHARACTERS } from '../lib/defaults.js';
import { formatMark, type Mark, type MarkLane } from '../safety/mark.js';

/** The mark by which an agent's answer is found again (D26): each agent has one of its own, and one for each comment. */
export function answerMark(agent: string, lane: MarkLane): Mark {
  return { kind: 'answer', agent, lane };
}

/**
 * Mark, text, footer. Never longer than GitHub takes; a text that has to be cut says so, and mark and footer stay whole.
 */
export function framedBody({
  mark,
  text,
  footer,
  maxCharacters = MAX_COMMENT_CHARACTERS,
}: {
  readonly mark: Mark;
  /** Markdown that went through outbound cleaning (D24). */
  readonly text: string;
  readonly footer: string;
  readonly maxCharacters?: number;
}): string {
  const marker = formatMark(mark);
  const below = footer === '' ? '' : `\n\n${footer}`;
  const whole = `${marker}\n${closeFence(text)}${below}`;
  if (whole.length <= maxCharacters) return whole;
  const frame = marker.length + 1 + CUT_NOTE.length + below.length + MAX_CLOSING_FENCE;
  const kept = cut(text, Math.max(0, maxCharacters - frame));
  return `${marker}\n${closeFence(kept)}${CUT_NOTE}${below}`;
}

const CUT_NOTE =
  '\n\n*The text is cut here: it is longer than a comment may be; the rest is in the job summary.*';

/** Longest fence that is closed after a cut, with its line break; a longer one is not taken for a fence. */
const MAX_CLOSING_FENCE = 101;

/** The beginning of a text, in UTF-16 units; ends with a whole character, at the end of a line if one is near. */
function cut(text: string, maxLength: number): string {
  const isSplit = /[\uD800-\uDBFF]$/.test(text.slice(0, maxLength));
  const kept = text.slice(0, isSplit ? maxLength - 1 : maxLength);
  const lineEnd = kept.lastIndexOf('\n');
  return lineEnd > kept.length - NEAR ? kept.slice(0, lineEnd) : kept;
}

const NEAR = 1000;

/** Ends a code fence that was left open, which would swallow what follows (memory-and-security C8 99). */
function closeFence(text: string): string {
  let open = '';
  for (const [, run = '', rest = ''] of text.matchAll(/^ {0,3}(`{3,100}|~{3,100})(.*)$/gm)) {
    if (open === '') open = run.startsWith('`') && rest.includes('`') ? '' : run;
    else if (run.startsWith(open) && rest.trim() === '') open = '';
  }
  return open === '' ? text : `${text.trimEnd()}\n${open}`;
}
