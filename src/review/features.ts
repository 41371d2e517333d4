import { textId } from '../memory/units.js';

/** Words that say nothing of what a finding is about. */
const STOP_WORDS: ReadonlySet<string> = listOf(
  'a an the and or but if then else when while of to in on at by for from with without as is are was were be been',
  'being it its this that these those there here which who what whose will would can could may might must shall should',
  'do does did done has have had not no nor so than too very also only just into over under again more most some any',
  'each every both few other such own same up down out off about after before because since until all your you we our',
  'they their i he she him her them us me my one two etc instead still already now',
);

/** Words of reviews in general: they say little about which finding it is. */
const STOCK_WORDS: ReadonlySet<string> = listOf(
  'bug issue problem error errors fail fails failure incorrect incorrectly wrong wrongly potential potentially possible',
  'possibly cause causes causing lead leads leading result results change changes changed code function method call',
  'calls called calling use uses used using consider fix fixed add added missing need needs ensure check checks checked',
  'value values new old line file test tests case cases behavior behaviour return returns returned returning runtime make',
  'makes set sets allow allows handle handled handling expected unexpected break breaks broken suggest review comment',
  'logic currently actually however example default',
);

/** Stems, and words whose stem is not regular, that reviews use for one thing; each is counted as the first of its row. */
const SYNONYMS = [
  'null nil none undefined undef npe nullpointer',
  'deref dereferenc',
  'throw crash panic exception rais thrown',
  'rac raced concurrent concurr simultaneous',
  'spell typo misspel misspell spelling misnam',
  'concat interpolat concatenat',
  'inject unescap unsanitiz unsanitis',
  'limit unbound infinit',
  'ignor swallow discard drop silent silently',
  'remov delet',
  'invert revers negat opposit flip',
  'twic duplicat',
  'leak unclos unreleas',
  'async asynchronou promis',
  'author permission authoriz authoris privileg acces',
];

const FOLDED = new Map(
  SYNONYMS.flatMap((row) => {
    const [first = '', ...others] = row.split(' ');
    return others.map((word) => [word, first] as const);
  }),
);

/** What a word is counted as: its stem, or the stem that stands for its synonyms. */
function foldWord(word: string): string {
  const stem = stemOf(word);
  return FOLDED.get(stem) ?? FOLDED.get(word) ?? stem;
}

const ENDINGS: readonly (readonly [RegExp, string])[] = [
  [/ies$/, 'y'],
  [/sses$/, 'ss'],
  [/(?<=[^s])s$/, ''],
  [/ations?$/, 'ate'],
  [/ing$/, ''],
  [/edly$/, ''],
  [/ed$/, ''],
  [/ly$/, ''],
  [/ment$/, ''],
  [/able$/, ''],
  [/e$/, ''],
];

/** Takes the common endings of English off, as long as something is left that says what the word is. */
function stemOf(word: string): string {
  let stem = word;
  for (const [ending, replacement] of ENDINGS) {
    const shorter = stem.length > 4 ? stem.replace(ending, replacement) : stem;
    if (shorter.length >= 3) stem = shorter;
  }
  return stem.replace(/(.)\1$/, '$1');
}

function listOf(...lines: readonly string[]): ReadonlySet<string> {
  return new Set(lines.flatMap((line) => line.split(' ')));
}

/**
 * What a text is about, as numbers that stand for its words: enough to compare it with another text, and not enough to
 * tell what it said.
 */
export interface Features {
  /** How much each word counts. */
  readonly weights: ReadonlyMap<number, number>;
  /** The names of code among them, and those that are too short to count as words. */
  readonly names: ReadonlySet<number>;
}

/** How much a word counts: a name of code, a word, a word of reviews in general. */
export const WEIGHTS = { name: 2, word: 1, stock: 0.25 } as const;

/** Bits of a number that stands for a word. */
export const FEATURE_BITS = 30;

/** More says nothing new about which finding a text is. */
const MAX_CHARACTERS = 8192;

