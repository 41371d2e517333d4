import { describe, expect, it } from '@jest/globals';
import { keepFresh } from '../../src/model/keyless.js';

describe('a temporary credential', () => {
  it('is kept until five minutes before it expires, and then fetched again', async () => {
    let now = 0;
    let loads = 0;
    const fresh = keepFresh(
      async () => {
        loads += 1;
        return { value: `token ${loads}`, expiresAtMs: now + 3_600_000 };
      },
      () => now,
    );
    expect(await fresh()).toBe('token 1');
    now = 3_299_999;
    expect(await fresh()).toBe('token 1');
    now = 3_300_000;
    expect(await fresh()).toBe('token 2');
  });

  it('is fetched again after a failure', async () => {
    let loads = 0;
    const fresh = keepFresh(async () => {
      loads += 1;
      if (loads === 1) throw new Error('down');
      return { value: 'token', expiresAtMs: Number.POSITIVE_INFINITY };
    });
    await expect(fresh()).rejects.toThrow('down');
    expect(await fresh()).toBe('token');
  });
});
