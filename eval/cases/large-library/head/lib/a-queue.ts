export class Queue<T> {
  readonly #items: T[] = [];

  push(item: T): void {
    this.#items.push(item);
  }

  /** The oldest item. */
  take(): T | undefined {
    return this.#items.pop();
  }
}
