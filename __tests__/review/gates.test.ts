import { describe, expect, it } from '@jest/globals';
import { readDiffLines } from '../../src/review/diff-lines.js';
import { type GatedFinding, type GateRules, stopAtGate } from '../../src/review/gates.js';

const DIFF = `diff --git a/src/db.ts b/src/db.ts
--- a/src/db.ts
+++ b/src/db.ts
@@ -20,4 +20,4 @@
   const db = open();
-  return db.get(id);
+  return db.query(id);
 }
diff --git a/logo.png b/logo.png
index 1111111..2222222 100644
Binary files a/logo.png and b/logo.png differ
`;

const FINDING: GatedFinding = {
  title: 'Query is built from the request parameter',
  body: 'The `id` of the request becomes part of the query.',
  trigger: 'A request with a quote in its `id`.',
  path: 'src/db.ts',
  line: 21,
  side: 'RIGHT',
  severity: 'major',
  evidence: [],
};

const RULES: GateRules = {
  lines: readDiffLines(DIFF),
  isInScope: () => true,
  minSeverity: 'minor',
  isLaterReview: false,
};

const CHANGED = { path: 'src/db.ts', line: 21, side: 'RIGHT' } as const;

describe('stopAtGate', () => {
  it('lets a finding on a changed line pass', () => {
    expect(stopAtGate(FINDING, RULES)).toBeUndefined();
  });

  it.each([
    [
      'outside-paths',
      { path: 'docs/a.md' },
      { isInScope: (path: string) => path.startsWith('src/') },
      'Not taken: "docs/a.md" is outside of the paths that this review is about. Leave it out.',
    ],
    [
      'asks-only',
      { title: 'Ensure that the id is escaped', trigger: '' },
      {},
      'Not taken: this asks the author to check something and names no fault. Say what happens, and with which `trigger`, or leave it out.',
    ],
    [
      'pre-existing',
      { line: 20 },
      {},
      'Not taken: the change does not touch line 20 of "src/db.ts". If the change now relies on it, call again with the changed line in `evidence`. Otherwise leave it out.',
    ],
    [
      'below-min-severity',
      { severity: 'minor' },
      { minSeverity: 'major' },
      'Not taken: its effect and reach make it `minor`, and this review reports `major` and worse. Leave it out.',
    ],
    [
      'nit-later',
      { severity: 'nit' },
      { minSeverity: 'nit', isLaterReview: true },
      'Not taken: its effect and reach make it `nit`, and only the first review of a pull request reports those. Leave it out.',
    ],
  ] as const)('stops at %s', (gate, finding, rules, message) => {
    expect(stopAtGate({ ...FINDING, ...finding }, { ...RULES, ...rules })).toEqual({ gate, message });
  });

  it.each([
    'Verify that the input is escaped',
    'Please make sure the lock is held',
    'Consider using a prepared statement',
    'You may want to double-check this',
    'It would be good to ensure that ids are unique',
    '**Consider** a retry',
  ])('treats "%s" as a question', (title) => {
    expect(stopAtGate({ ...FINDING, title, trigger: '' }, RULES)?.gate).toBe('asks-only');
    expect(stopAtGate({ ...FINDING, body: `${title}.`, trigger: '' }, RULES)?.gate).toBe('asks-only');
    expect(stopAtGate({ ...FINDING, title }, RULES)).toBeUndefined();
  });

  it.each([
    'Verification of the token is skipped',
    'Considerable time is lost here. Consider a cache.',
    'The check lets everybody pass',
    'The id is not unique. Make sure that it is.',
  ])('does not treat "%s" as a question', (body) => {
    expect(stopAtGate({ ...FINDING, body, trigger: '' }, RULES)).toBeUndefined();
  });

  it.each([
    ['a removed line', { line: 21, side: 'LEFT' }],
    ['a range with a changed line', { line: 22, startLine: 20 }],
    ['evidence on a changed line', { line: 20, evidence: [CHANGED] }],
    [
      'a file outside of the diff with evidence on a changed line',
      { path: 'src/api.ts', evidence: [CHANGED] },
    ],
    ['a file whose lines are not in the diff', { path: 'logo.png', line: 1 }],
  ] as const)('does not call %s pre-existing', (_, finding) => {
    expect(stopAtGate({ ...FINDING, ...finding }, RULES)).toBeUndefined();
  });

  it('calls a file outside of the diff pre-existing', () => {
    expect(stopAtGate({ ...FINDING, path: 'src/api.ts' }, RULES)?.gate).toBe('pre-existing');
  });

  it('reports nits in a first review that requests them', () => {
    expect(stopAtGate({ ...FINDING, severity: 'nit' }, { ...RULES, minSeverity: 'nit' })).toBeUndefined();
  });
});
