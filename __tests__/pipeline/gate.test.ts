import { describe, expect, it } from '@jest/globals';
import { DEFAULT_GATE_POLICY } from '../../src/axe/gate-policy.js';
import type { Permission } from '../../src/axe/permission.js';
import type { Trigger } from '../../src/axe/trigger.js';
import { askPermission, passGate, permissionOf } from '../../src/pipeline/gate.js';
import { comment, issue, OCTOCAT, pullRequest, SCHEDULE, STRANGER } from '../helpers/triggers.js';
import { createFakeWorld } from '../helpers/world-fake.js';

const known = (permission: Permission) => ({ octocat: { kind: 'known', permission } }) as const;
const ASKED = 'ask for permission of octocat';

describe('the gate', () => {
  it.each<[Permission, 'open' | 'skipped']>([
    ['admin', 'open'],
    ['maintain', 'open'],
    ['write', 'open'],
    ['triage', 'skipped'],
    ['read', 'skipped'],
    ['none', 'skipped'],
  ])('of somebody with `%s` is %s', async (permission, kind) => {
    for (const trigger of [comment(), issue(), pullRequest()]) {
      const world = createFakeWorld({ permissions: known(permission) });
      expect(await passGate(trigger, world)).toMatchObject(
        kind === 'open' ? { kind, permission } : { kind, decision: { reason: 'permission' } },
      );
      expect(world.steps).toEqual([ASKED]);
    }
  });

  it('is open without a question where the event says enough', async () => {
    const world = createFakeWorld({ permissions: {} });
    expect(await passGate(SCHEDULE, world)).toEqual({ kind: 'open', permission: 'unknown' });
    expect(await passGate({ kind: 'local' }, world)).toEqual({ kind: 'open', permission: 'unknown' });
    expect(world.steps).toEqual([]);
  });

  it.each<[string, Trigger]>([
    ['fork', pullRequest({ isFork: true })],
    ['bot', comment({ actor: { login: 'hubot[bot]', isBot: true } })],
    ['sender-not-author', comment({ action: 'edited', author: STRANGER, actor: OCTOCAT })],
    ['sender-not-author', comment({ action: 'edited', author: OCTOCAT, actor: STRANGER })],
    ['subject-deleted', comment({ action: 'deleted' })],
  ])('is closed without a question: %s', async (reason, trigger) => {
    const world = createFakeWorld({ permissions: known('admin') });
    const gate = await passGate(trigger, world);
    expect(gate).toMatchObject({ kind: 'skipped', decision: { reason } });
    expect(gate.kind === 'skipped' && gate.decision.message).not.toContain('nobody');
    expect(world.steps).toEqual([]);
  });

  it.each([
    [{}, 'nobody knows octocat'],
    [undefined, 'there is no token to ask GitHub with'],
  ])('is an error where nobody could be asked, and says why (D40)', async (permissions, why) => {
    const world = createFakeWorld(permissions === undefined ? {} : { permissions });
    await expect(passGate(comment(), world)).rejects.toMatchObject({
      message: `the permission of octocat in octocat/hello could not be read: ${why}`,
      remedy: expect.stringMatching(/\S/),
    });
  });

  it('is open without an answer where the workflow asks for no permission', async () => {
    const world = createFakeWorld({ permissions: {} });
    const policy = { ...DEFAULT_GATE_POLICY, minPermission: 'none' } as const;
    expect(await passGate(comment(), world, policy)).toEqual({ kind: 'open', permission: 'unknown' });
  });
});

describe('a permission', () => {
  it('of nobody in particular is unknown and not asked for', async () => {
    const world = createFakeWorld({ permissions: known('admin') });
    const answer = await askPermission(undefined, world);
    expect(permissionOf(answer)).toBe('unknown');
    expect(permissionOf(await askPermission('octocat', world))).toBe('admin');
    expect(world.steps).toEqual([ASKED]);
  });
});
