import type { TriggerContext } from '../event/context.js';
import { type ChangedFile, subjectTrigger, type Trigger } from '../event/trigger.js';
import { parseDiff, pathsOf } from '../lib/text/diff.js';
import type { Subject } from '../memory/recall.js';

/** Undefined for a run without a change, pull request or issue, such as one on a schedule. */
export function runSubject(
  trigger: Trigger,
  {
    reportsOn,
    context,
    diff = '',
  }: {
    /** The pull request of a workflow run. */
    readonly reportsOn: number | undefined;
    readonly context: TriggerContext | undefined;
    /** A change on this machine. */
    readonly diff: string | undefined;
  },
): Subject | undefined {
  const subject = subjectTrigger(trigger);
  const number = subject?.number ?? reportsOn;
  const isChange = context?.kind === 'pull_request' || context?.kind === 'change';
  const paths = mostChangedPaths(isChange ? context.files : parseDiff(diff));
  const isIssue =
    subject?.kind === 'issue' || (subject?.kind === 'comment' && subject.on === 'issue');
  const words = isIssue ? (subject.title.toLowerCase().match(WORD) ?? []) : [];
  if (number === undefined && paths.length === 0) return undefined;

  const reference = number === undefined ? {} : { on: `#${number}` };
  return { ...reference, paths, words: [...new Set(words)] };
}

const WORD = /[\p{L}\p{N}_]{4,}/gu;

/** Most changed first. */
function mostChangedPaths(
  files: readonly Pick<ChangedFile, 'path' | 'previousPath' | 'additions' | 'deletions'>[],
): readonly string[] {
  const lines = (file: (typeof files)[number]) => file.additions + file.deletions;
  const sorted = files.toSorted((a, b) => lines(b) - lines(a));
  return [...new Set(sorted.flatMap(pathsOf))];
}
