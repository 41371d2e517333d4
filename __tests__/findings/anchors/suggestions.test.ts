import { expect, it } from '@jest/globals';
import { DEFAULT_PUBLISH_RULES } from '../../../src/findings/buffered-publications.js';
import type { CommentRequest } from '../../../src/findings/decide/take-finding.js';
import { PublicationBuffer } from '../../../src/findings/publication-buffer.js';
import { scopeRest } from '../change.js';
import { ledgerOf } from '../threads.js';
import { DIFF, HEAD, LINES, shownFiles } from './scene.js';

const codeOf = (first: number, last = first) => HEAD.slice(first - 1, last).join('\n');

/** A suggestion for lines 45 and 46, or others, gets a button. */
function hasButton(suggestion: string, parts: Partial<CommentRequest> = {}): boolean {
  const review = {
    lines: LINES,
    ledger: ledgerOf([]),
    ...scopeRest(DIFF),
    shown: shownFiles(15, 21),
  };
  const buffer = new PublicationBuffer({ rules: DEFAULT_PUBLISH_RULES, review, subject: 42 });
  const { kind, text } = buffer.addComment({
    path: 'src/ledger.ts',
    line: 46,
    startLine: 45,
    code: codeOf(45, 46),
    title: 'The accounts are read twice',
    body: 'Both are read, although one is enough.',
    category: 'correctness',
    effect: 'failure',
    reach: 'common',
    suggestion,
    ...parts,
  });
  expect(kind).toBe('taken');
  const [placed] = buffer.buffered.findings;
  const isOffered = placed?.placement.kind === 'line' && placed.placement.isExact;
  expect(text.includes('without a button')).toBe(!isOffered);
  return isOffered;
}

const ONE_LINE = { startLine: undefined, line: 46, code: codeOf(46) };
const FIXED =
  '  const source = find(from, { lock: true });\n  const target = find(to, { lock: true });';

it.each<[string, string, Partial<CommentRequest>]>([
  ['replaces the lines that were quoted', FIXED, {}],
  ['replaces one line', '  const target = find(to, { lock: true });', ONE_LINE],
  ['inserts a guard', `  if (amount <= 0) throw new RangeError(amount);\n${codeOf(46)}`, ONE_LINE],
  ['leaves a line out', '  const target = find(to, from);', {}],
])('a suggestion that %s gets a button', (_, suggestion, parts) => {
  expect(hasButton(suggestion, parts)).toBe(true);
});

it.each<[string, string, Partial<CommentRequest>]>([
  ['repeats the line above', `${codeOf(44)}\n${FIXED}`, {}],
  ['repeats two lines above, of which one is empty', `${codeOf(43, 44)}\n${FIXED}`, {}],
  ['repeats the line below', `${FIXED}\n${codeOf(47)}`, {}],
  ['repeats two lines below', `${FIXED}\n${codeOf(47, 48)}`, {}],
  ['changes the line above, since its range begins too late', FIXED, ONE_LINE],
  [
    'changes the line below, since its range ends too early',
    FIXED,
    { startLine: undefined, line: 45, code: codeOf(45) },
  ],
  ['leaves a bracket open', '  const source = find(from, {\n  const target = find(to);', {}],
  ['closes one too many', '  const source = find(from));\n  const target = find(to);', {}],
  ['is for a range of which one line was quoted', FIXED, { code: codeOf(46) }],
  [
    'is for a line that is there twice',
    "  audit.write('read', id);",
    { startLine: undefined, line: 9, code: codeOf(9) },
  ],
  [
    'is for all lines of a range that begins in another hunk',
    '  return total(id);',
    { startLine: 13, line: 25, code: codeOf(13, 25) },
  ],
  [
    'is for a short line',
    '    return undefined;',
    { startLine: undefined, line: 48, code: codeOf(48) },
  ],
  [
    'is for a removed line',
    '  const row = get(id);',
    { side: 'LEFT', startLine: undefined, line: 23, code: 'export function close(id, reason) {' },
  ],
])('a suggestion that %s is shown as code', (_, suggestion, parts) => {
  expect(hasButton(suggestion, parts)).toBe(false);
});
