import { describe, expect, it } from '@jest/globals';
import { decodeBytes } from '../../../src/core/text/bytes.js';
import { readLogs } from '../../../src/memory/stores/read-logs.js';
import { textOf } from './contract.js';
import { entryText, idsIn } from './entries.js';

const found = { location: 'there', warnings: [] };
const request = { paths: ['untrusted/bot.md', 'bot.md'], lastN: 0, count: true };
const at = (id: string, minute: number) => entryText(id, 'done', minute);

describe('run logs of a tree', () => {
  it.each<[string, Readonly<Record<string, string>>, readonly string[]]>([
    ['of one lane', { 'bot.md': at('a', 1) + at('b', 2) }, ['a', 'b']],
    [
      'of both in the order of time',
      { 'bot.md': at('a', 1) + at('c', 3), 'untrusted/bot.md': at('b', 2) },
      ['a', 'b', 'c'],
    ],
    [
      'of an entry in both once',
      { 'bot.md': at('a', 1), 'untrusted/bot.md': at('a', 1) + at('b', 2) },
      ['a', 'b'],
    ],
  ])('are read %s', async (_, files, ids) => {
    const result = await readLogs(new Map(Object.entries(files)), request, found);
    expect(idsIn(textOf(result))).toEqual(ids);
    expect(result).toMatchObject({ loaded: ids.length, total: ids.length, location: 'there' });
  });

  it('are empty if there are none, and have the state next to the last', async () => {
    expect(await readLogs(new Map([['x.md', 'y']]), request, found)).toEqual({ ...found, kind: 'empty' });
    const state = '- seen a\n';
    expect(await readLogs(new Map([['bot.state.md', state]]), request, found)).toEqual({
      ...found,
      kind: 'empty',
      state,
    });
  });

  it('are read even if bytes are not UTF-8', async () => {
    const text = `${decodeBytes(new Uint8Array([0xff, 0x0a]))}${at('a', 1)}`;
    const result = await readLogs(new Map([['bot.md', text]]), { ...request, lastN: 1 }, found);
    expect(textOf(result)).toBe(at('a', 1));
  });
});
