import { describe, expect, it } from '@jest/globals';
import type { Trust } from '../../src/event/trust.js';
import type { TriggerContext } from '../../src/prompt/context.js';
import { isForkUnknown, trustOfDiff } from '../../src/run/admit.js';
import { comment, pullRequest } from '../helpers/triggers.js';

const TRUSTED: Trust = { level: 'trusted', lane: 'trusted', reason: 'octocat can write to the repository' };
const onPull = comment({ on: 'pull_request', number: 42 });

function from(repository: string | null): TriggerContext {
  const { head, base } = pullRequest();
  const pinned = { head: { ...head, repository }, base };
  return { kind: 'pull_request', diff: '', files: [], filesTotal: 0, pinned, warnings: [] };
}

describe('the check whether the context decides if a change comes from a fork', () => {
  it.each([
    ['a comment in the conversation of a pull request', onPull, true],
    ['a review, which says it', { ...onPull, isFork: false }, false],
    ['a comment on an issue', comment(), false],
    ['a pull request', pullRequest(), false],
  ])('is decided for %s', (_, trigger, expected) => {
    expect(isForkUnknown(trigger, TRUSTED)).toBe(expected);
    expect(isForkUnknown(trigger, { ...TRUSTED, level: 'untrusted' })).toBe(false);
  });
});

describe('the trust of a run that receives the diff', () => {
  it.each([['octocat/hello'], ['Octocat/Hello']])('remains for a branch of %s', (repository) => {
    expect(trustOfDiff(TRUSTED, onPull, from(repository))).toBe(TRUSTED);
  });

  it.each([['hubot/hello'], [null]])('is lost for a head in %j', (repository) => {
    expect(trustOfDiff(TRUSTED, onPull, from(repository))).toMatchObject({
      level: 'untrusted',
      lane: 'untrusted',
    });
  });

  it.each([{ kind: 'none', warnings: [] } as const, undefined])(
    'is lost if nobody could read where it is from',
    (context) => {
      expect(trustOfDiff(TRUSTED, onPull, context)).toMatchObject({ level: 'untrusted', lane: 'untrusted' });
    },
  );
});
