import type { Published } from '../../core/dependencies.js';

/** What was done on GitHub, in a line, with a link to it where it has one; empty where nothing was. */
export function formatPublished({ line, url }: Published): string {
  return join(line, url === undefined ? '' : `[Open it](${url})`);
}

/** The same for the job log, which has no links. */
export function publishedLines({ line, url = '' }: Published): readonly string[] {
  const text = join(line, url);
  return text === '' ? [] : [text];
}

function join(line: string | undefined, link: string): string {
  const said = line ?? (link === '' ? '' : 'Posted:');
  return [said, link].filter((part) => part !== '').join(' ');
}
