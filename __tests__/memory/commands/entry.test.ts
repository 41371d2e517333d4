import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { lanePath, readEntries } from '../../../src/memory/commands/entry.js';
import { parseLog } from '../../../src/memory/units.js';
import { anyLog, entry } from './logs.js';

describe('readEntries', () => {
  it('returns each entry with its fields, its origin and its first line', () => {
    const log = `# Mine\n\n${entry(1)}${entry(2, { id: 'b2', actor: 'octocat', trust: 'trusted', result: 'one\ntwo' })}`;
    expect(readEntries(log, 'trusted')).toMatchObject([
      { line: 3, heading: '2026-02-03T04:01:00Z', task: 'task 1', result: 'result 1', provenance: undefined },
      {
        line: 7,
        id: 'b2',
        task: 'task 2',
        result: 'one\ntwo',
        provenance: { actor: 'octocat' },
        lane: 'trusted',
      },
    ]);
  });

  it('reads files with Windows line ends in the same way', () => {
    const log = entry(1, { id: 'a' }) + entry(2, { result: '# 结果\n好' });
    const fields = (text: string) =>
      readEntries(text, 'trusted').map(({ id, task, result, line, heading }) => ({
        id,
        task,
        result,
        line,
        heading,
      }));
    expect(fields(log.replaceAll('\n', '\r\n'))).toEqual(fields(log));
  });

  it('distinguishes an entry without its lines from an empty one', () => {
    const [entryWithout] = readEntries('## 2026-02-03T04:05:06Z\nnotes of mine\n', 'trusted');
    expect(entryWithout).toMatchObject({ task: undefined, result: undefined, body: 'notes of mine' });
    const [empty] = readEntries('## 2026-02-03T04:05:06Z\n**Task:** \n**Result:** \n', 'trusted');
    expect(empty).toMatchObject({ task: '', result: '' });
  });

  it('keeps a heading that is not a time with its entry', () => {
    const [only] = readEntries(`${entry(1).trimEnd()}\n## Findings\nnone\n`, 'trusted');
    expect(only?.result).toBe('result 1\n## Findings\nnone');
  });

  it('names the line of an entry’s text, in any log', () => {
    fc.assert(
      fc.property(anyLog, (log) => {
        const lines = log.split('\n');
        const { units } = parseLog(log);
        for (const [at, { line }] of readEntries(log, 'trusted').entries())
          expect(
            lines
              .slice(line - 1)
              .join('\n')
              .indexOf(units[at]?.text ?? '?'),
          ).toBe(0);
      }),
    );
  });
});

it('an entry has the first result line, and a task only above it', () => {
  const log = '## 2026-02-03T04:05:06Z\n**Result:** a\n**Task:** b\n**Result:** c\n';
  expect(readEntries(log, 'trusted')).toMatchObject([
    { task: undefined, result: 'a\n**Task:** b\n**Result:** c' },
  ]);
});

describe('lanePath', () => {
  it('puts the untrusted lane into a folder of its own', () => {
    expect([lanePath('bot.md', 'trusted'), lanePath('bot.md', 'untrusted')]).toEqual([
      'bot.md',
      'untrusted/bot.md',
    ]);
  });
});
