import { encodeBytes } from '../text/bytes.js';
import type { Warning } from '../warning.js';
import { stripProvenance } from './run-log.js';
import { checkSignature, type Sign, signedEntries } from './signature.js';
import type { RestoreResult } from './store.js';
import { openBytes, readTail } from './tail.js';
import { parseLog } from './units.js';

/** How much of what was loaded is wanted, and whether it must be signed. */
interface LoadedCheck {
  readonly readPaths: readonly string[];
  readonly lastN: number;
  /** Most bytes; 0 for no bound. */
  readonly maxBytes: number;
  readonly requireSigned: boolean;
}

/**
 * What was read, as far as its signatures allow it: without a key nothing is checked; with one a bad signature is told;
 * where signatures are required, entries without a good one are left out, all of them if there is no key to check with.
 * For that all entries must have been read, so how many are loaded is decided here, by the rule of {@link readTail}.
 */
export async function checkLoaded(
  found: RestoreResult,
  check: LoadedCheck,
  sign: Sign | undefined,
): Promise<RestoreResult> {
  if (found.kind !== 'restored') return found;
  const { readPaths: paths, lastN, maxBytes, requireSigned } = check;
  if (!requireSigned) return sign === undefined ? found : withForged(found, paths, sign);
  if (sign === undefined)
    return { ...found, text: '', loaded: 0, warnings: [...found.warnings, noKey(paths)] };
  const { text, kept, bad, unsigned } = signedEntries(found.text, { paths, lastN, sign });
  const bytes = encodeBytes(text);
  const bounded = await readTail(openBytes(bytes), { lastN: 0, maxBytes });
  const warnings = bad + unsigned === 0 ? [] : [leftOut({ bad, unsigned }, paths)];
  return {
    ...found,
    text: bounded.text,
    loaded: bounded.truncated ? bounded.loaded : kept,
    truncated: bounded.truncated ? { fileBytes: bytes.length } : undefined,
    warnings: [...found.warnings, ...warnings],
  };
}

type Restored = Extract<RestoreResult, { readonly kind: 'restored' }>;

function withForged(found: Restored, paths: readonly string[], sign: Sign): Restored {
  const { units } = parseLog(found.text);
  const bad = units.filter(({ text }) => checkSignature(text, paths, sign) === 'bad').length;
  return bad === 0 ? found : { ...found, warnings: [...found.warnings, forged(bad, paths)] };
}

function forged(bad: number, paths: readonly string[]): Warning {
  const message = `${entries(bad)} of ${named(paths)} ${bad === 1 ? 'has' : 'have'} a signature that does not fit: changed by hand, signed with another key, or forged. Look with \`axe-action memory verify\`; \`memory-require-signed: true\` leaves such entries out.`;
  return { code: 'memory-signature', message };
}

function noKey(paths: readonly string[]): Warning {
  const message = `\`memory-require-signed\` left out all of ${named(paths)}: there is no key to check signatures with. Give \`memory-signing-key\`.`;
  return { code: 'memory-signature', message };
}

/** Tells that entries were left out because they lack a valid signature. */
export function leftOut(
  { bad, unsigned }: { readonly bad: number; readonly unsigned: number },
  paths: readonly string[],
): Warning {
  const why = [
    ...(unsigned > 0 ? [`${unsigned} without a signature`] : []),
    ...(bad > 0 ? [`${bad} with one that does not fit`] : []),
  ];
  const message = `\`memory-require-signed\` left out ${entries(bad + unsigned)} of ${named(paths)}: ${why.join(', ')}. \`axe-action memory verify\` lists them; \`sign\` with the key signs them.`;
  return { code: 'memory-signature', message };
}

function entries(count: number): string {
  return count === 1 ? '1 entry' : `${count} entries`;
}

function named(paths: readonly string[]): string {
  return paths.map((path) => `\`${path}\``).join(' and ');
}

/** What a model is given of a run log: readable, and without the lines that say which run wrote an entry (D8). */
export function promptText(runLog: string): string {
  return readableText(stripProvenance(runLog));
}

/** Text that every provider takes, whatever bytes its file holds: well-formed, and without NUL. */
export function readableText(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD');
}
