import { describe, expect, it } from '@jest/globals';
import type { Change } from '../../../src/memory/change.js';
import { createTreeStore } from '../../../src/memory/stores/store.js';
import { createFakeRemote } from './fake-backend.js';
import { createFakeClock } from './fake-clock.js';
import { adding, overwriting } from './notes-contract.js';

const never = new AbortController().signal;

/** A store whose first commit is made, but not answered; `meanwhile` happens before it looks again. */
function forgetful(remote: ReturnType<typeof createFakeRemote>, meanwhile: () => void = () => {}) {
  let lost = 0;
  const backend = remote.backend({
    commit: () => {
      lost += 1;
      return lost === 1 ? { kind: 'unknown', message: 'no answer' } : undefined;
    },
    step: async (operation) => {
      if (operation === 'answer' && lost === 1) meanwhile();
    },
  });
  return createTreeStore(backend, { clock: createFakeClock(), budgetMs: 60_000 });
}

describe('a commit of notes whose answer was lost', () => {
  it.each<[string, readonly Change[], string]>([
    ['an append', [adding('MEMORY.md', 'new')], 'old\nnew\n'],
    ['two appends', [adding('MEMORY.md', 'new'), adding('MEMORY.md', 'newer')], 'old\nnew\nnewer\n'],
    ['an overwrite', [overwriting('MEMORY.md', 'new')], 'new'],
  ])('does not carry out %s twice', async (_, changes, expected) => {
    const remote = createFakeRemote();
    remote.tree = new Map([['MEMORY.md', 'old\n']]);
    const result = await forgetful(remote).write(changes, never);
    expect(result).toMatchObject({ kind: 'saved' });
    expect(result).not.toMatchObject({ notices: expect.anything() });
    expect(remote.tree.get('MEMORY.md')).toBe(expected);
  });

  it('recognizes its append above what somebody else has added since', async () => {
    const remote = createFakeRemote();
    const store = forgetful(remote, () => {
      remote.tree = new Map([['MEMORY.md', `${remote.tree.get('MEMORY.md')}theirs\n`]]);
      remote.version += 1;
    });
    expect(await store.write([adding('MEMORY.md', 'mine')], never)).toMatchObject({ kind: 'saved' });
    expect(remote.tree.get('MEMORY.md')).toBe('mine\ntheirs\n');
  });
});
