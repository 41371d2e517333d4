import { separatorAfter } from './run-log.js';

/**
 * What is kept of an agent besides its memory and is not memory for the model (D36): a small file
 * next to the run log, one fact a line as JSON, `- {"kind":"spent",…}`. Of the same kind, id and
 * pull request the later fact holds; lines that are not facts stay as they are.
 */
export interface StateFact {
  readonly kind: string;
  readonly id?: string;
  readonly pull?: number;
  /** Milliseconds since 1970. */
  readonly at: number;
}

const SUFFIX = '.state.md';
const BACKUP = '.bak';
const HEAD = `# State

axe-action keeps this next to the memory; no model reads it.

`;

/** Where the state of a run log stands: `pr-reviewer.md` → `pr-reviewer.state.md`. */
export function statePath(path: string): string {
  return path.replace(/(?:\.md)?$/, SUFFIX);
}

/** Whether a path in the tree is that of a state file, or of its `.bak`. */
export function isStatePath(path: string): boolean {
  return path.endsWith(SUFFIX) || path.endsWith(SUFFIX + BACKUP);
}

/** The fact of a line, whatever else it says; undefined where it is none. */
export function parseFact(line: string): StateFact | undefined {
  const [, json] = /^- (\{[^\n]*\})\r?$/.exec(line) ?? [];
  try {
    const fact: Partial<StateFact> = JSON.parse(json ?? '{}');
    return typeof fact.kind === 'string' && typeof fact.at === 'number'
      ? (fact as StateFact)
      : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The state with these facts, each in the place of an older one of the same name. Every other line
 * keeps its bytes, and new ones end as the others do.
 */
export function withFacts(text: string, facts: readonly StateFact[]): string {
  if (facts.length === 0) return text;
  const latest = new Map(facts.map((fact) => [nameOf(fact), formatFact(fact)]));
  const written = new Set<string>();
  const start = text === '' ? HEAD : text;
  const lines = start.split('\n').flatMap((line) => {
    const known = parseFact(line);
    const name = known === undefined ? '' : nameOf(known);
    const next = latest.get(name);
    if (next === undefined) return [line];
    if (written.has(name)) return [];
    written.add(name);
    return [line.endsWith('\r') ? `${next}\r` : next];
  });
  const kept = lines.join('\n');
  const lineBreak = start.includes('\r\n') ? '\r\n' : '\n';
  const fresh = [...latest].flatMap(([name, line]) =>
    written.has(name) ? [] : [line + lineBreak],
  );
  return fresh.length === 0 ? kept : kept + separatorAfter(kept) + fresh.join('');
}

/**
 * The facts of both states, in the lines of `base`: the later one holds, whichever side is the
 * base.
 */
export function mergeStates(base: string, other: string): string {
  if (other === '' || base === other) return base;
  if (base === '') return other;
  const factsOf = (text: string) => text.split('\n').flatMap((line) => parseFact(line) ?? []);
  const known = new Map(latestFacts(factsOf(base)).map((fact) => [nameOf(fact), fact]));
  const newer = latestFacts(factsOf(other)).filter((fact) =>
    isLater(fact, known.get(nameOf(fact))),
  );
  return withFacts(base, newer);
}

/** Of several facts of the same name the latest. */
export function latestFacts<T extends StateFact>(facts: readonly T[]): readonly T[] {
  const latest = new Map<string, T>();
  for (const fact of facts)
    if (isLater(fact, latest.get(nameOf(fact)))) latest.set(nameOf(fact), fact);
  return [...latest.values()];
}

function formatFact(fact: StateFact): string {
  return `- ${JSON.stringify(fact)}`;
}

function nameOf({ kind, id, pull }: StateFact): string {
  return JSON.stringify([kind, id, pull]);
}

/** Of the same time the greater text holds, so that both sides come to the same. */
function isLater(fact: StateFact, known: StateFact | undefined): boolean {
  if (known === undefined) return true;
  return fact.at === known.at ? formatFact(fact) > formatFact(known) : fact.at > known.at;
}
