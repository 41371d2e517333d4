import { aboutLines } from './describe-placement.js';
import type { Finding } from './finding.js';
import type { PlacedFinding } from './place.js';
import { codeBlock } from './suggestion.js';

/** Markdown of a comment on a line, still to be cleaned. What GitHub may offer to commit replaces exactly what was meant. */
export function commentText({ finding, placement }: PlacedFinding): string {
  const isMoved = placement.kind === 'line' && placement.about !== undefined;
  const body = isMoved ? `(${aboutLines(finding)})\n\n${finding.body}` : finding.body;
  const isOffered = placement.kind === 'line' && placement.isExact && placement.side === 'RIGHT';
  if (!isOffered || finding.suggestion === undefined) return withSuggestion({ ...finding, body });
  return `${body}\n\n${codeBlock(finding.suggestion, 'suggestion')}`;
}

/** What a finding says, with its suggestion as code: for where GitHub has nothing to offer, or nothing is posted. */
export function withSuggestion({ body, suggestion }: Pick<Finding, 'body' | 'suggestion'>): string {
  return suggestion === undefined ? body : `${body}\n\nSuggested:\n\n${codeBlock(suggestion, '')}`;
}
