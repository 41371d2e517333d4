import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { cleanLog, sanitize } from '../../src/safety/sanitize.js';
import { MARKDOWN_PIECES } from './rendered-markdown.js';

const CHANNELS = [
  'comment',
  'untrusted-comment',
  'title',
  'summary',
  'log',
  'output',
  'memory',
] as const;
const CANARY = 'kX9-canary_7fQ2zLw8';

/** What breaks cleaners, with what only logs and secrets have. */
const PIECES = [
  ...MARKDOWN_PIECES,
  ...[
    'fixes #1',
    'Closes: octo/repo#2',
    '|:-|',
    '|',
    '::error::',
    '##[group]',
    '\r',
    '\x1B[31m',
    '\uD83D',
  ],
  ...[
    '***',
    '\u202E',
    CANARY,
    CANARY.slice(0, 9),
    CANARY.slice(9),
    Buffer.from(CANARY).toString('base64'),
  ],
];

const hostile = fc
  .array(fc.constantFrom(...PIECES), { maxLength: 40 })
  .map((pieces) => pieces.join(''));

/** The weekly `npm run soak` draws others for an hour. */
const RUNS = 200;

describe('the sanitized output', () => {
  describe.each(CHANNELS)('for the channel %s', (channel) => {
    it('does not change when it is sanitized again', () => {
      fc.assert(
        fc.property(hostile, (text) => {
          const once = sanitize(text, channel, [CANARY]);
          expect(sanitize(once, channel, [CANARY])).toBe(once);
        }),
        { numRuns: RUNS },
      );
    });

    it('contains no secret', () => {
      fc.assert(
        fc.property(hostile, hostile, (before, after) => {
          const cleaned = sanitize(before + CANARY + after, channel, [CANARY]);
          expect(cleaned).not.toContain(CANARY);
        }),
        { numRuns: RUNS },
      );
    });

    it('C4 67: hides a key that a reply or a header echoes', () => {
      expect(sanitize(`x-api-key: ${CANARY}`, channel, [CANARY])).toBe('x-api-key: ***');
    });

    it('C6 83: hides a secret whose characters are separated by text that it removes', () => {
      const apart = Array.from(CANARY).join('\u200B');
      const commented = Array.from(CANARY).join('<!-- -->');
      for (const text of [apart, commented])
        expect(sanitize(text, channel, [CANARY])).not.toContain(CANARY);
    });
  });

  it.each([
    [
      '`<code>` in a <title> by @octocat #12 & more',
      '`<code>` in a <title> by @octocat #12 & more',
    ],
    ['two\n lines\u200B', 'two lines'],
    ['Fixes #1, closes GH-2', 'Fixes 1, closes GH 2'],
    ['_resolves_: octo/repo#3', '_resolves_: octo/repo 3'],
    ['fix https://github.com/o/r/issues/1', 'fix https://redirect.github.com/o/r/issues/1'],
    ['fix https://docs.example/#1', 'fix https://docs.example/#1'],
  ])('shows the title %j as %j', (title, shown) => {
    expect(sanitize(title, 'title', [])).toBe(shown);
  });

  it('keeps outputs and memory unchanged except for secrets', () => {
    const text = '@octocat <!-- x --> ![a](b)\r\n::error::\x1B[1m';
    expect(sanitize(text, 'output', [])).toBe(text);
    expect(sanitize(text, 'memory', [])).toBe(text);
  });

  it('C8 94: contains no workflow command in the log', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const cleaned = sanitize(text, 'log', []);
        expect(cleaned).not.toMatch(/^\s*::|##\[/m);
        expect(cleaned).not.toMatch(/(?![\n\t])\p{Cc}/u);
      }),
    );
  });

  it('C8 97: contains no mention outside of code, whatever is around it', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const lines = sanitize(text, 'comment', []).split('\n');
        for (const line of outsideFences(lines)) {
          const plain = line
            .replace(/<code>[^<]*<\/code>/g, '.')
            .replace(/(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)/g, '.');
          expect(plain).not.toMatch(/(?:^|[^A-Za-z0-9])@[A-Za-z0-9]/);
          expect(plain).not.toMatch(/!\[|<!--|<img/);
        }
      }),
      { numRuns: RUNS },
    );
  });

  it('C8 100: cuts a comment of 200 KB so that it fits with a frame, and reports it', () => {
    const line = 'A sentence with `code` and @octocat in it 🙂.\n';
    const cleaned = sanitize(line.repeat(5000), 'comment', []);
    expect(cleaned.length).toBeLessThanOrEqual(65_536 - 1000);
    expect(cleaned.length).toBeGreaterThan(60_000);
    expect(cleaned).toMatch(
      /\n\n\*The text is cut here: it is longer than a comment can be; the rest is in the job summary\.\*$/,
    );
    expect(Buffer.from(cleaned).toString()).toBe(cleaned);
    expect(sanitize(cleaned, 'comment', [])).toBe(cleaned);
  });

  it('C8 99: closes what the cut leaves open, so that the note and a footer are visible', () => {
    const text = `<details>\n<summary>Log</summary>\n\n\`\`\`js\n${'const a = 1;\n'.repeat(10_000)}`;
    const cleaned = sanitize(text, 'comment', []);
    expect(cleaned).toMatch(/\n```\n\n<\/details>\n\n\*The text is cut here/);
    expect(sanitize(cleaned, 'comment', [])).toBe(cleaned);
  });

  it('cuts after it has redacted, even if a secret crosses the limit', () => {
    for (let shift = 0; shift < 40; shift += 1) {
      const text = `${'y'.repeat(63_900 + shift)}${CANARY}${' z'.repeat(5000)}`;
      expect(sanitize(text, 'comment', [CANARY])).not.toContain('canary');
    }
  });

  it('cuts a single line of a mebibyte between characters', () => {
    const cleaned = sanitize('🙂'.repeat(300_000), 'comment', []);
    expect(cleaned).not.toMatch(/\p{Surrogate}|\uFFFD/u);
    expect(cleaned.length).toBeLessThanOrEqual(65_536);
  });

  it('cuts a summary by its bytes', () => {
    const cleaned = sanitize('Zeile mit ä und 漢字.\n'.repeat(60_000), 'summary', []);
    expect(Buffer.byteLength(cleaned)).toBeLessThanOrEqual(1_048_576);
    expect(Buffer.byteLength(cleaned)).toBeGreaterThan(1_000_000);
    expect(cleaned).toMatch(/\*The text is cut here: it is longer than a job summary can be\.\*$/);
  });

  it('C8 100: shows lone surrogates and removes overrides of direction', () => {
    expect(sanitize('a\uD83Db\u202Ec', 'comment', [])).toBe('a\uFFFDbc');
  });

  it('is fast for long texts made to slow it down', () => {
    const blocks = ['~~~\n', '```\n', '<details>\n', '- ', '>', '|-'];
    const spans = ['<', '<!', '](', '`', '` ', '![', '[', '\\', '&a', '\x1B]'];
    for (const unit of [...blocks, ...spans, '@', 'fixes ', 'www.', 'a.b-', '#1']) {
      const text = unit.repeat(Math.ceil(131_072 / unit.length));
      for (const channel of CHANNELS)
        expect(sanitize(text, channel, [CANARY])).not.toContain(CANARY);
    }
  });
});

