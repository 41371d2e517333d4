import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  formatMark,
  isMarked,
  isOwnText,
  readOwnMark,
  removeMarks,
} from '../../src/safety/mark.js';
import { sanitize } from '../../src/safety/sanitize.js';

const MARK = { kind: 'answer', agent: 'bot' } as const;
const LINE = formatMark(MARK);

describe('a mark', () => {
  it('is one hidden line, whatever its values', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string(), (agent, value) => {
        const mark = { kind: 'x', agent: agent.toWellFormed(), value } as const;
        const line = formatMark(mark);
        expect(line).toMatch(/^<!-- axe-action \{[^<>@#\n\r\u2028\u2029-]*\} -->$/);
        expect(readOwnMark(`${line}\nText`)).toEqual({ ...mark, v: 1 });
        expect(readOwnMark(`${line}\r\nText`)).toEqual({ ...mark, v: 1 });
      }),
    );
  });

  it.each([
    [LINE, true],
    [`text\n${LINE}\ntext`, true],
    [formatMark({ ...MARK, head: 'abc' }), true],
    [`> ${LINE}`, false],
    [` ${LINE}`, false],
    [formatMark({ ...MARK, agent: 'bot-2' }), false],
    ['', false],
  ])('%j is marked: %s', (text, isOurs) => {
    expect(isMarked(text, MARK)).toBe(isOurs);
  });

  it.each([`Text\n${LINE}`, `${LINE} and more`, '<!-- axe-action {"kind":"answer" -->', ''])(
    '%j says nothing of itself',
    (text) => {
      expect(readOwnMark(text)).toEqual({});
    },
  );

  it('is in nothing that was cleaned, be it in code', () => {
    expect(isOwnText(removeMarks(LINE))).toBe(false);
    const around = fc.constantFrom('', '\n', '```\n', '~~~~\n', '> ', '<pre>', '\u200b', '<!-- ');
    fc.assert(
      fc.property(
        fc.array(fc.tuple(around, fc.constantFrom(LINE, LINE.slice(0, 12), LINE.slice(12)))),
        (parts) => {
          const text = parts.flat().join('');
          for (const channel of ['comment', 'untrusted-comment', 'title', 'summary'] as const)
            expect(isOwnText(sanitize(text, channel, []))).toBe(false);
        },
      ),
    );
  });
});
