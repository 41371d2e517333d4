import { describe, expect, it } from '@jest/globals';
import { DEFAULT_PUBLISH_RULES } from '../../../src/findings/buffered-publications.js';
import type { CommentRequest, FindingContext } from '../../../src/findings/decide/take-finding.js';
import { mergePasses, PublicationBuffer } from '../../../src/findings/publication-buffer.js';
import { scopeRest } from '../change.js';
import { ledgerOf } from '../threads.js';
import { DIFF, HEAD, LINES, lineOf, shownFiles } from './scene.js';

const AUDIT = lineOf("audit.write('read', id, store);");
const DRY = lineOf('if (options.dry) {');

function bufferOf(given: Partial<FindingContext> = {}): PublicationBuffer {
  const review = {
    ...scopeRest(DIFF),
    lines: LINES,
    ledger: ledgerOf([]),
    shown: shownFiles(30, 42),
    ...given,
  };
  return new PublicationBuffer({ rules: DEFAULT_PUBLISH_RULES, review, subject: 42 });
}

function request(parts: Partial<CommentRequest> = {}): CommentRequest {
  return {
    path: 'src/ledger.ts',
    line: AUDIT,
    code: HEAD[AUDIT - 1],
    title: 'The whole account is written to the log',
    body: 'The log has the balance of everybody.',
    category: 'security',
    effect: 'breach',
    reach: 'rare',
    ...parts,
  };
}

const OUTSIDE = { line: DRY, code: HEAD[DRY - 1] };
const RELIES = 'If the change now relies on it, call again with the changed line in `evidence`.';
const NOT_SHOWN =
  'was not shown to you in this run with this `code`. Read it with `github_file`, or leave it out.';
const PROOF = { path: 'src/ledger.ts', line: AUDIT, code: HEAD[AUDIT - 1] ?? '' };

describe('a finding in doubt', () => {
  it.each<[string, Partial<CommentRequest>, string]>([
    [
      'whose short quote is on other lines',
      { line: 13, code: 'return null;' },
      'line 13 of "src/ledger.ts" reads "}"; `code` is on line 6, 12, 28, 48. Call again with the number, or with the lines around it in `code`.',
    ],
    [
      'whose brace is on many lines',
      { line: 12, code: '}' },
      'line 12 of "src/ledger.ts" reads "return null;"; `code` is on line 7, 13, 23, 29, 33 and others. Call again with the number, or with the lines around it in `code`.',
    ],
    [
      'that quotes what is nowhere',
      { code: 'exec(this, and, that)' },
      'line 9 of "src/ledger.ts" reads "audit.write(\'read\', id, store);", and no line that was shown reads as `code` does. Call again with the line copied unchanged.',
    ],
    [
      'on a line that was not shown',
      { line: 4000, code: 'exec(this, and, that)' },
      'line 4000 of "src/ledger.ts" was not shown to you, and no line that was shown reads as `code` does. Call again with the line copied unchanged.',
    ],
    [
      'without a quote, on a line that was not shown',
      { line: 4000, code: ' ' },
      'line 4000 of "src/ledger.ts" was not shown to you. Call again with the line copied into `code`.',
    ],
    [
      'with evidence that was not shown',
      { evidence: [PROOF, { ...PROOF, line: 20, code: 'sum += a * b' }] },
      `line 20 of "src/ledger.ts" ${NOT_SHOWN}`,
    ],
    [
      'in a file that was not shown',
      { path: 'src/no.ts' },
      '"src/no.ts" is not in the diff and was not shown to you in this run. Read it with `github_file`, or leave the finding out.',
    ],
    [
      'in two ways',
      { line: 13, code: '}}', evidence: [{ ...PROOF, line: 20, code: 'sum += a * b' }] },
      `line 20 of "src/ledger.ts" ${NOT_SHOWN} line 13 of "src/ledger.ts" reads "}", and no line that was shown reads as \`code\` does. Call again with the line copied unchanged.`,
    ],
  ])('is asked about once: %s', (_, parts, question) => {
    const buffer = bufferOf();
    const answer = { kind: 'refused', text: `Not accepted: ${question}` };
    expect(buffer.addComment(request(parts))).toEqual(answer);
    expect(buffer.buffered.refusals).toEqual([]);
    const again = buffer.addComment(request(parts));
    expect(again.kind).toBe(parts.path === undefined ? 'taken' : 'refused');
  });

  it('is in the text of the review without a line, and not certain, if nobody answers', () => {
    const buffer = bufferOf();
    buffer.addComment(request({ line: 13, code: 'return null;', suggestion: 'return;' }));
    expect(buffer.buffered.findings).toMatchObject([
      { finding: { confidence: 'unsure' }, placement: { kind: 'body', reason: 'unclear' } },
    ]);
    expect(buffer.buffered.findings[0]?.finding.code).toBeUndefined();
  });

  it('loses the evidence that was not shown, and its certainty, if nobody answers', () => {
    const buffer = bufferOf();
    buffer.addComment(request({ evidence: [PROOF, { ...PROOF, code: 'sum += a * b' }] }));
    expect(buffer.buffered.findings).toMatchObject([
      { finding: { confidence: 'unsure', evidence: [PROOF] }, placement: { line: AUDIT } },
    ]);
  });

  it('is one finding after the answer, whatever its line is then', () => {
    const buffer = bufferOf();
    buffer.addComment(request({ line: 13, code: 'return null;' }));
    buffer.addComment(request({ line: 12, code: 'return null;' }));
    expect(buffer.buffered.findings).toMatchObject([
      { finding: { confidence: 'likely' }, placement: { line: 12 } },
    ]);
  });

  it('is not answered by another finding on its line', () => {
    const buffer = bufferOf();
    buffer.addComment(request({ line: 13, code: 'return null;' }));
    buffer.addComment(request({ line: 13, code: '}', title: 'Missing retry', category: 'data' }));
    expect(buffer.buffered.findings).toHaveLength(2);
  });
});

