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
