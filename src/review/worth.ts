import { table, usd } from '../lib/text/format.js';
import { SEVERITIES } from './finding.js';
import { type FindingMark, isSpentCut, marksOf, type ReviewFact } from './state-facts.js';

/** A finding that nobody has answered for so long has no answer, in milliseconds. */
const UNANSWERED_MS = 14 * 24 * 60 * 60 * 1000;

const FATES = ['acted on', 'dismissed', 'unanswered'] as const;
type Fate = (typeof FATES)[number];

/** What runs of a month by one model came to. */
interface Row {
  readonly fates: { readonly severity: string; readonly fate: Fate }[];
  costUsd: number;
}

/**
 * What people made of findings and what the runs cost, by month and model, the newest first; as markdown.
 * Empty where no finding's story is over.
 */
export function worthTable(facts: readonly ReviewFact[], now: Date): string {
  const rows = new Map<string, Row>();
  const rowOf = (month: string, model = 'unknown') => {
    const key = `${month} ${model}`;
    const row = rows.get(key) ?? { fates: [], costUsd: 0 };
    rows.set(key, row);
    return row;
  };
  const marks = marksOf(facts);
  for (const mark of marks) {
    if (mark.kind !== 'raised') continue;
    const fate = fateOf(lastOf(mark.id, marks), mark.at, now);
    const month = new Date(mark.at).toISOString().slice(0, 7);
    if (fate !== undefined) rowOf(month, mark.model).fates.push({ severity: mark.severity, fate });
  }
  if (rows.size === 0) return '';
  const spent = facts.filter((fact) => fact.kind === 'spent');
  for (const { day, model, usd } of spent) rowOf(day.slice(0, 7), model).costUsd += usd;
  const oldest = spent.map(({ day }) => day.slice(0, 7)).toSorted()[0] ?? '';
  // What the oldest month has cost is not known any more where the state has no room for more.
  const isKnown = (key: string) => key.slice(0, 7) > oldest || !isSpentCut(facts);
  const lines = [...rows].toSorted(([one], [other]) => (one < other ? 1 : -1));
  const cells = lines.map(([key, { fates, costUsd }]) => {
    const [month = '', model = ''] = key.split(' ');
    const isPriced = costUsd > 0 && isKnown(key);
    const acted = fates.filter(({ fate }) => fate === 'acted on').length;
    return [
      month,
      model,
      ...SEVERITIES.map((severity) => countFates(fates.filter((one) => one.severity === severity))),
      isPriced ? usd(costUsd) : '',
      isPriced && acted > 0 ? usd(costUsd / acted) : '',
    ];
  });
  return `${LEGEND}\n\n${table(['Month', 'Model', ...SEVERITIES, 'Cost', 'Cost of each acted on'], cells)}`;
}

const LEGEND =
  'Findings: acted on / dismissed / unanswered, and what all runs of the model cost in the month:';

/** `5 / 1 / 0`; empty for none. */
function countFates(fates: readonly { readonly fate: Fate }[]): string {
  if (fates.length === 0) return '';
  return FATES.map((fate) => fates.filter((one) => one.fate === fate).length).join(' / ');
}

function lastOf(id: string, marks: readonly FindingMark[]): FindingMark | undefined {
  return marks
    .filter((mark) => mark.id === id && mark.kind !== 'raised')
    .toSorted((a, b) => a.at - b.at)
    .at(-1);
}

/** Undefined for one whose story goes on, or that says nothing, as one that was resolved with its line as it was. */
function fateOf(last: FindingMark | undefined, raisedAt: number, now: Date): Fate | undefined {
  if (last?.kind !== 'ended') return now.getTime() - raisedAt > UNANSWERED_MS ? 'unanswered' : undefined;
  if (last.state === 'dismissed') return 'dismissed';
  const isChanged = last.why === 'resolved' && last.code === '';
  return last.why === 'fixed' || last.why === 'suggestion' || isChanged ? 'acted on' : undefined;
}
