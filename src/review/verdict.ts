import { cleanLine } from '../lib/text/cut.js';
import { count } from '../lib/text/number.js';
import { type PublicationAnswer, refused, taken } from './answer.js';
import { checkEvidence, MAX_EVIDENCE, type ShownFiles } from './evidence.js';
import type { Evidence, FindingEffect, Reach } from './terms.js';

/** What a second look at a finding can come to. */
export const VERDICT_KINDS = ['holds', 'refuted', 'unclear'] as const;

/** One of {@link VERDICT_KINDS}. */
export type VerdictKind = (typeof VERDICT_KINDS)[number];

/** A verdict as the verifier gives it. */
export interface VerdictRequest {
  readonly verdict: VerdictKind;
  /** Number of the claim, from 1; left out for the only one. */
  readonly claim?: number | undefined;
  /** The lines that refute it, or that it holds by. */
  readonly evidence: readonly Evidence[];
  /** The right line, where the claim names another one. */
  readonly line?: number | undefined;
  readonly effect?: FindingEffect | undefined;
  readonly reach?: Reach | undefined;
  /** False: the suggestion does not fix it, or breaks something else. */
  readonly suggestionFixes?: boolean | undefined;
  readonly reason: string;
}

/** What the second look at one finding came to. */
export interface FindingVerdict {
  readonly kind: VerdictKind;
  /** The verifier's words on one line. */
  readonly reason: string;
  readonly line: number | undefined;
  readonly effect: FindingEffect | undefined;
  readonly reach: Reach | undefined;
  readonly suggestionFixes: boolean;
}

/** Code points of a reason. */
const MAX_REASON = 400;

/** Collects the verdicts of one verifier on its claims; each claim has one. */
export class Verdicts {
  readonly #given = new Map<string, FindingVerdict>();
  /** Claims whose refutation named no line that was shown: they are unclear unless the verifier does better. */
  readonly #unproven = new Map<string, FindingVerdict>();

  /** `ids` are the findings in the order of their claims; `ledger` is what this verifier has been shown. */
  constructor(
    private readonly ids: readonly string[],
    private readonly ledger: ShownFiles,
  ) {}

  /** Whether every claim has its verdict. */
  get isComplete(): boolean {
    return this.ids.every((id) => this.#given.has(id));
  }

  /** The verdicts by finding. */
  get all(): ReadonlyMap<string, FindingVerdict> {
    return new Map([...this.#unproven, ...this.#given]);
  }

  /** Takes a verdict, or says why not. */
  give(request: VerdictRequest): PublicationAnswer {
    const { claim = this.ids.length === 1 ? 1 : undefined } = request;
    const id = claim === undefined ? undefined : this.ids[claim - 1];
    if (id === undefined) return refused(`Not taken: ${this.#unknownClaim(claim)}`);
    if (this.#given.has(id)) return refused(`Not taken: claim ${claim} has its verdict already.`);
    const verdict = verdictOf(request);
    const problem = request.verdict === 'refuted' ? this.#problemOf(request.evidence) : undefined;
    if (problem !== undefined) {
      this.#unproven.set(id, { ...verdict, kind: 'unclear' });
      return refused(problem);
    }
    this.#given.set(id, verdict);
    const left = this.ids.length - this.#given.size;
    const more = left === 0 ? '' : ` ${count(left, 'claim')} left.`;
    return taken(`Taken: claim ${claim} ${SAID[verdict.kind]}.${more}`);
  }

  /** A wish refutes nothing, and neither does a line that the verifier has not seen. */
  #problemOf(evidence: readonly Evidence[]): string | undefined {
    const checks = evidence.slice(0, MAX_EVIDENCE).map((one) => checkEvidence(one, this.ledger));
    if (checks.some(({ kind }) => kind === 'shown')) return undefined;
    const [first] = checks;
    if (first?.kind === 'refused') return first.message;
    return 'Not taken: `refuted` needs in `evidence` the line that refutes the claim, copied as it is. Without such a line the verdict is `unclear`.';
  }

  #unknownClaim(claim: number | undefined): string {
    const last = this.ids.length;
    const there = last === 1 ? 'there is claim 1 only' : `there are claims 1 to ${last}`;
    return claim === undefined ? `say in \`claim\` which one; ${there}.` : `${there}.`;
  }
}

const SAID: Readonly<Record<VerdictKind, string>> = {
  holds: 'holds',
  refuted: 'is refuted',
  unclear: 'is unclear',
};

function verdictOf(request: VerdictRequest): FindingVerdict {
  const { verdict, line, effect, reach, suggestionFixes = true, reason } = request;
  return { kind: verdict, reason: cleanLine(reason, MAX_REASON), line, effect, reach, suggestionFixes };
}
