import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type MemoryEntry, readEntries } from '../../../../src/core/memory/commands/entry.js';
import { indexEntries } from '../../../../src/core/memory/commands/entry-index.js';
import { openText } from '../../../../src/core/memory/log-pieces.js';
import { decodeBytes, encodeBytes } from '../../../../src/core/text/bytes.js';
import { anyLog, entry } from './logs.js';

async function newest(text: string, last = 0): Promise<readonly MemoryEntry[]> {
  const file = openText(text);
  const index = await indexEntries(file);
  const entries: MemoryEntry[] = [];
  for await (const group of index.newest(file, 'trusted', last)) entries.push(...group);
  return entries;
}

/** All that is shown of an entry; its place in the text is not. */
const shown = ({ unit: { text, hasProvenance }, ...rest }: MemoryEntry) => ({ ...rest, text, hasProvenance });

describe('the index of the entries of a log', () => {
  it('gives the newest first, and of one time the entry that is below', async () => {
    const text = entry(1, { id: 'x' }) + entry(1, { id: 'y' }) + entry(0, { id: 'z' });
    expect((await newest(text)).map(({ id }) => id)).toEqual(['y', 'x', 'z']);
  });

  it('gives as many as were asked for, of more than it has room for at the beginning', async () => {
    const text = Array.from({ length: 3000 }, (_, minute) => entry(minute, { id: `id-${minute}` })).join('');
    expect((await newest(text, 3)).map(({ id }) => id)).toEqual(['id-2999', 'id-2998', 'id-2997']);
    expect(await newest(text)).toHaveLength(3000);
  });

  it('counts all entries and gives those that are wanted', async () => {
    const file = openText(entry(1, { id: 'a' }) + entry(2, { id: 'b' }));
    const index = await indexEntries(file, ({ unit }) => unit.id === 'a');
    expect([index.all, index.length]).toEqual([2, 1]);
  });

  it('reads every entry of any log as it is read from the whole text', async () => {
    await fc.assert(
      fc.asyncProperty(anyLog, fc.nat(4), async (text, last) => {
        const log = decodeBytes(encodeBytes(text));
        const all = readEntries(log, 'trusted');
        const expected = all.toReversed().toSorted((a, b) => b.timeMs - a.timeMs);
        const wanted = last === 0 ? expected : expected.slice(0, last);
        expect((await newest(log, last)).map(shown)).toEqual(wanted.map(shown));
      }),
    );
  });
});
