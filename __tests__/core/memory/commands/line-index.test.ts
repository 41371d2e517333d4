import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { LineIndex } from '../../../../src/core/memory/commands/line-index.js';

describe('the index of lines by text', () => {
  it('gives what a map gives, for any texts', () => {
    const note = fc.tuple(fc.string({ maxLength: 3 }), fc.integer({ min: 1, max: 100 }));
    fc.assert(
      fc.property(fc.array(note, { maxLength: 60 }), (notes) => {
        const [index, map] = [new LineIndex(), new Map<string, number>()];
        for (const [text, line] of notes) {
          expect(index.lineOf(text)).toBe(map.get(text));
          index.add(text, line);
          map.set(text, line);
        }
      }),
    );
  });

  it('finds all of more texts than it has room for at the beginning', () => {
    const index = new LineIndex();
    const texts = Array.from({ length: 5000 }, (_, number) => `text ${number}`);
    for (const [at, text] of texts.entries()) index.add(text, at + 1);
    expect(texts.every((text, at) => index.lineOf(text) === at + 1)).toBe(true);
    expect(index.lineOf('another')).toBeUndefined();
  });
});
