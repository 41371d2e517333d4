import { aboutLines } from './describe-placement.js';
import type { Finding } from './finding.js';
import type { PlacedFinding } from './place.js';
import { fencedBlock } from './suggestion.js';

/**
 * Markdown of a comment on a line, still to be cleaned as a whole. What GitHub may offer to commit replaces exactly what was
 * meant. The body is cleaned by itself first: a section or fence that it leaves open must not take in the suggestion.
 */
export function commentText(
  { finding: written, placement }: PlacedFinding,
  clean: (markdown: string) => string,
): string {
  const finding = { ...written, body: clean(written.body) };
  const isMoved = placement.kind === 'line' && placement.about !== undefined;
  const body = isMoved ? `(${aboutLines(finding)})\n\n${finding.body}` : finding.body;
  const isOffered = placement.kind === 'line' && placement.isExact && placement.side === 'RIGHT';
  if (!isOffered || finding.suggestion === undefined) return withSuggestion({ ...finding, body });
  return `${body}\n\n${fencedBlock(finding.suggestion, 'suggestion')}`;
}

/** What a finding says, with its suggestion as code: for where GitHub has nothing to offer, or nothing is posted. */
export function withSuggestion({ body, suggestion }: Pick<Finding, 'body' | 'suggestion'>): string {
  return suggestion === undefined ? body : `${body}\n\nSuggested:\n\n${fencedBlock(suggestion, '')}`;
}
