/** Words that say nothing of what a finding is about. */
export const STOP_WORDS: ReadonlySet<string> = listOf(
  'a an the and or but if then else when while of to in on at by for from with without as is are was were be been',
  'being it its this that these those there here which who what whose will would can could may might must shall should',
  'do does did done has have had not no nor so than too very also only just into over under again more most some any',
  'each every both few other such own same up down out off about after before because since until all your you we our',
  'they their i he she him her them us me my one two etc instead still already now',
);

/** Words of reviews in general: they say little about which finding it is. */
export const STOCK_WORDS: ReadonlySet<string> = listOf(
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
export function foldWord(word: string): string {
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
