import { MAX_COMMENT_CHARACTERS } from '../../lib/defaults.js';
import {
  cleanLine,
  codeBlock,
  codeSpan,
  count,
  formatInteger,
  paragraphs,
} from '../../lib/text/format.js';
import { formatMark, type Mark } from '../../safety/mark.js';
import type {
  BufferedPublications,
  Refused,
  RefusedFinding,
  RefusedPublication,
} from '../buffered-publications.js';
import { hasNoLine, type PlacedFinding, sortWorstFirst } from '../change/diff-lines.js';
import { isNeverHeldBack } from '../decide/duplicates.js';
import type { Confidence, Finding, Severity } from '../finding.js';
import { testBlock } from './test-block.js';

interface CommentFrame {
  /** Names the author and links to the documentation, in markdown of ours. */
  readonly signature: string;
  /** On a fork a push ends no finding. */
  readonly isFork: boolean;
  /** Comments start the workflow; left out: answers are read at its next run. */
  readonly offersCommands?: boolean;
  /**
   * Outbound cleaning: each text by others goes through it by itself, and has to close what it
   * opens.
   */
  clean(markdown: string): string;
}

/**
 * Markdown of a comment on a line. What GitHub may offer to commit replaces exactly what was meant.
 * Each text of the model's is cleaned by itself: a section or fence that it leaves open must not
 * take in what follows.
 */
export function commentText(placed: PlacedFinding, frame: CommentFrame): string {
  const { finding } = placed;
  return paragraphs([
    headingOf(finding, frame.clean),
    wordsOf(finding, frame.clean),
    dismissedBefore(finding),
    suggestionOf(placed, frame.clean),
    testBlock(finding, frame.clean),
    foldOf(finding, frame),
    answersOf(finding, frame),
  ]);
}

/**
 * Markdown of a finding without a comment of its own: GitHub cannot offer its suggestion for commit,
 * and nobody can answer below it.
 */
export function findingInText(finding: Finding, clean: CommentFrame['clean']): string {
  return paragraphs([
    headingOf(finding, clean),
    wordsOf(finding, clean),
    dismissedBefore(finding),
    finding.suggestion === undefined
      ? ''
      : clean(`Suggested:\n\n${codeBlock(finding.suggestion, '')}`),
  ]);
}

/**
 * The text below a finding's title, as plain markdown that nobody has cleaned yet. It is for outputs
 * that are not posted.
 */
export function findingPlainText({ body, trigger, suggestion }: Finding): string {
  return paragraphs([
    body,
    trigger === undefined ? '' : `When: ${trigger}`,
    suggestion === undefined ? '' : `Suggested:\n\n${codeBlock(suggestion, '')}`,
  ]);
}

/** Marks of severities; the word always goes with them. */
export const SEVERITY_ICONS: Readonly<Record<Severity, string>> = {
  critical: '🔴',
  major: '🟠',
  minor: '🟡',
  nit: '⚪',
};

function headingOf(
  { severity, category, confidence, title }: Finding,
  clean: CommentFrame['clean'],
): string {
  const name = `${severity.charAt(0).toUpperCase()}${severity.slice(1)}`;
  const sure = confidence === 'unsure' ? ', not certain' : '';
  return `${SEVERITY_ICONS[severity]} **${name} · ${category}${sure}** — ${titleLine(title, clean)}`;
}

/**
 * Markdown inside a cell of a table; behind two backslashes a pipe would end the cell, and a code
 * span with it.
 */
export function tableCell(markdown: string): string {
  return markdown.replace(/\\*\|/g, '\\|');
}

/**
 * A title inside a line of markdown. It is cut, then cleaned, and cut shorter where that made it
 * too long: a cut through cleaned markdown can bring to life what was in a code span.
 */
export function titleLine(
  title: string,
  clean: CommentFrame['clean'],
  most = MAX_TITLE,
  titleLength = most,
): string {
  // Behind a word, where no block begins.
  const line = clean(`x ${cleanLine(title, titleLength)}`).slice(2);
  return line.length <= most
    ? line
    : titleLine(title, clean, most, Math.floor((titleLength * most) / line.length));
}

const MAX_TITLE = 200;

