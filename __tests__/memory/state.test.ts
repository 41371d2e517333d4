import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  formatFact,
  isStatePath,
  mergeStates,
  parseFact,
  type StateFact,
  statePath,
  withFacts,
} from '../../src/memory/state.js';

const EARLY = Date.parse('2026-02-03T04:05:06Z');
const LATE = EARLY + 500;
const fact = (id: string, at = EARLY, kind = 'seen'): StateFact => ({ kind, id, at });
const line = (...parts: Parameters<typeof fact>) => formatFact(fact(...parts));
const [A, B, Z, LATE_A] = [line('a'), line('b'), line('z'), line('a', LATE)];
const ON_PULL = { kind: 'seen', pull: 42, at: EARLY };
const HEAD = withFacts('', [fact('x')]).replace(`${line('x')}\n`, '');

it.each([
  ['bot.md', 'bot.state.md'],
  ['apart/bot.md', 'apart/bot.state.md'],
  ['team/v1.2.md', 'team/v1.2.state.md'],
  ['LOG.MD', 'LOG.MD.state.md'],
  ['notes', 'notes.state.md'],
  ['', '.state.md'],
])('the place of a state for %j is %j', (path, state) => expect(statePath(path)).toBe(state));

it('the place of a state is never that of a file that is not a state', () => {
  fc.assert(
    fc.property(fc.string(), (path) => {
      expect(isStatePath(statePath(path))).toBe(true);
    }),
  );
});

describe('a state file', () => {
  it('starts with a note to people, and holds one fact on each line', () => {
    const noted = { ...fact('a', LATE, 'noted'), text: 'x\n- y' };
    const text = withFacts('', [noted, ON_PULL]);
    expect(text).toBe(
      `${HEAD}- {"kind":"noted","v":1,"id":"a","at":${LATE},"text":"x\\n- y"}\n- {"kind":"seen","v":1,"pull":42,"at":${EARLY}}\n`,
    );
    expect(HEAD).toMatch(/^# State\n\n[^\n]+\n\n$/);
    expect(text.split('\n').flatMap((one) => parseFact(one) ?? [])).toEqual([noted, ON_PULL]);
  });

  it('knows a fact by its kind, id and pull request, and replaces the old one with the newer', () => {
    const onPull = { ...fact('a'), pull: 1 };
    const text = withFacts('', [fact('a'), fact('b'), fact('a', EARLY, 'noted'), onPull]);
    expect(withFacts(text, [fact('a', LATE), fact('c')])).toBe(
      `${HEAD}${[LATE_A, B, line('a', EARLY, 'noted'), formatFact(onPull), line('c')].join('\n')}\n`,
    );
  });

  it('has one line if people wrote two of the same', () => {
    expect(withFacts(`${A}\nmine\n${LATE_A}\n`, [fact('a', 1e13)])).toBe(
      `${line('a', 1e13)}\nmine\n`,
    );
  });

  it.each([
    ['a missing final line break', `# Mine\n${A}`, `# Mine\n${A}\n${Z}\n`],
    ['CRLF', `# Mine\r\n${A}\r\n`, `# Mine\r\n${A}\r\n${Z}\r\n`],
    ['a word of somebody’s', 'do not touch\n\n* seen z\n', `do not touch\n\n* seen z\n${Z}\n`],
    ['bytes that are no text', '\uDCFF\n', `\uDCFF\n${Z}\n`],
  ])('that a person edited, with %s, keeps its bytes', (_, text, expected) => {
    expect(withFacts(text, [fact('z')])).toBe(expected);
  });

  it('keeps CRLF in a line that it changes', () => {
    expect(withFacts(`${A}\r\n${B}\r\n`, [fact('a', LATE)])).toBe(`${LATE_A}\r\n${B}\r\n`);
  });

  it.each([
    line('a').slice(2),
    ` ${A}`,
    line('a').slice(0, -1),
    '- {"kind":"seen","id":"a"}',
    '- {"id":"a","at":1}',
    '- seen a at=2026-02-03T04:05:06Z',
    '- []',
  ])('does not read %j as a fact', (text) => expect(parseFact(text)).toBeUndefined());
});

describe('two merged states', () => {
  const [EARLIER, LATER] = [`${A}\n`, `${LATE_A}\n`];

  it.each([
    ['one of them is empty', '', EARLIER, EARLIER],
    ['the base is all there is', EARLIER, '', EARLIER],
    ['both know other things', EARLIER, `${B}\n`, `${EARLIER}${B}\n`],
    ['the other is later', EARLIER, LATER, LATER],
    ['the base is later', LATER, EARLIER, LATER],
    ['people wrote in the base', `mine\r\n${A}\r\n`, LATER, `mine\r\n${LATE_A}\r\n`],
    ['one has a fact twice', LATER + EARLIER, EARLIER, LATER + EARLIER],
  ])('are correct if %s', (_, base, other, expected) =>
    expect(mergeStates(base, other)).toBe(expected),
  );

  const state = fc
    .array(
      fc.record({
        kind: fc.constantFrom('noted', 'seen'),
        id: fc.constantFrom('a', 'b', 'c d'),
        at: fc.constantFrom(EARLY, LATE),
        text: fc.constantFrom('', 'x', 'y'),
      }),
      { maxLength: 6 },
    )
    .map((facts) => withFacts('', facts));
  const facts = (text: string) =>
    new Set(text.split('\n').filter((one) => parseFact(one) !== undefined));

  it('are equal whichever is the base, however they are grouped, and do not change the second time', () => {
    fc.assert(
      fc.property(state, state, state, (one, two, three) => {
        const merged = mergeStates(one, two);
        expect(facts(mergeStates(two, one))).toEqual(facts(merged));
        expect(facts(mergeStates(one, mergeStates(two, three)))).toEqual(
          facts(mergeStates(merged, three)),
        );
        expect(mergeStates(merged, two)).toBe(merged);
      }),
      { numRuns: 1_000 },
    );
  });
});
