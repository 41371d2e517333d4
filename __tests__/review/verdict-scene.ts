import { parseDiff } from '../../src/lib/text/diff.js';
import type { FindingVerdict } from '../../src/review/claims.js';
import { type PlacedFinding, placeFinding, readDiffLines } from '../../src/review/diff-lines.js';
import { createShownFiles, linesOfDiff, type ShownFiles } from '../../src/review/evidence.js';
import { type Finding, mintId } from '../../src/review/finding.js';
import { finding } from './change.js';

/** A query that is built from text. */
export const DIFF = `diff --git a/src/db.ts b/src/db.ts
--- a/src/db.ts
+++ b/src/db.ts
@@ -20,5 +20,6 @@ export function find(id: string) {
   const name = id.trim();
-  return db.query('select * from t where id = $1', [name]);
+  const sql = 'select * from t where id = ' + name;
+  return db.query(sql);
   // done
 }
 
`;
/** Its lines, and its files. */
export const LINES = readDiffLines(DIFF);
export const FILES = parseDiff(DIFF);

/** A finding in it. */
export function placed(number: number, patch: Partial<Finding> = {}): PlacedFinding {
  return placeFinding(finding({ id: mintId('run', number), path: 'src/db.ts', line: 22, ...patch }), LINES);
}

/** All of it, as it was shown. */
export function shownFiles(): ShownFiles {
  const shown = createShownFiles();
  for (const lines of linesOfDiff(FILES)) shown.show(lines);
  return shown;
}

/** Lines that were shown, and that were not. */
export const SHOWN = { path: 'src/db.ts', line: 20, code: 'const name = id.trim();' };
export const FORGED = { path: 'src/guard.ts', line: 4, code: 'assertSafe(name);' };

/** A refutation. */
export function request(patch: Partial<FindingVerdict> = {}): FindingVerdict {
  return { kind: 'refuted', evidence: [SHOWN], reason: 'It is checked before.', ...patch };
}
