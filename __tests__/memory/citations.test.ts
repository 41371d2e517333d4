import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { BaseCode } from '../../src/github/reading/contents.js';
import {
  type CheckedNotes,
  checkNotes,
  citeLine,
  completeCitations,
  formatCitation,
} from '../../src/memory/citations.js';
import { editedText } from '../../src/memory/note-edit.js';
import { formatMemoryBlock } from '../../src/memory/notes/context-block.js';
import { createNotesScene, PLACES } from './notes/notes-scene.js';

const COMMIT = 'a'.repeat(40);
const HERE = `<!-- octocat/hello@${COMMIT} -->`;
const UNKNOWN = `<!-- octocat/hello@${'b'.repeat(40)} -->`;
const MALFORMED = `F (src/a.ts:2 "\\x") ${HERE}`;
const CODE = 'if (!token) return';
const PLACE = `(src/a.ts:2 "${CODE}")`;

function baseOf(files: Readonly<Record<string, string | null>>): BaseCode {
  const history = new Set([COMMIT]);
  return {
    repository: 'Octocat/Hello',
    isOnlyRepository: false,
    commit: COMMIT,
    files: new Map(Object.entries(files)),
    history,
    renamed: new Map(),
  };
}

function check(note: string, base: BaseCode | undefined): CheckedNotes {
  return checkNotes(new Map([['MEMORY.md', note]]), base);
}

function shown(note: string, base: BaseCode | undefined): string | undefined {
  return check(note, base)
    .view(new Map([['MEMORY.md', note]]), 'bot.md')
    .get('MEMORY.md');
}

const SAME = baseOf({ 'src/a.ts': `x\n  ${CODE}\n` });
const MOVED = baseOf({ 'src/a.ts': `x\r\n\r\n\t${CODE}\r\n` });
const TWICE = baseOf({ 'src/a.ts': `${CODE}\n\n\n${CODE}` });
const GONE = baseOf({ 'src/a.ts': 'x\nif (!token) throw 1\n' });

