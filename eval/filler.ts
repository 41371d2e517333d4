import type { Case } from './case.js';

/** How much is written. */
type Filler = NonNullable<Case['filler']>;

const NOUNS = 'invoice parcel tenant quota ledger shift voucher meter route badge'.split(' ');
const VERBS = 'collect normalise rank merge describe total filter group index split'.split(' ');
const FIELDS = ['amount', 'weight', 'level', 'share', 'offset', 'rate'];

/**
 * Plain modules that hold no fault, the same for one name each time: a change that is too large for
 * one look need not be kept in the repository.
 */
export function fillerFiles(
  { files, functions }: Filler,
  name: string,
): Readonly<Record<string, string>> {
  const next = numbersFrom(name);
  return Object.fromEntries(
    Array.from({ length: files }, (_, index) => {
      const noun = NOUNS[index % NOUNS.length] ?? '';
      const path = `src/modules/${noun}-${index + 1}.ts`;
      const body = Array.from({ length: functions }, (__, at) => oneFunction(noun, at, next));
      return [path, `${typeOf(noun)}\n${body.join('\n')}`];
    }),
  );
}

function typeOf(noun: string): string {
  const fields = FIELDS.map((field) => `  readonly ${field}: number;\n`).join('');
  return `/** What is known of one ${noun}. */\nexport interface ${capital(noun)} {\n  readonly name: string;\n${fields}}\n`;
}

function oneFunction(noun: string, at: number, next: () => number): string {
  const verb = VERBS[at % VERBS.length] ?? '';
  const field = FIELDS[next() % FIELDS.length] ?? '';
  const other = FIELDS[next() % FIELDS.length] ?? '';
  const limit = 1 + (next() % 90);
  const type = capital(noun);
  return `/** The ${field} of those whose ${other} is at least ${limit}, in the order of their names. */
export function ${verb}${type}${at + 1}(all: readonly ${type}[]): readonly number[] {
  const chosen = all.filter((one) => one.${other} >= ${limit});
  const ordered = chosen.toSorted((a, b) => a.name.localeCompare(b.name));
  return ordered.map((one) => one.${field});
}
`;
}

function capital(word: string): string {
  return `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`;
}

/** Numbers that depend on a text alone. */
function numbersFrom(text: string): () => number {
  let state = [...text].reduce(
    (sum, character) => (sum * 31 + (character.codePointAt(0) ?? 0)) >>> 0,
    7,
  );
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state >>> 8;
  };
}
