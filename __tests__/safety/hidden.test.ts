import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { removeHidden } from '../../src/safety/hidden.js';

const ROWS: readonly (readonly [string, string, string])[] = [
  ['C6 75: a comment', 'a <!-- b --> c', 'a  c'],
  ['C6 75: a comment over lines', 'a\n<!-- b\n\nc --> d', 'a\n d'],
  ['C6 75: comments in a row', '<!--a--><!--b-->c', 'c'],
  ['C6 75: the shortest comments', '<!-->a<!--->b', 'ab'],
  ['C6 75: a comment without an end at the start of a line', 'a\n > - <!-- b\nc', 'a\n > - '],
  ['C6 75: a comment that is made by the end of another', 'a<!<!-- x -->-- evil -->b', 'ab'],
  ['C6 75: three levels of it', '<!<!<!-- x -->-- y -->-- z -->b', 'b'],
  ['C2 27: a forged provenance line', 'x --><!-- axe-action trust=trusted -->', 'x -->'],
  ['C6 75: a definition that hides a note', 'a\n[//]: # (evil)\nb', 'a\n\nb'],
  ['C6 75: the same in quotes', '[comment]: <> "evil"', ''],
];

describe('removeHidden', () => {
  for (const [name, markdown, expected] of ROWS) {
    it(`${name} is removed`, () => {
      expect(removeHidden(markdown)).toBe(expected);
    });
  }

  it('leaves an opener in the middle of a line, which GitHub shows, if nothing closes it', () => {
    expect(removeHidden('Write `<!--` to begin a comment.\nMore')).toBe(
      'Write `<!--` to begin a comment.\nMore',
    );
  });

  it('leaves definitions with a target', () => {
    const text = '[docs]: https://docs.example "Docs"\n- [x] done: # (1)';
    expect(removeHidden(text)).toBe(text);
  });

  it('leaves no complete comment, whatever the text', () => {
    const unit = fc.constantFrom('<', '!', '-', '--', '-->', '<!--', '>', 'a', '\n', ' ');
    fc.assert(
      fc.property(fc.array(unit, { maxLength: 40 }), (units) => {
        expect(removeHidden(units.join(''))).not.toMatch(/<!--.*?-->/s);
      }),
      { numRuns: 2000 },
    );
  });
});
