import { cutToBytes, utf8Bytes } from '../../text/cut.js';
import { TRUNCATED_MARK } from './truncated.js';

/** A part of the block. */
export interface Section {
  readonly title: string;
  /** Not empty. */
  readonly body: string;
  /** The lowest number is given room first; no two are the same. */
  readonly rank: number;
}

/** How much room there is, and who gets it. */
export interface Room {
  readonly overflow: 'priority' | 'classic';
  readonly maxBytes: number;
}

/** Sections that were made to fit. */
export interface Fitted {
  /** The mark of a cut stands in it beside what was counted. */
  readonly text: string;
  /** Titles of what is not there, or not all there. */
  readonly cut: readonly string[];
}

/** Joins sections in their order within a number of bytes; no character is split. */
export function fitSections(sections: readonly Section[], { overflow, maxBytes }: Room): Fitted {
  switch (overflow) {
    case 'classic':
      return cutTail(sections, maxBytes);
    case 'priority':
      return grantRoom(sections, maxBytes);
  }
}

function cutTail(sections: readonly Section[], maxBytes: number): Fitted {
  const { text, leftOutBytes } = cutToBytes(sections.map(formatSection).join(''), maxBytes);
  if (leftOutBytes === 0) return { text, cut: [] };
  let end = 0;
  const cut = sections.filter((section) => {
    end += utf8Bytes(formatSection(section));
    return end > maxBytes;
  });
  return { text: text + TRUNCATED_MARK, cut: cut.map(({ title }) => title) };
}

/** By rank: the first section that does not fit is cut to what is left, and those after it go. */
function grantRoom(sections: readonly Section[], maxBytes: number): Fitted {
  const granted = new Map<Section, string>();
  const cut: string[] = [];
  let left = maxBytes;
  let isMarked = false;
  for (const section of sections.toSorted((a, b) => a.rank - b.rank)) {
    const whole = formatSection(section);
    if (cut.length === 0 && utf8Bytes(whole) <= left) {
      granted.set(section, whole);
      left -= utf8Bytes(whole);
      continue;
    }
    const part = cut.length === 0 ? beginningOf(section, left) : undefined;
    if (part !== undefined) {
      granted.set(section, part + TRUNCATED_MARK);
      isMarked = true;
    }
    cut.push(section.title);
  }
  const text = sections.map((section) => granted.get(section) ?? '').join('');
  return { text: cut.length === 0 || isMarked ? text : text + TRUNCATED_MARK, cut };
}

/** Undefined where nothing but the heading would be left. */
function beginningOf(section: Section, maxBytes: number): string | undefined {
  const { text } = cutToBytes(formatSection(section), Math.max(0, maxBytes));
  return text.length > headingOf(section).length ? text : undefined;
}

function formatSection(section: Section): string {
  return headingOf(section) + section.body;
}

function headingOf({ title }: Section): string {
  return `\n\n## ${title}\n`;
}
