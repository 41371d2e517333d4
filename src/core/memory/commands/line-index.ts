import { textDigest } from '../units.js';

/** Slots at the beginning; a power of two, as every later number of them. */
const FIRST_SLOTS = 1024;
/** How many of the slots may be taken before there are twice as many. */
const MAX_LOAD = 0.7;
/** A digest of two words, and a line; line 0 is a slot that is free. */
const WORDS = 3;

/**
 * In which line a text was first seen, of any number of texts: twelve bytes a slot, whatever their length. A text is
 * known by the digest of 64 bits that an entry without provenance is known by, too (see `textId`).
 */
export class LineIndex {
  #slots = FIRST_SLOTS;
  #words = new Uint32Array(FIRST_SLOTS * WORDS);
  #taken = 0;

  /** Undefined for a text that was not seen yet. */
  lineOf(text: string): number | undefined {
    const [one, other] = textDigest(text);
    return this.#words[this.#slotOf(one, other) + 2] || undefined;
  }

  /** Notes the line, from 1, of a text; a later one takes the place of an earlier one. */
  add(text: string, line: number): void {
    if (this.#taken >= this.#slots * MAX_LOAD) this.#grow();
    const [one, other] = textDigest(text);
    this.#put(one, other, line);
  }

  #put(one: number, other: number, line: number): void {
    const slot = this.#slotOf(one, other);
    if (this.#words[slot + 2] === 0) this.#taken += 1;
    this.#words.set([one, other, line], slot);
  }

  /** Where a digest is, or where it would be put. */
  #slotOf(one: number, other: number): number {
    const words = this.#words;
    for (let at = other & (this.#slots - 1); ; at = (at + 1) & (this.#slots - 1)) {
      const slot = at * WORDS;
      if (words[slot + 2] === 0 || (words[slot] === one && words[slot + 1] === other)) return slot;
    }
  }

  #grow(): void {
    const before = this.#words;
    this.#slots *= 2;
    this.#words = new Uint32Array(this.#slots * WORDS);
    this.#taken = 0;
    for (let slot = 0; slot < before.length; slot += WORDS) {
      const [one = 0, other = 0, line = 0] = before.subarray(slot, slot + WORDS);
      if (line !== 0) this.#put(one, other, line);
    }
  }
}
