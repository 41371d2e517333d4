/**
 * The section of a system prompt that asks for a language (D28), a name or a code. What programs read stays as it is: a
 * rule's name, for one, is what a finding is known by again.
 */
export function languageInstruction(language: string): string {
  return `Write everything that people will read (your answer, comments, summaries, issues) in this language: ${language}. Leave code, names, paths, quotations, the \`rule\` of a comment, and text in a form that was asked for as they are.`;
}

/** Whether a text is a name or a code of a language, such as `German` or `pt-BR`, and nothing like a sentence. */
export function isLanguage(text: string): boolean {
  return /^\p{L}[\p{L}\p{M}\p{N} ()-]{0,39}$/u.test(text);
}
