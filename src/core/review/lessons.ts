import { fence } from '../sanitize/fence.js';
import { cleanLine } from '../text/cut.js';
import type { DiffLines } from './diff-lines.js';
import { normalizeRule } from './finding.js';
import type { Raised, ReviewFact, WithdrawalReason, Withdrawn } from './state-facts.js';

/** What the prompt section is made from. */
export interface LessonParts {
  readonly facts: readonly ReviewFact[];
  readonly pull: number;
  readonly lines: DiffLines;
  /** Fingerprints of our findings that are still open on the pull request. */
  readonly open: readonly string[];
}

/** Lines of each list. */
const MAX_LISTED = 30;
const MAX_PATH = 200;

/**
 * What became of earlier findings on the files of this pull request, for the prompt; undefined if there is nothing to
 * say. Computed from closed sets, rules and paths: no word of anybody's answer is in it, nor of the findings themselves,
 * which were written by a model that had read what strangers wrote.
 */
export function formatLessons({ facts, pull, lines, open: standing }: LessonParts): string | undefined {
  const paths = pathsOf(lines);
  const isOpen = new Set(standing);
  const withdrawn: Withdrawn[] = [];
  const raised: Raised[] = [];
  for (const fact of facts) {
    if (fact.kind === 'withdrawn' && fact.why !== 'fixed' && paths.has(fact.path)) withdrawn.push(fact);
    if (fact.kind === 'finding' && fact.pull === pull && isOpen.has(fact.fingerprint)) raised.push(fact);
  }
  const isWithdrawn = new Set(withdrawn.map(({ fingerprint }) => fingerprint));
  const open = raised.filter(({ fingerprint }) => !isWithdrawn.has(fingerprint));
  const sections = [
    section(WITHDRAWN, { source: 'withdrawn findings', lines: newest(withdrawn).map(formatWithdrawn) }),
    section(OPEN, { source: 'open findings', lines: newest(open).map(formatPlace) }),
  ].filter((text) => text !== '');
  return sections.length === 0 ? undefined : sections.join('\n\n');
}

const WITHDRAWN =
  'Earlier findings of yours that people with write access to this repository have withdrawn, by file and rule. Do not raise them again, here or in other words; a finding on other code is a new one.';
const OPEN =
  'Findings of yours that are still open on this pull request, by file and rule. They stand there already: do not raise them again. Name a rule as it is named here where you mean the same.';

/** A renamed file is still the one people spoke about. */
function pathsOf(lines: DiffLines): ReadonlySet<string> {
  return new Set([...lines.values()].flatMap(({ path, previousPath }) => [path, previousPath ?? path]));
}

function newest<T extends Withdrawn | Raised>(facts: readonly T[]): readonly T[] {
  return [...facts].sort(
    (a, b) => b.at.getTime() - a.at.getTime() || (a.fingerprint < b.fingerprint ? -1 : 1),
  );
}

function section(
  heading: string,
  { source, lines }: { readonly source: string; readonly lines: readonly string[] },
): string {
  if (lines.length === 0) return '';
  const shown = lines.slice(0, MAX_LISTED);
  const more = lines.length > shown.length ? [`... and ${lines.length - shown.length} more`] : [];
  return `${heading}\n${fence([...shown, ...more].join('\n'), { source })}`;
}

function formatPlace({ path, rule }: Pick<Raised, 'path' | 'rule'>): string {
  return `- ${cleanLine(path, MAX_PATH)}: ${normalizeRule(rule)}`;
}

function formatWithdrawn(fact: Withdrawn): string {
  return `${formatPlace(fact)} (${REASONS[fact.why]} on pull request #${fact.pull})`;
}

const REASONS: Readonly<Record<WithdrawalReason, string>> = {
  resolved: 'resolved without a change',
  'thumbs-down': 'withdrawn by 👎',
  reply: 'withdrawn in a reply',
  fixed: 'fixed',
};
