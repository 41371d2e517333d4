import type { Published } from '../../axe/ports.js';

/** What was done on GitHub, in a line, with its address where it has one; empty where nothing was. */
export function tellPublished({ line, url }: Published): string {
  const said = line ?? (url === undefined ? '' : 'Posted:');
  return [said, url ?? ''].filter((part) => part !== '').join(' ');
}
