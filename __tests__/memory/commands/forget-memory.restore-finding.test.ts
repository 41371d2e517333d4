import { describe, expect, it } from '@jest/globals';
import { parseReviewFacts } from '../../../src/review/state-facts.js';
import { command, createFakeMemory, entry } from './memory-scene.js';

const STATE = 'bot.state.md';
const AT = 'at=2026-02-01T00:00:00.000Z\n';
const FACT = `- ended 5a1b888c32f7c519/2 pr=2 path=src/auth.ts cat=security how=dismissed why=reply by=octocat ${AT}`;
/** As an older version wrote it. */
const FORMER = `- withdrawn 5a1b888c32f7c519 pr=2 path=src/auth.ts rule=security why=reply by=octocat ${AT}`;

describe('forgetting the id of a dismissed finding', () => {
  it.each([
    ['5a1b888c32f7c519', FACT],
    ['5a1b88', FACT],
    ['5a1b88', FACT + FACT.replace('519/2 pr=2', '519/3 pr=3')],
    ['5a1b888c32f7c519', FORMER],
  ])('reverts the dismissal: %s', async (id, state) => {
    const log = entry(1, { id: 'aaaaaa-1' });
    const store = createFakeMemory({ 'bot.md': log, [STATE]: state });
    expect(await command(store, `forget ${id}`)).toMatchObject({
      kind: 'done',
      changed: true,
      text: expect.stringContaining('The finding `5a1b888c32f7c519` is no longer dismissed'),
      quoted: 'security in `src/auth.ts`',
    });
    expect(store.tree.get('bot.md')).toBe(log);
    expect(store.tree.get(STATE)).toContain(state);
    expect(parseReviewFacts(store.tree.get(STATE) ?? '')).toEqual([]);
  });

  it('finds no dismissal the second time', async () => {
    const store = createFakeMemory({ [STATE]: FACT });
    await command(store, 'forget 5a1b888c32f7c519');
    expect(await command(store, 'forget 5a1b888c32f7c519')).toMatchObject({
      kind: 'failed',
      reason: 'not-found',
    });
  });

  it.each([
    ['too short', '5a1b8', FACT],
    ['the beginning of several', '5a1b88', FACT + FACT.replace('8c32', 'ffff')],
    ['of a finding that is open', '5a1b888c32f7c519', FACT.replace('ended', 'finding')],
    ['of a finding that was settled', '5a1b888c32f7c519', FACT.replace('dismissed', 'settled')],
    ['of a finding that was resolved', '5a1b888c32f7c519', FORMER.replace('reply', 'resolved')],
  ])('does nothing if it is %s', async (_, id, state) => {
    const store = createFakeMemory({ [STATE]: state });
    expect(await command(store, `forget ${id}`)).toMatchObject({ kind: 'failed', reason: 'not-found' });
    expect(store.tree.get(STATE)).toBe(state);
  });

  it('fails if memory cannot be changed', async () => {
    const save = { kind: 'failed', reason: 'denied', message: 'read only' } as const;
    const store = createFakeMemory({ [STATE]: FACT }, { save });
    expect(await command(store, 'forget 5a1b888c32f7c519')).toMatchObject({ reason: 'not-saved' });
  });
});
