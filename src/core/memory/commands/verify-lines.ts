import { type Entry, parseEntries } from '../run-log.js';
import { isTimestamped, parseLog } from '../units.js';
import type { BareFinding } from './finding.js';

const CONFLICT = /^(?:<{7}|>{7}|\|{7})(?: |$)/;
/** Looks like a time to a person, and is none to a program. */
const ALMOST_TIME = /^\d{4}-\d{1,2}-\d{1,2}(?:\D|$)/;

/** What is wrong with the lines of a log, whatever entry they belong to. */
export function checkLines(text: string): readonly BareFinding[] {
  return [...checkStart(text), ...checkEachLine(text), ...checkHeadings(text)];
}

/** A byte order mark before the first heading hides it from axe, and so from us. */
function checkStart(text: string): readonly BareFinding[] {
  if (!text.startsWith('\uFEFF## ')) return [];
  const message = 'a byte order mark hides this heading; save the file as UTF-8 without one';
  return [{ code: 'encoding', severity: 'problem', line: 1, message }];
}

function checkEachLine(text: string): readonly BareFinding[] {
  return text.split('\n').flatMap((whole, index): readonly BareFinding[] => {
    const line = index + 1;
    const content = whole.replace(/\r$/, '');
    if (CONFLICT.test(content)) {
      const message = `a conflict marker of git, \`${content.slice(0, 7)}\`; remove the three marker lines`;
      return [{ code: 'conflict-marker', severity: 'problem', line, message }];
    }
    if (/\p{Surrogate}|\0/u.test(content)) {
      const message = 'bytes that are not UTF-8 text; they stay as they are, and models see U+FFFD';
      return [{ code: 'encoding', severity: 'information', line, message }];
    }
    return [];
  });
}

/**
 * Headings that are no time: above the first entry they belong to nobody; below one they are part of it for people and
 * commands, and an entry for what loads the newest ones (D6).
 */
function checkHeadings(text: string): readonly BareFinding[] {
  const { preamble } = parseLog(text);
  let [line, counted] = [1, 0];
  return parseEntries(text).flatMap((entry): readonly BareFinding[] => {
    line += text.slice(counted, entry.start).split('\n').length - 1;
    counted = entry.start;
    if (isTimestamped(entry)) return [];
    const whose = whoseHeading(entry, preamble);
    const message = `\`## ${entry.heading.slice(0, 60)}\` is not a time such as 2026-02-03T04:05:06Z, ${whose}`;
    return [{ code: 'heading', severity: 'problem', line, message }];
  });
}

function whoseHeading({ start, heading }: Entry, preamble: string): string {
  if (start < preamble.length) return 'and belongs to no entry';
  const part = 'so it counts as part of the entry above';
  if (ALMOST_TIME.test(heading)) return part;
  return `${part}, but as an entry of its own for \`last_n\` and \`max_entries\`; put a space before \`##\``;
}
