import { type Code, isAlikeShape } from './code.js';
import type { Features } from './features.js';
import { likeness, sharedNames } from './likeness.js';

/** A finding that is raised now. */
export interface FreshFinding {
  readonly path: string;
  readonly line: number;
  readonly code: Code;
  readonly features: Features;
}

/**
 * An earlier finding at the new version. Features from a sketch count as those of the text do. Without the text of a
 * line that still stands, two instances of one kind cannot be told apart: close by, the model is asked then.
 */
export interface EarlierFinding {
  /** Renames followed. */
  readonly path: string;
  /** Where its line is in the new version; undefined where that is not known. */
  readonly line: number | undefined;
  /** Whether its line is still there. */
  readonly isPresent: boolean;
  readonly code: Code;
  readonly features: Features;
}

/** How near two findings are: on one line, within a few lines, in one file, in two files. */
type Nearness = 'line' | 'near' | 'file' | 'elsewhere';

/** `ask`: the model that raises the finding has to say. */
type SamenessVerdict = 'same' | 'ask' | 'different';

/** Whether two findings are one. */
export interface Sameness {
  readonly verdict: SamenessVerdict;
  readonly place: Nearness;
  /** From 0 to 1. */
  readonly likeness: number;
}

const NEAR_LINES = 8;

/** The likeness from which on two findings are the same, and from which on it takes a question, by their place. */
const LIMITS = {
  line: { same: 0.3 },
  near: { same: 0.35, ask: 0.2, names: 0.34, askParallel: 0.35 },
  file: { same: 0.5, ask: 0.35, names: 0.5 },
  elsewhere: { same: 0.3 },
} as const;

/**
 * Whether a finding is an earlier one in other words. Place and likeness of words decide, and never a name that a model
 * chose; between two limits nobody guesses.
 */
export function decide(known: EarlierFinding, fresh: FreshFinding): Sameness {
  const place = placeOf(known, fresh);
  const alike = likeness(
    known.features,
    fresh.features,
    place === 'line' ? fresh.code.text?.words : undefined,
  );
  return { verdict: verdictOf({ known, fresh, place, alike }), place, likeness: alike };
}

function placeOf(known: EarlierFinding, fresh: FreshFinding): Nearness {
  if (known.path !== fresh.path) return 'elsewhere';
  const distance = known.line === undefined ? Number.POSITIVE_INFINITY : Math.abs(known.line - fresh.line);
  if (distance === 0 || (isSameCode(known.code, fresh.code) && !known.isPresent)) return 'line';
  return distance <= NEAR_LINES ? 'near' : 'file';
}

interface Compared {
  readonly known: EarlierFinding;
  readonly fresh: FreshFinding;
  readonly place: Nearness;
  readonly alike: number;
}

function verdictOf({ known, fresh, place, alike }: Compared): SamenessVerdict {
  switch (place) {
    case 'line':
      return alike >= LIMITS.line.same ? 'same' : 'ask';
    case 'near':
    case 'file': {
      // Two lines that stand, each with a finding of its own.
      if (alike < LIMITS[place].ask || (known.isPresent && isCrosswise(known, fresh))) return 'different';
      return place === 'near' ? verdictNear(known, fresh, alike) : verdictInFile(known, fresh, alike);
    }
    case 'elsewhere': {
      if (known.isPresent || !isSameCode(known.code, fresh.code)) return 'different';
      return alike >= LIMITS.elsewhere.same ? 'same' : 'ask';
    }
  }
}

/** For texts that are alike enough to ask. */
function verdictNear(known: EarlierFinding, fresh: FreshFinding, alike: number): SamenessVerdict {
  const limits = LIMITS.near;
  const kind = kindOfPair(known, fresh);
  if (kind === 'parallel') return alike >= limits.askParallel ? 'ask' : 'different';
  const names = sharedNames(known.features, fresh.features);
  const isSame = alike >= limits.same && (names === undefined || names >= limits.names);
  return isSame && kind === 'single' ? 'same' : 'ask';
}

/** For texts that are alike enough to ask. */
function verdictInFile(known: EarlierFinding, fresh: FreshFinding, alike: number): SamenessVerdict {
  const limits = LIMITS.file;
  // The very same code occurs twice: each has its finding.
  if (isSameCode(known.code, fresh.code)) return 'different';
  const names = sharedNames(known.features, fresh.features) ?? 0;
  return alike >= limits.same && names >= limits.names && !known.isPresent ? 'same' : 'ask';
}

/** Whether both lines stand and are of one shape, so that each may have its own finding of one kind. */
function kindOfPair(known: EarlierFinding, fresh: FreshFinding): 'parallel' | 'single' | 'unknown' {
  if (!known.isPresent) return 'single';
  if (isSameCode(known.code, fresh.code)) return 'single';
  if (known.code.text === undefined || fresh.code.text === undefined) return 'unknown';
  const areTelling = known.code.id !== '' && fresh.code.id !== '';
  return areTelling && isAlikeShape(known.code.text, fresh.code.text) ? 'parallel' : 'single';
}

/** Whether each text names something of its own line that neither the other line nor the other text has. */
function isCrosswise(known: EarlierFinding, fresh: FreshFinding): boolean {
  return namesOwnLine(known, fresh) && namesOwnLine(fresh, known);
}

interface Side {
  readonly code: Code;
  readonly features: Features;
}

function namesOwnLine({ code, features }: Side, other: Side): boolean {
  const own = code.text?.names;
  const others = other.code.text?.names;
  if (own === undefined || others === undefined) return false;
  return [...features.names].some(
    (name) => own.has(name) && !others.has(name) && !other.features.names.has(name),
  );
}

function isSameCode(a: Code, b: Code): boolean {
  return a.id !== '' && a.id === b.id;
}
