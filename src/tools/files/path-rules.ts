import { CREDENTIAL_NAMES, CREDENTIAL_PLACES } from './credential-files.js';

const MAX_PATH = 4096;

/**
 * Takes a relative path apart; `.` and doubled slashes go, and no form is left that could lead anywhere else on any
 * system: no `..`, no backslash, no drive, no stream, no control character (memory-and-security C7 87).
 */
export function parsePath(path: string): { readonly segments: readonly string[]; readonly refusal?: string } {
  const refused = (refusal: string) => ({ segments: [], refusal });
  if (path.trim() === '') return refused('a path is required; `.` is the working directory');
  if (path.length > MAX_PATH) return refused('the path is too long');
  if (CONTROL.test(path)) return refused('a path has no control characters in it');
  if (path.includes('\\')) return refused('the parts of a path are separated by `/`, not by a backslash');
  if (path.includes(':')) return refused('a path has no `:` in it: no drives and no streams');
  if (path.startsWith('/')) return refused('it lies outside of the working directory; give a relative path');
  const segments = path.split('/').filter((segment) => segment !== '' && segment !== '.');
  if (segments.some((segment) => FOLDED_PARENT.test(segment))) {
    return refused('`..` is not allowed; give a path inside of the working directory');
  }
  return { segments };
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const CONTROL = /[\0-\x1f\x7f]/;

/** `..`, also with the trailing dots and spaces that Windows drops. */
const FOLDED_PARENT = /^\.\.[. ]*$/;

/**
 * Whether a path leads to where credentials are kept, by {@link CREDENTIAL_PLACES}. Names are compared as the most lenient
 * file system compares them. Never read, listed or written (D22, memory-and-security C7 86).
 */
export function isSecretPath(segments: readonly string[]): boolean {
  const names = segments.map(foldName);
  return names.some(
    (name, at) =>
      CREDENTIAL_NAMES.some((pattern) => pattern.test(name)) ||
      LENGTHS.some((length) => PLACES.has(names.slice(at, at + length).join('/'))),
  );
}

const PLACES: ReadonlySet<string> = new Set(CREDENTIAL_PLACES.map((place) => place.toLowerCase()));

/** Numbers of names that a place has. */
const LENGTHS = [...new Set(CREDENTIAL_PLACES.map((place) => place.split('/').length))];

/**
 * Whether a path must not be written although it may be read: GitHub's own folder and actions, which run with the
 * repository's secrets, and the agents themselves with their skills (memory-and-security C7 90, D21).
 */
export function isWriteProtected(segments: readonly string[]): boolean {
  const names = segments.map(foldName);
  return PROTECTED_PLACES.some((place) => contains(names, place));
}

/** What must not be written wherever it lies: names of a path, one after the other. */
export const PROTECTED_PLACES: readonly (readonly string[])[] = [
  ['.github'],
  ['action.yml'],
  ['action.yaml'],
  ['axe', 'agents'],
  ['axe', 'skills'],
  ['.axe'],
];

/** A name as macOS and Windows would find it too: case, width, invisible characters, trailing dots and spaces. */
export function foldName(name: string): string {
  return name
    .normalize('NFKC')
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .toLowerCase()
    .replace(/[. ]+$/, '');
}

function contains(names: readonly string[], place: readonly string[]): boolean {
  return names.some((_, start) => place.every((name, index) => names[start + index] === name));
}
