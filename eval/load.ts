import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Case, type CaseKind, parseCase, UsageError } from './case.js';

/** Where the cases of this project are. */
export const CASES = join(import.meta.dirname, 'cases');

/** A case and its folder. */
export interface LoadedCase {
  readonly about: Case;
  readonly folder: string;
}

/** All cases by name. Throws with the file of what is wrong. */
export function loadCases(folder = CASES): readonly LoadedCase[] {
  return readdirSync(folder)
    .toSorted()
    .map((name) => {
      const file = join(folder, name, 'case.json');
      if (!existsSync(file)) throw new UsageError(`${join(folder, name)} has no case.json`);
      const about = parseCase(readFileSync(file, 'utf8'), file);
      if (about.name !== name) throw new UsageError(`${file}: the name is not that of its folder`);
      // Without one of them the whole tree would be a change, and every figure of the case another.
      const missing = ['base', 'head'].find((version) => !existsSync(join(folder, name, version)));
      if (missing !== undefined)
        throw new UsageError(`${join(folder, name)} has no folder ${missing}`);
      return { about, folder: join(folder, name) };
    });
}

/**
 * The cases that a person asked for, by name or kind; all where nothing is asked for. Throws for a
 * word that fits none.
 */
export function chooseCases(
  all: readonly LoadedCase[],
  wanted: readonly string[],
): readonly LoadedCase[] {
  const fits = ({ about }: LoadedCase, word: string) => about.name === word || about.kind === word;
  const unknown = wanted.find((word) => !all.some((one) => fits(one, word)));
  if (unknown !== undefined)
    throw new UsageError(`there is no case and no kind of cases named ${unknown}`);
  return wanted.length === 0 ? all : all.filter((one) => wanted.some((word) => fits(one, word)));
}

/** How many cases there are of each kind. */
export function countKinds(cases: readonly LoadedCase[]): ReadonlyMap<CaseKind, number> {
  const counts = new Map<CaseKind, number>();
  for (const { about } of cases) counts.set(about.kind, (counts.get(about.kind) ?? 0) + 1);
  return counts;
}
