import type { FindingMark } from './marks.js';
import { SEVERITIES } from './terms.js';

/** A finding that nobody has answered for so long has no answer, in milliseconds. */
const UNANSWERED_MS = 14 * 24 * 60 * 60 * 1000;

const FATES = ['acted on', 'dismissed', 'unanswered'] as const;

/** What people made of findings, three numbers a severity, in one line; empty where no finding's story is over. */
export function findingFigures(marks: readonly FindingMark[], now: Date): string {
  const raised = marks.flatMap((mark) => (mark.kind === 'raised' ? [mark] : []));
  const figures = SEVERITIES.flatMap((severity) => {
    const fates = raised
      .filter((mark) => mark.severity === severity)
      .flatMap(({ id, at }) => fateOf(lastOf(id, marks), at, now) ?? []);
    if (fates.length === 0) return [];
    const counts = FATES.map((fate) => `${fates.filter((one) => one === fate).length} ${fate}`);
    return [`${severity} ${counts.join(', ')}`];
  });
  return figures.length === 0 ? '' : `Findings: ${figures.join('; ')}.`;
}

function lastOf(id: string, marks: readonly FindingMark[]): FindingMark | undefined {
  return marks
    .filter((mark) => mark.id === id && mark.kind !== 'raised')
    .toSorted((a, b) => a.at - b.at)
    .at(-1);
}

/** Undefined for one whose story goes on, or that says nothing, as one that was resolved with its line as it was. */
function fateOf(
  last: FindingMark | undefined,
  raisedAt: number,
  now: Date,
): (typeof FATES)[number] | undefined {
  if (last?.kind !== 'ended') return now.getTime() - raisedAt > UNANSWERED_MS ? 'unanswered' : undefined;
  if (last.state === 'dismissed') return 'dismissed';
  const isChanged = last.why === 'resolved' && last.code === '';
  return last.why === 'fixed' || last.why === 'suggestion' || isChanged ? 'acted on' : undefined;
}
