/** Set phrases of a language, in lower case; accents and spaces next to Chinese and Japanese count for nothing. */
export interface ReplyLanguage {
  readonly language: string;
  /** The finding is wrong, or nothing will be done about it. A reason may follow. */
  readonly withdraws: readonly string[];
  /** The same, of words that say too little with anything after them: `Expected: 5`. */
  readonly withdrawsAlone: readonly string[];
  /** The finding is right. */
  readonly agrees: readonly string[];
  /** What may be before a phrase with a comma or the like behind it; without one, `no` may belong to what follows. */
  readonly yesOrNo: readonly string[];
  /** What may be before a phrase and says nothing by itself. */
  readonly fillers: readonly string[];
  /** What may end a phrase, in a language that writes no space between words; left out by those that do. */
  readonly endings?: readonly string[];
  /** What a reason begins with. */
  readonly reasons: readonly string[];
  /** In `by design, but I will change it` nobody can tell without reading what holds. */
  readonly turns: readonly string[];
}
