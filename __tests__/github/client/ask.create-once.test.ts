import { describe, expect, it } from '@jest/globals';
import { createOnce } from '../../../src/github/client/ask.js';
import { GitHubError } from '../../../src/github/client/errors.js';

function scene({ errors, found }: { readonly errors: readonly Error[]; readonly found?: string }) {
  const left = [...errors];
  const calls: string[] = [];
  const made = createOnce({
    async create() {
      calls.push('create');
      const error = left.shift();
      if (error !== undefined) throw error;
      return 'new';
    },
    async find() {
      calls.push('find');
      return found;
    },
  });
  return { made, calls };
}

const lost = new GitHubError('no answer', { reason: 'unavailable', requestLine: 'POST /x' });
const denied = new GitHubError('may not do this', { reason: 'denied', requestLine: 'POST /x' });

describe('something that must exist once', () => {
  it('is created without a search if the answer comes', async () => {
    const { made, calls } = scene({ errors: [] });
    expect([await made, calls]).toEqual(['new', ['create']]);
  });

  it('is not created again if it exists after a lost answer', async () => {
    const { made, calls } = scene({ errors: [lost], found: 'first' });
    expect([await made, calls]).toEqual(['first', ['create', 'find']]);
  });

  it('is tried once more if it does not exist, but not a third time', async () => {
    const again = scene({ errors: [lost] });
    expect([await again.made, again.calls]).toEqual(['new', ['create', 'find', 'create']]);
    const { made, calls } = scene({ errors: [lost, lost] });
    await expect(made).rejects.toBe(lost);
    expect(calls).toEqual(['create', 'find', 'create']);
  });

  it.each([denied, new Error('a bug')])(
    'is not searched for after an answer that came: %s',
    async (error) => {
      const { made, calls } = scene({ errors: [error] });
      await expect(made).rejects.toBe(error);
      expect(calls).toEqual(['create']);
    },
  );
});