/**
 * Lines that are not code, read as the cleaned text's own rules have it: fences stand at the
 * margin.
 */
function outsideFences(lines: readonly string[]): readonly string[] {
  const outside: string[] = [];
  let open = '';
  for (const line of lines) {
    const [run = ''] = /^(?:`{3,}|~{3,})/.exec(line) ?? [];
    if (open === '' && run !== '' && !(run.startsWith('`') && line.slice(run.length).includes('`')))
      open = run;
    else if (open !== '' && run.startsWith(open) && line.slice(run.length).trim() === '') open = '';
    else if (open === '') outside.push(line);
  }
  return outside;
}

it.each([
  ['a command', '::set-output name=x::y', ': :set-output name=x::y'],
  ['a mask', '::add-mask::a', ': :add-mask::a'],
  ['an end of commands', '::stop-commands::token', ': :stop-commands::token'],
  ['a matcher', '::add-matcher::x.json', ': :add-matcher::x.json'],
  ['white space before it', ' \t\u00A0::error::x', ' \t\u00A0: :error::x'],
  ['a carriage return before it', 'done\r::error::x', 'done\n: :error::x'],
  ['a line separator before it', 'done\u2028::error::x', 'done\n: :error::x'],
  ['an invisible character in it', ':\u200B:error::x', ': :error::x'],
  ['a colour before it', '\x1B[31m::error::x', ': :error::x'],
  ['three colons', ':::error::x', ': ::error::x'],
  ['the old form', '##[group]x', '## [group]x'],
  ['the old form behind text', 'a ##[error]x', 'a ## [error]x'],
  ['an encoded line break', 'a%0A::error::x', 'a%0A::error::x'],
])('C8 94: cleanLog makes plain text of %s', (_, text, expected) => {
  expect(cleanLog(text)).toBe(expected);
  expect(cleanLog(expected)).toBe(expected);
});

it('cleanLog leaves colons within a line, newlines and tabs', () => {
  const text = 'std::vector<a::b>\n\tkey: value :: x\n';
  expect(cleanLog(text)).toBe(text);
});
