import type { Remark, Surroundings } from './context.js';

/**
 * The surroundings as the agent's state knows them: of what bears our mark, only what it has posted is ours, since every
 * workflow of a repository posts under one account. The rest is a stranger's.
 */
export function knowOwnRemarks<Context extends Surroundings>(
  context: Context,
  posted: ReadonlySet<number>,
): Context {
  const known = (remark: Remark): Remark =>
    posted.has(remark.id) || posted.has(remark.reviewId ?? 0) ? remark : { ...remark, isOurs: false };
  const { comments, threads } = context;
  return {
    ...context,
    ...(comments === undefined ? {} : { comments: comments.map(known) }),
    ...(threads === undefined
      ? {}
      : { threads: threads.map((thread) => ({ ...thread, remarks: thread.remarks.map(known) })) }),
  };
}

/** Whether a run of somebody with write access is shown a remark. */
export function isHeardByTrusted({ isOurs, lane, mayWrite }: Remark): boolean {
  return mayWrite || (isOurs && lane !== 'untrusted');
}

/** Whether it is then shown words of a run that had read strangers' text. */
export function hasTaintedRemarks({ comments = [], threads = [] }: Surroundings): boolean {
  const remarks = [...comments, ...threads.flatMap((thread) => thread.remarks)];
  return remarks.some(({ isOurs, lane }) => isOurs && lane === 'tainted');
}
