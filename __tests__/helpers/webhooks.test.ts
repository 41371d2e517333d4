import { describe, expect, it } from '@jest/globals';
import { loadWebhook, payloadField, schedulePayload, withWorld } from './webhooks.js';

describe('webhook payloads', () => {
  it('are GitHub’s own, with only the named fields patched', () => {
    const original = loadWebhook('pull_request', 'opened');
    const patched = loadWebhook('pull_request', 'opened', { 'pull_request.head.repo': null });
    expect(payloadField(patched, 'pull_request.head.repo')).toBeNull();
    expect(payloadField(original, 'pull_request.head.repo.full_name')).toBe('Codertocat/Hello-World');
    expect({ ...patched, pull_request: undefined }).toEqual({ ...original, pull_request: undefined });
  });

  it.each([
    [() => loadWebhook('pull_request', 'exploded'), 'there is: opened, assigned'],
    [() => loadWebhook('issues', 'opened', { 'issue.nummer': 3 }), 'no field issue.nummer'],
    [() => payloadField(loadWebhook('push'), 'pull_request.title'), 'no field pull_request.title'],
  ])('report fields that they do not have', (load, message) => {
    expect(load).toThrow(message);
  });

  it('hold nothing of a schedule but its cron line', () => {
    expect(schedulePayload('0 6 * * 1')).toEqual({ schedule: '0 6 * * 1' });
    expect(withWorld(schedulePayload('0 6 * * 1'))).toMatchObject({
      schedule: '0 6 * * 1',
      repository: expect.anything(),
    });
  });
});
