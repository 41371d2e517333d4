import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { mergeRunLogs, withoutEntries } from '../../src/memory/merge.js';
import { formatProvenance } from '../../src/memory/provenance.js';
import { countEntries, formatEntry, parseEntries } from '../../src/memory/run-log.js';
import { parseLog } from '../../src/memory/units.js';

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
  it('adds entries that only the other side has in their place by time', () => {
    const base = entry(1, { id: 'a' }) + entry(5, { id: 'e' });
    const other = entry(1, { id: 'a' }) + entry(3, { id: 'c' }) + entry(9, { id: 'i' });
    expect(mergeRunLogs(base, other)).toBe(
      entry(1, { id: 'a' }) + entry(3, { id: 'c' }) + entry(5, { id: 'e' }) + entry(9, { id: 'i' }),
    );
  });

  it('recognizes entries of plain axe by their text, whatever their line ends (C2 23)', () => {
    const base = entry(1) + entry(2);
    expect(mergeRunLogs(base, entry(2).replaceAll('\n', '\r\n'))).toBe(base);
    expect(mergeRunLogs(base, entry(3))).toBe(base + entry(3));
  });

  it('reads times with fractions and zones', () => {
    const early = '## 2026-02-03T05:01:30.5+01:00\n**Task:** zoned\n**Result:** x\n\n';
    expect(mergeRunLogs(entry(1) + entry(2), early)).toBe(entry(1) + early + entry(2));
  });

  it('keeps what was written by hand before the first entry, from both sides', () => {
    const merged = mergeRunLogs(`# Mine\n\n${entry(1)}`, `# Theirs\n\n${entry(2)}`);
    expect(merged).toBe(`# Mine\n\n# Theirs\n\n${entry(1)}${entry(2)}`);
    expect(mergeRunLogs(merged, `# Theirs\n\n${entry(2)}`)).toBe(merged);
  });

  it('starts a line for every entry, even after one that was cut off (C2 18)', () => {
    const torn = '## 2026-02-03T04:02:00Z\n**Task:** half';
    expect(mergeRunLogs(torn, entry(3))).toBe(`${torn}\n${entry(3)}`);
    expect(mergeRunLogs(entry(3), torn)).toBe(`${torn}\n${entry(3)}`);
  });

  it('returns the other log whole if the base is empty, and the base if the other is', () => {
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

  /** What has to be there: ids, or the text of an entry without one, but for what git leaves between entries. */
  function keys(text: string): ReadonlySet<string> {
    const plain = (each: string) => each.replaceAll('\r\n', '\n').replaceAll('<<<<<<< HEAD\n', '').trimEnd();
    return new Set(parseEntries(text).map((each) => each.id ?? plain(each.text)));
  }

  it('keeps the bytes and order of the base', () => {
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

it('C2 31: the merge of what was trimmed and what was left is the log again, each entry once', () => {
  const [first, second, third] = [entry(1, { id: 'a' }), entry(2), entry(3, { id: 'c' })];
  const log = first + second + third;
  // A crash between the copy and the trim leaves both whole; one after it leaves the newest entries only.
  for (const left of [log, third]) {
    expect(mergeRunLogs(left, first + second)).toBe(log);
    expect(mergeRunLogs(first + second, left)).toBe(log);
  }
});

it('C2 22: a heading without a time stays in its entry and is not lost', () => {
  const withSection = `${entry(1).trimEnd()}\n## Findings\nsame words\n\n`;
  const alsoWithSection = `${entry(3).trimEnd()}\n## Findings\nsame words\n\n`;
  expect(mergeRunLogs(withSection, alsoWithSection)).toBe(withSection + alsoWithSection);
  expect(mergeRunLogs(entry(2), alsoWithSection + entry(4))).toBe(entry(2) + alsoWithSection + entry(4));
});

it('C2 22: a merge leaves the order of the base alone, with future and mixed times too', () => {
  const future = formatEntry({ timestamp: new Date('2999-01-01T00:00:00Z'), task: 'later', result: 'x' });
  const base = future + entry(2) + entry(1);
  const merged = mergeRunLogs(base, entry(3));
  expect(merged.replace(entry(3), '')).toBe(base);
});

it('C2 21: entries with the same id are one, and the same words with other ids are two', () => {
  const base = entry(1, { id: 'a' });
  expect(mergeRunLogs(base, entry(1, { id: 'a', text: 'edited by hand' }))).toBe(base);
  expect(countEntries(mergeRunLogs(base, entry(1, { id: 'b', text: 'run 1' })))).toBe(2);
});

describe('entries that are taken out', () => {
  const [a, b, c] = [entry(1, { id: 'a' }), entry(2), entry(3, { id: 'c' })];

  it('are removed with the text below them, up to the next time', () => {
    const withSection = `${a.trimEnd()}\n## Findings\n- one\n\n`;
    expect(withoutEntries(withSection + c, new Set(['a']))).toBe(c);
  });

  it('leave every byte of the rest unchanged', () => {
    const odd = `by hand\r\n${a}${b.replaceAll('\n', '\r\n')}\uDC80\n${c.trimEnd()}`;
    expect(withoutEntries(odd, new Set(['a']))).toBe(odd.replace(a, ''));
    expect(withoutEntries(odd, new Set(['z']))).toBe(odd);
  });
});

describe('a merge of any logs', () => {
  const ids = ['a', 'b', 'c', 'd', 'e'] as const;
  const piece = fc.oneof(
    {
      weight: 3,
      arbitrary: fc.tuple(fc.nat(9), fc.constantFrom(...ids)).map(([minute, id]) => entry(minute, { id })),
    },
    { weight: 2, arbitrary: fc.nat(9).map((minute) => entry(minute)) },
    fc.constantFrom('## Findings\n- by hand\n', 'loose\n', '\r\n'),
  );
  const log = fc.array(piece, { maxLength: 7 }).map((parts) => parts.join(''));
  const idsOf = (text: string) => new Set(parseLog(text).units.map(({ id }) => id));

  it('holds the entries of both, in any order and grouping', () => {
    fc.assert(
      fc.property(log, log, log, (one, two, three) => {
        const expected = new Set([one, two, three].flatMap((text) => [...idsOf(text)]));
        const left = mergeRunLogs(mergeRunLogs(one, two), three);
        const right = mergeRunLogs(one, mergeRunLogs(two, three));
        const other = mergeRunLogs(three, mergeRunLogs(two, one));
        for (const merged of [left, right, other]) expect(idsOf(merged)).toEqual(expected);
        expect(mergeRunLogs(left, two)).toBe(left);
        expect(mergeRunLogs(left, left)).toBe(left);
      }),
      { numRuns: 1_000 },
    );
  });
});
