import picocolors from 'picocolors';
import type { Environment } from '../core/environment.js';

/** Functions that colour a text, or return it as it is. */
export type Colors = ReturnType<typeof picocolors.createColors>;

/** Colours for a stream: a terminal has them unless `NO_COLOR` is set; `FORCE_COLOR` colours pipes too. */
export function colorsFor(stream: { readonly isTTY?: boolean }, env: Environment): Colors {
  return picocolors.createColors(hasColors(stream, env));
}

function hasColors({ isTTY = false }: { readonly isTTY?: boolean }, env: Environment): boolean {
  if ((env['NO_COLOR'] ?? '') !== '') return false;
  const forced = env['FORCE_COLOR'];
  if (forced !== undefined) return forced !== '0' && forced !== 'false';
  return isTTY && env['TERM'] !== 'dumb';
}
