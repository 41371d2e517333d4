import { formatMark, type Mark } from '../../src/core/sanitize/mark.js';
import { type FindingMarker, findingMark, reviewMark } from '../../src/review/markers.js';
import { answerMark } from '../../src/review/publication.js';

/** The hidden lines of what a run of somebody with write access has posted. */
export const findingLine = (finding: FindingMarker): string => formatMark(findingMark(finding, 'trusted'));
export const reviewLine = (review: Parameters<typeof reviewMark>[0]): string =>
  formatMark(reviewMark(review, 'trusted'));
export const answerLine = (agent: string, lane: Mark['lane'] = 'trusted'): string =>
  formatMark(answerMark(agent, lane));
