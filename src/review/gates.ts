import { shown } from '../lib/text/cut.js';
import type { DiffLines } from './diff-lines.js';
import { atLeast } from './severity.js';
import type { Severity, Side } from './terms.js';

/** A finding as it comes to the gates: placed, its severity computed, its evidence looked up. */
export interface GatedFinding extends LinePlace {
  readonly title: string;
  readonly body: string;
  readonly trigger?: string | undefined;
  readonly severity: Severity;
  readonly evidence: readonly LinePlace[];
}

/** What findings are held against. */
export interface GateRules {
  readonly lines: DiffLines;
  /** Whether a path is among those that the review is about. */
  isInScope(path: string): boolean;
  readonly minSeverity: Severity;
  /** Whether this agent has reviewed the pull request before. */
  readonly isLaterReview: boolean;
}

/** Why findings are not taken. The summary counts them by these names. */
const GATES = ['outside-paths', 'asks-only', 'pre-existing', 'below-min-severity', 'nit-later'] as const;

/** One of {@link GATES}. */
export type Gate = (typeof GATES)[number];

/** A finding that is not taken. */
interface Stopped {
  readonly gate: Gate;
  /** For the model. */
  readonly message: string;
}

/** The first gate that stops a finding; undefined where it may be taken. No model is asked. */
export function stopAtGate(finding: GatedFinding, rules: GateRules): Stopped | undefined {
  const gate = GATES.find((one) => STOPS[one](finding, rules));
  return gate === undefined ? undefined : { gate, message: `Not taken: ${messageOf(gate, finding, rules)}` };
}

const STOPS: Readonly<Record<Gate, (finding: GatedFinding, rules: GateRules) => boolean>> = {
  'outside-paths': ({ path }, rules) => !rules.isInScope(path),
  'asks-only': ({ title, body, trigger = '' }) => trigger.trim() === '' && (asks(title) || asksOnly(body)),
  'pre-existing': (finding, { lines }) =>
    ![finding, ...finding.evidence].some((place) => isChanged(lines, place)),
  'below-min-severity': ({ severity }, { minSeverity }) => !atLeast(severity, minSeverity),
  'nit-later': ({ severity }, { isLaterReview }) => severity === 'nit' && isLaterReview,
};

function messageOf(gate: Gate, { path, line, severity }: GatedFinding, { minSeverity }: GateRules): string {
  switch (gate) {
    case 'outside-paths':
      return `${shown(path)} is outside of the paths that this review is about. Leave it out.`;
    case 'asks-only':
      return 'this asks the author to check something and names no fault. Say what happens, and with which `trigger`, or leave it out.';
    case 'pre-existing':
      return `the change does not touch line ${line} of ${shown(path)}. If the change now relies on it, call again with the changed line in \`evidence\`. Otherwise leave it out.`;
    case 'below-min-severity':
      return `its effect and reach make it \`${severity}\`, and this review reports \`${minSeverity}\` and worse. Leave it out.`;
    case 'nit-later':
      return 'its effect and reach make it `nit`, and only the first review of a pull request reports those. Leave it out.';
  }
}

/** Nobody can act on "make sure that it works": it says that the reviewer has not looked. */
const ASKS =
  /^(?:(?:please|maybe|perhaps|you|we|i|they|should|could|may|might|want|would|need|recommend|suggest|it|is|be|worth|good|better|to)[\s,]+){0,6}(?:verify(?:ing)?|ensur(?:e|ing)|mak(?:e|ing) sure|consider(?:ing)?|double[- ]check(?:ing)?|check (?:if|that|whether)|confirm(?:ing)?)\b/i;

function asks(text: string): boolean {
  return ASKS.test(text.replace(/^[\s*_`>#-]+/, ''));
}

function asksOnly(body: string): boolean {
  const sentences = body.split(/(?<=[.!?])\s+|\n+/).filter((sentence) => /\p{L}/u.test(sentence));
  return sentences.length > 0 && sentences.every(asks);
}

/** A line, or several that end with it. */
interface LinePlace {
  readonly path: string;
  readonly line: number;
  readonly startLine?: number | undefined;
  readonly side: Side;
}

/**
 * Whether the change adds or removes one of the lines. A changed file whose lines are not in the diff, since it is
 * binary, too large or only renamed, counts as changed everywhere.
 */
function isChanged(lines: DiffLines, { path, line, startLine = line, side }: LinePlace): boolean {
  const file = lines.get(path);
  if (file === undefined) return false;
  if (file.LEFT.size + file.RIGHT.size === 0) return true;
  const [first, last] = [Math.min(startLine, line), Math.max(startLine, line)];
  for (const [number, { other }] of file[side])
    if (other === undefined && number >= first && number <= last) return true;
  return false;
}
