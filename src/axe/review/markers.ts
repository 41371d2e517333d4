import { decodeField, encodeField } from '../memory/field.js';

/** What the hidden first lines of a review of ours say. */
export interface ReviewMarker {
  readonly agent: string;
  /** The commit that was reviewed. */
  readonly head: string;
  /** Fingerprints of the findings that stand in the review's own text. */
  readonly findings: readonly string[];
}

/**
 * The hidden line that a comment on a line begins with. It is written in front of text that went through outbound
 * cleaning, which leaves no such line in it, and read at the very beginning only: nobody's text can pass for it.
 */
export function findingMarker(fingerprint: string): string {
  return `<!-- axe-action:finding ${fingerprint} -->`;
}

/** The fingerprint of a comment that begins with {@link findingMarker}. */
export function parseFindingMarker(body: string): string | undefined {
  return /^<!-- axe-action:finding ([0-9a-f]{16}) -->(?:\r?\n|$)/.exec(body)?.[1];
}

/** The hidden lines that a review begins with: whose it is, of which commit, and which findings its text holds. */
export function reviewMarker({ agent, head, findings }: ReviewMarker): string {
  const first = `<!-- axe-action:review agent=${encodeField(agent)} head=${encodeField(head)} -->`;
  return findings.length === 0 ? first : `${first}\n<!-- axe-action:findings ${findings.join(' ')} -->`;
}

/** What a review of ours says about itself; undefined for any other text. Its author has to be checked beside this. */
export function parseReviewMarker(body: string): ReviewMarker | undefined {
  const match = REVIEW.exec(body);
  if (match === null) return undefined;
  const [, agent = '', head = '', findings = ''] = match;
  return {
    agent: decodeField(agent),
    head: decodeField(head),
    findings: findings.split(' ').filter((one) => /^[0-9a-f]{16}$/.test(one)),
  };
}

const REVIEW =
  /^<!-- axe-action:review agent=(\S+) head=(\S+) -->(?:\r?\n<!-- axe-action:findings ([0-9a-f ]+) -->)?(?:\r?\n|$)/;
