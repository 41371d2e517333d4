import { cleanLine } from '../lib/text/cut.js';
import type { Buffered, Refusal } from './buffered.js';
import { plainFinding } from './comment-text.js';
import type { PlacedFinding } from './place.js';
import { codeSpan } from './suggestion.js';

/** Everything a run wanted published, as markdown for where nothing is posted; empty for nothing. */
export function formatBuffered(buffered: Buffered): string {
  const { findings, review, labels, issues, reaction, refusals } = buffered;
  const acts = [
    ...(labels.add.length === 0 ? [] : [`- Add the labels ${spans(labels.add)}`]),
    ...(labels.remove.length === 0 ? [] : [`- Remove the labels ${spans(labels.remove)}`]),
    ...issues.map(({ title }) => `- Open the issue ${codeSpan(title)}`),
    ...(reaction === undefined ? [] : [`- React with ${codeSpan(reaction)}`]),
  ];
  const sections = [
    review === undefined ? '' : `**Review**\n\n${review.summary}`,
    formatFindings('Findings', findings),
    acts.length === 0 ? '' : `**Wanted**\n\n${acts.join('\n')}`,
    formatRefusals(refusals),
  ];
  return sections.filter((section) => section !== '').join('\n\n');
}

/** Findings with their places below a heading, as markdown that nobody has cleaned yet; empty for none. */
export function formatFindings(heading: string, findings: readonly PlacedFinding[]): string {
  if (findings.length === 0) return '';
  return [`**${heading}**`, ...findings.map(formatFinding)].join('\n\n');
}

function formatFinding({ finding, placement }: PlacedFinding): string {
  const line = placement.kind === 'line' ? placement.line : finding.line;
  const place = codeSpan(`${cleanLine(finding.path, MAX_PATH)}:${line}`);
  return `**${place}** (${finding.severity}, ${finding.category}): ${plainFinding(finding)}`;
}

const MAX_PATH = 200;
const MAX_REFUSALS = 20;

/** What the model wanted and is not allowed to have, as a list; empty for nothing. */
export function formatRefusals(refusals: readonly Refusal[]): string {
  if (refusals.length === 0) return '';
  const left = refusals.length - MAX_REFUSALS;
  const lines = refusals.slice(0, MAX_REFUSALS).map(({ tool, why }) => `- ${codeSpan(tool)}: ${why}`);
  return [`**Refused**\n`, ...lines, ...(left > 0 ? [`- and ${left} more`] : [])].join('\n');
}

function spans(names: readonly string[]): string {
  return names.map(codeSpan).join(', ');
}
