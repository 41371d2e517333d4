import { describe, expect, it } from '@jest/globals';
import type { CommitResult, Unreadable } from '../../../../src/adapters/stores/backend.js';
import { createFallbackStore } from '../../../../src/adapters/stores/fallback/fallback-store.js';
import { append, idsIn } from '../entries.js';
import { createFakePlace, type FakePlace, type PlaceFaults } from '../fake-place.js';
import { adding, shown } from '../notes-contract.js';

const never = new AbortController().signal;
const FACTS = 'MEMORY.md';
const outage: Unreadable = { kind: 'unreadable', reason: 'error', message: 'answered 502' };
const noAnswer: CommitResult = { kind: 'unknown', message: 'connection reset' };

/** Answers in turn, `undefined` for a call that goes well; all go well after the last. */
function inTurn<T>(...answers: readonly (T | undefined)[]): () => T | undefined {
  const left = [...answers];
  return () => left.shift();
}

function fallbackOver(places: readonly FakePlace[], faults: readonly PlaceFaults[] = []) {
  return createFallbackStore({
    tiers: places.map((place, index) => place.open(faults[index])),
    mode: 'auto',
  });
}

/** The first store is read, asked to commit, and has committed. */
const AFTER_COMMIT = 3;

/** The first store makes the commit, but loses its answer and then fails to be read. */
function answerLost(): PlaceFaults {
  return { commit: inTurn(noAnswer), read: inTurn<Unreadable>(undefined, outage) };
}

describe('a save whose answer the first store lost, and that then fails,', () => {
  it('adds a line once, even if it leaves out what the second store keeps the next time', async () => {
    const [repo, cache] = [createFakePlace('repo'), createFakePlace('cache', { [FACTS]: 'kept\n' })];
    const change = adding(FACTS, 'mine');
    expect(await fallbackOver([repo, cache], [answerLost()]).write([change], never)).toMatchObject({
      kind: 'saved',
    });
    expect(await shown(fallbackOver([repo, cache]))).toEqual({ [FACTS]: 'kept\nmine\n' });
  });

  it('adds a line once, even if the store failed after it made the commit', async () => {
    const [repo, cache] = [createFakePlace('repo'), createFakePlace('cache', { [FACTS]: 'kept\n' })];
    let steps = 0;
    const step = async () => {
      steps += 1;
      if (steps === AFTER_COMMIT) throw new Error('broken');
    };
    await fallbackOver([repo, cache], [{ step }]).write([adding(FACTS, 'mine')], never);
    expect(await shown(fallbackOver([repo, cache]))).toEqual({ [FACTS]: 'kept\nmine\n' });
  });

  it('adds an entry once', async () => {
    const [repo, cache] = [createFakePlace('repo'), createFakePlace('cache')];
    cache.tree = new Map([['bot.md', append('kept').text]]);
    await fallbackOver([repo, cache], [answerLost()]).write([append('mine')], never);
    expect(idsIn(repo.tree.get('bot.md') ?? '')).toEqual(['kept', 'mine']);
  });
});
