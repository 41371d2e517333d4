import type { KeyPath } from './toml-keys.js';

const BARE = /^[A-Za-z0-9_-]+$/;
const MAX_SHOWN = 80;

/**
 * A key path for a message: `mcp_servers[0].name`. Names that are not bare are quoted and escaped, so that a hostile
 * one cannot break the line; long ones are cut.
 */
export function showKey(path: KeyPath): string {
  const shown = path
    .map((part, position) =>
      typeof part === 'number' ? `[${part}]` : `${position === 0 ? '' : '.'}${showName(part)}`,
    )
    .join('');
  return shown.length > MAX_SHOWN ? `${shown.slice(0, MAX_SHOWN)}…` : shown;
}

function showName(name: string): string {
  return BARE.test(name) ? name : JSON.stringify(name.slice(0, MAX_SHOWN));
}
