import { countLineBreaks } from '../units.js';
import type { BareFinding } from './finding.js';

const CONFLICT = /^(?:<{7}|>{7}|\|{7})(?: |$)/;
const SUSPICIOUS = /<{7}|>{7}|\|{7}|\p{Surrogate}|\0/u;

/** What is wrong with the lines of a text, whatever entry they belong to; headings are looked at by entry. */
export function checkLines(text: string): readonly BareFinding[] {
  const checker = new LineChecker();
  return [...checker.push(text), ...checker.end()];
}

/** {@link checkLines} for a text that comes in pieces. */
export class LineChecker {
  /** Parts of the line that is not over yet. */
  #parts: string[] = [];
  #line = 1;
  #isBegun = false;

  push(piece: string): readonly BareFinding[] {
    const end = piece.lastIndexOf('\n');
    if (end < 0) {
      this.#parts.push(piece);
      return [];
    }
    this.#parts.push(piece.slice(0, end));
    const found = this.end();
    this.#parts = [piece.slice(end + 1)];
    return found;
  }

  /** What is found in the last line, once there are no more pieces. */
  end(): readonly BareFinding[] {
    const text = this.#parts.join('');
    const [isFirst, line] = [!this.#isBegun, this.#line];
    this.#isBegun = true;
    this.#line += countLineBreaks(text) + 1;
    return [...(isFirst ? checkStart(text) : []), ...checkEachLine(text, line)];
  }
}

/** A byte order mark before the first heading hides it from axe, and so from us. */
function checkStart(text: string): readonly BareFinding[] {
  if (!text.startsWith('\uFEFF## ')) return [];
  const message = 'a byte order mark hides this heading; save the file as UTF-8 without one';
  return [{ code: 'encoding', severity: 'problem', line: 1, message }];
}

function checkEachLine(text: string, first: number): readonly BareFinding[] {
  // Nearly all texts hold nothing of it, and one look at all lines is faster than one at each.
  if (!SUSPICIOUS.test(text)) return [];
  return text.split('\n').flatMap((whole, index): readonly BareFinding[] => {
    const line = first + index;
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
