import { cleanLine } from '../lib/text/cut.js';
import type { Finding } from './finding.js';
import { isNeverHeld } from './lessons.js';
import { aboutLines, type PlacedFinding } from './place.js';
import { codeSpan, fencedBlock } from './suggestion.js';
import type { Confidence, Severity } from './terms.js';

/** How the parts of a comment are put together. */
interface CommentFrame {
  /** Who says so, and where to read more: markdown of ours. */
  readonly signature: string;
  /** On a fork a push ends no finding. */
  readonly isFork: boolean;
  /** Outbound cleaning (D24): each text by others goes through it by itself, and has to close what it opens. */
  clean(markdown: string): string;
}

/**
 * Markdown of a comment on a line. What GitHub may offer to commit replaces exactly what was meant. Each text of the model's
 * is cleaned by itself: a section or fence that it leaves open must not take in what follows.
 */
export function commentText(placed: PlacedFinding, frame: CommentFrame): string {
  const { finding, placement } = placed;
  const isMoved = placement.kind === 'line' && placement.about !== undefined;
  return paragraphs([
    headingOf(finding, frame.clean),
    isMoved ? `(${aboutLines(finding)})` : '',
    wordsOf(finding, frame.clean),
    dismissedBefore(finding),
    suggestionOf(placed, frame.clean),
    foldOf(finding, frame),
  ]);
}

/** The same for where no line carries it: nothing can be offered to be committed, and nobody can answer below it. */
export function findingInText(placed: PlacedFinding, clean: CommentFrame['clean']): string {
  const { finding } = placed;
  return paragraphs([
    headingOf(finding, clean),
    wordsOf(finding, clean),
    dismissedBefore(finding),
    finding.suggestion === undefined ? '' : clean(`Suggested:\n\n${fencedBlock(finding.suggestion, '')}`),
  ]);
}

/** What a finding says as plain markdown that nobody has cleaned yet: for where nothing is posted. */
export function plainFinding(finding: Finding): string {
  return paragraphs([finding.title, plainText(finding)]);
}

/** The same for where its title is by itself. */
export function plainText({ body, trigger, suggestion }: Finding): string {
  return paragraphs([
    body,
    trigger === undefined ? '' : `When: ${trigger}`,
    suggestion === undefined ? '' : `Suggested:\n\n${fencedBlock(suggestion, '')}`,
  ]);
}

/** Marks of severities; the word always goes with them. */
const MARKS: Readonly<Record<Severity, string>> = {
  critical: '🔴',
  major: '🟠',
  minor: '🟡',
  nit: '⚪',
};

/** The mark of a severity, for where the word is next to it. */
export function severityMark(severity: Severity): string {
  return MARKS[severity];
}

function headingOf({ severity, category, confidence, title }: Finding, clean: CommentFrame['clean']): string {
  const name = `${severity.charAt(0).toUpperCase()}${severity.slice(1)}`;
  const sure = confidence === 'unsure' ? ', not certain' : '';
  return `${MARKS[severity]} **${name} · ${category}${sure}** — ${titleLine(title, clean)}`;
}

/** A title inside a line of markdown. */
export function titleLine(title: string, clean: CommentFrame['clean']): string {
  return cleanLine(clean(title), MAX_TITLE);
}

const MAX_TITLE = 200;

function wordsOf({ body, trigger }: Finding, clean: CommentFrame['clean']): string {
  return paragraphs([clean(body), trigger === undefined ? '' : `**When:** ${titleLine(trigger, clean)}`]);
}

function dismissedBefore({ severity, category, dismissedOn }: Finding): string {
  if (dismissedOn === undefined) return '';
  const why = severity === 'critical' ? `is ${severity}` : `is about ${category}`;
  const reason = isNeverHeld({ severity, category }) ? ` It is reported again because it ${why}.` : '';
  return `*Dismissed before, on #${dismissedOn}.${reason}*`;
}

function suggestionOf({ finding, placement }: PlacedFinding, clean: CommentFrame['clean']): string {
  if (finding.suggestion === undefined) return '';
  const isOffered = placement.kind === 'line' && placement.isExact && placement.side === 'RIGHT';
  return isOffered
    ? clean(fencedBlock(finding.suggestion, 'suggestion'))
    : clean(`Suggested:\n\n${fencedBlock(finding.suggestion, '')}`);
}

const CONFIDENCE: Readonly<Record<Confidence, string>> = {
  confirmed: '- A second look in a fresh context came to the same result.',
  likely: '',
  unsure: '- The agent could not see all that decides this.',
};

const MAX_PATH = 200;
const MAX_CODE = 200;

function foldOf(finding: Finding, { signature, isFork, clean }: CommentFrame): string {
  const { evidence, confidence, handle } = finding;
  const lines = [
    ...evidence.map(({ path, line, code }) => {
      const place = clean(codeSpan(`${cleanLine(path, MAX_PATH)}:${line}`));
      return `- ${place} ${clean(codeSpan(cleanLine(code, MAX_CODE)))}`;
    }),
    CONFIDENCE[confidence],
  ].filter((line) => line !== '');
  const done = isFork ? 'Done? A person with write access resolves it.' : 'Done? Push, or resolve.';
  const answers = `${handle} · Wrong? 👎 or \`/axe dismiss <why>\`, and it is not raised again on this line. ${done}`;
  return [
    `<details><summary>${lines.length === 0 ? 'How to answer' : 'Why this is reported'}</summary>`,
    ...(lines.length === 0 ? [] : [lines.join('\n')]),
    `${answers}${signature === '' ? '' : ` · ${signature}`}`,
    '</details>',
  ].join('\n\n');
}

export function paragraphs(parts: readonly string[]): string {
  return parts.filter((part) => part.trim() !== '').join('\n\n');
}