function wordsOf({ body, trigger }: Finding, clean: CommentFrame['clean']): string {
  // Cleaning can make an offer of what was none, and lets its lines be; as code they are cleaned
  // too.
  const words = clean(withoutSuggestions(clean(body)));
  return paragraphs([words, trigger === undefined ? '' : `**When:** ${titleLine(trigger, clean)}`]);
}

function dismissedBefore({ severity, category, dismissedOn }: Finding): string {
  if (dismissedOn === undefined) return '';
  const cause = severity === 'critical' ? `is ${severity}` : `is about ${category}`;
  const reason = isNeverHeldBack({ severity, category })
    ? ` It is reported again because it ${cause}.`
    : '';
  return `*Dismissed before, on #${dismissedOn}.${reason}*`;
}

function suggestionOf({ finding, placement }: PlacedFinding, clean: CommentFrame['clean']): string {
  if (finding.suggestion === undefined) return '';
  const isOffered = placement.kind === 'line' && placement.isExact && placement.side === 'RIGHT';
  const offer = codeBlock(finding.suggestion, 'suggestion');
  // Text that cleaning changes would no longer be the right code to commit.
  return isOffered && clean(offer) === offer
    ? offer
    : clean(`Suggested:\n\n${codeBlock(finding.suggestion, '')}`);
}

const CONFIDENCE: Readonly<Record<Confidence, string>> = {
  confirmed: 'An independent second check confirmed it.',
  likely: '',
  unsure: 'The agent could not see everything that decides this.',
};

const MAX_PATH = 200;
const MAX_CODE = 200;

/** The evidence, folded, and how certain the finding is; empty if there is nothing to say. */
function foldOf({ evidence, confidence }: Finding, { clean }: CommentFrame): string {
  const certainty = CONFIDENCE[confidence];
  if (evidence.length === 0) return certainty;
  const lines = [
    ...evidence.map(({ path, line, code }) => {
      const place = clean(codeSpan(`${cleanLine(path, MAX_PATH)}:${line}`));
      return `- ${place} ${clean(codeSpan(cleanLine(code, MAX_CODE)))}`;
    }),
    ...(certainty === '' ? [] : [`- ${certainty}`]),
  ];

  const summary = [
    `${count(evidence.length, 'line')} of evidence`,
    ...(confidence === 'likely' ? [] : [CERTAINTY[confidence]]),
  ].join(', ');
  return [`<details><summary>Why: ${summary}</summary>`, lines.join('\n'), '</details>'].join(
    '\n\n',
  );
}

const CERTAINTY = { confirmed: 'confirmed by a second check', unsure: 'not certain' } as const;

/** The ways to answer, which are seen without a click. */
function answersOf(
  { handle, rule }: Finding,
  { signature, isFork, offersCommands }: CommentFrame,
): string {
  const fixed =
    isFork && rule === undefined ? 'A person with write access resolves it.' : 'Push, or resolve.';
  const later = offersCommands === true ? '' : ' The next run reads it.';
  const answers = `${handle} · Not a bug? Reply "not a bug", or 👎.${later} Fixed? ${fixed}`;
  return `<sub>${answers}${signature === '' ? '' : ` · ${signature}`}</sub>`;
}

/**
 * Everything a run wanted published, as markdown for where nothing is posted; empty for nothing.
 */
export function formatPublications(buffered: BufferedPublications): string {
  const { findings, preexisting, review, labels, issues, reaction } = buffered;
  const acts = [
    ...(labels.add.length === 0 ? [] : [`- Add the labels ${spans(labels.add)}`]),
    ...(labels.remove.length === 0 ? [] : [`- Remove the labels ${spans(labels.remove)}`]),
    ...issues.map(({ title }) => `- Open the issue ${codeSpan(title)}`),
    ...(reaction === undefined ? [] : [`- React with ${codeSpan(reaction)}`]),
  ];
  return paragraphs([
    review?.summary ?? '',
    formatPlaces(findings),
    ...findings.map(formatFinding),
    formatPreexisting(preexisting),
    acts.length === 0 ? '' : `**Wanted**\n\n${acts.join('\n')}`,
    formatRefused(buffered),
  ]);
}

