import { describe, expect, it } from '@jest/globals';
import { readLogs, withoutForgotten } from '../../../src/adapters/stores/read-logs.js';
import { decodeBytes } from '../../../src/core/text/bytes.js';
import { textOf } from './contract.js';
import { entryText, idsIn, stateOf } from './entries.js';

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
    [
      'without what one lane forgot',
      { 'bot.md': at('a', 1) + at('b', 2), 'bot.state.md': stateOf('a') },
      ['b'],
    ],
    [
      'without what the other lane forgot',
      {
        'bot.md': at('a', 1) + at('b', 2),
        'untrusted/bot.md': at('c', 3),
        'untrusted/bot.state.md': stateOf('a'),
      },
      ['b', 'c'],
    ],
    [
      'without an entry that a state merely names',
      { 'bot.md': at('a', 1), 'bot.state.md': '- seen a\n' },
      ['a'],
    ],
  ])('are read %s', async (_, files, ids) => {
    const result = await readLogs(new Map(Object.entries(files)), request, found);
    expect(idsIn(textOf(result))).toEqual(ids);
    expect(result).toMatchObject({ loaded: ids.length, total: ids.length, location: 'there' });
  });

  it('are empty if there are none, or all was forgotten', async () => {
    expect(await readLogs(new Map([['x.md', 'y']]), request, found)).toEqual({ ...found, kind: 'empty' });
    const forgotten = new Map([
      ['bot.md', at('a', 1)],
      ['bot.state.md', stateOf('a')],
    ]);
    expect(await readLogs(forgotten, request, found)).toEqual({
      ...found,
      kind: 'empty',
      state: stateOf('a'),
    });
  });

  it('are not filtered by what a run log of another name forgot', async () => {
    const log = `${at('a', 1)}- forgotten a\n`;
    const result = await readLogs(new Map([['log.txt', log]]), { ...request, paths: ['log.txt'] }, found);
    expect(textOf(result)).toBe(log);
  });

  it('are read even if bytes are not UTF-8', async () => {
    const text = `${decodeBytes(new Uint8Array([0xff, 0x0a]))}${at('a', 1)}`;
    const result = await readLogs(new Map([['bot.md', text]]), { ...request, lastN: 1 }, found);
    expect(textOf(result)).toBe(at('a', 1));
  });
});

describe('a whole tree', () => {
  it('is returned without what is forgotten, backups too, and otherwise unchanged', () => {
    const tree = new Map([
      ['bot.md', `intro\r\n${at('a', 1)}${at('b', 2)}`],
      ['bot.md.bak', at('a', 1)],
      ['bot.state.md', stateOf('a')],
      ['other.md', at('a', 1)],
    ]);
    expect([...withoutForgotten(tree)]).toEqual([
      ['bot.md', `intro\r\n${at('b', 2)}`],
      ['bot.md.bak', ''],
      ['bot.state.md', stateOf('a')],
      ['other.md', at('a', 1)],
    ]);
  });
});
