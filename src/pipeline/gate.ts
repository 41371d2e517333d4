import { decideGate, needsPermission } from '../axe/gate.js';
import { DEFAULT_GATE_POLICY, type GatePolicy } from '../axe/gate-policy.js';
import type { Permission } from '../axe/permission.js';
import type { PermissionAnswer, World } from '../axe/ports.js';
import type { Trigger } from '../axe/trigger.js';
import type { RunReport } from './request.js';

/** Whether an event starts anything, with the actor's permission if it does. */
export type Gate =
  | { readonly kind: 'open'; readonly permission: Permission | 'unknown' }
  | Extract<RunReport, { kind: 'skipped' }>;

/** Asks what the actor may do and decides (D20). What cannot be asked is as good as no permission. */
export async function passGate(
  trigger: Trigger,
  world: World,
  policy: GatePolicy = DEFAULT_GATE_POLICY,
): Promise<Gate> {
  const asked = needsPermission(trigger, policy);
  const answer = await askPermission(asked, world);
  const permission = permissionOf(answer);
  const decision = decideGate(trigger, permission, policy);
  if (decision.kind === 'run') return { kind: 'open', permission };
  if (answer.kind === 'known' || asked === undefined) return { kind: 'skipped', decision };
  return { kind: 'skipped', decision: { ...decision, message: `${decision.message} (${answer.message})` } };
}

/** What an account may do here; of nobody in particular it is unknown. */
export async function askPermission(login: string | undefined, world: World): Promise<PermissionAnswer> {
  if (login === undefined) return { kind: 'unknown', message: 'nobody in particular' };
  if (world.github === undefined) return { kind: 'unknown', message: 'there is no token to ask GitHub with' };
  return await world.github.permission(login, world.deadline.signal);
}

/** The permission of an answer, for the rules. */
export function permissionOf(answer: PermissionAnswer): Permission | 'unknown' {
  return answer.kind === 'known' ? answer.permission : 'unknown';
}
