import * as v from 'valibot';
import { CHECK_LEVELS, type Check, checkKey, foldCheckName } from './checks.js';

/** The answers of the model; a check without a valid one is `unsure`. */
export const CHECK_ANSWERS = ['pass', 'fail', 'unsure', 'does not apply'] as const;

export type CheckAnswer = (typeof CHECK_ANSWERS)[number];

/** A check with its answer for a change. */
export interface CheckRow {
  readonly check: Check;
  readonly answer: CheckAnswer;
  /** The model's words on one line; empty for none. */
  readonly why: string;
  /** The fingerprint of the quoted line; empty for none. */
  readonly quote: string;
  readonly place?: { readonly path: string; readonly line: number };
  /** The person who has overruled it; left out: nobody has. */
  readonly overruledBy?: string;
  /** The model was not asked, or no answer of it counts; left out: one does. */
  readonly isUnanswered?: true;
}

/** Names of the checks of the level `error` that hold a change up. */
export interface CheckEnds {
  readonly failing: readonly string[];
  readonly unanswered: readonly string[];
}

const answerSchema = v.object({
  name: v.string(),
  answer: v.picklist(CHECK_ANSWERS),
  quote: v.string(),
  level: v.picklist(CHECK_LEVELS),
  /** See `checkKey`. */
  text: v.string(),
  isUnanswered: v.optional(v.literal(true)),
});

const wordSchema = v.object({
  name: v.string(),
  login: v.string(),
  why: v.string(),
  text: v.string(),
  /** The id of the comment. */
  comment: v.number(),
});

/** The record of the checks of a pull request. */
export const checksSchema = v.object({
  kind: v.literal('checks'),
  pull: v.pipe(v.number(), v.integer(), v.minValue(1)),
  at: v.number(),
  /** The commit that the answers are about. */
  head: v.string(),
  said: v.array(answerSchema),
  over: v.array(wordSchema),
});

export type KeptChecks = Pick<v.InferOutput<typeof checksSchema>, 'head' | 'said' | 'over'>;

/** A person's word on a check. */
export type CheckOverrule = Omit<KeptChecks['over'][number], 'text'>;

type Word = KeptChecks['over'][number];

/** A person's word on the check as it is written now; undefined for none. */
export function overruledBy(check: Check, record: KeptChecks | undefined): Word | undefined {
  const written = { name: check.name, text: checkKey(check) };
  return record?.over.find((word) => isAbout(word, written));
}

function isAbout(word: Word, { name, text }: Pick<Word, 'name' | 'text'>): boolean {
  return foldCheckName(word.name) === foldCheckName(name) && word.text === text;
}

/** The record after a run has asked the checks. Words on checks that are gone go, too. */
export function keepRows(
  rows: readonly CheckRow[],
  before: KeptChecks | undefined,
  head: string,
): KeptChecks {
  const answers = answersOf(rows);
  const words = (before?.over ?? []).filter((word) =>
    answers.some((answered) => isAbout(word, answered)),
  );
  return { head, said: answers, over: words };
}

function answersOf(rows: readonly CheckRow[]): KeptChecks['said'] {
  return rows.map(({ check, answer, quote, isUnanswered }) => ({
    name: check.name,
    answer,
    quote,
    level: check.level,
    text: checkKey(check),
    ...(isUnanswered && { isUnanswered }),
  }));
}

/** An answer differs from the last one that was said, or a check was added or has gone. */
export function hasNewAnswers(rows: readonly CheckRow[], before: KeptChecks | undefined): boolean {
  const keys = (answers: KeptChecks['said']) =>
    answers
      .map(({ name, answer, text }) => `${foldCheckName(name)}\n${answer}\n${text}`)
      .join('\n');
  return keys(answersOf(rows)) !== keys(before?.said ?? []);
}

/** The ends of the checks that a run has asked. */
export function endsOfRows(rows: readonly CheckRow[]): CheckEnds {
  const counting = rows.filter(({ overruledBy: by }) => by === undefined);
  return endsOf(counting.map((row) => ({ ...row, ...row.check })));
}

/** The ends of the checks as they were said last. */
export function endsOfRecord({ said: answers, over: words }: KeptChecks): CheckEnds {
  return endsOf(answers.filter((answered) => !words.some((word) => isAbout(word, answered))));
}

/** The number of checks that hold a change up, as the record says; 0 where none was asked. */
export function countHolding(record: KeptChecks | undefined): number {
  if (record === undefined) return 0;
  const { failing, unanswered } = endsOfRecord(record);
  return failing.length + unanswered.length;
}

function endsOf(
  checks: readonly Pick<KeptChecks['said'][number], 'name' | 'answer' | 'level' | 'isUnanswered'>[],
): CheckEnds {
  const errors = checks.filter(({ level }) => level === 'error');
  const failing = errors.filter(({ answer }) => answer === 'fail');
  const unanswered = errors.filter(({ isUnanswered }) => isUnanswered === true);
  return {
    failing: failing.map(({ name }) => name),
    unanswered: unanswered.map(({ name }) => name),
  };
}

/**
 * The record after a person's word on a check; `word` is undefined if they take it back. Undefined
 * for a check that no review has named.
 */
export function withOverrule(
  record: KeptChecks | undefined,
  name: string,
  word: CheckOverrule | undefined,
): KeptChecks | undefined {
  const key = foldCheckName(name);
  const check = record?.said.find((answered) => foldCheckName(answered.name) === key);
  if (record === undefined || check === undefined) return undefined;
  const others = record.over.filter((earlier) => foldCheckName(earlier.name) !== key);
  const words = word === undefined ? [] : [{ ...word, name: check.name, text: check.text }];
  return { ...record, over: [...others, ...words] };
}
