import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { VerifiedLog } from '../../../../src/core/memory/commands/search.js';
import { verifyLog } from '../../../../src/core/memory/commands/verify.js';
import { parseLog } from '../../../../src/core/memory/units.js';
import { anyLog, entry } from './logs.js';

/** What is found, without what every log has: its size, and that axe's entries have no provenance. */
function problems(text: string, more: Partial<VerifiedLog> = {}) {
  const log = {
    lane: 'trusted',
    path: 'bot.md',
    forgotten: new Set<string>(),
  } as const;
  return verifyLog(text, { ...log, ...more })
    .filter(({ severity }) => severity === 'problem')
    .map(({ code, line, message }) => [code, line, message]);
}

function information(text: string) {
  const log = {
    lane: 'untrusted',
    path: 'bot.md',
    forgotten: new Set<string>(),
  } as const;
  return verifyLog(text, log).map(({ code, severity, lane, line, message }) => ({
    code,
    severity,
    lane,
    line,
    message,
  }));
}

describe('verifyLog', () => {
  it.each([
    ['what the action writes', entry(1, { id: 'a' }) + entry(2, { id: 'b' })],
    ['what axe writes (C2 23)', entry(1) + entry(2)],
    ['Windows line ends', (entry(1, { id: 'a' }) + entry(2)).replaceAll('\n', '\r\n')],
    ['what somebody wrote above the entries', `# Mine\n\nnotes\n\n${entry(1)}`],
    [
      'headings in a result as the action writes them',
      `${entry(1).trimEnd()}\n ## Findings\nnone\n\n${entry(2)}`,
    ],
    [
      'same words at another time (C2 21)',
      entry(1, { id: 'a', task: 't', result: 'r' }) + entry(2, { id: 'b', task: 't', result: 'r' }),
    ],
    ['an empty file (C2 17)', ''],
    ['another language', entry(1, { id: 'a', task: '检查 #42', result: '一切正常' })],
  ])('finds nothing wrong with %s', (_, text) => {
    expect(problems(text)).toEqual([]);
  });

  it.each([
    [
      'a heading above the entries that is no time (C2 22)',
      `## hello\nwords\n\n${entry(1)}`,
      [['heading', 1, expect.stringMatching(/`## hello` is not a time .*, and belongs to no entry$/)]],
    ],
    [
      'a heading that starts an entry and has no time',
      `${entry(1).trimEnd()}\n## Findings\nnone\n\n${entry(2)}`,
      [
        [
          'heading',
          4,
          '`## Findings` is not a time such as 2026-02-03T04:05:06Z, so it counts as part of the entry above, but as an entry of its own for `last_n` and `max_entries`; put a space before `##`',
        ],
      ],
    ],
    [
      'an invalid time',
      `${entry(1)}## 2026-02-03 04:02\n**Task:** t\n**Result:** r\n`,
      [['heading', 5, expect.stringMatching(/, so it counts as part of the entry above$/)]],
    ],
    [
      'an entry without its lines',
      `## 2026-02-03T04:01:00Z\nwords\n\n## 2026-02-03T04:02:00Z\n**Task:** t\n`,
      [
        ['fields', 1, 'the entry has no `**Task:**` and no `**Result:**` line'],
        ['fields', 4, 'the entry has no `**Result:**` line'],
      ],
    ],
    [
      'a duplicate id (C2 21)',
      entry(1, { id: 'a' }) + entry(2, { id: 'a' }),
      [['duplicate-id', 6, 'the id `a` is already that of the entry in line 1']],
    ],
    [
      'a duplicate entry of axe',
      entry(1) + entry(2) + entry(2),
      [['duplicate-text', 9, 'the entry in line 5 has the same time and text']],
    ],
    [
      'an entry that was copied under another id',
      entry(1, { id: 'a' }) + entry(1, { id: 'b' }),
      [['duplicate-text', 6, 'the entry in line 1 has the same time and text']],
    ],
    [
      'a provenance line of another version (C2 24)',
      `${entry(1).trimEnd()}\n<!-- axe-action v=9 id=x -->\n\n`,
      [['provenance', 4, 'a provenance line of version 9, which this version of axe-action does not know']],
    ],
    [
      'half a provenance line (C2 18)',
      entry(1, { id: 'a' }).slice(0, -30),
      [['provenance', 4, expect.stringContaining('cannot be read')]],
    ],
    [
      'an entry that lost its heading',
      entry(1, { id: 'a' }) + entry(2, { id: 'b' }).replace(/^## .*\n/, ''),
      [['provenance', 8, expect.stringMatching(/^2 provenance lines in one entry/)]],
    ],
    [
      'conflict markers (C2 20)',
      `<<<<<<< HEAD\n${entry(1)}=======\n${entry(2)}>>>>>>> other\n`,
      [
        ['conflict-marker', 1, expect.anything()],
        ['conflict-marker', 11, expect.anything()],
      ],
    ],
    [
      'entries out of order (C2 22)',
      entry(5, { id: 'a' }) + entry(2, { id: 'b' }) + entry(7, { id: 'c' }),
      [['order', 6, '2026-02-03T04:02:00Z is below the later 2026-02-03T04:05:00Z']],
    ],
    [
      'a byte order mark that hides the first heading',
      `\uFEFF${entry(1)}`,
      [['encoding', 1, expect.stringContaining('byte order mark')]],
    ],
  ])('finds %s', (_, text, expected) => {
    expect(problems(text)).toEqual(expected);
  });

  it('reports what was forgotten and is still in the file', () => {
    expect(problems(entry(1, { id: 'a' }) + entry(2), { forgotten: new Set(['a', 'b']) })).toEqual([
      ['forgotten', 1, expect.stringContaining('`a` was forgotten and is still here')],
    ]);
  });

  it('reports size and entries without provenance, which is not a problem', () => {
    const text = entry(1) + entry(2, { id: 'b', result: '好' });
    const own = { severity: 'information', lane: 'untrusted', line: undefined } as const;
    expect(information(text)).toEqual([
      { ...own, code: 'no-provenance', message: expect.stringMatching(/^1 of 2 entries have no provenance/) },
      { ...own, code: 'size', message: `2 entries, ${Buffer.byteLength(text)} bytes` },
    ]);
  });

  it('reports what exceeds the loading limit, and what exceeds the cache’s limit', () => {
    const big = (bytes: number) => `${entry(1, { id: 'a' })}${'x'.repeat(bytes)}\n`;
    expect(information(big(300_000)).at(-1)).toMatchObject({
      severity: 'information',
      message: expect.stringContaining('only the newest 262,144 are loaded without `last_n`'),
    });
    expect(problems(big(1024 * 1024))).toEqual([
      ['size', undefined, expect.stringContaining('more than the 1,048,576 that the cache takes')],
    ]);
  });

  it('reports bytes that are not text, and counts headings as axe does', () => {
    const text = `${entry(1, { id: 'a', result: 'x' }).trimEnd()}\n## More\n\udcff\n`;
    expect(information(text).map(({ code, line, message }) => [code, line, message])).toEqual([
      ['heading', 5, expect.stringContaining('as an entry of its own for `last_n`')],
      ['encoding', 6, expect.stringContaining('not UTF-8 text')],
      ['size', undefined, expect.stringMatching(/^1 entry \(2 as `last_n` counts/)],
    ]);
  });

  it('names existing lines, of any log, and as many duplicate ids as there are', () => {
    fc.assert(
      fc.property(anyLog, (text) => {
        const count = text.split('\n').length;
        const found = problems(text);
        for (const [, line] of found) {
          if (line !== undefined) expect(Number(line) >= 1 && Number(line) <= count).toBe(true);
        }
        const { units } = parseLog(text);
        const twice = units.length - new Set(units.map(({ id }) => id)).size;
        const told = found.filter(([code]) => code === 'duplicate-id' || code === 'duplicate-text').length;
        expect(told).toBeGreaterThanOrEqual(twice);
      }),
    );
  });
});
