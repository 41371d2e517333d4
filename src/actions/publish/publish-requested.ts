import type { PublishRequest } from '../../core/dependencies.js';
import { subjectNumber, type Trigger } from '../../core/event/trigger.js';
import type { RunOutcome } from '../../core/outcome.js';
import { readDiffLines } from '../../core/review/diff-lines.js';
import { formatRefusals } from '../../core/review/format-buffered.js';
import type { Scope } from '../../core/review/scope.js';
import { postReview } from './publish-review.js';
import { publishSideEffects } from './publish-side-effects.js';
import type { PublishedPart, RequestedOptions } from './requested.js';

/** The end of a run that wants something published. */
export interface RequestedRun {
  readonly trigger: Trigger;
  readonly agent: string;
  readonly requested: PublishRequest;
  /** How much of a pull request was to be reviewed; undefined where the run did not decide that. */
  readonly scope: Scope | undefined;
  /** Sentences for people about how a review came about. */
  readonly remarks: readonly string[];
  readonly end: RunOutcome['kind'];
  readonly now: Date;
  /** The limit was gone over by the last reply only: nothing was left undone. */
  readonly isAnswered?: true;
  /** Without it nothing is written that people would be told of (`comment: never`). */
  readonly mayComment: boolean;
}

/** Publishes what the tools of a run collected: the review, then labels and the like. Trouble is a warning. */
export async function publishRequested(run: RequestedRun, options: RequestedOptions): Promise<PublishedPart> {
  const { trigger, agent, requested, end } = run;
  if (trigger.kind === 'local') return { isReview: false };
  const { buffered, commits, facts, known, isUntrusted } = requested;
  const { repository } = trigger;
  const number = subjectNumber(trigger);
  const isComplete = end === 'completed' || run.isAnswered === true;
  const isRead = isComplete || end === 'exhausted' || end === 'incomplete';
  const isOver = run.mayComment && isRead;
  const review =
    number === undefined || commits === undefined
      ? undefined
      : await postReview({
          buffered,
          place: { repository, number },
          agent: trigger.kind === 'comment' ? `${agent}/reply-${trigger.commentId}` : agent,
          commits,
          reach: reachOf(run),
          since: run.scope?.kind === 'since' ? run.scope : undefined,
          unseen: withFormerNames(run, commits.diff),
          remarks: run.remarks,
          facts,
          known,
          isTrusted: !isUntrusted,
          now: run.now,
          isOver,
          isComplete,
          options,
        });
  const effects = isComplete
    ? await publishSideEffects({ buffered, trigger, repository, number, agent, options })
    : undefined;
  const part = joined([review, effects], formatRefusals(buffered.refusals));
  return isRead && review?.review !== undefined ? { ...part, review: review.review } : part;
}

/** A finding bears the name that its file had then. */
function withFormerNames({ requested, scope }: RequestedRun, diff: string): readonly string[] {
  const diffs = [diff, ...(scope?.kind === 'since' ? [scope.change.diff] : [])].map(readDiffLines);
  return requested.read.unseen.flatMap((path) => [
    path,
    ...diffs.flatMap((lines) => lines.get(path)?.previousPath ?? []),
  ]);
}

function reachOf({ trigger, scope }: RequestedRun): 'whole' | 'part' | 'question' {
  if (scope !== undefined) return scope.kind === 'since' ? 'part' : 'whole';
  return trigger.kind === 'pull_request' ? 'whole' : 'question';
}

function joined(parts: readonly (PublishedPart | undefined)[], refusals: string): PublishedPart {
  const [review] = parts;
  const line = parts
    .flatMap((part) => part?.line ?? [])
    .join(' ')
    .trim();
  const failure = parts.flatMap((part) => part?.failure ?? [])[0];
  const details = [review?.details ?? '', refusals].filter((text) => text !== '').join('\n\n');
  return {
    isReview: review?.isReview === true,
    line: line === '' ? undefined : line,
    url: review?.url,
    ...(review?.findings === undefined ? {} : { findings: review.findings }),
    ...(review?.ends === undefined ? {} : { ends: review.ends }),
    ...(review?.records === undefined ? {} : { records: review.records }),
    ...(review?.isReviewLost === true ? { isReviewLost: true } : {}),
    ...(failure === undefined ? {} : { failure }),
    ...(details === '' ? {} : { details }),
  };
}
