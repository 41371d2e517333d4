import { decideAdmission, type EventFacts, needsPermission } from '../event/admission.js';
import type { Permission, PermissionAnswer } from '../event/permission.js';
import { AxeError } from '../lib/errors.js';
import type { Dependencies } from './dependencies.js';
import type { RunReport } from './records.js';

/** Whether an event starts anything, with the actor's permission if it does. */
export type Access =
  | { readonly kind: 'open'; readonly permission: Permission | 'unknown' }
  | Extract<RunReport, { kind: 'skipped' }>;

/**
 * Asks what the actor may do and decides by the event and that alone (D20): all that a command needs. Throws an AxeError
 * where it depends on a permission that could not be read: a run that was skipped for it would be green, and nobody would
 * look.
 */
export async function admitActor(event: EventFacts, deps: Dependencies): Promise<Access> {
  const answer = await askPermission(needsPermission(event), deps);
  const actor = permissionOf(answer);
  const decision = decideAdmission({ event, permission: actor });
  if (decision.kind === 'run') return { kind: 'open', permission: actor };
  const { trigger } = event;
  if (decision.reason !== 'permission-unknown' || answer.kind !== 'unknown' || trigger.kind === 'local')
    return { kind: 'skipped', decision };
  const { actor: who, repository } = trigger;
  const where = `${repository.owner}/${repository.name}`;
  throw new AxeError(`the permission of ${who.login} in ${where} could not be read: ${answer.message}`, {
    remedy: answer.remedy ?? 'Run it again; nothing is run for a person whose permission is unknown.',
  });
}

/** What an account may do here; of nobody in particular it is unknown. */
export async function askPermission(
  login: string | undefined,
  deps: Dependencies,
): Promise<PermissionAnswer> {
  if (login === undefined) return { kind: 'unknown', message: 'nobody in particular' };
  if (deps.github === undefined) {
    const remedy =
      "In a workflow, give the step its `github-token` back, which is the job's own by default. Elsewhere, set `GH_TOKEN`.";
    return { kind: 'unknown', message: 'there is no token to ask GitHub with', remedy };
  }
  return await deps.github.permission(login, deps.deadline.signal);
}

/** The permission of an answer, for the rules. */
export function permissionOf(answer: PermissionAnswer): Permission | 'unknown' {
  return answer.kind === 'known' ? answer.permission : 'unknown';
}
