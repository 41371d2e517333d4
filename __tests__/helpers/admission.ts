import {
  type Admission,
  decideAdmission as decide,
  needsPermission as needs,
} from '../../src/core/event/admission.js';
import { type AdmissionPolicy, DEFAULT_ADMISSION_POLICY } from '../../src/core/event/admission-policy.js';
import type { Permission } from '../../src/core/event/permission.js';
import type { Trigger } from '../../src/core/event/trigger.js';

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
