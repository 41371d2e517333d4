import { MAX_TOOL_RESULT_BYTES } from '../defaults.js';
import { fence } from '../sanitize/fence.js';
import { truncate } from '../text/truncate.js';
import { showOutput } from './visible.js';

/** Room for the fence and for notes: what is written out takes more than it did. */
const OVERHEAD_BYTES = 4096;

/**
 * What others wrote, for a tool's answer: fenced, with what a reader cannot see written out, so that a hidden
 * instruction is visible (memory-and-security C6 76). `markdown` text also loses what GitHub does not render.
 */
export function thirdParty(
  text: string,
  about: { readonly source: string; readonly markdown?: boolean },
): string {
  const visible = showOutput(text.replaceAll('\r\n', '\n'));
  return fence(truncate(visible, MAX_TOOL_RESULT_BYTES - OVERHEAD_BYTES), about);
}
