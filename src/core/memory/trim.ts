import { type LogPart, partLog } from './log-parts.js';

/** Which entries go. */
export interface Trimmings {
  /** Each id once. */
  readonly ids: readonly string[];
  /** Of these ids so many entries stay, the newest: several entries may have the same text. Of all others none does. */
  readonly leaves?: ReadonlyMap<string, number>;
}

/** A run log taken in two. */
export interface Trimmed {
  readonly kept: string;
  /** What was taken out, in the order of the file; empty for nothing. */
  readonly removed: string;
}

/**
 * A run log without these entries. Every other byte stays, text before the first entry too, which axe drops
 * (axe-behaviour §19).
 */
export function trimLog(text: string, trimmings: Trimmings): Trimmed {
  const { head, parts } = partLog(text);
  const trimmer = new Trimmer(trimmings);
  for (const part of parts) trimmer.count(part);
  if (!trimmer.removesAny) return { kept: text, removed: '' };
  const [kept, removed]: [string[], string[]] = [[head], []];
  const removes = trimmer.pass();
  for (const part of parts) (removes(part) ? removed : kept).push(part.text);
  return { kept: kept.join(''), removed: removed.join('') };
}

/** Which parts of a log go: it has to see all of them before it can say of the first whether a newer one is the same. */
export class Trimmer {
  readonly #ids: ReadonlySet<string>;
  readonly #leaves: ReadonlyMap<string, number>;
  /** Of ids of which some stay: parts that are still to come. */
  readonly #coming = new Map<string, number>();
  #removed = 0;

  constructor({ ids, leaves = new Map() }: Trimmings) {
    this.#ids = new Set(ids);
    this.#leaves = leaves;
  }

  /** Whether anything goes of the parts that were counted. */
  get removesAny(): boolean {
    return this.#removed > 0;
  }

  /** To be told of each part first. */
  count({ id }: LogPart): void {
    if (!this.#ids.has(id)) return;
    const leaves = this.#leaves.get(id) ?? 0;
    const coming = leaves === 0 ? 1 : (this.#coming.get(id) ?? 0) + 1;
    if (leaves > 0) this.#coming.set(id, coming);
    if (coming > leaves) this.#removed += 1;
  }

  /** Says whether the next part goes; to be asked of each part once, in the order of the file. */
  pass(): (part: LogPart) => boolean {
    const coming = new Map(this.#coming);
    return ({ id }) => {
      if (!this.#ids.has(id)) return false;
      const leaves = this.#leaves.get(id) ?? 0;
      if (leaves === 0) return true;
      const left = coming.get(id) ?? 0;
      coming.set(id, left - 1);
      return left > leaves;
    };
  }
}

/** Of these entries those of which none stays: no older copy may bring them back. */
export function removedWhole({ ids, leaves }: Trimmings): readonly string[] {
  return leaves === undefined ? ids : ids.filter((id) => (leaves.get(id) ?? 0) === 0);
}
