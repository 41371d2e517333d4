import { textId } from '../memory/units.js';

/** The last section that the analyst is asked for (see `ANALYST_PROMPT`); the whole text where it has no such heading. */
function recommendationsOf(analysis: string): string {
  const [, section] = /(?:^|\n)#{1,6} Recommendations[^\n]*\n([\s\S]*)$/i.exec(analysis) ?? [];
  return (section ?? analysis).trim();
}

/** Whether an analysis recommends something. */
export function hasRecommendations(analysis: string): boolean {
  return !/^[-*_\s]*no specific recommendations\.?[*_\s]*$/i.test(recommendationsOf(analysis));
}

/** The same for recommendations of the same words, whatever their spacing and case. */
export function recommendationsDigest(analysis: string): string {
  return textId(recommendationsOf(analysis).toLowerCase().replace(/\s+/g, ' ')).slice(2);
}