describe('a note that rests on a line of code', () => {
  it.each<[string, string, BaseCode | undefined, string]>([
    ['is as it was', `Fact ${PLACE} ${HERE}.`, SAME, `Fact ${PLACE}.`],
    [
      'has the number of today, whatever spacing',
      `F ${PLACE} ${HERE}`,
      MOVED,
      `F (src/a.ts:3 "${CODE}")`,
    ],
    ['has the nearest of several lines', `F ${PLACE} ${HERE}`, TWICE, `F (src/a.ts:1 "${CODE}")`],
    ['is not given once the line is gone', `One\nFact ${PLACE} ${HERE}\nTwo`, GONE, 'One\nTwo'],
    [
      'is not given once the file is gone',
      `Fact ${PLACE} ${HERE}\n`,
      baseOf({ 'src/a.ts': null }),
      '',
    ],
    [
      'is not given if one of two lines is gone',
      `F ${PLACE} ${HERE}, (src/a.ts:1 "y") ${HERE}`,
      SAME,
      '',
    ],
    ['is gone inside of code too', `\`\`\`\nFact ${PLACE} ${HERE}\n\`\`\``, GONE, '```\n```'],
    [
      'says so if the file was not read',
      `Fact ${PLACE} ${HERE}`,
      baseOf({}),
      `Fact ${PLACE} (not checked)`,
    ],
    [
      'says so if nothing could be read',
      `Fact ${PLACE} ${HERE}`,
      undefined,
      `Fact ${PLACE} (not checked)`,
    ],
    [
      'says that it was not checked if it is about another repository',
      `F ${PLACE} <!-- o/other@${COMMIT} -->`,
      GONE,
      `F ${PLACE} (not checked)`,
    ],
    [
      'is checked under the former name of the only repository',
      `F ${PLACE} <!-- o/other@${COMMIT} -->`,
      { ...GONE, isOnlyRepository: true },
      '',
    ],
    [
      'is given while the line is there, whatever its commit',
      `F ${PLACE} ${UNKNOWN}`,
      MOVED,
      `F (src/a.ts:3 "${CODE}")`,
    ],
    [
      'is not given if the line is not there, and its commit is unknown',
      `F ${PLACE} ${UNKNOWN}`,
      GONE,
      '',
    ],
    [
      'has the current path of a renamed file',
      `F ${PLACE} ${UNKNOWN}`,
      {
        ...baseOf({ 'src/a.ts': null, 'src/b.ts': CODE }),
        renamed: new Map([['src/a.ts', 'src/b.ts']]),
      },
      `F (src/b.ts:1 "${CODE}")`,
    ],
    [
      'needs three words in a renamed file',
      `F (src/a.ts:2 "return token") ${HERE}`,
      {
        ...baseOf({ 'src/a.ts': null, 'src/b.ts': 'return token' }),
        renamed: new Map([['src/a.ts', 'src/b.ts']]),
      },
      '',
    ],
    [
      'needs two words',
      `F (src/a.ts:2 "default:") ${HERE}`,
      baseOf({ 'src/a.ts': 'default:' }),
      '',
    ],
    ['is text like any other without its commit', `Fact ${PLACE}`, GONE, `Fact ${PLACE}`],
    ['is text like any other if its code is malformed', MALFORMED, GONE, MALFORMED],
  ])('%s', (_, note, base, expected) => expect(shown(note, base)).toBe(expected));

  it('is listed with its place where it is gone, and kept in a text that is written anew', async () => {
    const note = `- One\n- Fact ${PLACE} ${HERE}\n`;
    expect(check(note, GONE)).toMatchObject({
      counts: { same: 0, moved: 0, gone: 1, elsewhere: 0, unchecked: 0 },
      gone: [{ note: 'MEMORY.md', line: 2, text: `- Fact ${PLACE}` }],
    });
    const scene = createNotesScene({ files: { 'MEMORY.md': note }, base: GONE });
    const read = scene.call('memory_read', { source: 'long_term' });
    for (const call of [read, scene.call('memory_search', { query: 'fact one' })])
      expect((await call).text).not.toContain('Fact');
    await scene.call('memory_write', { target: 'long_term', mode: 'overwrite', content: '- Uno' });
    expect(await scene.text('MEMORY.md')).toBe(`- Uno\n- Fact ${PLACE} ${HERE}`);
  });

  it('is not called gone where its commit is not in the history', () => {
    expect(check(`- Fact ${PLACE} ${UNKNOWN}\n`, GONE)).toMatchObject({
      counts: { same: 0, moved: 0, gone: 0, elsewhere: 1, unchecked: 0 },
      gone: [],
    });
  });

  it('prevents nobody from writing its note anew, whatever secret it holds', async () => {
    const note = `- Fact hunter22-hunter22 ${PLACE} ${HERE}\n`;
    const secrets = ['hunter22-hunter22'];
    const scene = createNotesScene({ files: { 'MEMORY.md': note }, base: GONE, secrets });
    await scene.call('memory_write', { target: 'long_term', mode: 'overwrite', content: '- Uno' });
    expect(await scene.text('MEMORY.md')).toBe(`- Uno\n- Fact *** ${PLACE} ${HERE}`);
  });

  it('is the same note wherever its line was', () => {
    const text = `- Fact ${PLACE} ${HERE}\n`;
    const again = `- Fact (src/a.ts:9 "${CODE}") <!-- octocat/hello@${'c'.repeat(40)} -->`;
    expect(editedText(text, { kind: 'append', text: again, dedup: true })).toBe(text);
  });

  it('is read to its end, whatever is written', () => {
    const parts = ['('.repeat(100_000), `(${'a'.repeat(100_000)}:1 "`, '(a:1 "\\"'.repeat(20_000)];
    const lines = parts.map((part) => `${part}) <!-- a/b@${COMMIT} -->`);
    expect(shown([...lines, `F ${PLACE} ${HERE}`].join('\n'), GONE)).toBe(lines.join('\n'));
  });
});

