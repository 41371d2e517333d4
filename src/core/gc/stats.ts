import { readEntries } from '../memory/commands/entry.js';
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

/** Counts a run log. Times are UTC, as entries have them. */
export function logStats(text: string): LogStats {
  const entries = readEntries(text, 'trusted');
  const dates = entries.map(({ timeMs }) => dateOf(timeMs)).sort();
  const [first, last] = [dates[0], dates.at(-1)];
  const results = entries.map(({ result }) => wordsOf(result ?? '').length);
  return {
    runs: entries.length,
    span: first === undefined || last === undefined ? undefined : { first, last },
    busiest: busiestDay(dates),
    averageWords: entries.length === 0 ? 0 : Math.round(sum(results) / entries.length),
    words: recurringWords(entries.map(({ task, result }) => `${task ?? ''}\n${result ?? ''}`)),
    days: [...countEach(dates)].map(([date, runs]) => ({ date, runs })),
  };
}

function busiestDay(dates: readonly string[]): LogStats['busiest'] {
  const runs = countEach(dates.map(weekdayOf));
  const counted = WEEKDAYS.map((day) => ({ day, runs: runs.get(day) ?? 0 }));
  const most = Math.max(...counted.map((one) => one.runs));
  return most === 0 ? undefined : counted.find((one) => one.runs === most);
}

function weekdayOf(date: string): Weekday {
  const sundayFirst = new Date(`${date}T00:00:00Z`).getUTCDay();
  return WEEKDAYS[(sundayFirst + 6) % 7] ?? 'Sunday';
}

function countEach<T>(values: readonly T[]): ReadonlyMap<T, number> {
  const counts = new Map<T, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** A word and the entries that have it. */
interface WordCount {
  readonly word: string;
  readonly entries: number;
}

/** Words of a text in their order; scripts without spaces are taken apart too (Unicode word boundaries). */
function wordsOf(text: string): readonly string[] {
  const words: string[] = [];
  for (const { segment, isWordLike } of segmenter().segment(text))
    if (isWordLike === true) words.push(segment);
  return words;
}

/**
 * Words that at least two texts have, each counted once a text, the most frequent first and of as many those that come
 * first in the alphabet. Numbers, stop words and what is too short to say anything are left out.
 */
function recurringWords(texts: readonly string[], most = MOST): readonly WordCount[] {
  const counts = new Map<string, number>();
  for (const text of texts) {
    const own = new Set(wordsOf(text).map((word) => word.normalize('NFC').toLowerCase()));
    for (const word of own) if (isTelling(word)) counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return [...counts]
    .flatMap(([word, entries]) => (entries < 2 ? [] : [{ word, entries }]))
    .sort((left, right) => right.entries - left.entries || (left.word < right.word ? -1 : 1))
    .slice(0, most);
}

const MOST = 8;

let made: Intl.Segmenter | undefined;

/** Made when a run counts words: it reads the names of all languages, a tenth of what a start would take (D34). */
function segmenter(): Intl.Segmenter {
  made ??= new Intl.Segmenter('und', { granularity: 'word' });
  return made;
}

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
