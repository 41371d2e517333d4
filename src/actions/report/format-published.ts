import type { Published } from '../../core/dependencies.js';

/** What was done on GitHub, in a line, with its address where it has one; empty where nothing was. */
export function formatPublished({ line, url }: Published): string {
  const said = line ?? (url === undefined ? '' : 'Posted:');
  return [said, url ?? ''].filter((part) => part !== '').join(' ');
}

/** The same for the job log. */
export function publishedLines(published: Published): readonly string[] {
  const line = formatPublished(published);
  return line === '' ? [] : [line];
}
