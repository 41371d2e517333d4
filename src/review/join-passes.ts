import { type Buffered, NOTHING_BUFFERED, type Repeated } from './buffered.js';
import type { PlacedFinding } from './place.js';
import { isOfLine } from './same.js';
import { compareSeverity } from './severity.js';
import { lineOf } from './take-finding.js';

/**
 * Joins what several passes want published. A finding that two passes raised is one; where that is in doubt they stay two,
 * since a fault that is lost costs more than one that is told twice. */
export function joinPasses(passes: readonly Buffered[], maxFindings: number): Buffered {
  let raised: readonly PlacedFinding[] = [];
  for (const { findings } of passes) raised = addPass(raised, findings);
  const kept = raised
    .toSorted(({ finding: a }, { finding: b }) => compareSeverity(a.severity, b.severity))
    .slice(0, maxFindings);
  const sum = (count: (one: Buffered) => number) => passes.reduce((total, one) => total + count(one), 0);
  const reviews = passes.flatMap(({ review }) => (review === undefined ? [] : [review]));
  // What is not a review was offered to the first pass alone.
  const [first = NOTHING_BUFFERED] = passes;
  return {
    ...first,
    findings: kept,
    repeated: uniqueBy(
      passes.flatMap(({ repeated }) => repeated),
      ({ of }: Repeated) => of.id,
    ),
    heldBack: uniqueBy(
      passes.flatMap(({ heldBack }) => heldBack),
      lineOf,
    ),
    settlements: uniqueBy(
      passes.flatMap(({ settlements }) => settlements),
      ({ finding }) => finding.id,
    ),
    questioned: new Set(passes.flatMap(({ questioned }) => [...questioned])),
    gates: addGates(passes.map(({ gates }) => gates)),
    refusedFindings: sum((one) => one.refusedFindings) + raised.length - kept.length,
    refusals: passes.flatMap(({ refusals }) => refusals),
    review:
      reviews.length === 0 ? undefined : { summary: reviews.map(({ summary }) => summary).join('\n\n') },
  };
}

/** A pass has told its own findings apart: only those of the passes before are compared. */
function addPass(
  before: readonly PlacedFinding[],
  findings: readonly PlacedFinding[],
): readonly PlacedFinding[] {
  const taken = new Map<PlacedFinding, PlacedFinding>();
  const fresh: PlacedFinding[] = [];
  for (const placed of findings) {
    const same = before.find((one) => !taken.has(one) && isOfLine(one.finding, placed.finding));
    if (same === undefined) fresh.push(placed);
    else taken.set(same, better(same, placed));
  }
  return [...before.map((one) => taken.get(one) ?? one), ...fresh];
}

/** The first words stay, unless the second bring evidence that the first lack. */
function better(first: PlacedFinding, second: PlacedFinding): PlacedFinding {
  const { id, handle } = first.finding;
  return second.finding.evidence.length > first.finding.evidence.length
    ? { ...second, finding: { ...second.finding, id, handle } }
    : first;
}

function uniqueBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): readonly Item[] {
  return [...new Map(items.map((item) => [keyOf(item), item])).values()];
}

function addGates(all: readonly Buffered['gates'][]): Buffered['gates'] {
  const sums = new Map<string, number>();
  for (const [gate, number = 0] of all.flatMap((one) => Object.entries(one)))
    sums.set(gate, (sums.get(gate) ?? 0) + number);
  return Object.fromEntries(sums);
}
