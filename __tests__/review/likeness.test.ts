import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { codeFeatures, featuresOf } from '../../src/review/features.js';
import { likeness, readSketch, sharedNames, sketchOf } from '../../src/review/likeness.js';
import { FIRST_PAIRS, LATER_PAIRS } from './pairs.js';

const WORDED = [...FIRST_PAIRS, ...LATER_PAIRS].flatMap(([, , old, fresh]) => [old[3], fresh[3]]);

/** Texts of findings, parts of them joined, and any text at all. */
const TEXT = fc.oneof(
  fc.constantFrom(...WORDED),
  fc
    .array(fc.constantFrom(...WORDED.flatMap((text) => text.split(' '))), { maxLength: 60 })
    .map((words) => words.join(' ')),
  fc.string({ unit: 'grapheme', maxLength: 200 }),
);

describe('likeness', () => {
  it('is the same in both directions and between 0 and 1', () => {
    fc.assert(
      fc.property(
        TEXT,
        TEXT,
        fc.constantFrom('', 'return user.name.trim();', 'send(to, body);'),
        (one, other, code) => {
          const [a, b] = [featuresOf(one), featuresOf(other)];
          const familiar = codeFeatures(code).words;
          const alike = likeness(a, b, familiar);
          expect(alike).toBeCloseTo(likeness(b, a, familiar), 12);
          expect(alike).toBeGreaterThanOrEqual(0);
          expect(alike).toBeLessThanOrEqual(1);
        },
      ),
    );
  });

  it('is 1 for a text and itself, and 0 for one without content', () => {
    fc.assert(
      fc.property(TEXT, (text) => {
        const features = featuresOf(text);
        expect(likeness(features, features)).toBeCloseTo(features.weights.size === 0 ? 0 : 1, 12);
        expect(likeness(features, featuresOf('and so it is'))).toBe(0);
      }),
    );
  });

  it.each([
    ['another form of a word', 'The lock is never released', 'Releasing of locks is missing'],
    ['a synonym', 'This panics for nil', 'It crashes when null'],
    [
      'a name of code and its words',
      '`readUserId` loses the session',
      'Reading the id of a user loses the session',
    ],
    ['Chinese', '用户输入未经转义进入查询', '查询中的用户输入没有转义'],
    ['German', 'Die Verbindung wird nie geschlossen', 'Verbindung bleibt offen, wird nie geschlossen'],
  ])('recognizes %s', (_, one, other) => {
    expect(likeness(featuresOf(one), featuresOf(other))).toBeGreaterThan(0.3);
  });

  it('gives less weight to words of the code that both are about', () => {
    const [one, other] = [featuresOf('`user.name` may be null'), featuresOf('`user.name` holds a password')];
    const code = codeFeatures('return user.name;').words;
    expect(likeness(one, other, code)).toBeLessThan(likeness(one, other));
  });

  it('gives less weight to one shared word than to a short text that is contained whole', () => {
    const long = featuresOf('The connection leaks when the ping fails, and the pool drains after a while');
    expect(likeness(featuresOf('Leak'), long)).toBeLessThan(0.4);
    expect(likeness(featuresOf('Connections leak when `ping` fails'), long)).toBeGreaterThan(0.5);
  });

  it('reads names of code from quotation marks, quotes and blocks', () => {
    const names = (text: string): number => sharedNames(featuresOf(text), featuresOf('`load`')) ?? 0;
    expect(names('call `load` first')).toBe(1);
    expect(names("call 'load' first")).toBe(1);
    expect(names('call load() first')).toBe(1);
    expect(names('```ts\nload\n```')).toBe(1);
    expect(names('call load first')).toBe(0);
    expect(sharedNames(featuresOf('call load first'), featuresOf('`load`'))).toBeUndefined();
  });
});

describe('a sketch of a text', () => {
  it('has at most 128 characters that need no escape, and is read back as written', () => {
    fc.assert(
      fc.property(TEXT, (text) => {
        const sketch = sketchOf(featuresOf(text));
        expect(sketch).toMatch(/^[\w-]{0,128}$/);
        const read = readSketch(sketch);
        expect(read).toBeDefined();
        if (read !== undefined) expect(sketchOf(read)).toBe(sketch);
      }),
    );
  });

  it('keeps a text of up to 24 features whole', () => {
    const whole = WORDED.map(featuresOf).filter(
      ({ weights, names }) => new Set([...weights.keys(), ...names]).size <= 24,
    );
    expect(whole.length).toBeGreaterThan(100);
    for (const features of whole) {
      const read = readSketch(sketchOf(features));
      expect(new Map(read?.weights)).toEqual(features.weights);
      expect(new Set(read?.names)).toEqual(features.names);
    }
  });

  it('keeps the most important features of a long text', () => {
    const long = featuresOf(`${WORDED.slice(0, 12).join(' ')} \`refundLedger\``);
    const sketch = sketchOf(long);
    expect(sketch).toHaveLength(128);
    expect(sharedNames(readSketch(sketch) ?? long, featuresOf('`refundLedger`'))).toBe(1);
    expect(likeness(long, readSketch(sketch) ?? featuresOf(''))).toBeGreaterThan(0.6);
  });

  it.each(['A', 'AAAA!', 'A'.repeat(129), '=', 'AAAAAAA'])('is not read from %p', (text) => {
    expect(readSketch(text)).toBeUndefined();
  });

  it('of no text is empty', () => {
    expect(sketchOf(featuresOf(''))).toBe('');
    expect(readSketch('')?.weights.size).toBe(0);
  });
});
