/**
 * From the bracket that ends a link's text to the link's end: the destination is caught, a title, which is only seen
 * under a pointer, is not. No bracket may lie inside, so that no two attempts read the same characters.
 */
export const LINK_TAIL =
  /\]\( {0,16}([^\s()[\]<>]*(?:\([^\s()[\]<>]*\)[^\s()[\]<>]*){0,8})(?: {1,16}(?:"[^"]*"|'[^']*'))? {0,16}\)/y;

/**
 * A link destination that leads to the web, to a mail address or to a place in the repository, with everything that
 * could end it or mean something else percent-encoded; undefined for any other scheme (memory-and-security C8 99).
 */
export function cleanDestination(destination: string): string | undefined {
  if (!/^(?:https?:\/\/|mailto:|#|\.{0,2}\/|[\w.-]+(?:[/#?]|$))/i.test(destination)) return undefined;
  return destination.replace(/[@`|\\<>]/g, encodeURIComponent).replace(/&(?=#|[a-z][a-z0-9]*;)/gi, '%26');
}

/**
 * Whether GitHub could take an address for an issue, pull request, discussion or commit, on any server: what looks like
 * one elsewhere is treated alike. Escapes count as the characters they stand for.
 */
export function isReferenceUrl(url: string): boolean {
  const plain = url.replace(ESCAPED, (escaped) => decodeURIComponent(escaped));
  return REFERENCE.test(plain) && !REDIRECT.test(plain);
}

const ESCAPED = /%[2-7][0-9a-f]/gi;
const REFERENCE = /\/(?:issues|pulls?|discussions|commits?)\/+[^/\s]/i;
const REDIRECT = /^https?:\/\/redirect\.github\.com\//i;

/**
 * An address that no thread is told of. What github.com has is linked by way of `redirect.github.com`, GitHub's own host
 * for that; an address on another server becomes text, without what makes a link of it.
 */
export function disarmUrl(url: string): { readonly text: string; readonly isLink: boolean } {
  const plain = url.replaceAll('@', '%40');
  const [, path] = /^(?:https?:\/\/)?(?:www\.)?github\.com(\/.*)$/i.exec(plain) ?? [];
  if (path !== undefined) return { text: `https://redirect.github.com${path}`, isLink: true };
  return { text: plain.replace(/^(?:(?:https?:)?\/\/)?(?:www\.)?/i, ''), isLink: false };
}
