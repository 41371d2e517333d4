import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { hiddenIn, showHidden, showName } from '../../src/safety/hidden.js';

const BREAK = 'a line break that is not shown as one';
const TURNED = 'characters that turn the order of its text around';
const UNSEEN = 'invisible characters';
const ALIKE = 'letters of another alphabet that look like Latin ones';

describe('a line that reads otherwise than it runs is found, with what is hidden in it', () => {
  it.each([
    ['NUL', 'key\0 = 1', `${BREAK} (<U+0000>)`],
    ['a vertical tab', '# off\vrun()', `${BREAK} (<U+000B>)`],
    ['a next line', '# off\x85run()', `${BREAK} (<U+0085>)`],
    ['a line separator', '// off\u2028run()', `${BREAK} (<U+2028>)`],
    ['a paragraph separator', '// off\u2029run()', `${BREAK} (<U+2029>)`],
    ['a carriage return before the end', '// off\rrun()', `${BREAK} (<U+000D>)`],
    ['an override', 'x = "a\u202Eb"', `${TURNED} (<U+202E>)`],
    [
      'a comment that is none',
      '/* ok \u202E\u2066 return; \u2069 */',
      `${TURNED} (<U+202E><U+2066><U+2069>)`,
    ],
    ['an override in Hebrew', 'msg = "\u202Eשלום\u202C"', `${TURNED} (<U+202E><U+202C>)`],
    ['an isolate that nothing ends', 'msg = "\u2067שלום"', `${TURNED} (<U+2067>)`],
    ['an end without a beginning', 'msg = "שלום\u2069"', `${TURNED} (<U+2069>)`],
    [
      'ends in the wrong order',
      '"\u2067\u202Bשלום\u2069\u202C"',
      `${TURNED} (<U+2067><U+202B><U+2069>)`,
    ],
    ['isolates around Latin text', '\u2066left\u2069', `${TURNED} (<U+2066><U+2069>)`],
    ['a zero-width space at the end of a word', "=== 'root\u200B'", `${UNSEEN} (<U+200B>)`],
    ['a joiner within a name', 'pass\u200Dword', `${UNSEEN} (<U+200D>)`],
    ['a name of nothing but a filler', 'f(a, \u3164)', `${UNSEEN} (<U+3164>)`],
    ['a half-width filler', 'let \uFFA0 = 1', `${UNSEEN} (<U+FFA0>)`],
    ['a word joiner', 'log\u2060in', `${UNSEEN} (<U+2060>)`],
    ['an invisible times', '2\u20623', `${UNSEEN} (<U+2062>)`],
    ['a byte order mark within the line', 'a\uFEFF = 1', `${UNSEEN} (<U+FEFF>)`],
    ['a left-to-right mark in code', "'x\u200E' == y", `${UNSEEN} (<U+200E>)`],
    ['an Arabic letter mark in code', 'role\u061C = 1', `${UNSEEN} (<U+061C>)`],
    ['a soft hyphen at the edge of a string', "'\u00ADroot'", `${UNSEEN} (<U+00AD>)`],
    ['a soft hyphen with a joiner', 'é\u00AD\u200Dé', `${UNSEEN} (<U+00AD><U+200D>)`],
    ['a selector between letters', 'de\uFE00mo', `${UNSEEN} (<U+FE00>)`],
    [
      'text in selectors, behind an emoji',
      '😀\u{E0161}\u{E0162}\u{E0163}\u{E0164}',
      `${UNSEEN} (<U+E0161><U+E0162><U+E0163>)`,
    ],
    ['text in tags', 'Hi\u{E0048}\u{E0069}', `${UNSEEN} (<U+E0048><U+E0069>)`],
    [
      'a flag with more than a region',
      '🏴\u{E0067}\u{E0062}\u{E0073}\u{E0063}\u{E0074}\u{E0061}\u{E0062}\u{E007F}',
      `${UNSEEN} (<U+E0067><U+E0062><U+E0073>)`,
    ],
    ['a region without a flag', 'é\u{E0067}\u{E007F}', `${UNSEEN} (<U+E0067><U+E007F>)`],
    ['marks of interlinear notes', 'a\uFFF9b\uFFFBc', `${UNSEEN} (<U+FFF9>)`],
    ['a Cyrillic letter in a name', 'pаssword', `${ALIKE} (p<U+0430>ssword)`],
    ['a Greek letter in a name', 'rοοt', `${ALIKE} (r<U+03BF><U+03BF>t)`],
    ['a Cyrillic capital', 'MАX_SIZE', `${ALIKE} (M<U+0410>X_SIZE)`],
    ['both between accents', 'cаfé', `${ALIKE} (c<U+0430>fé)`],
    ['a letter behind something unseen', 'а\u200Bdmin', `${ALIKE} (<U+0430><U+200B>dmin)`],
  ])('%s', (_, line, problem) => {
    expect(hiddenIn(line)).toBe(problem);
    expect(showHidden(line)).not.toBe(line);
    expect(hiddenIn(showHidden(line))).toBeUndefined();
  });
});

