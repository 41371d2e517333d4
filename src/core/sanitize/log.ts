import { stripInvisible } from './invisible.js';

/**
 * Text for the log of a step, in which nothing is a command to the runner: not `::name::` at the start of a line, not
 * `##[name]` anywhere, also not behind a carriage return (memory-and-security C8 94; actions/runner takes white space
 * before the first, and text before the second). A space makes them plain text.
 */
export function cleanLog(text: string): string {
  return stripInvisible(text)
    .replace(/^[^\S\n]*:(?=:)/gm, '$& ')
    .replaceAll('##[', '## [');
}
