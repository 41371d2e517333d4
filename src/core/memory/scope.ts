import { ConfigError } from '../errors.js';
import { textId } from './units.js';

const MAX_CHARACTERS = 200;
const OTHER_CHARACTERS = /[^A-Za-z0-9._-]+/g;
/** What a memory keeps for itself besides run logs: lanes (D19), the offline rules (D32) and notes (D10). */
const RESERVED = new Set(['untrusted', 'offline', 'notes', 'daily', 'projects', 'scratchpad', 'memory']);
/** Names that Windows keeps for devices, with any extension (Naming Files, Paths, and Namespaces). */
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/;
/** A folder of one scope must not stand where another's run log, its former version or its lock does. */
const FILE = /\.(?:md|bak|lock)$/;
const HASHED = /-[0-9a-f]{16}$/;

/**
 * Folder in the memory tree for an input `memory-scope`, `/`-separated. A part of lower-case letters, digits, dots,
 * underscores and hyphens stands as it is. Any other part (with upper-case letters too, which some disks do not tell
 * apart, or a name that means something in a memory) ends in a hash of what was written, so that no two scopes ever
 * share a folder. Throws a ConfigError for an empty part and for more than 200 characters.
 */
export function scopeFolder(scope: string): string {
  if (scope.length > MAX_CHARACTERS) {
    throw new ConfigError(`the input \`memory-scope\` is ${scope.length} characters long`, {
      remedy: `Write at most ${MAX_CHARACTERS}.`,
    });
  }
  const parts = scope.split('/');
  if (parts.includes('')) {
    throw new ConfigError(`the input \`memory-scope\` has an empty part: ${JSON.stringify(scope)}`, {
      remedy: 'Write names with single slashes between them, for example `packages/api`.',
    });
  }
  return parts.map(folderName).join('/');
}

/** One folder below another; either may be empty, for the top. */
export function joinFolders(...folders: readonly string[]): string {
  return folders.filter((folder) => folder !== '').join('/');
}

function folderName(part: string): string {
  const readable = part.replace(OTHER_CHARACTERS, '-').replace(/^[.-]+/, '');
  return readable === part && mayStand(part) ? part : `${readable || 'scope'}-${hashOf(part)}`;
}

function mayStand(name: string): boolean {
  return (
    !/[A-Z]/.test(name) &&
    !name.endsWith('.') &&
    !RESERVED.has(name) &&
    !DEVICE.test(name) &&
    !FILE.test(name) &&
    !HASHED.test(name)
  );
}

/** 16 hex digits; quoted, since the hash does not see space at the end. */
function hashOf(part: string): string {
  return textId(JSON.stringify(part)).slice('t-'.length);
}