describe('a line as its language or an emoji is written has nothing hidden', () => {
  it.each([
    ['ASCII', '\tconst a = "b"; // <U+200B>'],
    ['a line of Windows', 'plain\r'],
    ['a form feed', '\f'],
    ['Hebrew', 'msgstr "שלום עולם"'],
    ['Hebrew with a mark', 'msgstr "ברוכים הבאים ל-GitHub\u200F."'],
    ['Arabic with a number', '"v": "النسخة \u200E2.0.1"'],
    ['Arabic around a placeholder', 'msgstr "أهلا \u2068{name}\u2069!"'],
    ['an embedding that ends', 'msgstr "\u202Bשלום GitHub\u202C"'],
    ['Persian', '<b>می\u200Cخواهم</b>'],
    ['Urdu at the end of a line', 'ہے\u200C'],
    ['Hindi', '"क्\u200Dया"'],
    ['Sinhala', '"ක්\u200Dෂ"'],
    ['Thai', '"สวัสดี\u200Bครับ"'],
    ['Khmer', '"សួស្តី\u200Bពិភពលោក"'],
    ['Mongolian', 'ᠠ\u180Eᠠ'],
    ['old Korean', '\u1100\u1160\u11A8'],
    ['a soft hyphen', 'Rechts\u00ADschutz\u00ADversicherung'],
    ['ideographs with a selector', '葛\u{E0101}飾区'],
    ['ideographs with a standard one', '㐂\uFE00'],
    ['an emoji with a selector', '// ❤️ done'],
    ['a technologist', '// 👩\u200D💻'],
    ['a family', '👩\u200D👩\u200D👧'],
    ['a kiss', '👩\u200D❤️\u200D💋\u200D👩'],
    ['a keycap', '2️⃣ second'],
    ['a flag of two letters', '🇩🇪'],
    ['the flag of Scotland', '🏴\u{E0067}\u{E0062}\u{E0073}\u{E0063}\u{E0074}\u{E007F}'],
    ['a pirate flag', '🏴\u200D☠️'],
    ['a trade mark', 'Acme™️ Inc.'],
    ['a byte order mark at the start', '\uFEFF<?xml version="1.0"?>'],
    ['Russian', '// Сохраняет файл на диск'],
    ['Russian next to Latin', 'HTTP-запрос к API'],
    ['a word that shows that it is mixed', 'SQLйный git-хук'],
    ['Greek', '"καλημέρα"'],
    ['Greek in formulas', 'Δt = π * λ_min + dφ'],
    ['a micro sign', 'const delay = "10µs";'],
    ['Serbian', '"Здраво, свете"'],
    ['accents', 'garçon, Ærø, Łódź'],
    ['narrow spaces', '« oui », 10 000 €'],
    ['a box', '├── src │ └── a'],
  ])('%s', (_, line) => {
    expect(hiddenIn(line)).toBeUndefined();
  });
});

describe('showHidden', () => {
  it.each([
    ['control characters', '\x1b[31mred\x07\f', '<U+001B>[31mred<U+0007><U+000C>'],
    ['soft hyphens in words', 'Rechts\u00ADschutz', 'Rechts<U+00AD>schutz'],
    ['lone surrogates', 'a\uD83Db', 'a<U+D83D>b'],
    [
      'all that is unseen in a line that has something hidden',
      'a\u200Bb 👩\u200D💻',
      'a<U+200B>b 👩<U+200D>💻',
    ],
    ['no letters of words that are not mixed', '// файл аdmin', '// файл <U+0430>dmin'],
    ['each line by itself', 'a\u200Bb\n👩\u200D💻\tc', 'a<U+200B>b\n👩\u200D💻\tc'],
  ])('writes out %s', (_, text, shown) => {
    expect(showHidden(text)).toBe(shown);
  });

  it('changes nothing a second time, and leaves nothing that is found', () => {
    const unit = fc.constantFrom(
      ...['a', 'é', 'ب', 'א', 'а', 'ж', 'ο', '葛', '👩', '🏴', '<', '\n', ' ', '\t', '\r', '\x1b'],
      ...['\u00AD', '\u200B', '\u200D', '\u200E', '\uFE0F', '\uFEFF', '\u2028', '\x85', '\0'],
      ...['\u202B', '\u202C', '\u202E', '\u2067', '\u2069', '\u{E0067}', '\u{E007F}', '\uD83D'],
    );
    fc.assert(
      fc.property(fc.array(unit, { maxLength: 20 }), (units) => {
        const shown = showHidden(units.join(''));
        expect(showHidden(shown)).toBe(shown);
        for (const line of shown.split('\n')) expect(hiddenIn(line)).toBeUndefined();
      }),
      { numRuns: 5000 },
    );
  });

  it('is fast for long lines made to slow it down', () => {
    for (const unit of ['א\u200F', '\u200F', 'é\u200D', '\u2067', 'аz', 'а', '👩\u200D']) {
      const line = unit.repeat(Math.ceil(262_144 / unit.length));
      expect(showHidden(`${line}\u200B`).length).toBeGreaterThan(line.length);
    }
  });
});

it('a name in a prompt is one line with hidden characters written out, and is cut', () => {
  expect(showName(' src/\u202Egpj\n.ts ', 100)).toBe('src/<U+202E>gpj .ts');
  expect(showName('abcdef', 4)).toBe('abc…');
});
