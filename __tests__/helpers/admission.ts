import {
  type Admission,
  decideAdmission as decide,
  needsPermission as needs,
} from '../../src/event/admission.js';
import type { Trigger } from '../../src/event/trigger.js';
import {
  type AdmissionPolicy,
  DEFAULT_ADMISSION_POLICY,
  type Permission,
} from '../../src/event/trust.js';

/** Whether an event by an actor with a permission starts a run. */
export function decideAdmission(
  trigger: Trigger,
  permission: Permission | 'unknown',
  policy: AdmissionPolicy = DEFAULT_ADMISSION_POLICY,
): Admission {
  return decide({ event: { trigger, policy }, permission });
}

/** Whose permission decides on an event. */
export function needsPermission(
  trigger: Trigger,
  policy: AdmissionPolicy = DEFAULT_ADMISSION_POLICY,
): string | undefined {
  return needs({ trigger, policy });
}
