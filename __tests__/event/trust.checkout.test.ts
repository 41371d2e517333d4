import { describe, expect, it } from '@jest/globals';
import type { Trigger } from '../../src/event/trigger.js';
import { refuseCheckout } from '../../src/event/trust.js';
import { ConfigError } from '../../src/lib/errors.js';
import { comment, pullRequest } from '../helpers/triggers.js';

const HEAD = 'a'.repeat(40);
const BASE = 'b'.repeat(40);
const MERGE = 'c'.repeat(40);
const FORK = pullRequest({ event: 'pull_request_target', action: 'labeled', isFork: true, mergeSha: MERGE });

describe('a checkout', () => {
  it.each([
    ['the head', HEAD],
    ['the trial merge', MERGE],
  ])('of %s of a fork is refused if the job has secrets', (_, commit) => {
    expect(() => refuseCheckout(FORK, commit)).toThrow(ConfigError);
    expect(() => refuseCheckout(FORK, commit)).toThrow(/#42, which comes from a fork.*`pull_request_target`/);
  });

  it.each<[string, Trigger, string | undefined]>([
    ['of the base', FORK, BASE],
    ['that is none', FORK, undefined],
    ['of a branch of the repository', pullRequest({ event: 'pull_request_target' }), HEAD],
    ['of a fork if there are no secrets', pullRequest({ isFork: true }), HEAD],
    ['next to a comment', comment(), HEAD],
    ['on a machine of one’s own', { kind: 'local' }, HEAD],
  ])('%s is allowed', (_, trigger, commit) => {
    expect(() => refuseCheckout(trigger, commit)).not.toThrow();
  });
});
