import { codeOfId } from './code.js';
import type { Features } from './features.js';
import { likeness, readSketch } from './likeness.js';
import { decide, type FreshFinding } from './sameness.js';
import type { Category, Severity } from './terms.js';

/** What kind of finding people have decided about, without a word of anybody. */
interface Experience {
  /** Of title, body and trigger; see `sketchOf`. */
  readonly sketch: string;
  readonly category: Category;
  readonly path: string;
  readonly at: Date;
}

/** A finding that people with write access have dismissed. */
export interface Lesson extends Experience {
  /** Of the finding. */
  readonly id: string;
  /** See `codeId`; empty for a line that says nothing. */
  readonly code: string;
  readonly pull: number;
  readonly by: string;
  /** See {@link STRENGTHS}. */
  readonly strength: number;
}

/** A finding that was acted on. */
export type Accepted = Experience;

/** How much a dismissal says of findings that are only like it: a set phrase can be meant in another way. */
export const STRENGTHS = { command: 1, 'thumbs-down': 1, phrase: 0.5 } as const;

/** Lessons that still hold, ready to be compared. */
export interface Lessons {
  readonly lessons: readonly Learned<Lesson>[];
  readonly accepted: readonly Learned<Accepted>[];
}

interface Learned<Kind extends Experience> extends Comparable {
  readonly from: Kind;
}

/** What likeness is decided by. */
interface Comparable {
  readonly category: Category;
  readonly extension: string;
  readonly features: Features;
}

/** From here on a finding is like another one. */
const ALIKE = 0.45;

/** How long a lesson holds without a new one like it, in milliseconds. */
const LASTS_MS = 180 * 24 * 60 * 60 * 1000;

/** So much strength from so many pull requests holds a finding back that is only like them. */
const NEEDED = { strength: 3, pulls: 2 } as const;

/** The lessons that hold at a time: each for 180 days, and as long again for every new one like it in that time. */
export function lessonsAt(
  now: Date,
  { lessons, accepted }: { readonly lessons: readonly Lesson[]; readonly accepted: readonly Accepted[] },
): Lessons {
  const newestFirst = learn(lessons).sort((a, b) => timeOf(b) - timeOf(a));
  const held: Learned<Lesson>[] = [];
  for (const one of newestFirst) {
    const isRenewed = held.some((newer) => timeOf(newer) - timeOf(one) <= LASTS_MS && isAlike(newer, one));
    if (now.getTime() - timeOf(one) <= LASTS_MS || isRenewed) held.push(one);
  }
  return {
    lessons: held,
    accepted: learn(accepted).filter((one) => now.getTime() - timeOf(one) <= LASTS_MS),
  };
}

/** A finding that is about to be posted. */
export interface NewFinding extends FreshFinding {
  readonly category: Category;
  readonly severity: Severity;
  /** What its file was called before this change, if it was renamed. */
  readonly previousPath: string | undefined;
}

/** Why a finding is not posted, with the lessons that say so. */
export interface LessonHold {
  readonly why: 'same' | 'alike';
  readonly lessons: readonly Lesson[];
}

/**
 * Whether a finding is held back because people have dismissed it before, or enough that are like it. Likeness alone
 * never holds back what is critical or about security, nor what people act on as often as they dismiss it.
 */
export function heldBack(finding: NewFinding, { lessons, accepted }: Lessons): LessonHold | undefined {
  const same = lessons.find((lesson) => isSame(lesson, finding));
  if (same !== undefined) return { why: 'same', lessons: [same.from] };
  if (finding.severity === 'critical' || finding.category === 'security') return undefined;
  const own: Comparable = { ...finding, extension: extensionOf(finding.path) };
  const alike = lessons.filter((lesson) => isAlike(lesson, own));
  const strength = alike.reduce((sum, { from }) => sum + from.strength, 0);
  const pulls = new Set(alike.map(({ from }) => from.pull)).size;
  if (strength < NEEDED.strength || pulls < NEEDED.pulls) return undefined;
  const liked = accepted.filter((one) => isAlike(one, own)).length;
  return liked >= strength ? undefined : { why: 'alike', lessons: alike.map(({ from }) => from) };
}

/** The same code in the same file, and words that say the same of it. */
function isSame({ from, features }: Learned<Lesson>, finding: NewFinding): boolean {
  const isThere = from.path === finding.path || from.path === finding.previousPath;
  if (!isThere || from.code === '' || from.code !== finding.code.id) return false;
  const known = {
    path: finding.path,
    line: undefined,
    isPresent: false,
    code: codeOfId(from.code),
    features,
  };
  return decide(known, finding).verdict === 'same';
}

function isAlike(a: Comparable, b: Comparable): boolean {
  return (
    a.category === b.category && a.extension === b.extension && likeness(a.features, b.features) >= ALIKE
  );
}

function learn<Kind extends Experience>(experiences: readonly Kind[]): Learned<Kind>[] {
  return experiences.flatMap((from) => {
    const features = readSketch(from.sketch);
    return features === undefined
      ? []
      : [{ from, features, category: from.category, extension: extensionOf(from.path) }];
  });
}

function timeOf({ from }: Learned<Experience>): number {
  return from.at.getTime();
}

/** `ts` of `src/db.test.ts`; the whole name of a file without a dot. */
function extensionOf(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return name.slice(name.lastIndexOf('.') + 1).toLowerCase();
}
