import { describe, expect, it } from '@jest/globals';
import { defer } from '../../src/run/deferred.js';

describe('a promise that is settled', () => {
  it('gives its value when it is asked for', async () => {
    const value = await defer(Promise.resolve(42));
    expect(value()).toBe(42);
  });

  it('throws its error only when it is asked for', async () => {
    const error = new Error('no');
    const value = await defer(Promise.reject(error));
    expect(value).toThrow(error);
  });
});
