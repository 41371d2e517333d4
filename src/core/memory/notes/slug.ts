/** FNV-1a of 64 bits; its low half hangs on the low halves of basis and prime alone. */
const LOW_BASIS = 0x84222325;
const LOW_PRIME = 0x1b3;
const MAX_BASE_CHARACTERS = 40;

/**
 * Name of the folder that a project's notes stand in: the last part of what the project is known by, and eight hex
 * digits of the whole (memory-tools 1.1). `octo-org/hello.world` → `hello-world-3ccd7a60`. What it is known by is
 * `owner/name` in a workflow, else an absolute path, which is taken as it is: with a slash at the end it is another one.
 */
export function projectSlug(identity: string): string {
  return `${baseOf(identity)}-${hashOf(identity)}`;
}

/** One hyphen for each character that is no ASCII letter, digit, underscore or hyphen. */
function baseOf(identity: string): string {
  const last = identity.split('/').findLast((part) => part !== '' && part !== '.') ?? '';
  if (last === '' || last === '..') return 'root';
  const readable = Array.from(last, (character) => (/^[A-Za-z0-9_-]$/.test(character) ? character : '-'));
  return readable.slice(0, MAX_BASE_CHARACTERS).join('');
}

function hashOf(identity: string): string {
  let hash = LOW_BASIS;
  for (const byte of new TextEncoder().encode(identity)) hash = Math.imul(hash ^ byte, LOW_PRIME);
  return (hash >>> 0).toString(16).padStart(8, '0');
}
