import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { groupTurns, splitTurns } from '../../src/loop/compact.js';
import { conversations, turn, unpaired, user } from '../helpers/conversations.js';

const SYSTEM = { role: 'system' as const, content: 'You review.' };
const MANY = 1_000_000;

describe('splitting a conversation', () => {
  it('keeps system prompt and task in front and the newest turns behind', () => {
    const [one, two, three] = [turn('1', ['a']), turn('2', ['b']), turn('3', ['c'])];
    const messages = [SYSTEM, user('task'), ...one, ...two, ...three];
    expect(splitTurns(messages, { turns: 2, tokens: MANY })).toEqual({
      head: [SYSTEM, user('task')],
      middle: one,
      tail: [...two, ...three],
    });
  });

  it('keeps fewer turns if they are large, but always the newest', () => {
    const large = turn('2', ['x'.repeat(8000)]);
    const messages = [user('task'), ...turn('1', ['a']), ...large];
    expect(splitTurns(messages, { turns: 4, tokens: 100 }).tail).toEqual(large);
  });

  it('keeps what was said after the last turn', () => {
    const messages = [user('task'), ...turn('1', ['a']), ...turn('2', ['b']), user('once more'), user('now')];
    const { tail } = splitTurns(messages, { turns: 1, tokens: 1 });
    expect(tail).toEqual([...turn('2', ['b']), user('once more'), user('now')]);
  });

  it('treats only the first message as the task', () => {
    const { head, tail } = splitTurns([user('task'), user('more')], { turns: 1, tokens: MANY });
    expect(head).toEqual([user('task')]);
    expect(tail).toEqual([user('more')]);
  });

  it.each([[[]], [[SYSTEM]], [[SYSTEM, user('task')]]])('leaves nothing in the middle of %j', (messages) => {
    expect(splitTurns(messages, { turns: 1, tokens: 1 })).toEqual({ head: messages, middle: [], tail: [] });
  });

  it('loses nothing and separates no call from its result', () => {
    fc.assert(
      fc.property(conversations, fc.nat(6), fc.nat(20_000), (messages, turns, tokens) => {
        const { head, middle, tail } = splitTurns(messages, { turns, tokens });
        expect([...head, ...middle, ...tail]).toEqual(messages);
        for (const part of [head, middle, tail]) expect(unpaired(part)).toEqual([]);
        for (const group of groupTurns(messages)) expect(unpaired(group)).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });
});
