import { describe, expect, it } from '@jest/globals';
import { parseDiff } from '../../src/lib/text/diff.js';
import { claimedChecks } from '../../src/review/evidence.js';

function claimsIn(line: string): readonly string[] {
  return claimedChecks(parseDiff(`--- a/a.ts\n+++ b/a.ts\n@@ -0,0 +1 @@\n+${line}\n`));
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

describe('claimedChecks', () => {
  it('gives the places of added lines only', () => {
    const diff = `diff --git a/a.ts b/a.ts
--- a/a.ts
+++ b/a.ts
@@ -3,3 +3,3 @@
 // already validated
-// sanitized upstream
+// reviewed by security
 run(query);
`;
    expect(claimedChecks(parseDiff(diff))).toEqual(['a.ts:4']);
  });
});
