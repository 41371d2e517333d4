import { describe, expect, it } from '@jest/globals';
import { createSign } from '../../../src/adapters/host/hmac.js';
import { checkSignature, type Sign, withSignature } from '../../../src/core/memory/signature.js';
import { parseLog } from '../../../src/core/memory/units.js';
import { command, createFakeMemory, entry, type FakeMemory } from './memory-scene.js';

const OLD = key('the key before this');
const NEW = key('a key of this year');
const BOTH = key('a key of this year\nthe key before this');

const A = entry(1, { id: 'aaaaaa-1' });
const B = entry(2, { id: 'bbbbbb-1' });
const C = entry(3, { id: 'cccccc-1' });
const AXE = entry(4);
const FORGED = withSignature(entry(5, { id: 'eeeeee-1' }), 'bot.md', OLD).replace('result 5', 'result 6');

function key(keys: string): Sign {
  const sign = createSign(keys);
  if (sign === undefined) throw new Error('there is no key');
  return sign;
}

/** An entry of an earlier key, one of the first, one without, one of axe's, and one that somebody has changed. */
function memory(): FakeMemory {
  const old = withSignature(A, 'bot.md', OLD);
  return createFakeMemory({
    'bot.md': old + withSignature(B, 'bot.md', NEW) + C + AXE + FORGED,
    'untrusted/bot.md': withSignature(entry(6, { id: 'ffffff-1' }), 'untrusted/bot.md', OLD),
  });
}

function states(store: FakeMemory, sign: Sign, path = 'bot.md'): readonly string[] {
  return parseLog(store.tree.get(path) ?? '').units.map(({ text }) => checkSignature(text, [path], sign));
}

describe('sign', () => {
  it('signs with the first key what an earlier one has signed, in both lanes, and nothing else', async () => {
    const store = memory();
    expect(await command(store, 'sign', { sign: BOTH })).toMatchObject({
      kind: 'done',
      changed: true,
      text: expect.stringMatching(
        /^Signed 2 entries with the first key\.\n\nNot signed: 2 without a signature \(`sign --unsigned`\), 1 whose signature does not fit \(read it, then `sign <id>`\): `eeeeee-1`\.$/,
      ),
    });
    expect(states(store, NEW)).toEqual(['good', 'good', 'none', 'none', 'bad']);
    expect(states(store, NEW, 'untrusted/bot.md')).toEqual(['good']);
    expect(await command(store, 'sign', { sign: NEW })).toMatchObject({ changed: false });
    expect(store.writes).toBe(1);
  });

  it('signs unsigned entries on request; an entry of axe keeps its id', async () => {
    const store = memory();
    const before = parseLog(store.tree.get('bot.md') ?? '').units.map(({ id }) => id);
    await command(store, 'sign --unsigned', { sign: BOTH });
    expect(states(store, NEW)).toEqual(['good', 'good', 'good', 'good', 'bad']);
    expect(parseLog(store.tree.get('bot.md') ?? '').units.map(({ id }) => id)).toEqual(before);
  });

  it('signs one entry that a person has read, whatever its signature is', async () => {
    const store = memory();
    expect(await command(store, 'sign eeeeee', { sign: BOTH })).toMatchObject({
      kind: 'done',
      changed: true,
    });
    expect(states(store, NEW)).toEqual(['bad', 'good', 'none', 'none', 'good']);
    expect(await command(store, 'sign bbbbbb', { sign: BOTH })).toMatchObject({
      kind: 'done',
      changed: false,
    });
    expect(await command(store, 'sign zzzzzz', { sign: BOTH })).toMatchObject({ reason: 'not-found' });
  });

  it('signs nothing that somebody changed in the meantime', async () => {
    const store = memory();
    store.before = () => {
      store.tree = new Map([...store.tree].map(([path, text]) => [path, text.replace('result 1', 'forged')]));
    };
    await command(store, 'sign', { sign: BOTH });
    expect(states(store, NEW)[0]).toBe('bad');
  });

  it('refuses what it cannot sign: without a key, or text below the provenance line', async () => {
    expect(await command(memory(), 'sign')).toMatchObject({
      reason: 'refused',
      message: 'there is no key to sign with',
      remedy: expect.stringMatching(/`memory-signing-key`.*AXE_MEMORY_SIGNING_KEY/),
    });
    const store = createFakeMemory({ 'bot.md': `${A.trimEnd()}\nmore\n` });
    expect(await command(store, 'sign aaaaaa-1', { sign: NEW })).toMatchObject({
      reason: 'refused',
      message: expect.stringContaining('text below its provenance line'),
    });
  });
});
