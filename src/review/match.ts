import { codeId, normalizeCode, readCode } from './code.js';
import type { DiffLines } from './diff-lines.js';
import { featuresOf } from './features.js';
import { type Finding, findingText } from './finding.js';
import type { KnownFinding } from './known.js';
import { readSketch } from './likeness.js';
import type { PlacedFinding } from './place.js';
import { decide, type Sameness } from './sameness.js';

/** An earlier finding that a new one is, or may be. */
export interface Match<T> {
  readonly verdict: 'same' | 'ask';
  readonly place: Sameness['place'];
  readonly of: T;
}

/** An earlier finding as it is compared. */
export type Candidate = {
  readonly path: string;
  readonly line: number | undefined;
  readonly isPresent: boolean;
  readonly code: string;
} & ({ readonly text: string } | { readonly sketch: string });

/** The earlier finding that a new one is most like; undefined for a new one. What is the same comes before what is asked. */
export function findMatch<T>(
  finding: Finding,
  candidates: readonly (readonly [Candidate, T])[],
): Match<T> | undefined {
  const fresh = {
    path: finding.path,
    line: finding.line,
    code: readCode(finding.code ?? ''),
    features: featuresOf(findingText(finding)),
  };
  const matches = candidates.flatMap(([candidate, of]) => {
    // In another file only the very same code can be meant, so words need not be compared.
    if (candidate.path !== finding.path && codeId(candidate.code) !== fresh.code.id) return [];
    const features = 'text' in candidate ? featuresOf(candidate.text) : readSketch(candidate.sketch);
    if (features === undefined) return [];
    const known = { ...candidate, code: readCode(candidate.code), features };
    const { verdict, place, likeness } = decide(known, fresh);
    return verdict === 'different' ? [] : [{ verdict, place, likeness, of }];
  });
  const [best] = matches.toSorted(
    (a, b) => Number(b.verdict === 'same') - Number(a.verdict === 'same') || b.likeness - a.likeness,
  );
  return best;
}

/** An earlier finding of the pull request at its newest version: its file may have another name, its line another number. */
export function candidateOf({ path, side, line, code, text }: KnownFinding, lines: DiffLines): Candidate {
  const file = lines.get(path) ?? [...lines.values()].find(({ previousPath }) => previousPath === path);
  // A line that says nothing (`}`) is in many places.
  const isTellingLine = codeId(code) !== '';
  const found = isTellingLine
    ? [...(file?.[side] ?? [])].find(([, one]) => normalizeCode(one.text) === code)?.[0]
    : undefined;
  const currentLine = line ?? found;
  return {
    path: file?.path ?? path,
    line: currentLine,
    isPresent: currentLine !== undefined,
    code,
    text,
  };
}

/** A finding of the same run. */
export function candidateOfPlaced({ finding }: PlacedFinding): Candidate {
  const { path, line, code = '' } = finding;
  return { path, line, isPresent: true, code, text: findingText(finding) };
}
