import type { MarkLane } from '../safety/mark.js';
import type { Trigger } from './trigger.js';
import type { Lane, Trust } from './trust.js';

/** Text in a run that people without write access, or anybody on a network, may have written (D46). */
export type TaintSource =
  /** The event itself: whose words started the run or are its subject. `reason` is half a sentence for people. */
  | { readonly kind: 'event'; readonly reason: string }
  /** A squash merge carries the title of a pull request, which may be anybody's, and generated notes list such titles. */
  | { readonly kind: 'history' }
  /** Checks of the commit, which print whatever the programs under test were fed. */
  | { readonly kind: 'failing-checks' }
  /** What runs of ours have posted that had read such text themselves. */
  | { readonly kind: 'own-words' }
  /** A tool that reaches a network or starts programs, or whose result says that it holds such text. */
  | { readonly kind: 'tool'; readonly tool: string };

/**
 * Knows whether and why a run is tainted. There is one for a run, shared with its sub-agents: whatever one of them has
 * read, the others may be told next. Taint decides where memory is written and whether a change becomes a commit, never
 * which tools a run has (D19).
 */
export interface TaintTracker {
  /** Adds a source. Nothing taints a run on somebody's own machine: a person reads along (D18). */
  add(source: TaintSource): void;
  /** Every source once, in the order in which they were first met. */
  readonly sources: readonly TaintSource[];
  /** The lane of what is written now, where the event allows `planned`. */
  lane(planned: Lane): Lane;
}

/** A tracker that has met no source. */
export function createTaintTracker({ kind }: Pick<Trigger, 'kind'>): TaintTracker {
  const sources = new Map<string, TaintSource>();
  return {
    add(source) {
      const reason = describeTaint(source);
      if (kind !== 'local' && !sources.has(reason)) sources.set(reason, source);
    },
    get sources() {
      return [...sources.values()];
    },
    lane: (planned) => (planned === 'trusted' && sources.size > 0 ? 'tainted' : planned),
  };
}

/** The lane of what a run says to people, whatever it keeps in memory. */
export function laneOfWords({ level, lane }: Trust, taint: TaintTracker): MarkLane {
  if (level === 'untrusted') return 'untrusted';
  return taint.lane(lane) === 'trusted' ? 'trusted' : 'tainted';
}

/** Whether people with write access, or the repository itself, have caused a run, so that it may change files at all. */
export function mayChange({ level, lane }: Trust): boolean {
  return level === 'trusted' || lane === 'tainted';
}

/**
 * Why what a run has changed becomes no commit, as half a sentence that follows "because"; undefined if it may become one. A
 * branch of the repository runs its workflows with all secrets, so no stranger's words may have a part in it.
 */
export function whyOnlyPatch({ level, reason }: Trust, { sources }: TaintTracker): string | undefined {
  const [source] = sources;
  if (level !== 'trusted') return reason;
  return source === undefined ? undefined : describeTaint(source);
}

/** Why a source taints, as half a sentence for people: it follows "because". */
export function describeTaint(source: TaintSource): string {
  switch (source.kind) {
    case 'event':
      return source.reason;
    case 'history':
      return "it saw commit messages or release notes, which can hold anyone's text";
    case 'failing-checks':
      return 'it read failing checks, which can print anything';
    case 'own-words':
      return 'it saw what an earlier run had made of such text';
    case 'tool':
      return `it used \`${source.tool}\`, which can bring in anyone's text`;
  }
}
