import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { mergeLines } from '../../../src/core/memory/three-way.js';

const FACTS = '# Facts\n\n- Tabs.\n- Money is never a float.\n\n# People\n\n- Ann\n';

describe('three merged versions of a text', () => {
  it.each([
    ['nothing changed', FACTS, FACTS, FACTS],
    ['one side changed', FACTS.replace('Tabs', 'Spaces'), FACTS, FACTS.replace('Tabs', 'Spaces')],
    [
      'each side changed another place',
      FACTS.replace('Tabs', 'Spaces'),
      `${FACTS}- Bob\n`,
      `${FACTS.replace('Tabs', 'Spaces')}- Bob\n`,
    ],
    ['both added to the end', `${FACTS}- Bob\n`, `${FACTS}- Cleo\n`, `${FACTS}- Cleo\n- Bob\n`],
    ['both added the same', `${FACTS}- Bob\n`, `${FACTS}- Bob\n`, `${FACTS}- Bob\n`],
    [
      'one removed what the other left',
      FACTS.replace('- Tabs.\n', ''),
      `${FACTS}- Bob\n`,
      `${FACTS.replace('- Tabs.\n', '')}- Bob\n`,
    ],
    [
      'both changed the same line',
      FACTS.replace('Tabs', 'Spaces'),
      FACTS.replace('Tabs', 'Tabs or spaces'),
      FACTS.replace('- Tabs.', '- Tabs or spaces.\n- Spaces.'),
    ],
    ['one removed the file', '', `${FACTS}- Bob\n`, '- Bob\n'],
    ['both made the file', 'mine\n', 'theirs', 'theirs\nmine\n'],
  ])('are correct if %s', (what, ours, theirs, merged) => {
    const base = what === 'both made the file' ? '' : FACTS;
    expect(mergeLines({ base, ours, theirs })).toBe(merged);
  });

  it('keep code fences in pairs, and do not add the same code twice', () => {
    const code = (line: string) => `\`\`\`sh\n${line}\n\`\`\`\n`;
    const [ours, theirs] = [FACTS + code('npm ci'), FACTS + code('npm test')];
    const merged = mergeLines({ base: FACTS, ours, theirs });
    expect(merged).toBe(FACTS + code('npm test') + code('npm ci'));
    expect(mergeLines({ base: FACTS, ours, theirs: merged })).toBe(merged);
  });

  it('lose no line that a side added, and do not restore one that a side removed', () => {
    const lines = fc.subarray([...'abcdefghij']);
    const textOf = (all: readonly string[]) => all.map((line) => `${line}\n`).join('');
    fc.assert(
      fc.property(lines, lines, lines, (base, ours, theirs) => {
        const versions = { base: textOf(base), ours: textOf(ours), theirs: textOf(theirs) };
        const merged = mergeLines(versions);
        const found = merged.split('\n');
        for (const line of [...ours, ...theirs]) {
          const isAdded = !base.includes(line);
          if (isAdded) expect(found).toContain(line);
        }
        for (const line of base) {
          const isKept = ours.includes(line) && theirs.includes(line);
          if (!isKept) expect(found).not.toContain(line);
        }
        expect(mergeLines({ ...versions, theirs: merged })).toBe(merged);
      }),
    );
  });
});
