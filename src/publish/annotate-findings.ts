import { notice } from '@actions/core';
import { plainText } from '../review/comment-text.js';
import type { PlacedFinding } from '../review/place.js';
import { sanitize } from '../safety/sanitize.js';

/** The runner shows ten annotations of a kind for a step. */
const MAX_ANNOTATIONS = 9;

/**
 * Shows findings on their lines where they could not be posted. Notices, so that they take no room from the warnings of
 * the run itself (D35); the removed side of a diff has no lines that could carry one.
 */
export async function annotateFindings(
  findings: readonly PlacedFinding[],
  secrets: readonly string[],
): Promise<void> {
  const onLines = findings.flatMap(({ finding, placement }) =>
    placement.kind === 'line' && placement.side === 'RIGHT' ? [{ finding, placement }] : [],
  );
  for (const { finding, placement } of onLines.slice(0, MAX_ANNOTATIONS)) {
    const { path, line, startLine = line } = placement;
    const place = { file: path, startLine, endLine: line };
    notice(sanitize(plainText(finding), 'log', secrets), {
      title: sanitize(finding.title, 'title', secrets),
      ...place,
    });
  }
}