/** The features of a finding's text: its title, body and trigger together. */
export function featuresOf(text: string): Features {
  const bag: Bag = { weights: new Map(), names: new Set() };
  const quotes: string[] = [];
  const prose = withoutQuotes(text.slice(0, MAX_CHARACTERS), quotes);
  for (const quote of quotes) for (const name of quote.match(NAME) ?? []) addName(bag, name);
  const words = prose.replace(NAME, (name) => {
    if (!LOOKS_LIKE_CODE.test(name)) return name;
    addName(bag, name);
    return ' ';
  });
  for (const [word] of words.toLowerCase().matchAll(WORD)) {
    for (const part of partsOfScript(word.replace(/['’].*$/, ''))) addWord(bag, part);
  }
  return bag;
}

/** The numbers of the names in a line of code, and of the words in those names. */
export function codeFeatures(code: string): {
  readonly names: ReadonlySet<number>;
  readonly words: ReadonlySet<number>;
} {
  const tokens = code.match(TOKEN) ?? [];
  const parts = tokens.flatMap((token) => [token.toLowerCase(), ...splitName(token)]);
  const names = new Set(parts.map(nameFeature));
  return { names, words: new Set([...names, ...parts.map((part) => featureOf(foldWord(part)))]) };
}

interface Bag {
  readonly weights: Map<number, number>;
  readonly names: Set<number>;
}

const TOKEN = /[A-Za-z_$][\w$]*/g;
const NAME = /[A-Za-z_$][\w$]*(?:(?:\.|::|->|#)[A-Za-z_$][\w$]*)*(?:\(\))?/g;
const WORD = /\p{L}[\p{L}\p{N}'’]*/gu;

/** camelCase, snake_case, dotted, called, in capitals. */
const LOOKS_LIKE_CODE = /[a-z][A-Z]|_|\.|::|->|\(\)|^[A-Z]{2,}[0-9_]*$|^[A-Z][a-z]+[A-Z]/;

/** What is marked as code in markdown, or in single quotes, goes to `quotes`. */
function withoutQuotes(text: string, quotes: string[]): string {
  const take = (_: string, quote: string): string => {
    quotes.push(quote);
    return ' ';
  };
  return text
    .replace(/```[a-z]*\n?([\s\S]*?)```/g, take)
    .replace(/`([^`\n]+)`/g, take)
    .replace(/'([A-Za-z_$][\w$.]*)'/g, take);
}

function addName(bag: Bag, name: string): void {
  const plain = name.replace(/\(\)$/, '');
  const lower = plain.toLowerCase();
  if (STOP_WORDS.has(lower) || lower.length < 2) return;
  for (const part of lower.split(/\.|::|->|#/)) {
    bag.names.add(nameFeature(part));
    if (part.length > 2) add(bag, nameFeature(part), WEIGHTS.name);
  }
  for (const word of splitName(plain)) addWord(bag, word);
}

function addWord(bag: Bag, word: string): void {
  if (word.length < 2 || STOP_WORDS.has(word) || (word.length < 3 && !UNSPACED.test(word))) return;
  const folded = foldWord(word);
  const isStock = STOCK_WORDS.has(word) || STOCK_WORDS.has(folded);
  add(bag, featureOf(folded), isStock ? WEIGHTS.stock : WEIGHTS.word);
}

function add({ weights }: Bag, feature: number, weight: number): void {
  weights.set(feature, Math.max(weights.get(feature) ?? 0, weight));
}

/** The words in a name: `readUserId`, `read_user_id` and `HTTPServer` have three, three and two. */
function splitName(name: string): readonly string[] {
  return name
    .split(/[^A-Za-z0-9]+|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/)
    .map((part) => part.toLowerCase())
    .filter((part) => part.length > 1);
}

const UNSPACED = /[\p{Script=Han}\p{Script=Katakana}\p{Script=Hiragana}]/u;

/** Chinese and Japanese write no spaces: pairs of characters are compared, without those that are grammar alone. */
function partsOfScript(word: string): readonly string[] {
  if (!UNSPACED.test(word)) return [word];
  const characters = Array.from(word);
  const pairs = characters.slice(1).map((character, index) => `${characters[index]}${character}`);
  return pairs.filter((pair) => !/^\p{Script=Hiragana}+$/u.test(pair));
}

function nameFeature(name: string): number {
  return featureOf(`#${name.replaceAll('_', '')}`);
}

function featureOf(word: string): number {
  return Number.parseInt(textId(word).slice(-8), 16) >>> (32 - FEATURE_BITS);
}
