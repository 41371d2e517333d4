import { describe, expect, it } from '@jest/globals';
import { refuseHeadAgent } from '../../../src/core/event/agent-ref.js';
import type { Permission } from '../../../src/core/event/permission.js';
import type { Trigger } from '../../../src/core/event/trigger.js';
import { comment, OCTOCAT, pullRequest, SCHEDULE } from '../../helpers/triggers.js';

const BOT = { login: 'dependabot[bot]', isBot: true };

describe('an agent from the head of a pull request (D21)', () => {
  it.each<[string, Trigger, Permission]>([
    ['a writer’s', pullRequest(), 'write'],
    ['an administrator’s', pullRequest(), 'admin'],
    ['a comment, which has no head', comment({ on: 'pull_request' }), 'read'],
    ['a schedule', SCHEDULE, 'none'],
  ])('runs for %s', (_, trigger, permission) => {
    const permissions = { actor: permission, author: permission };
    expect(refuseHeadAgent(trigger, 'head', permissions)).toBeUndefined();
  });

  it('does not run for somebody who cannot write, even if a writer adds a label', () => {
    const trigger = pullRequest({ author: { login: 'monalisa', isBot: false }, actor: OCTOCAT });
    const skip = { reason: 'agent-ref', message: expect.stringContaining('monalisa cannot write here') };
    for (const author of ['read', 'triage', 'unknown'] as const) {
      expect(refuseHeadAgent(trigger, 'head', { actor: 'admin', author })).toMatchObject(skip);
    }
    expect(refuseHeadAgent(trigger, 'head', { actor: 'admin', author: 'write' })).toBeUndefined();
  });

  it.each<[string, Trigger, Permission | 'unknown', string]>([
    ['a fork, for any sender', pullRequest({ isFork: true }), 'admin', 'comes from a fork'],
    ['somebody who can triage', pullRequest(), 'triage', 'octocat cannot write here'],
    ['somebody unknown', pullRequest(), 'unknown', 'octocat cannot write here'],
    ['a bot', pullRequest({ actor: BOT, author: BOT }), 'write', 'the bot dependabot[bot]'],
    ['a bot’s, labelled by a writer', pullRequest({ author: BOT, actor: OCTOCAT }), 'write', 'the bot'],
  ])('does not run for %s', (_, trigger, permission, why) => {
    const permissions = { actor: permission, author: permission };
    expect(refuseHeadAgent(trigger, 'head', permissions)).toMatchObject({
      kind: 'skip',
      reason: 'agent-ref',
      message: expect.stringContaining(why),
      remedy: expect.stringContaining('agent-ref'),
    });
    expect(refuseHeadAgent(trigger, 'base', permissions)).toBeUndefined();
  });
});