/** A line for each finding, the worst first, with a place that an editor or terminal can open. */
function formatPlaces(findings: readonly PlacedFinding[]): string {
  if (findings.length === 0) return '';
  const lines = sortWorstFirst(findings).map(
    (placed) => `- ${placeOf(placed)} ${placed.finding.severity}: ${placed.finding.title}`,
  );
  return [`**${count(findings.length, 'finding')}**`, '', ...lines].join('\n');
}

function placeOf({ finding, placement }: PlacedFinding): string {
  const path = cleanLine(finding.path, MAX_PATH);
  return hasNoLine(placement) ? path : `${path}:${finding.line}`;
}

/**
 * Findings with their places below a heading, as markdown that nobody has cleaned yet; empty for
 * none.
 */
export function formatFindings(heading: string, findings: readonly PlacedFinding[]): string {
  if (findings.length === 0) return '';
  return [`**${heading}**`, ...findings.map(formatFinding)].join('\n\n');
}

function formatFinding(placed: PlacedFinding): string {
  return `**${codeSpan(placeOf(placed))}** ${plainTextOf(placed.finding)}`;
}

function plainTextOf(finding: Finding): string {
  const { severity, category, title } = finding;
  return `(${severity}, ${category}): ${paragraphs([title, findingPlainText(finding)])}`;
}

/** Findings that are not from the change, worst first, as markdown that nobody has cleaned yet. */
export function formatPreexisting(findings: readonly Finding[]): string {
  if (findings.length === 0) return '';
  const texts = findings.map((finding) => {
    return `**${codeSpan(preexistingPlace(finding))}** ${plainTextOf(finding)}`;
  });
  return [`**${preexistingTitle(findings.length)}**`, ...texts].join('\n\n');
}

/** A line that the model was not shown is not named. */
export function preexistingPlace({ path, line, code }: Finding): string {
  const file = cleanLine(path, MAX_PATH);
  return code === undefined ? file : `${file}:${line}`;
}

export function preexistingTitle(number: number): string {
  return `${count(number, 'finding')} not from this change`;
}

/** A sentence on what a run raised and its review does not repeat; empty for nothing. */
export function formatNotRepeated(number: Readonly<Record<'kept' | 'heldBack', number>>): string {
  const parts = [
    ...(number.kept === 0 ? [] : [`${number.kept} open`]),
    ...(number.heldBack === 0 ? [] : [`${number.heldBack} dismissed before`]),
  ];
  return parts.length === 0 ? '' : `Not repeated: ${parts.join(', ')}.`;
}

const MAX_REFUSALS = 20;

/**
 * Lists for people what the model wanted and the run did not post, in markdown that nobody has
 * cleaned yet; empty for nothing.
 */
export function formatRefused({ refusedFindings, refusals }: Refused): string {
  const findings = refusedFindings.map((refused) => {
    const place = codeSpan(`${cleanLine(refused.path, MAX_PATH)}:${refused.line}`);
    return `- ${place} ${cleanLine(refused.title, MAX_TITLE)}: ${whyFindingRefused(refused)}`;
  });
  const others = refusals.map((refused) => `- ${whyRefused(refused)}`);
  const lines = [...findings, ...others];
  if (lines.length === 0) return '';
  const rest = lines.length - MAX_REFUSALS;
  const more = rest > 0 ? [`- and ${formatInteger(rest)} more`] : [];
  return ['**Not posted**\n', ...lines.slice(0, MAX_REFUSALS), ...more].join('\n');
}

function whyFindingRefused({ code, least = 'minor' }: RefusedFinding): string {
  switch (code) {
    case 'size':
      return 'one of its texts is empty or too long';
    case 'unseen':
      return 'the model had not read this file';
    case 'outside-paths':
      return 'this review does not cover the file';
    case 'wish':
      return 'it asks for a check and names no fault';
    case 'too-mild':
      return `milder than \`${least}\``;
    case 'not-from-change':
      return 'the change does not touch this line, and only the first review lists older faults';
    case 'wrong-name':
      return 'the model named another finding that it is not';
    case 'limit':
      return 'the run had as many findings as it can raise';
  }
}

