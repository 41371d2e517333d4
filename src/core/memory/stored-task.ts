import { MAX_TASK_CODE_POINTS } from '../defaults.js';

/**
 * The task as an entry keeps it (D52): its beginning with the number of characters that are left out, together no longer
 * than the limit, so that a long prompt is not sent again with every entry. Cut it after redaction only.
 */
export function storedTask(task: string): string {
  const points = Array.from(task);
  if (points.length <= MAX_TASK_CODE_POINTS) return task;
  // The number has most digits where nothing is kept.
  const kept = MAX_TASK_CODE_POINTS - noteOf(points.length).length;
  return points.slice(0, kept).join('').trimEnd() + noteOf(points.length - kept);
}

function noteOf(leftOut: number): string {
  return ` [... ${leftOut.toLocaleString('en')} characters left out]`;
}