const cite = async ({ path, line, code }: { path: string; line: number; code: string }) =>
  path === 'example.com' ? undefined : `<${path} ${line} ${code}>`;

it.each<[string, string, string]>([
  ['a place at the end of a line', 'Fact (src/a.ts:2)', 'Fact <src/a.ts 2 >'],
  ['as code, before the end of a sentence', 'Fact (`src/a.ts:2`).', 'Fact <src/a.ts 2 >.'],
  ['a range by its first line', '- Fact (src/a.ts:2-4)', '- Fact <src/a.ts 2 >'],
  ['with the code that it was shown with', `Fact ${PLACE}`, `Fact <src/a.ts 2 ${CODE}>`],
  ['with code whose quotes are not escaped', 'F (a/b:2 "x = "y"")', 'F <a/b 2 x = "y">'],
  ['with code whose quotes are', 'F (a/b:2 "x = \\"y\\"")', 'F <a/b 2 x = "y">'],
  ['a path with brackets', 'F (app/(auth)/[id].tsx:2)', 'F <app/(auth)/[id].tsx 2 >'],
  [
    'each of several lines',
    '- A (a:1)\n- B (a:2)\n\nC (b:3)',
    '- A <a 1 >\n- B <a 2 >\n\nC <b 3 >',
  ],
  ['the last of two', 'F (a/b:1) (a/b:1)', 'F (a/b:1) <a/b 1 >'],
  ['nothing in the middle of a line', 'F (a/b:1) is so', 'F (a/b:1) is so'],
  ['nothing in a block of code', '```\nat (a/b:1)\n```', '```\nat (a/b:1)\n```'],
  ['nothing that is no file', 'The host (example.com:443)', 'The host (example.com:443)'],
  ['nothing with a column', 'at f (a/b.ts:1:2)', 'at f (a/b.ts:1:2)'],
  ['nothing of a commit that was made up', `F ${PLACE} ${HERE}`, `F <src/a.ts 2 ${CODE}>`],
  ['nothing of two that were made up', `Is ${PLACE} ${HERE} ${HERE} so`, `Is ${PLACE} so`],
])('completing what a note names takes %s', async (_, content, expected) => {
  expect(await completeCitations(content, cite)).toBe(expected);
});

it('completing what a note names refuses a place that ends a text of several lines', async () => {
  await expect(completeCitations('It is\nso (a/b:1)', cite)).rejects.toThrow(
    '(a/b:1) ends a text of several lines',
  );
});

const cited = (code: string, base: BaseCode | undefined = SAME, head?: string) =>
  citeLine(
    { path: 'src/a.ts', line: 2, code },
    { lines: [], base, head, clean: (text) => text.replace('hunter2', '***') },
  );
const head = 'd'.repeat(40);

it.each<[string, string, string]>([
  [
    'names the base if that has the line',
    cited(CODE),
    `(src/a.ts:2 \`"${CODE}"\`) <!-- Octocat/Hello@${COMMIT} -->`,
  ],
  [
    'names the head if that has it',
    cited('yes = no', SAME, head),
    `(src/a.ts:2 \`"yes = no"\`) <!-- Octocat/Hello@${head} -->`,
  ],
  [
    'cannot become markup',
    cited('`one` [two](c) <b> __e__', SAME, head),
    `(src/a.ts:2 \`"\\u0060one\\u0060 [two](c) <b> __e__"\`) <!-- Octocat/Hello@${head} -->`,
  ],
  ['names none if nobody knows one', cited('yes = no'), '(src/a.ts:2 "yes = no")'],
  [
    'cannot end a comment',
    cited('<!-- yes --> "zoo"'),
    '(src/a.ts:2 "\\u003c!-- yes --\\u003e \\"zoo\\"")',
  ],
])('the citation of a line %s', (_, written, expected) => expect(written).toBe(expected));

