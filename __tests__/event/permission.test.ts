import { describe, expect, it } from '@jest/globals';
import { isSameAccount, mayWrite, type Permission } from '../../src/event/permission.js';

describe('write access', () => {
  it.each<[Permission | 'unknown', boolean]>([
    ['admin', true],
    ['maintain', true],
    ['write', true],
    ['triage', false],
    ['read', false],
    ['none', false],
    ['unknown', false],
  ])('%s: %s', (permission, expected) => {
    expect(mayWrite(permission)).toBe(expected);
  });
});

describe('two accounts', () => {
  it.each([
    ['octocat', 'Octocat', true],
    ['octocat', 'hubot', false],
    ['ghost', 'ghost', false],
  ])('%s and %s are the same: %s', (one, two, expected) => {
    expect(isSameAccount({ login: one, isBot: false }, { login: two, isBot: false })).toBe(expected);
  });
});
