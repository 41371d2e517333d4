import { describe, expect, it } from '@jest/globals';
import { type AdmissionPolicy, DEFAULT_ADMISSION_POLICY } from '../../../src/event/admission-policy.js';
import { ADMISSION_INPUT_DEFAULTS, readAdmissionInputs } from '../../../src/runner/inputs/inputs.js';

function read(given: Partial<Record<keyof typeof ADMISSION_INPUT_DEFAULTS, string>> = {}): AdmissionPolicy {
  return readAdmissionInputs((name) => given[name] ?? ADMISSION_INPUT_DEFAULTS[name]);
}

describe('the inputs of admission', () => {
  it('admit only people with write access by default', () => {
    expect(read()).toEqual(DEFAULT_ADMISSION_POLICY);
  });

  it.each<[keyof typeof ADMISSION_INPUT_DEFAULTS, string, Partial<AdmissionPolicy>]>([
    ['min-permission', 'triage', { minPermission: 'triage' }],
    ['min-permission', 'none', { minPermission: 'none' }],
    ['allow-users', 'octocat, @hubot', { allowUsers: ['octocat', 'hubot'] }],
    ['allow-bots', 'dependabot[bot]\nrenovate[bot]', { allowBots: ['dependabot[bot]', 'renovate[bot]'] }],
    ['trigger-phrase', '@axe', { triggerPhrase: '@axe' }],
    ['trigger-phrase', 'hey axe', { triggerPhrase: 'hey axe' }],
  ])('accept `%s: %j`', (name, value, expected) => {
    expect(read({ [name]: value })).toEqual({ ...DEFAULT_ADMISSION_POLICY, ...expected });
  });

  it.each<[keyof typeof ADMISSION_INPUT_DEFAULTS, string, RegExp]>([
    ['min-permission', 'admin', /`min-permission` cannot be "admin"/],
    ['allow-bots', '*', /`allow-bots` takes logins, not "\*"/],
    ['allow-bots', 'renovate*', /`allow-bots` takes logins/],
    ['allow-bots', '*[bot]', /`allow-bots` takes logins/],
    ['allow-users', 'octo cat', /`allow-users` takes logins/],
    ['allow-users', '.*', /`allow-users` takes logins/],
    ['trigger-phrase', 'a\nb', /`trigger-phrase` cannot be "a\\nb"/],
    ['trigger-phrase', '`axe`', /`trigger-phrase` cannot be/],
    ['trigger-phrase', 'a'.repeat(101), /`trigger-phrase` cannot be/],
  ])('refuse `%s: %j`', (name, value, message) => {
    expect(() => read({ [name]: value })).toThrow(message);
  });
});
