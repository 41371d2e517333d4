import { allowedName } from './allow-list.js';

/** Names that were held against an allow-list. */
export interface Picked {
  /** All that hold now. */
  readonly names: readonly string[];
  readonly picked: readonly string[];
  readonly left: readonly string[];
}

interface PickRules {
  readonly patterns: readonly string[];
  readonly max: number;
  readonly before: readonly string[];
}

/** The allowed ones of some names, as many as there is room for. */
export function pickNames(wanted: readonly string[], { patterns, max, before }: PickRules): Picked {
  const names = [...before];
  const picked: string[] = [];
  const left: string[] = [];
  for (const one of wanted) {
    const name = allowedName(one, patterns);
    const isThere = name !== undefined && withoutNames([name], names).length === 0;
    if (name === undefined || (!isThere && names.length >= max)) left.push(one);
    else {
      picked.push(name);
      if (!isThere) names.push(name);
    }
  }
  return { names, picked, left };
}

/** The names that are not among the others; case counts for nothing. */
export function withoutNames(names: readonly string[], others: readonly string[]): readonly string[] {
  const gone = new Set(others.map((name) => name.toLowerCase()));
  return names.filter((name) => !gone.has(name.toLowerCase()));
}
