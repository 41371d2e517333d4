import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { keepFresh } from '../../src/model/keyless.js';

describe('a temporary credential', () => {
  beforeEach(() => void jest.useFakeTimers({ now: 0 }));
  afterEach(() => void jest.useRealTimers());

  it('is kept until five minutes before it expires, and then fetched again', async () => {
    let loads = 0;
    const fresh = keepFresh(async () => {
      loads += 1;
      return { value: `token ${loads}`, expiresAtMs: Date.now() + 3_600_000 };
    });
    expect(await fresh()).toBe('token 1');
    jest.setSystemTime(3_299_999);
    expect(await fresh()).toBe('token 1');
    jest.setSystemTime(3_300_000);
    expect(await fresh()).toBe('token 2');
  });
});
