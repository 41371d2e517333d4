/** A keyed digest of a text (HMAC-SHA256), as lower-case hexadecimal digits. */
export interface Sign {
  (text: string): string;
  /** Digests with keys that were used before: what they signed is still good, and nothing new is signed with them. */
  readonly earlier?: readonly Sign[];
}
