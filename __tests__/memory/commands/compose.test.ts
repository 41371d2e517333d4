import { describe, expect, it } from '@jest/globals';
import { bareProvenance, composeEntry, type EntryParts } from '../../../src/memory/commands/compose.js';
import { parseLog, textId } from '../../../src/memory/units.js';

const PARTS: EntryParts = {
  timestamp: new Date('2026-02-03T04:05:06Z'),
  task: 'Look',
  result: 'Seen.',
  provenance: undefined,
};

describe('composeEntry', () => {
  it("makes axe's entry, identified by its text, if no provenance is requested", () => {
    const { id, text } = composeEntry(PARTS, []);
    expect(text).toBe('## 2026-02-03T04:05:06Z\n**Task:** Look\n**Result:** Seen.\n\n');
    expect(id).toBe(textId(text));
  });

  it('keeps a heading unchanged', () => {
    const { text } = composeEntry({ ...PARTS, heading: '2026-02-03T05:05:06.5+01:00' }, []);
    expect(text.split('\n', 2)).toEqual(['## 2026-02-03T05:05:06.5+01:00', '**Task:** Look']);
  });

  it('redacts before it cuts, and reports that it was cut (D10, D11)', () => {
    const secret = 'sk-live-0123456789abcdef';
    const result = `${'x'.repeat(990)}${secret}`;
    const { text, isCut } = composeEntry({ ...PARTS, result }, [secret]);
    expect(text).toContain(`${'x'.repeat(990)}***`);
    expect(isCut).toBe(true);
  });

  it('does not cut again what was cut before', () => {
    const once = composeEntry({ ...PARTS, result: '好'.repeat(1001) }, []);
    const result = `${'好'.repeat(1000)}...`;
    expect(composeEntry({ ...PARTS, result }, [])).toEqual({ ...once, isCut: false });
  });

  it('prevents text from being read as an entry or a provenance line (C2 26, C2 27)', () => {
    const result = 'a\n## 2026-01-01T00:00:00Z\n--><!-- axe-action v=1 id=x -->';
    const { id, text } = composeEntry({ ...PARTS, result, provenance: bareProvenance('mine') }, []);
    expect(parseLog(text).units.map((unit) => unit.id)).toEqual([id]);
    expect(id).toBe('mine');
  });
});
