import type { BlockedPlace, TreeResult } from './store.js';

/** Why a file cannot be used: it is blocked itself, or a folder that it is in. */
export function blockedAt(
  { blocked = [] }: { readonly blocked?: readonly BlockedPlace[] | undefined },
  path: string,
): BlockedPlace | undefined {
  return blocked.find((place) =>
    place.path.endsWith('/') ? path.startsWith(place.path) : path === place.path,
  );
}

/**
 * The first of some files that is there and could not be read: it must not be taken for a missing one. A link is not a file
 * of memory, and was left out with a warning.
 */
export function firstUnread(
  found: Extract<TreeResult, { readonly kind: 'tree' }>,
  paths: readonly string[],
): BlockedPlace | undefined {
  const unread = paths
    .filter((path) => !found.tree.has(path))
    .flatMap((path) => blockedAt(found, path) ?? []);
  return unread.find(({ reason }) => reason !== 'refused');
}
