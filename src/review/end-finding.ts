import { withFacts, withoutForgottenIds } from '../memory/state.js';
import { codeId } from './code.js';
import { featuresOf } from './features.js';
import { type Ended, livesOf, strengthOf } from './finding-facts.js';
import { lastCode, visibleWords } from './known.js';
import { sketchOf } from './likeness.js';
import type { FindingMarker } from './markers.js';
import { parseReviewFacts, type ReviewFact, withReviewFacts } from './state-facts.js';

/** A finding that a person has ended by a command, or by a reply that says as much. */
interface FindingEnd {
  readonly id: string;
  readonly pull: number;
  /** `dismissed` holds on all pull requests, `settled` until the finding comes back. */
  readonly how: 'dismissed' | 'settled';
  readonly why: 'command' | 'reply';
  readonly by: string;
  readonly at: Date;
  /** Its comment, where it is on a line: a dismissal teaches from it. */
  readonly comment: { readonly body: string; readonly hunk: string } | undefined;
}

/** The state of an agent in which a finding is ended. */
export function endFinding(text: string, { id, pull, how, why, by, at, comment }: FindingEnd): string {
  const life = livesOf(parseReviewFacts(text)).get(`${id}/${pull}`);
  const known = life?.raised ?? life?.ended;
  // What a run that is not trusted has raised is not kept, and neither is what a stranger named a file.
  const { path, category } = known ?? UNKNOWN;
  const ended: Ended = { kind: 'ended', id, pull, path, category, how, why, by, at };
  const facts: readonly ReviewFact[] =
    how === 'dismissed' && known !== undefined && comment !== undefined
      ? [
          ended,
          {
            kind: 'lesson',
            id,
            pull,
            path,
            category,
            strength: strengthOf(why),
            ...learnedFrom(comment),
            by,
            at,
          },
        ]
      : [ended];
  return withReviewFacts(withoutForgottenIds(text, [id]), facts);
}

const UNKNOWN = { path: 'unknown', category: 'other' } as const;

/** Hashes of what a comment says and of the line it is about; no word of either. */
function learnedFrom({ body, hunk }: { readonly body: string; readonly hunk: string }) {
  return { sketch: sketchOf(featuresOf(visibleWords(body))), code: codeId(lastCode(hunk)) };
}

/** The state in which a finding that was ended is open again; what is said in its conversation no longer ends it. */
export function reopenFinding(text: string, { id, at }: Pick<FindingEnd, 'id' | 'at'>): string {
  return withFacts(text, [{ kind: 'forgotten', key: id, rest: `at=${at.toISOString()}` }]);
}

/** The ids that a state knows on a pull request and that begin so. */
export function knownIds(text: string, { id, pull }: Pick<FindingEnd, 'id' | 'pull'>): readonly string[] {
  const keys = [...livesOf(parseReviewFacts(text)).keys()];
  return keys.flatMap((key) => {
    const [known = '', on] = key.split('/');
    return known.startsWith(id) && on === `${pull}` ? [known] : [];
  });
}

/** A conversation on a line that a finding of ours began. */
export interface FindingThread extends FindingMarker {
  /** As GraphQL knows the conversation. */
  readonly threadId: string;
  /** Of its first comment, as the REST API numbers it; every reply names this one. */
  readonly commentId: number;
  readonly path: string;
  readonly isResolved: boolean;
  readonly body: string;
  /** The part of the diff that it was posted on. */
  readonly hunk: string;
}
