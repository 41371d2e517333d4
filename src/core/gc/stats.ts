import type { MemoryEntry } from '../memory/commands/entry.js';
import { dateOf } from '../text/dates.js';

/** What a run log says of itself, counted by us and by no model. */
export interface LogStats {
  readonly runs: number;
  /** Dates of the first and the last run, `2026-01-15`; undefined for a log without entries. */
  readonly span: { readonly first: string; readonly last: string } | undefined;
  /** The weekday with the most runs, in UTC; of several with as many the first from Monday. */
  readonly busiest: { readonly day: Weekday; readonly runs: number } | undefined;
  /** Words of a result on average, to the nearest whole number; entries without a result count as empty. */
  readonly averageWords: number;
  /** Words that several entries have in common, the most frequent first. */
  readonly words: readonly WordCount[];
  /** Runs of each day that had any, in order. */
  readonly days: readonly { readonly date: string; readonly runs: number }[];
}

/** In the order of the week. */
export const WEEKDAYS = [
  'Monday',
  'Tuesday',
  'Wednesday',
  'Thursday',
  'Friday',
  'Saturday',
  'Sunday',
] as const;

/** One of {@link WEEKDAYS}. */
type Weekday = (typeof WEEKDAYS)[number];

/** Counts the entries of a run log, of which it keeps none. Times are UTC, as entries have them. */
export class LogCounter {
  #runs = 0;
  #resultWords = 0;
  readonly #days = new Map<string, number>();
  readonly #words = new Map<string, number>();

  add({ timeMs, task = '', result = '' }: MemoryEntry): void {
    const date = dateOf(timeMs);
    this.#runs += 1;
    this.#days.set(date, (this.#days.get(date) ?? 0) + 1);
    const inResult = wordsOf(result);
    this.#resultWords += inResult.length;
    // A line break always stands between words, so the two fields can be taken apart one by one.
    const own = new Set([...wordsOf(task), ...inResult].map((word) => word.normalize('NFC').toLowerCase()));
    for (const word of own) if (isTelling(word)) this.#words.set(...this.#counted(word));
  }

  stats(): LogStats {
    const days = [...this.#days]
      .map(([date, runs]) => ({ date, runs }))
      .sort((left, right) => (left.date < right.date ? -1 : 1));
    const [first, last] = [days[0]?.date, days.at(-1)?.date];
    return {
      runs: this.#runs,
      span: first === undefined || last === undefined ? undefined : { first, last },
      busiest: busiestDay(days),
      averageWords: this.#runs === 0 ? 0 : Math.round(this.#resultWords / this.#runs),
      words: recurringWords(this.#words),
      days,
    };
  }

  #counted(word: string): [string, number] {
    const runs = this.#words.get(word);
    // A copy, since a part of a text keeps the whole text in memory.
    return runs === undefined ? [` ${word}`.slice(1), 1] : [word, runs + 1];
  }
}

function busiestDay(days: LogStats['days']): LogStats['busiest'] {
  const counted = WEEKDAYS.map((day) => {
    const own = days.filter(({ date }) => weekdayOf(date) === day);
    return { day, runs: own.reduce((sum, { runs }) => sum + runs, 0) };
  });
  const most = Math.max(...counted.map((one) => one.runs));
  return most === 0 ? undefined : counted.find((one) => one.runs === most);
}

function weekdayOf(date: string): Weekday {
  const sundayFirst = new Date(`${date}T00:00:00Z`).getUTCDay();
  return WEEKDAYS[(sundayFirst + 6) % 7] ?? 'Sunday';
}

/** A word and the entries that have it. */
interface WordCount {
  readonly word: string;
  readonly entries: number;
}

/** Words of a text in their order, by white space: a look at its language would take seconds for a long entry. */
function wordsOf(text: string): readonly string[] {
  return text.split(/\s+/).flatMap((word) => {
    const bare = word.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, '');
    return bare === '' ? [] : [bare];
  });
}

/**
 * Words that at least two entries have, the most frequent first and of as many those that come first in the alphabet.
 * Numbers, stop words and what is too short to say anything are left out.
 */
function recurringWords(counts: ReadonlyMap<string, number>): readonly WordCount[] {
  return [...counts]
    .flatMap(([word, entries]) => (entries < 2 ? [] : [{ word, entries }]))
    .sort((left, right) => right.entries - left.entries || (left.word < right.word ? -1 : 1))
    .slice(0, MOST);
}

const MOST = 8;

function isTelling(word: string): boolean {
  if (/\d/.test(word) || STOP_WORDS.has(word)) return false;
  const least = /[\p{Script=Han}\p{Script=Hangul}\p{Script=Katakana}]/u.test(word) ? 2 : 3;
  return Array.from(word).length >= least && /\p{L}/u.test(word);
}

/**
 * Words that say nothing of what an agent did, in the languages that logs are most often written in. Only those that
 * would otherwise be counted: three letters or more, two in Chinese and Japanese.
 */
const STOP_WORDS: ReadonlySet<string> = new Set(
  [
    // English, with the words that every entry of a log has.
    'about above after again all also and any are because been before being below between both but can cannot could',
    'did does doing down during each few for from further had has have having her here hers him his how into its just',
    'may more most must new not now off once one only other our out over own same she should some still such than that',
    'the their them then there these they this those through too two under until very was were what when where which',
    'while who whom why will with within without would yes yet you your none task result run',
    // German.
    'aber alle als auch auf aus bei bis bin das dass dem den denn der des die dies diese dieser dieses doch durch ein eine',
    'einem einen einer eines für hat hatte haben hier ich ihr ihre ihren ist kann kein keine keinen können mehr mit muss',
    'nach nicht noch nur oder ohne sehr sein seine sich sie sind über und uns unter vom von vor war waren was wenn werden',
    'wie wird wir wurde wurden zum zur zwei zwischen',
    // French.
    'après aussi autre avait avant avec aux ces cet cette comme dans des deux donc elle elles entre est été être fait ils',
    'leur leurs les mais même moins nos notre nous par pas peut plus pour que quel quelle qui sans ses son sont sous sur',
    'tous tout toute toutes très une vos votre vous',
    // Spanish and Portuguese.
    'algo ante como con contra cual cuando del desde donde dos ella ellos entre era esa ese eso esta este esto están está',
    'fue han hasta hay las les los más mas menos mientras muy nos otra otro para pero por porque que quien ser sin sobre son',
    'sus también tiene todo todos una uno unos aos até com das dos ela eles essa esse foi isso isto mais mas nas não nem nos',
    'num numa pela pelo quando sem ser seu sua também tem uma você',
    // Italian and Dutch.
    'alla alle anche che chi con cui dal dalla degli dei del della delle dello gli hanno nei nel nella non per più quale',
    'questa questo sono sua suo sul sulla una uno aan als bij dan dat deze die dit door een geen had heb het hij hoe hun kan',
    'maar meer met naar niet nog ook onder over tot uit van veel voor was wat wel werd wij worden wordt zijn zou',
    // Russian.
    'без был была были было быть вам вас все всё для его ему если есть еще ещё или как когда кто может мне мы над нас нет них',
    'она они оно при про так там тем тех только тот уже что чтобы эта эти это этот',
    // Chinese and Japanese.
    '一个 一些 不是 什么 他们 以及 但是 你们 因为 如果 我们 所以 或者 是否 没有 这个 这些 进行 那个 可以 已经 について から ます です した する して いる こと ある ない これ それ ため もの よう さん',
  ].flatMap((line) => line.split(' ')),
);
