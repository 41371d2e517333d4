import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  formatMark,
  isMarked,
  isOwnText,
  laneOf,
  readOwnMark,
  removeMarks,
} from '../../src/safety/mark.js';
import { sanitize } from '../../src/safety/sanitize.js';

const MARK = { kind: 'answer', agent: 'bot', lane: 'trusted' } as const;
const LINE = formatMark(MARK);

describe('a mark', () => {
  it('is one hidden line, whatever its values', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string(), (agent, value) => {
        const mark = { kind: 'x', agent: agent.toWellFormed(), value, lane: 'tainted' } as const;
        const line = formatMark(mark);
        expect(line).toMatch(/^<!-- axe-action \{[^<>@#\n\r\u2028\u2029-]*\} -->$/);
        expect(readOwnMark(`${line}\nText`)).toEqual(mark);
        expect(readOwnMark(`${line}\r\nText`)).toEqual(mark);
      }),
    );
  });

  it.each([
    [LINE, true],
    [`text\n${LINE}\ntext`, true],
    [formatMark({ ...MARK, lane: 'untrusted' }), true],
    [formatMark({ ...MARK, head: 'abc' }), true],
    [`> ${LINE}`, false],
    [` ${LINE}`, false],
    [formatMark({ ...MARK, agent: 'bot-2' }), false],
    ['', false],
  ])('%j is marked: %s', (text, isOurs) => {
    expect(isMarked(text, MARK)).toBe(isOurs);
  });

  it.each([
    [LINE, 'trusted'],
    [formatMark({ ...MARK, lane: 'tainted' }), 'tainted'],
    ['<!-- axe-action {"kind":"answer","agent":"bot"} -->', 'untrusted'],
    ['<!-- axe-action {"kind":"answer","lane":"admin"} -->', 'untrusted'],
    [`Text\n${LINE}`, 'untrusted'],
    [`${LINE} and more`, 'untrusted'],
    ['<!-- axe-action {"lane":"trusted" -->', 'untrusted'],
    ['', 'untrusted'],
  ])('%j is in the lane %s', (text, lane) => {
    expect(laneOf(text)).toBe(lane);
  });

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
