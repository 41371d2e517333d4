import { MAX_COMMENT_CHARACTERS } from '../defaults.js';

/** What a sticky comment is made from. */
interface StickyParts {
  /** Whose comment it is; each agent has one of its own. */
  readonly agent: string;
  /** Markdown that went through outbound cleaning (D24). */
  readonly text: string;
  /** Markdown below the text: cost, memory, links. */
  readonly footer: string;
}

/**
 * The hidden first line by which an agent's sticky comment is found again (D26). Anything but a name's characters
 * becomes a hyphen, so that it cannot end the HTML comment.
 */
export function stickyMarker(agent: string): string {
  return `<!-- axe-action sticky agent=${agent.replace(/[^A-Za-z0-9._/-]/g, '-')} -->`;
}

/**
 * Body of a sticky comment: marker, text, footer. Never longer than GitHub takes; a text that has to be cut says so,
 * and marker and footer stay whole.
 */
export function stickyBody({ agent, text, footer }: StickyParts): string {
  return framedBody({ marker: stickyMarker(agent), text, footer });
}

/** What a body is put together from; the marker is its first line, by which it is found again. */
interface FramedParts extends Omit<StickyParts, 'agent'> {
  readonly marker: string;
  /** GitHub's limit for comments and issues if left out. */
  readonly maxCharacters?: number;
}

/** The same with a marker of one's own: for issues and checks. */
export function framedBody(parts: FramedParts): string {
  const { marker, text, footer, maxCharacters = MAX_COMMENT_CHARACTERS } = parts;
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
