import { describe, expect, it } from '@jest/globals';
import { refuseHeadAgent } from '../../src/axe/agent-ref.js';
import type { Permission } from '../../src/axe/permission.js';
import type { Trigger } from '../../src/axe/trigger.js';
import { comment, OCTOCAT, pullRequest, SCHEDULE } from '../helpers/triggers.js';

const BOT = { login: 'dependabot[bot]', isBot: true };

describe('an agent of the head of a pull request (D21)', () => {
  it.each<[string, Trigger, Permission]>([
    ['a writer’s', pullRequest(), 'write'],
    ['an administrator’s', pullRequest(), 'admin'],
    ['a comment, which has no head', comment({ on: 'pull_request' }), 'read'],
    ['a schedule', SCHEDULE, 'none'],
  ])('runs for %s', (_, trigger, permission) => {
    expect(refuseHeadAgent(trigger, 'head', permission)).toBeUndefined();
  });

  it.each<[string, Trigger, Permission | 'unknown', string]>([
    ['a fork, whoever asks', pullRequest({ isFork: true }), 'admin', 'comes from a fork'],
    ['somebody who may triage', pullRequest(), 'triage', 'octocat may not write here'],
    ['somebody nothing is known of', pullRequest(), 'unknown', 'octocat may not write here'],
    ['a bot', pullRequest({ actor: BOT, author: BOT }), 'write', 'the bot dependabot[bot]'],
    ['a bot’s, labelled by a writer', pullRequest({ author: BOT, actor: OCTOCAT }), 'write', 'the bot'],
  ])('does not run for %s', (_, trigger, permission, why) => {
    expect(refuseHeadAgent(trigger, 'head', permission)).toMatchObject({
      kind: 'skip',
      reason: 'agent-ref',
      message: expect.stringContaining(why),
      remedy: expect.stringContaining('agent-ref'),
    });
    expect(refuseHeadAgent(trigger, 'base', permission)).toBeUndefined();
  });
});
