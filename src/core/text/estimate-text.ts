/** Nine tokens for ten ideographs, one for four other characters (memory-tools 1.6). */
export function estimateText(text: string): number {
  const wide = text.match(WIDE)?.length ?? 0;
  const narrow = wide === 0 ? text.length : text.replace(WIDE, '').length;
  return Math.floor((wide * 9) / 10) + Math.floor(narrow / 4);
}

/** Hangul, Chinese and Japanese, Yi, and full-width forms. */
const WIDE =
  /[\p{Script=Hangul}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Yi}\uFF01-\uFF60\uFFE0-\uFFE6]/gu;
