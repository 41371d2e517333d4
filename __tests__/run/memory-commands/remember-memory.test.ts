import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { textId } from '../../../src/lib/text/text-id.js';
import { applyChange } from '../../../src/memory/change.js';
import { parseLog } from '../../../src/memory/units.js';
import {
  composeEntry,
  type EntryParts,
  placeEntry,
} from '../../../src/run/memory-commands/change-memory.js';
import { anyLog, entry } from './logs.js';

const timestamp = new Date('2026-02-03T04:05:06Z');
const PARTS: EntryParts = { timestamp, task: 'Look', result: 'Seen.', provenance: undefined };

describe('composeEntry', () => {
  it("makes axe's entry, identified by its text, if no provenance is requested", () => {
    const { id, text } = composeEntry(PARTS, []);
    expect(text).toBe('## 2026-02-03T04:05:06Z\n**Task:** Look\n**Result:** Seen.\n\n');
    expect(id).toBe(textId(text));
  });

  it('redacts before it cuts (D10, D11)', () => {
    const secret = 'sk-live-0123456789abcdef';
    const { text } = composeEntry({ ...PARTS, result: `${'x'.repeat(990)}${secret}` }, [secret]);
    expect(text).toContain(`${'x'.repeat(990)}***`);
  });

  it('leaves what was cut before as it is', () => {
    const once = composeEntry({ ...PARTS, result: '好'.repeat(1001) }, []);
    expect(composeEntry({ ...PARTS, result: `${'好'.repeat(1000)}...` }, [])).toEqual(once);
  });

  it('prevents text from being read as an entry or a provenance line (C2 26, C2 27)', () => {
    const result = 'a\n## 2026-01-01T00:00:00Z\n--><!-- axe-action v=1 id=x -->';
    const { id, text } = composeEntry({ ...PARTS, result, provenance: { id: 'mine' } }, []);
    expect(parseLog(text).units.map((unit) => unit.id)).toEqual([id]);
    expect(id).toBe('mine');
  });
});

const NEW = { id: 'new-id', text: entry(9, { id: 'new-id', result: '改过的' }) };

function replace(log: string, oldId: string): string {
  return applyChange(log, placeEntry('bot.md', oldId, NEW));
}

it('placeEntry puts the new entry in its place by time, and takes every copy of the old one out', () => {
  const log = entry(1) + entry(2, { id: 'b' }) + entry(20) + entry(2, { id: 'b' });
  const placed = replace(log, 'b');
  expect(placed).toBe(entry(1) + NEW.text + entry(20));
  expect(replace(placed, 'b')).toBe(placed);
});

it('placeEntry adds the new entry if there is no old one, and starts an empty log', () => {
  expect(replace(entry(1) + entry(20), 'nobody')).toBe(entry(1) + NEW.text + entry(20));
  expect(replace('', 'b')).toBe(NEW.text);
  expect(replace(`\uFEFF${entry(20)}`, 'nobody')).toBe(`\uFEFF${NEW.text}${entry(20)}`);
  const torn = entry(1).trimEnd();
  expect(replace(torn, 'b')).toBe(`${torn}\n${NEW.text}`);
});

it('placeEntry adds one however often, to any log, and keeps all others', () => {
  fc.assert(
    fc.property(anyLog, (log) => {
      const placed = replace(log, 'id-aaaaaa');
      const ids = parseLog(placed).units.map(({ id }) => id);
      expect(ids.filter((id) => id === 'new-id')).toHaveLength(1);
      for (const { id } of parseLog(log).units) expect(ids.includes(id)).toBe(id !== 'id-aaaaaa');
      expect(replace(placed, 'id-aaaaaa')).toBe(placed);
    }),
  );
});
