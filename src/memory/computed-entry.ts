import { subjectNumber, type Trigger } from '../event/trigger.js';
import { MAX_TASK_CODE_POINTS } from '../lib/defaults.js';
import type { RunOutcome } from '../lib/outcome.js';
import { count } from '../lib/text/format.js';

/**
 * Task and result of a run that has read what people without write access wrote: only what we compute from closed sets,
 * numbers, kinds of events, counts, so that nothing a stranger wrote reaches a trusted run by way of memory (D19).
 */
export function computedEntry({
  trigger,
  outcome,
  published,
  apart,
}: {
  readonly trigger: Trigger;
  /** Other runs are not remembered. */
  readonly outcome: Extract<RunOutcome, { readonly kind: 'completed' }>;
  readonly published: { readonly url: string | undefined };
  /** Where the whole entry is; of the agent's file name, which is nobody's but the repository's. */
  readonly apart: string;
}): { readonly task: string; readonly result: string } {
  const { turns, toolCalls } = outcome.stats;
  const work = `completed after ${count(turns, 'turn')} and ${count(toolCalls, 'tool call')}`;
  const posted = published.url === undefined ? '' : ', and posted a comment';
  return { task: subjectOf(trigger), result: `The run ${work}${posted}. ${WHY}, in ${apart}.` };
}

const WHY =
  'It read what people without write access or the open network may have written, so its own words are kept apart';

/** What the run was about, by number: titles, branches and logins are anybody's. */
function subjectOf(trigger: Trigger): string {
  const isUnknown = trigger.kind === 'unknown' || trigger.kind === 'local';
  const kind = isUnknown ? 'run' : trigger.kind.replace('_', ' ');
  const number = subjectNumber(trigger);
  const subject = number === undefined ? '' : `${trigger.kind === 'comment' ? ' on' : ''} #${number}`;
  const sha = trigger.kind === 'workflow_run' ? trigger.headSha : 'head' in trigger ? trigger.head.sha : '';
  return `${kind.charAt(0).toUpperCase()}${kind.slice(1)}${subject}${atCommit(sha)}`;
}

/** The seven digits people know a commit by; of anything that is not a sha, nothing. */
function atCommit(sha: string): string {
  return /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/.test(sha) ? ` at ${sha.slice(0, 7)}` : '';
}

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
