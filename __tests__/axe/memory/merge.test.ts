import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isRunLog, mergeRunLogs } from '../../../src/axe/memory/merge.js';
import { formatProvenance } from '../../../src/axe/memory/provenance.js';
import { countEntries, formatEntry, parseEntries } from '../../../src/axe/memory/run-log.js';

function entry(minute: number, { id, text = `run ${minute}` }: { id?: string; text?: string } = {}): string {
  const timestamp = new Date(Date.UTC(2026, 1, 3, 4, minute));
  if (id === undefined) return formatEntry({ timestamp, task: text, result: 'done' });
  const unknown = { run: undefined, job: undefined, event: undefined, sha: undefined };
  const provenance = formatProvenance({
    id,
    ...unknown,
    actor: undefined,
    trust: undefined,
    model: undefined,
  });
  return formatEntry({ timestamp, task: text, result: 'done', provenance });
}

describe('mergeRunLogs', () => {
  it('puts what only the other side has in its place by time', () => {
    const base = entry(1, { id: 'a' }) + entry(5, { id: 'e' });
    const other = entry(1, { id: 'a' }) + entry(3, { id: 'c' }) + entry(9, { id: 'i' });
    expect(mergeRunLogs(base, other)).toBe(
      entry(1, { id: 'a' }) + entry(3, { id: 'c' }) + entry(5, { id: 'e' }) + entry(9, { id: 'i' }),
    );
  });

  it('takes entries with the same id for one, and same words with other ids for two (C2 21)', () => {
    const base = entry(1, { id: 'a' });
    expect(mergeRunLogs(base, entry(1, { id: 'a', text: 'edited by hand' }))).toBe(base);
    expect(countEntries(mergeRunLogs(base, entry(1, { id: 'b', text: 'run 1' })))).toBe(2);
  });

  it('knows entries of plain axe by their text, whatever their line ends (C2 23)', () => {
    const base = entry(1) + entry(2);
    expect(mergeRunLogs(base, entry(2).replaceAll('\n', '\r\n'))).toBe(base);
    expect(mergeRunLogs(base, entry(3))).toBe(base + entry(3));
  });

  it('leaves the order of the base alone, future and mixed times included (C2 22)', () => {
    const future = formatEntry({ timestamp: new Date('2999-01-01T00:00:00Z'), task: 'later', result: 'x' });
    const base = future + entry(2) + entry(1);
    const merged = mergeRunLogs(base, entry(3));
    expect(merged.replace(entry(3), '')).toBe(base);
  });

  it('reads times with fractions and zones', () => {
    const early = '## 2026-02-03T05:01:30.5+01:00\n**Task:** zoned\n**Result:** x\n\n';
    expect(mergeRunLogs(entry(1) + entry(2), early)).toBe(entry(1) + early + entry(2));
  });

  it('keeps a heading without a time with the entry it stands in (C2 22)', () => {
    const withSection = `${entry(1).trimEnd()}\n## Findings\nsame words\n\n`;
    const alsoWithSection = `${entry(3).trimEnd()}\n## Findings\nsame words\n\n`;
    expect(mergeRunLogs(withSection, alsoWithSection)).toBe(withSection + alsoWithSection);
    expect(mergeRunLogs(entry(2), alsoWithSection + entry(4))).toBe(entry(2) + alsoWithSection + entry(4));
  });

  it('keeps what was written by hand before the first entry, from both sides', () => {
    const merged = mergeRunLogs(`# Mine\n\n${entry(1)}`, `# Theirs\n\n${entry(2)}`);
    expect(merged).toBe(`# Mine\n\n# Theirs\n\n${entry(1)}${entry(2)}`);
    expect(mergeRunLogs(merged, `# Theirs\n\n${entry(2)}`)).toBe(merged);
  });

  it('begins a line for every entry, even after one that was cut off (C2 18)', () => {
    const torn = '## 2026-02-03T04:02:00Z\n**Task:** half';
    expect(mergeRunLogs(torn, entry(3))).toBe(`${torn}\n${entry(3)}`);
    expect(mergeRunLogs(entry(3), torn)).toBe(`${torn}\n${entry(3)}`);
  });

  it('gives the other log whole where the base is empty, and the base where the other is', () => {
    expect([mergeRunLogs('', 'x'), mergeRunLogs('x', '')]).toEqual(['x', 'x']);
  });

  const log = fc
    .tuple(
      fc.constantFrom('', '# Preamble\n\n', 'loose words\n'),
      fc.array(
        fc.oneof(
          fc
            .tuple(fc.nat(20), fc.constantFrom('a', 'b', 'c', 'd', 'e', undefined))
            .map(([minute, id]) => entry(minute, id === undefined ? {} : { id })),
          fc.constantFrom(
            '## hello\nby hand\n',
            '## 2026-02-03T04:05:00Z\nno fields',
            '<<<<<<< HEAD\n',
            '\r\n',
            'loose text\n',
          ),
        ),
        { maxLength: 8 },
      ),
    )
    .map(([preamble, parts]) => preamble + parts.join(''));

  /** What has to be there: ids, or the text of an entry without one. */
  function keys(text: string): ReadonlySet<string> {
    return new Set(parseEntries(text).map((each) => each.id ?? each.text.replaceAll('\r\n', '\n').trimEnd()));
  }

  it('misses nothing of the base, which keeps its bytes and order', () => {
    fc.assert(
      fc.property(log, log, (base, other) => {
        const merged = mergeRunLogs(base, other);
        let from = 0;
        for (const { text } of parseEntries(base)) {
          const at = merged.indexOf(text, from);
          expect(at).toBeGreaterThanOrEqual(from);
          from = at + text.length;
        }
      }),
      { numRuns: 1_000 },
    );
  });

  it('misses no entry of either side', () => {
    fc.assert(
      fc.property(log, log, (base, other) => {
        const ids = (text: string) => parseEntries(text).flatMap(({ id }) => (id === undefined ? [] : [id]));
        const merged = mergeRunLogs(base, other);
        expect(new Set(ids(merged))).toEqual(new Set([...ids(base), ...ids(other)]));
        const timed = (text: string) => [...keys(text)].filter((key) => key.startsWith('## 2026'));
        for (const key of [...timed(base), ...timed(other)])
          expect([...keys(merged)].join('\n')).toContain(key);
      }),
      { numRuns: 1_000 },
    );
  });

  it('changes nothing the second time', () => {
    fc.assert(
      fc.property(log, log, (base, other) => {
        const merged = mergeRunLogs(base, other);
        expect(mergeRunLogs(merged, other)).toBe(merged);
        expect(mergeRunLogs(merged, base)).toBe(merged);
      }),
      { numRuns: 1_000 },
    );
  });

  it('holds the same ids whichever side is the base', () => {
    fc.assert(
      fc.property(log, log, (left, right) => {
        const ids = (text: string) =>
          parseEntries(text)
            .flatMap(({ id }) => id ?? [])
            .sort();
        expect(new Set(ids(mergeRunLogs(left, right)))).toEqual(new Set(ids(mergeRunLogs(right, left))));
      }),
      { numRuns: 500 },
    );
  });
});

describe('isRunLog', () => {
  it.each([
    [entry(1), true],
    ['## Notes\n- a fact\n', false],
    ['', false],
  ])('tells a run log from notes: %j', (text, expected) => {
    expect(isRunLog(text)).toBe(expected);
  });
});
