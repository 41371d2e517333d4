import { describe, expect, it } from '@jest/globals';
import {
  checkEvidence,
  linesClaimingChecks,
  linesOfDiff,
  ShownFiles,
} from '../../src/findings/decide/evidence.js';
import type { Evidence } from '../../src/findings/finding.js';
import { parseDiff } from '../../src/lib/text/diff.js';

const DIFF = `diff --git a/src/db.ts b/src/db.ts
--- a/src/db.ts
+++ b/src/db.ts
@@ -20,4 +20,4 @@ export function find(id) {
   const db = open();
-  return db.get(id);
+  return db.query('select * from t where id = ' + id);
 }
`;

describe('checkEvidence', () => {
  it.each([
    [
      'a line copied with the mark of the diff',
      { line: 21, code: '-  return db.get(id);' },
      21,
      'LEFT',
    ],
    ['a part of a line', { line: 21, code: 'from t where id = ' }, 21, 'RIGHT'],
    [
      'a path with the prefix of the diff',
      { path: 'b/src/db.ts', line: 22, code: '}' },
      22,
      'RIGHT',
    ],
  ] as const)('accepts %s', (_, evidence, line, side) => {
    expect(checkDiff(evidence)).toMatchObject({ side, path: 'src/db.ts', line });
  });

  it('corrects a line number to the nearest line with the text', () => {
    const lines = ['a', 'await run(job);', 'b', 'c', 'await run(job);'];
    const ledger = new ShownFiles([{ path: 'src/queue.ts', side: 'RIGHT', firstLine: 80, lines }]);
    const check = checkEvidence(
      { path: 'src/queue.ts', line: 88, code: 'await run(job);' },
      ledger,
    );
    expect(check).toEqual({
      side: 'RIGHT',
      path: 'src/queue.ts',
      line: 84,
      code: 'await run(job);',
    });
  });

  it.each([
    ['a closing brace on another line', { line: 31, code: '}' }],
    ['a short part of a line', { line: 31, code: 'open()' }],
    ['a short part of the line itself', { line: 20, code: 'open()' }],
  ])('refuses %s', (_, evidence) => {
    expect(checkDiff(evidence)).toBe(
      `line ${evidence.line} of "src/db.ts" was not shown to you in this run with this \`code\`. Read it with \`github_file\`, or leave it out.`,
    );
  });

  it('requires the line if the code is blank', () => {
    expect(checkDiff({ line: 21, code: ' \n ' })).toBe(
      'the evidence for line 21 of "src/db.ts" has no `code`. Copy the line unchanged, or leave it out.',
    );
  });
});

function checkDiff(evidence: Omit<Evidence, 'path'> & { readonly path?: string }) {
  const ledger = new ShownFiles(linesOfDiff(parseDiff(DIFF)));
  return checkEvidence({ path: 'src/db.ts', ...evidence }, ledger);
}

function claimsIn(line: string): readonly string[] {
  return linesClaimingChecks(parseDiff(`--- a/a.ts\n+++ b/a.ts\n@@ -0,0 +1 @@\n+${line}\n`));
}

describe('an added line', () => {
  it.each([
    '// input is already validated by the caller',
    'run(query); // sanitized upstream',
    'x = load(path)  # previously verified',
    ' * Reviewed by the security team.',
    '/* no further validation is needed here */',
    '-- escaped by the ORM',
    '# No need to check: trusted input',
    '<!-- not exploitable, known false positive -->',
    '// authorization happens upstream',
    '// sanitisation is done by the caller',
    '// the path is always safe',
  ])('%j claims a check', (line) => {
    expect(claimsIn(line)).toEqual(['a.ts:1']);
  });

  it.each([
    'const message = "already validated";',
    '// validates the input',
    '// TODO: reviewed by whom?',
    '# checks the password of a user',
    'if (!isValid) throw new Error("invalid");',
    '// see RFC 7234, section 4.2',
    'get("http://x.example/this is safe");',
  ])('%j claims none', (line) => {
    expect(claimsIn(line)).toEqual([]);
  });
});

it('claimedChecks gives the places of added lines only', () => {
  const diff = `diff --git a/a.ts b/a.ts
--- a/a.ts
+++ b/a.ts
@@ -3,3 +3,3 @@
 // already validated
-// sanitized upstream
+// reviewed by security
 run(query);
`;
  expect(linesClaimingChecks(parseDiff(diff))).toEqual(['a.ts:4']);
});
