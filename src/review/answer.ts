/** What the model is told about something it wants published. */
export type PublicationAnswer =
  | { readonly kind: 'taken'; readonly text: string }
  /** Nothing was taken; the text says why and what would be. */
  | { readonly kind: 'refused'; readonly text: string };

/** An answer to something that will be published. */
export function taken(text: string): PublicationAnswer {
  return { kind: 'taken', text };
}

/** An answer to something that will not. */
export function refused(text: string): PublicationAnswer {
  return { kind: 'refused', text };
}

/** What is wrong with the size of a text, if anything; `name` is the argument's. */
export function sizeProblem(name: string, text: string, maxBytes: number): string | undefined {
  if (text.trim() === '') return `\`${name}\` is empty`;
  const bytes = new TextEncoder().encode(text).length;
  return bytes > maxBytes
    ? `\`${name}\` has ${bytes} bytes, at most ${maxBytes} are taken: shorten it`
    : undefined;
}
