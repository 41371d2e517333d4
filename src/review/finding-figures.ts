import { type FindingLife, livesOf } from './finding-facts.js';
import { SEVERITIES } from './terms.js';

/** A finding that nobody has answered for so long has no answer, in milliseconds. */
const UNANSWERED_MS = 14 * 24 * 60 * 60 * 1000;

const FATES = ['acted on', 'dismissed', 'unanswered'] as const;

/** What people made of findings, three numbers a severity, in one line; empty where no finding's story is over. */
export function findingFigures(facts: readonly { readonly kind: string }[], now: Date): string {
  const lives = [...livesOf(facts).values()];
  const figures = [...SEVERITIES, undefined].flatMap((severity) => {
    const fates = lives
      .filter(({ raised }) => raised?.severity === severity)
      .flatMap((life) => fateOf(life, now) ?? []);
    if (fates.length === 0) return [];
    const counts = FATES.map((fate) => `${fates.filter((one) => one === fate).length} ${fate}`);
    return [`${severity ?? 'of unknown severity'} ${counts.join(', ')}`];
  });
  return figures.length === 0 ? '' : `Findings: ${figures.join('; ')}.`;
}

/** Undefined for one whose story goes on, or that says nothing, as one that was only resolved. */
function fateOf({ raised, ended }: FindingLife, now: Date): (typeof FATES)[number] | undefined {
  if (ended === undefined) {
    const isOld = raised !== undefined && now.getTime() - raised.at.getTime() > UNANSWERED_MS;
    return isOld ? 'unanswered' : undefined;
  }
  const { how, why } = ended;
  switch (how) {
    case 'dismissed':
      return how;
    case 'settled':
      return why === 'closed' || why === 'command' ? undefined : 'acted on';
    case 'outdated':
      return 'acted on';
    case 'withdrawn':
      return undefined;
  }
}
