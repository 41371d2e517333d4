/** What a person with write access wants of a finding. */
export type Wish = 'dismissed' | 'closed' | 'opened';

/**
 * People's wishes about findings, by id. GitHub tells of no time at which a conversation was
 * resolved or a 👎 was taken back, and of nothing that was undone before a run saw it. Where several
 * such gestures meet between two runs, nobody knows the wish.
 */
export class Wishes {
  readonly #wishes = new Map<string, Wish>();
  readonly #unread = new Map<string, 'timed' | 'timeless' | 'both'>();
  /** Findings whose wish nobody knows, until a person says the next one. */
  readonly #unsure = new Set<string>();

  of(id: string): Wish | undefined {
    return this.#wishes.get(id);
  }

  isUnsure(id: string): boolean {
    return this.#unsure.has(id);
  }

  /** No run has seen a gesture on it yet. */
  isUnread(id: string): boolean {
    return this.#unread.has(id);
  }

  /** A gesture that GitHub dates: a word, a command, a 👎; without a wish it changes nothing. */
  timed(id: string, wish = this.#wishes.get(id)): void {
    const before = this.#unread.get(id);
    if (before !== undefined && before !== 'timed') this.#doubt(id);
    else if (wish !== undefined) this.#set(id, wish);
    this.#unread.set(id, before === undefined || before === 'timed' ? 'timed' : 'both');
  }

  /** Any other one; without a wish it changes nothing. */
  timeless(id: string, wish = this.#wishes.get(id)): void {
    const isFirst = !this.#unread.has(id);
    if (isFirst && wish !== undefined) this.#set(id, wish);
    else this.#doubt(id);
    this.#unread.set(id, isFirst ? 'timeless' : 'both');
  }

  /** A run has seen, and kept, all gestures on it. */
  read(id: string): void {
    this.#unread.delete(id);
  }

  forget(id: string): void {
    this.#wishes.delete(id);
  }

  /** What was read is not kept any more: the next run reads every gesture once more. */
  lose(id: string): void {
    this.#doubt(id);
    this.#unread.set(id, 'both');
  }

  #set(id: string, wish: Wish): void {
    this.#wishes.set(id, wish);
    this.#unsure.delete(id);
  }

  #doubt(id: string): void {
    this.#wishes.delete(id);
    this.#unsure.add(id);
  }
}