it.each<[string, string, string]>([
  ['an empty line', '', 'too short'],
  ['a bracket', '});', 'too short'],
  ['a line without an end', 'x'.repeat(201), 'too long'],
  ['a line that holds a secret', 'key = "hunter2"', 'line 2 of "src/a.ts" holds a secret'],
  ['a line of one word', 'default:', 'too short'],
  ['a line that is there twice', 'yes = no', '2 lines of "src/a.ts" read "yes = no"'],
])('the citation of a line is refused for %s', (_, code, message) => {
  expect(() => cited(code, baseOf({ 'src/a.ts': 'yes = no\nyes = no' }))).toThrow(message);
});

/** Lines that are alike, and some that are hostile. */
const LINES = [
  'alpha = one',
  'beta = two',
  'call("me")',
  'word',
  '}',
  '',
  '<!-- yes --> no',
  '(see:1 "this")',
  '\\"good\\" day',
  '`tick` and `tock`',
  '日本 here',
  '  alpha  =  one',
];
const LINE = fc.constantFrom(...LINES);

it('nothing whose line is not there reaches the prompt, and nothing else is left out', () => {
  const file = fc.array(LINE, { maxLength: 6 });
  const note = fc.record({
    path: fc.constantFrom('src/a.ts', 'b.md', '../c', 'unread'),
    line: fc.integer({ min: 1, max: 9 }),
    code: LINE,
    repository: fc.constantFrom('octocat/hello', 'octocat/other'),
    commit: fc.constantFrom(COMMIT, 'b'.repeat(40)),
    mark: fc.constantFrom('', '- ', '> ', '`'),
  });
  const property = fc.property(
    file,
    fc.option(file, { nil: null }),
    fc.constantFrom('\n', '\r\n'),
    fc.array(fc.array(note, { minLength: 1, maxLength: 2 }), { maxLength: 6 }),
    (first, second, end, notes) => {
      const base = baseOf({ 'src/a.ts': first.join(end), 'b.md': second?.join(end) ?? null });
      const normal = (text: string) => text.replace(/\s+/g, ' ').trim();
      const fates = notes.map((citations, index) => {
        const now = citations.map((one) => {
          const isOwn = one.repository === 'octocat/hello';
          const lines = new Map<string, readonly string[]>([
            ['src/a.ts', first],
            ['b.md', second ?? []],
          ]).get(one.path);
          if (!isOwn || lines === undefined) return [one.line];
          if (['word', '}'].includes(one.code)) return [];
          return lines.flatMap((line, at) => (normal(line) === normal(one.code) ? [at + 1] : []));
        });
        const text = citations
          .map((one) => `${one.mark}note-${index}. ${formatCitation(one)}`)
          .join(' ');
        const absent = citations.filter((_, at) => now[at]?.length === 0);
        const isGone = absent.some(({ commit }) => commit === COMMIT);
        return { text, now, isGone, isWithheld: absent.length > 0 };
      });
      // An empty code is written as one that no citation has.
      fc.pre(notes.flat().every(({ code }) => code !== ''));
      const text = `${fates.map((fate) => fate.text).join('\n')}\n`;
      const files = new Map([['MEMORY.md', text]]);
      const checked = checkNotes(files, base);
      const { text: block } = formatMemoryBlock(checked.view(files, 'bot.md'), {
        places: PLACES,
        today: '2026-03-01',
        maxBytes: 100_000,
      });
      for (const [index, { now, isWithheld }] of fates.entries()) {
        expect(block.includes(`note-${index}.`)).toBe(!isWithheld);
        const line = block.split('\n').find((one) => one.includes(`note-${index}.`)) ?? '';
        const numbers = [...line.matchAll(/\((?:src\/a\.ts|b\.md|\.\.\/c|unread):(\d+) /g)].map(
          ([, number]) => Number(number),
        );
        expect(numbers).toHaveLength(isWithheld ? 0 : now.length);
        for (const [at, number] of numbers.entries()) expect(now[at]).toContain(number);
      }
      expect(block).not.toContain(`@${COMMIT}`);
      expect(checked.gone).toHaveLength(fates.filter(({ isGone }) => isGone).length);
    },
  );
  fc.assert(property);
});