describe('a finding that the change did not bring', () => {
  it('is listed apart', () => {
    const buffer = bufferOf();
    expect(buffer.addComment(request(OUTSIDE))).toEqual({
      kind: 'taken',
      text: `It will be listed as not from this change, where it blocks nothing. ${RELIES}`,
    });
    expect(buffer.buffered).toMatchObject({ findings: [], preexisting: [{ line: DRY }] });
  });

  it('is a finding of the change with a line of the diff as evidence', () => {
    const buffer = bufferOf();
    buffer.addComment(request({ ...OUTSIDE, evidence: [PROOF] }));
    expect(buffer.buffered).toMatchObject({
      findings: [{ placement: { kind: 'body', reason: 'outside' } }],
      preexisting: [],
    });
  });

  it('is listed once, also if two passes raise it, and not any more as a finding of the change', () => {
    const buffer = bufferOf();
    buffer.addComment(request(OUTSIDE));
    buffer.addComment(request({ ...OUTSIDE, body: 'In other words.' }));
    expect(buffer.buffered.preexisting).toMatchObject([{ body: 'In other words.' }]);
    const passes = [buffer.buffered, buffer.buffered];
    expect(mergePasses(passes, 10).preexisting).toHaveLength(1);
    buffer.addComment(request({ ...OUTSIDE, evidence: [PROOF] }));
    expect(buffer.buffered).toMatchObject({ findings: [{}], preexisting: [] });
  });

  it('is not taken in a later review', () => {
    const buffer = bufferOf({ isLaterReview: true });
    const text = `the change does not touch line ${DRY} of "src/ledger.ts", and only the first review of a pull request reports what was there before. ${RELIES}`;
    const answer = { kind: 'refused', text: `Not accepted: ${text}` };
    expect(buffer.addComment(request(OUTSIDE))).toEqual(answer);
    expect(buffer.buffered.preexisting).toEqual([]);
  });

  it.each([
    ['is on an unchanged line of the diff', { line: 8, code: HEAD[7] }],
    ['is in a file without lines', { path: 'logo.png', line: 1 }],
  ])('is one of the change if it %s', (_, parts) => {
    const buffer = bufferOf();
    buffer.addComment(request(parts));
    expect(buffer.buffered).toMatchObject({ findings: [{}], preexisting: [] });
  });
});
