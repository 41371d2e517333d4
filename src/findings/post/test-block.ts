import { createHash } from 'node:crypto';
import { codeBlock, codeSpan, count } from '../../lib/text/format.js';
import type { TestedFinding } from '../buffered-publications.js';
import type { Finding } from '../finding.js';

/** UTF-16 units of the output that a comment shows, its end. */
const MAX_OUTPUT = 6000;

/**
 * The folded test of a finding, in the run that wrote it; empty for none. The program has checked
 * that cleaning leaves test, command and values as they are.
 */
export function testBlock({ test, shown }: Finding, clean: (markdown: string) => string): string {
  if (test === undefined || shown === undefined) return '';
  const [withFault, withoutFault] = test.saw.map(codeInSummary);
  const end = shown.output.slice(-MAX_OUTPUT).toWellFormed();
  return [
    `<details><summary>Shown by a test: it sees ${withFault}, with a fix ${withoutFault}</summary>`,
    `${clean(codeSpan(test.path))}, by ${clean(codeSpan(test.command))}, ${count(shown.times, 'time')} each. It shows what the code does; a second check found that this is wrong.`,
    codeBlock(shown.text, ''),
    ...(end.trim() === '' ? [] : [clean(codeBlock(end, ''))]),
    '</details>',
  ].join('\n\n');
}

/** Code inside of a summary, where GitHub renders no markdown. */
function codeInSummary(value: string): string {
  const escaped = value.replace(/[^\w .,:;+*/=?!()[\]{}-]/gu, (character) => {
    return `&#${character.codePointAt(0)};`;
  });
  return `<code>${escaped}</code>`;
}

/** A test with the line breaks that every reader of a comment gets. */
export function plainTest(text: string): string {
  return text.replaceAll(/\r\n?/g, '\n').replace(/\n+$/, '');
}

/** The fingerprint of a test. */
export function testHash(text: string): string {
  return createHash('sha256').update(plainTest(text)).digest('hex');
}

/** Reasons why no test shows a finding, besides that of its last attempt. */
export const WHY_UNTRIED = 'no test was tried';
export const WHY_UNCONFIRMED = 'its second check could not tell';

/** `Shown by a test: 1 of 3. FM3T8: no proof, its test did not get to its check.`; empty for none. */
export function formatTested(tested: readonly TestedFinding[]): string {
  if (tested.length === 0) return '';
  const shown = tested.filter(({ why }) => why === undefined).length;
  const others = tested.flatMap(({ handle, why }) =>
    why === undefined ? [] : [`${handle}: no proof, ${why}.`],
  );
  return [`Shown by a test: ${shown} of ${tested.length}.`, ...others].join(' ');
}
