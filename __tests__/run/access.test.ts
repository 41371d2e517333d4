import { describe, expect, it } from '@jest/globals';
import { DEFAULT_ADMISSION_POLICY } from '../../src/event/admission-policy.js';
import type { Permission } from '../../src/event/permission.js';
import type { Trigger } from '../../src/event/trigger.js';
import { admitActor, askPermission, permissionOf } from '../../src/run/admit.js';
import { createFakeDependencies } from '../helpers/dependencies-fake.js';
import { comment, issue, OCTOCAT, pullRequest, SCHEDULE, STRANGER } from '../helpers/triggers.js';

const known = (permission: Permission) => ({ octocat: { kind: 'known', permission } }) as const;
const ASKED = 'ask for permission of octocat';

describe('admission', () => {
  it.each<[Permission, 'open' | 'skipped']>([
    ['admin', 'open'],
    ['maintain', 'open'],
    ['write', 'open'],
    ['triage', 'skipped'],
    ['read', 'skipped'],
    ['none', 'skipped'],
  ])('for somebody with `%s` is %s', async (permission, kind) => {
    for (const trigger of [comment(), issue(), pullRequest()]) {
      const deps = createFakeDependencies({ permissions: known(permission) });
      expect(await admitActor({ trigger, policy: DEFAULT_ADMISSION_POLICY }, deps)).toMatchObject(
        kind === 'open' ? { kind, permission } : { kind, decision: { reason: 'permission' } },
      );
      expect(deps.steps).toEqual([ASKED]);
    }
  });

  it('is open without a request if the event is sufficient', async () => {
    const deps = createFakeDependencies({ permissions: {} });
    expect(await admitActor({ trigger: SCHEDULE, policy: DEFAULT_ADMISSION_POLICY }, deps)).toEqual({
      kind: 'open',
      permission: 'unknown',
    });
    expect(await admitActor({ trigger: { kind: 'local' }, policy: DEFAULT_ADMISSION_POLICY }, deps)).toEqual({
      kind: 'open',
      permission: 'unknown',
    });
    expect(deps.steps).toEqual([]);
  });

  it.each<[string, Trigger]>([
    ['fork', pullRequest({ isFork: true })],
    ['bot', comment({ actor: { login: 'hubot[bot]', isBot: true } })],
    ['sender-not-author', comment({ action: 'edited', author: STRANGER, actor: OCTOCAT })],
    ['sender-not-author', comment({ action: 'edited', author: OCTOCAT, actor: STRANGER })],
    ['subject-deleted', comment({ action: 'deleted' })],
  ])('is closed without a request: %s', async (reason, trigger) => {
    const deps = createFakeDependencies({ permissions: known('admin') });
    const gate = await admitActor({ trigger, policy: DEFAULT_ADMISSION_POLICY }, deps);
    expect(gate).toMatchObject({ kind: 'skipped', decision: { reason } });
    expect(gate.kind === 'skipped' && gate.decision.message).not.toContain('nobody');
    expect(deps.steps).toEqual([]);
  });

  it.each([
    [{}, 'nobody knows octocat'],
    [undefined, 'there is no token to ask GitHub with'],
  ])('is an error if nobody could be asked, and reports why (D40)', async (permissions, why) => {
    const deps = createFakeDependencies(permissions === undefined ? {} : { permissions });
    await expect(
      admitActor({ trigger: comment(), policy: DEFAULT_ADMISSION_POLICY }, deps),
    ).rejects.toMatchObject({
      message: `the permission of octocat in octocat/hello could not be read: ${why}`,
      remedy: expect.stringMatching(/\S/),
    });
  });

  it('is open without an answer if the workflow requires no permission', async () => {
    const deps = createFakeDependencies({ permissions: {} });
    const policy = { ...DEFAULT_ADMISSION_POLICY, minPermission: 'none' } as const;
    expect(await admitActor({ trigger: comment(), policy }, deps)).toEqual({
      kind: 'open',
      permission: 'unknown',
    });
  });
});

describe('a permission', () => {
  it('for no account is unknown and not requested', async () => {
    const deps = createFakeDependencies({ permissions: known('admin') });
    const answer = await askPermission(undefined, deps);
    expect(permissionOf(answer)).toBe('unknown');
    expect(permissionOf(await askPermission('octocat', deps))).toBe('admin');
    expect(deps.steps).toEqual([ASKED]);
  });
});
