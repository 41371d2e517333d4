import { aboutLines } from './describe-placement.js';
import type { PlacedFinding } from './place.js';
import { codeBlock } from './suggestion.js';

/** Markdown of a comment on a line, still to be cleaned. What GitHub may offer to commit replaces exactly what was meant. */
export function commentText({ finding, placement }: PlacedFinding): string {
  const isMoved = placement.kind === 'line' && placement.about !== undefined;
  const body = isMoved ? `(${aboutLines(finding)})\n\n${finding.body}` : finding.body;
  if (finding.suggestion === undefined) return body;
  const isOffered = placement.kind === 'line' && placement.isExact && placement.side === 'RIGHT';
  const heading = isOffered ? '' : 'Suggested:\n\n';
  return `${body}\n\n${heading}${codeBlock(finding.suggestion, isOffered ? 'suggestion' : '')}`;
}