function whyRefused({ tool, code, detail = '', finding }: RefusedPublication): string {
  const { handle = '' } = finding ?? {};
  switch (code) {
    case 'size':
      return `${codeSpan(tool)}: a text was empty or too long${detail === '' ? '' : ` (${detail})`}.`;
    case 'label':
      return `Labels that \`labels-allowed\` does not allow: ${detail === '' ? 'none named' : detail}.`;
    case 'reaction':
      return `${detail === '' ? 'An empty text' : codeSpan(detail)} is not a reaction of GitHub's.`;
    case 'issue-limit':
      return `The issue ${codeSpan(detail)}: the run had opened as many as it can.`;
    case 'no-change':
      return `No change was taken: ${detail}.`;
    case 'commit-names-no-finding':
      return `A commit that names none of the findings to fix: ${detail}.`;
    case 'no-edit':
      return `A commit without an edit after ${detail}.`;
    case 'not-open':
      return `${nameOfUnknown(handle, detail)} was not open, so nothing ended it.`;
    case 'by-rule':
      return `${handle} stays open: only people dismiss a finding of a rule.`;
    case 'test-fails':
      return `${handle} stays open: the test that shows it still fails.`;
    case 'no-reason':
      return `${handle} stays open: the model gave no reason for its end.`;
    case 'no-proof':
      return `${handle} stays open: the model did not show what ends it.`;
    case 'unconfirmed':
      return `${handle} stays open: a second check did not confirm its end${detail === '' ? '' : ` (${detail})`}.`;
  }
}

function nameOfUnknown(handle: string, name: string): string {
  if (handle !== '') return handle;
  return name === '' ? 'A finding without a name' : codeSpan(name);
}

function spans(names: readonly string[]): string {
  return names.map(codeSpan).join(', ');
}

/** Marks of block quotes and list items before a fence. */
const CONTAINER = String.raw`[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t][ \t>]*)*`;
const OFFER = new RegExp(`^(${CONTAINER}(?:\`{3,}|~{3,}))[ \\t]*suggestion\\b[^\\n]*$`, 'gim');

/**
 * Text without blocks that GitHub would offer to commit: only the `suggestion` of a finding is held
 * against the lines it replaces. Their code stays, as code.
 */
export function withoutSuggestions(markdown: string): string {
  return markdown.replace(OFFER, '$1');
}

/**
 * Mark, text, footer. Never longer than GitHub takes; a text that has to be cut says so, and mark
 * and footer stay whole.
 */
export function composeComment({
  mark,
  text,
  footer,
  maxCharacters = MAX_COMMENT_CHARACTERS,
}: {
  readonly mark: Mark;
  /** Markdown that went through outbound cleaning. */
  readonly text: string;
  readonly footer: string;
  readonly maxCharacters?: number;
}): string {
  const marker = formatMark(mark);
  const below = footer === '' ? '' : `\n\n${footer}`;
  const whole = `${marker}\n${closeFence(text)}${below}`;
  if (whole.length <= maxCharacters) return whole;
  const frame = marker.length + 1 + CUT_NOTE.length + below.length + MAX_CLOSING_FENCE;
  // At the end of a line: a cut through one can bring to life what was in a code span.
  const shortened = text.slice(0, text.lastIndexOf('\n', Math.max(0, maxCharacters - frame)) + 1);
  return `${marker}\n${closeFence(shortened)}${CUT_NOTE}${below}`;
}

const CUT_NOTE =
  '\n\n*The text is cut here: it is longer than a comment can be; the rest is in the job summary.*';

/**
 * Longest fence that is closed after a cut, with its line break; a longer one is not taken for a
 * fence.
 */
const MAX_CLOSING_FENCE = 101;

/** Ends a code fence that was left open, which would swallow what follows. */
function closeFence(text: string): string {
  let open = '';
  for (const [, run = '', rest = ''] of text.matchAll(/^ {0,3}(`{3,100}|~{3,100})(.*)$/gm)) {
    if (open === '') open = run.startsWith('`') && rest.includes('`') ? '' : run;
    else if (run.startsWith(open) && rest.trim() === '') open = '';
  }
  return open === '' ? text : `${text.trimEnd()}\n${open}`;
}
