import { createHash } from 'node:crypto';
import { type DiffFile, parseDiff, splitHunks } from '../lib/text/diff.js';

/**
 * What a change of a file is known by wherever a rebase moves it: path, mode, kind, and its hunks with their context, but
 * without line numbers. Undefined where that cannot be told: a diff that is put together from the files that GitHub lists has
 * no modes, and lacks the lines of large files.
 */
export function patchId({ path, text }: DiffFile): string | undefined {
  const { header, hunks } = splitHunks(text);
  const all = header.split('\n');
  const isWhole = all.some((line) => BLOBS.test(line) || (hunks.length === 0 && WITHOUT_BLOBS.test(line)));
  if (!isWhole) return undefined;
  const lines = all.filter((line) => !LIKENESS.test(line));
  // What has no lines, such as a binary file, is known by its blobs.
  const facts = hunks.length === 0 ? lines : lines.map((line) => line.replace(BLOBS, 'index'));
  const bodies = hunks.map((hunk) => hunk.replace(/^@@[^\n]*/, '@@'));
  const hash = createHash('sha256').update(JSON.stringify([path, facts, bodies]));
  return hash.digest('base64url').slice(0, ID_LENGTH);
}

const BLOBS = /^index [0-9a-f]+\.\.[0-9a-f]+/;
/** A file that is only moved, or whose mode alone changes, names no blobs. */
const WITHOUT_BLOBS = /^(?:old mode |similarity index 100%)/;
/** How alike both sides of a rename are is the base's doing too. */
const LIKENESS = /^(?:dis)?similarity index /;

/** 96 bits, so that nobody can make another change with the same. */
const ID_LENGTH = 16;

/** What the files of a change are known by, but for those that nobody has read; nobody reads binary ones. */
export function patchesOf(diff: string, isUnread: (path: string) => boolean): readonly string[] {
  return parseDiff(diff).flatMap((file) =>
    isUnread(file.path) && file.content !== 'binary' ? [] : (patchId(file) ?? []),
  );
}

/** Paths of the files of a change whose patch is one of those, in all its parts. */
export function knownPaths(diff: string, patches: readonly string[]): ReadonlySet<string> {
  const known = new Set(patches);
  const files = parseDiff(diff);
  const isKnown = (file: DiffFile) => known.has(patchId(file) ?? '');
  const others = new Set(files.flatMap((file) => (isKnown(file) ? [] : [file.path])));
  return new Set(files.flatMap(({ path }) => (others.has(path) ? [] : [path])));
}
