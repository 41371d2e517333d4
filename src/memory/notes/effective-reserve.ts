import { estimateText } from '../../core/text/truncate.js';

/**
 * Tokens of a model's window to keep free: `baseTokens` for the reply, and as many as memory adds to the prompt: run
 * log, notes and the words about the tools, together (memory-tools 1.6 and 4.4). Undefined where it adds nothing.
 */
export function effectiveReserve(baseTokens: number, memoryText: string | undefined): number {
  return memoryText === undefined ? baseTokens : baseTokens + Math.max(1, estimateText(memoryText));
}
