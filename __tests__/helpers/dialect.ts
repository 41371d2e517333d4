/**
 * Words that a reader who learned English at school stumbles over, or that can be read in two ways
 * (`may not`). The docs and the comments in src/ are held against them.
 */
export const DIALECT: readonly RegExp[] = [
  /\bstands?\b/i,
  /\b(?:is|are|was|were) told\b/i,
  /\bmend(?:s|ed|ing)?\b/i,
  /\bbeside\b/i,
  /\bwhoever\b/i,
  /\bmay not\b/i,
  /\bno word of\b/i,
  /\bwhat there is\b/i,
  /\bcure[sd]?\b/i,
  /(?<!there )\b(?:is|are) no (?!longer\b|more\b)/i,
];
