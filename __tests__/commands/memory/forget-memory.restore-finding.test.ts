import { describe, expect, it } from '@jest/globals';
import { parseReviewFacts } from '../../../src/core/review/state-facts.js';
import { command, createFakeMemory, entry } from './memory-scene.js';

const STATE = 'bot.state.md';
const FACT =
  '- withdrawn 5a1b888c32f7c519 pr=2 path=src/auth.ts rule=timing-attack why=reply by=octocat at=2026-02-01T00:00:00.000Z\n';

describe('forgetting the fingerprint of a withdrawn finding', () => {
  it.each(['5a1b888c32f7c519', '5a1b88'])('takes the withdrawal back: %s', async (id) => {
    const log = entry(1, { id: 'aaaaaa-1' });
    const store = createFakeMemory({ 'bot.md': log, [STATE]: FACT });
    expect(await command(store, `forget ${id}`)).toMatchObject({
      kind: 'done',
      changed: true,
      text: expect.stringContaining('The finding `timing-attack` in `src/auth.ts` is no longer withdrawn'),
    });
    expect(store.tree.get('bot.md')).toBe(log);
    expect(store.tree.get(STATE)).toContain(FACT);
    expect(parseReviewFacts(store.tree.get(STATE) ?? '')).toEqual([]);
  });

  it('may be said twice', async () => {
    const store = createFakeMemory({ [STATE]: FACT });
    await command(store, 'forget 5a1b888c32f7c519');
    expect(await command(store, 'forget 5a1b888c32f7c519')).toMatchObject({ kind: 'done', changed: false });
  });

  it.each([
    ['too short', '5a1b8', FACT],
    ['the beginning of several', '5a1b88', FACT + FACT.replace('8c32', 'ffff')],
    ['of a finding that stands', '5a1b888c32f7c519', FACT.replace('withdrawn', 'finding')],
  ])('does nothing where it is %s', async (_, id, state) => {
    const store = createFakeMemory({ [STATE]: state });
    expect(await command(store, `forget ${id}`)).toMatchObject({ kind: 'failed', reason: 'not-found' });
    expect(store.tree.get(STATE)).toBe(state);
  });

  it('fails where memory cannot be changed', async () => {
    const save = { kind: 'failed', reason: 'denied', message: 'read only' } as const;
    const store = createFakeMemory({ [STATE]: FACT }, { save });
    expect(await command(store, 'forget 5a1b888c32f7c519')).toMatchObject({ reason: 'not-saved' });
  });
});
