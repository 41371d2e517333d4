import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  type Fact,
  isStatePath,
  mergeStates,
  parseState,
  statePath,
  withFacts,
} from '../../src/memory/state.js';

const fact = (key: string, rest = '', kind = 'seen'): Fact => ({ kind, key, rest });
const HEAD = withFacts('', [fact('x')]).replace('- seen x\n', '');

describe('the place of a state', () => {
  it.each([
    ['bot.md', 'bot.state.md'],
    ['untrusted/bot.md', 'untrusted/bot.state.md'],
    ['team/v1.2.md', 'team/v1.2.state.md'],
    ['LOG.MD', 'LOG.MD.state.md'],
    ['notes', 'notes.state.md'],
    ['', '.state.md'],
  ])('for %j is %j', (path, state) => {
    expect(statePath(path)).toBe(state);
  });

  it('is never that of a file that is not a state', () => {
    fc.assert(
      fc.property(fc.string(), (path) => {
        expect(isStatePath(statePath(path))).toBe(true);
      }),
    );
  });
});

describe('a state file', () => {
  it('starts with a note to people, and holds one fact on each line', () => {
    const text = withFacts('', [
      fact('a', 'at=2026-02-03T04:05:06Z', 'forgotten'),
      fact('42', 'head=1a2b3c4'),
    ]);
    expect(text).toBe(`${HEAD}- forgotten a at=2026-02-03T04:05:06Z\n- seen 42 head=1a2b3c4\n`);
    expect(HEAD).toMatch(/^# State\n\n[^\n]+\n\n$/);
    expect(parseState(HEAD)).toEqual([]);
  });

  it('identifies a fact by its kind and key, and replaces the old one with the newer', () => {
    const text = withFacts('- seen a one\n- seen b one\n- forgotten a\n', [fact('a', 'two'), fact('c')]);
    expect(text).toBe('- seen a two\n- seen b one\n- forgotten a\n- seen c\n');
  });

  it('has one line if people wrote two of the same', () => {
    expect(withFacts('- seen a one\nmine\n- seen a two\n', [fact('a', 'three')])).toBe(
      '- seen a three\nmine\n',
    );
  });

  it.each([
    ['a missing final line break', '# Mine\n- seen a', '# Mine\n- seen a\n- seen z\n'],
    ['CRLF', '# Mine\r\n- seen a\r\n', '# Mine\r\n- seen a\r\n- seen z\r\n'],
    ['a word of somebody’s', 'do not touch\n\n* seen z\n', 'do not touch\n\n* seen z\n- seen z\n'],
    ['bytes that are no text', '\uDCFF\n', '\uDCFF\n- seen z\n'],
  ])('that a person edited, with %s, keeps its bytes', (_, text, expected) => {
    expect(withFacts(text, [fact('z')])).toBe(expected);
  });

  it('keeps CRLF in a line that it changes', () => {
    expect(withFacts('- seen a\r\n- seen b\r\n', [fact('a', 'new')])).toBe('- seen a new\r\n- seen b\r\n');
  });

  it('has one line for the rest of a fact', () => {
    const text = withFacts('', [fact('a', 'x\n- forgotten b\r\ny\u2028z')]);
    expect(parseState(text)).toEqual([fact('a', 'x - forgotten b y z')]);
  });

  it.each([
    '-forgotten a',
    '* forgotten a',
    ' - forgotten a',
    '- Forgotten a',
    '- forgotten',
    '- forgotten  ',
  ])('does not read %j as a fact', (line) => {
    expect(parseState(`${line}\n`)).toEqual([]);
  });
});

describe('two merged states', () => {
  const EARLY = 'at=2026-02-03T04:05:06Z';
  const LATE = 'at=2026-02-03T04:05:06.5Z';

  it.each([
    ['one of them is empty', '', '- seen a\n', '- seen a\n'],
    ['the base is all there is', '- seen a\n', '', '- seen a\n'],
    ['both know other things', '- seen a\n', '- seen b\n', '- seen a\n- seen b\n'],
    ['the other is later', `- seen a ${EARLY}\n`, `- seen a ${LATE}\n`, `- seen a ${LATE}\n`],
    ['the base is later', `- seen a ${LATE}\n`, `- seen a ${EARLY}\n`, `- seen a ${LATE}\n`],
    ['only one has a time', '- seen a zzz\n', `- seen a head=1 ${EARLY}\n`, `- seen a head=1 ${EARLY}\n`],
    [
      'people wrote in the base',
      `mine\r\n- seen a ${EARLY}\r\n`,
      `- seen a ${LATE}\n`,
      `mine\r\n- seen a ${LATE}\r\n`,
    ],
    [
      'one has a fact twice',
      `- seen a ${LATE}\n- seen a ${EARLY}\n`,
      `- seen a ${EARLY}\n`,
      `- seen a ${LATE}\n- seen a ${EARLY}\n`,
    ],
  ])('are correct if %s', (_, base, other, expected) => {
    expect(mergeStates(base, other)).toBe(expected);
  });

  const state = fc
    .array(
      fc.tuple(
        fc.constantFrom('forgotten', 'seen'),
        fc.constantFrom('a', 'b', 'c d'),
        fc.constantFrom('', 'x', EARLY, LATE, `x ${EARLY}`, `y ${EARLY}`, 'at=nonsense'),
      ),
      { maxLength: 6 },
    )
    .map((facts) =>
      withFacts(
        '',
        facts.map(([kind, key, rest]) => fact(key, rest, kind)),
      ),
    );
  const facts = (text: string) => new Set(parseState(text).map((each) => JSON.stringify(each)));

  it('are equal whichever is the base, however they are grouped, and do not change the second time', () => {
    fc.assert(
      fc.property(state, state, state, (one, two, three) => {
        const merged = mergeStates(one, two);
        expect(facts(mergeStates(two, one))).toEqual(facts(merged));
        expect(facts(mergeStates(one, mergeStates(two, three)))).toEqual(facts(mergeStates(merged, three)));
        expect(mergeStates(merged, two)).toBe(merged);
      }),
      { numRuns: 1_000 },
    );
  });
});
