import { CHECK_LIMITS } from '../../lib/defaults.js';
import { cleanLine, count } from '../../lib/text/format.js';
import { acceptedAnswer, type PublicationAnswer, refusedAnswer } from '../buffered-publications.js';
import { lineFingerprint } from '../change/diff-lines.js';
import type { CheckAnswer, CheckRow } from '../check-rows.js';
import { appliesTo, type Check, foldCheckName } from '../checks.js';
import { checkEvidence, type ShownFiles } from './evidence.js';

/** An answer of the model to one check. */
interface ProposedAnswer {
  /** Its name. */
  readonly check: string;
  readonly answer: CheckAnswer;
  readonly path?: string;
  readonly line?: number;
  readonly code?: string;
  readonly why: string;
}

/** Maximum code points of a reason. */
const MAX_WHY = 200;

/** Collects the answers of one conversation; the first valid one on each check counts. */
export class CheckAnswers {
  readonly #given = new Map<string, CheckRow>();

  constructor(
    private readonly checks: readonly Check[],
    private readonly lines: {
      /** The lines that the conversation was shown, with those of the diff. */
      readonly shown: ShownFiles;
      readonly diff: ShownFiles;
    },
  ) {}

  get isComplete(): boolean {
    return this.#missing.length === 0;
  }

  get #missing(): readonly Check[] {
    return this.checks.filter(({ name }) => !this.#given.has(foldCheckName(name)));
  }

  /** A row for each check; one without a valid answer is unsure. */
  get rows(): readonly CheckRow[] {
    return this.checks.map(
      (check) => this.#given.get(foldCheckName(check.name)) ?? unanswered(check, ''),
    );
  }

  /** Records answers, and says which checks have none. */
  give(answers: readonly ProposedAnswer[]): PublicationAnswer {
    const problems: string[] = [];
    for (const proposed of answers) {
      const key = foldCheckName(proposed.check);
      const check = this.checks.find(({ name }) => foldCheckName(name) === key);
      if (check === undefined) {
        problems.push(
          `no check is called ${JSON.stringify(cleanLine(proposed.check, CHECK_LIMITS.nameCharacters))}`,
        );
        continue;
      }
      if (this.#given.has(key)) continue;
      const row = this.#judge(check, proposed);
      if (typeof row === 'string') problems.push(row);
      else this.#given.set(key, row);
    }
    const missing = this.#missing;
    if (missing.length === 0) return acceptedAnswer('All checks have their answer.');
    const names = missing.map(({ name }) => JSON.stringify(name)).join(', ');
    const reasons = problems.map((problem) => ` ${problem}.`).join('');
    return refusedAnswer(
      `${count(missing.length, 'check')} without an answer: ${names}.${reasons}`,
    );
  }

  /** The row of a check, or half a sentence that says why the answer does not count. */
  #judge(check: Check, proposed: ProposedAnswer): CheckRow | string {
    const { answer, path = '', line = 0, code = '' } = proposed;
    const reason = cleanLine(proposed.why, MAX_WHY);
    const hasQuote = code.trim() !== '';
    if (answer === 'unsure') return unsure(check, reason);
    if (answer === 'does not apply') return idle(check, reason);

    // A line of the change breaks a rule; a line that keeps it can be anywhere.
    const lines = answer === 'fail' ? this.lines.diff : this.lines.shown;
    const evidence = hasQuote ? checkEvidence({ path, line, code }, lines) : undefined;
    const quoted = typeof evidence === 'string' ? undefined : evidence;
    const name = JSON.stringify(check.name);
    if (answer === 'fail' && quoted === undefined)
      return `\`fail\` of ${name} needs a line of the diff, copied as it is`;
    if (hasQuote && quoted === undefined)
      return `the line that was quoted for ${name} was not shown to you`;
    const place = quoted && { path: quoted.path, line: quoted.line };
    const quote = quoted === undefined ? '' : lineFingerprint(quoted.code);
    return { check, answer, why: reason, quote, place };
  }
}

/** The row of a check that is about no file of the change; a file that is not known can be one. */
export function rowWithoutAsking(
  check: Check,
  { paths, areAllKnown }: { readonly paths: readonly string[]; readonly areAllKnown: boolean },
): CheckRow | undefined {
  if (appliesTo(check, paths)) return undefined;
  return areAllKnown ? idle(check, '') : unanswered(check, 'Not all changed files are known.');
}

/** The change does nothing that the check is about. */
function idle(check: Check, reason: string): CheckRow {
  return { check, answer: 'does not apply', why: reason, quote: '' };
}

/** Nobody knows whether the change keeps the check. */
export function unanswered(check: Check, reason: string): CheckRow {
  return { ...unsure(check, reason), isUnanswered: true };
}

function unsure(check: Check, reason: string): CheckRow {
  return { check, answer: 'unsure', why: reason, quote: '' };
}
