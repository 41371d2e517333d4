import { atLeast } from '../findings/severity.js';
import type { Severity } from '../findings/terms.js';

/** Whether a finding holds a merge up; one whose severity nobody knows does, since somebody asked for changes then. */
export function isBlocking(severity: Severity | undefined, blockOn: Severity): boolean {
  return severity === undefined || atLeast(severity, blockOn);
}
