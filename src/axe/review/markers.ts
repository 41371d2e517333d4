import { decodeField, encodeField } from '../memory/field.js';

/** What the hidden first lines of a review of ours say. */
export interface ReviewMarker {
  readonly agent: string;
  /** The commit that was reviewed. */
  readonly head: string;
  /** From 2 on, where the same commit was reviewed again and more was found; left out for the first review. */
  readonly part?: number;
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
export function reviewMarker({ agent, head, part, findings }: ReviewMarker): string {
  const again = part === undefined ? '' : ` part=${part}`;
  const first = `<!-- axe-action:review agent=${encodeField(agent)} head=${encodeField(head)}${again} -->`;
  return findings.length === 0 ? first : `${first}\n<!-- axe-action:findings ${findings.join(' ')} -->`;
}

/** What a review of ours says about itself; undefined for any other text. Its author has to be checked beside this. */
export function parseReviewMarker(body: string): ReviewMarker | undefined {
  const match = REVIEW.exec(body);
  if (match === null) return undefined;
  const [, agent = '', head = '', part, findings = ''] = match;
  return {
    agent: decodeField(agent),
    head: decodeField(head),
    ...(part === undefined ? {} : { part: Number(part) }),
    findings: findings.split(' ').filter((one) => /^[0-9a-f]{16}$/.test(one)),
  };
}

const REVIEW =
  /^<!-- axe-action:review agent=(\S+) head=(\S+)(?: part=(\d{1,6}))? -->(?:\r?\n<!-- axe-action:findings ([0-9a-f ]+) -->)?(?:\r?\n|$)/;

const OUTDATED = '<!-- axe-action:outdated -->';

/** A comment of ours with a note that its line is gone, below its own marker; one that has the note stays as it is. */
export function withOutdatedNote(body: string, head: string): string {
  if (isMarkedOutdated(body)) return body;
  const [marker = '', ...rest] = body.split('\n');
  const note = `*Outdated: as of ${head.slice(0, SHORT_SHA)} this line is no longer part of the change.*`;
  return [marker, OUTDATED, note, '', ...rest].join('\n');
}

/** Whether a comment that begins with {@link findingMarker} was marked by {@link withOutdatedNote}. */
export function isMarkedOutdated(body: string): boolean {
  return body.split(/\r?\n/, 2)[1] === OUTDATED;
}

const SHORT_SHA = 7;
