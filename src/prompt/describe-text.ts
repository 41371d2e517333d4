import type { Actor } from '../event/trigger.js';
import { MAX_DESCRIPTION_BYTES } from '../lib/defaults.js';
import { cleanLine, cutToBytes } from '../lib/text/cut.js';
import { grouped } from '../lib/text/number.js';
import type { Warning } from '../lib/warning.js';
import { fence } from '../safety/fence.js';
import { visibleMarkdown } from '../safety/hidden.js';

export interface Parts {
  /** Paragraphs and fences, in order. */
  readonly blocks: readonly string[];
  readonly warnings?: readonly Warning[];
  /** Paths of files of a diff that are not shown, or not whole, for want of room. */
  readonly unseen?: readonly string[];
}

export const NO_PARTS: Parts = { blocks: [] };

/** Code points of a fact, a login or a sha. */
export const MAX_FACT = 200;
const MAX_HEADING = 1000;

export function loginOf({ login }: Actor): string {
  return cleanLine(login, MAX_FACT);
}

/** Markdown by somebody else, fenced, with a heading by them too. */
export function describeText(
  text: string,
  { source, heading }: { readonly source: string; readonly heading: readonly string[] },
): Parts {
  const { text: kept, leftOutBytes } = cutToBytes(visibleMarkdown(text), MAX_DESCRIPTION_BYTES);
  const body = kept.trim() === '' ? '(empty)' : kept;
  const lines = heading.map((line) => cleanLine(line, MAX_HEADING));
  const blocks = [
    fence([...lines, ...(lines.length > 0 ? [''] : []), body].join('\n'), { source, markdown: true }),
  ];
  if (leftOutBytes === 0) return { blocks };
  blocks.push(`The last ${leftOutBytes} bytes of the ${source} are left out.`);
  return { blocks, warnings: [cutWarning(source, leftOutBytes)] };
}

function cutWarning(source: string, leftOutBytes: number): Warning {
  const kilobytes = Math.round(MAX_DESCRIPTION_BYTES / 1024);
  return {
    code: 'context-truncated',
    message: `the ${source} is longer than ${kilobytes} KiB; the last ${grouped(leftOutBytes)} bytes were left out`,
  };
}

/** Several pieces of a message as one. */
export function joinParts(parts: readonly Parts[]): Parts {
  return {
    blocks: parts.flatMap(({ blocks }) => blocks),
    warnings: parts.flatMap(({ warnings = [] }) => warnings),
    unseen: [...new Set(parts.flatMap(({ unseen = [] }) => unseen))],
  };
}
