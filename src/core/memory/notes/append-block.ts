/** The prompt with a `<memory>` block behind it; no change without one (memory-tools 1.3). */
export function appendMemoryBlock(prompt: string, block: string | undefined): string {
  return block === undefined || block === '' ? prompt : `${prompt}\n\n---\n\n${block}`;
}
