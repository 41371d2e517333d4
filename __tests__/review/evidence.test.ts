import { describe, expect, it } from '@jest/globals';
import { parseDiff } from '../../src/lib/text/diff.js';
import { readDiffLines } from '../../src/review/diff-lines.js';
import {
  checkEvidence,
  createShownFiles,
  type EvidenceCheck,
  type GatedFinding,
  type GateRules,
  linesOfDiff,
  stopAtGate,
} from '../../src/review/evidence.js';
import type { Evidence } from '../../src/review/finding.js';

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
    ['a line copied with the mark of the diff', { line: 21, code: '-  return db.get(id);' }, 21, 'LEFT'],
    ['a part of a line', { line: 21, code: 'where id = ' }, 21, 'RIGHT'],
    ['a path with the prefix of the diff', { path: 'b/src/db.ts', line: 22, code: '}' }, 22, 'RIGHT'],
  ] as const)('accepts %s', (_, evidence, line, side) => {
    const check = checkDiff(evidence);
    expect(check).toMatchObject({
      kind: 'shown',
      side,
      evidence: { path: 'src/db.ts', line },
    });
  });

  it('corrects a line number to the nearest line with the text', () => {
    const ledger = createShownFiles();
    const lines = ['a', 'await run(job);', 'b', 'c', 'await run(job);'];
    ledger.show({ path: 'src/queue.ts', side: 'RIGHT', firstLine: 80, lines });
    const check = checkEvidence({ path: 'src/queue.ts', line: 88, code: 'await run(job);' }, ledger);
    expect(check).toEqual({
      kind: 'shown',
      side: 'RIGHT',
      evidence: { path: 'src/queue.ts', line: 84, code: 'await run(job);' },
    });
  });

  it('accepts the text of a search hit, which has no number', () => {
    const ledger = createShownFiles();
    ledger.show({
      path: 'db/ledger.sql',
      side: 'RIGHT',
      firstLine: undefined,
      lines: ['create table ledger (', '  id text,'],
    });
    expect(checkEvidence({ path: 'db/ledger.sql', line: 14, code: 'id text,' }, ledger)).toMatchObject({
      kind: 'shown',
      evidence: { line: 14, code: '  id text,' },
    });
    expect(checkEvidence({ path: 'db/ledger.sql', line: 14, code: 'id text unique,' }, ledger).kind).toBe(
      'refused',
    );
  });

  it.each([
    ['a closing brace on another line', { line: 31, code: '}' }],
    ['a short part of a line', { line: 31, code: 'open()' }],
  ])('refuses %s', (_, evidence) => {
    const path = 'path' in evidence ? evidence.path : 'src/db.ts';
    expect(messageOf(checkDiff(evidence))).toBe(
      `Not accepted: line 31 of "${path}" was not shown to you in this run with this \`code\`. Read it with \`github_file\`, or leave it out.`,
    );
  });

  it.each([' \n '])('requires the line if the code is %p', (code) => {
    expect(messageOf(checkDiff({ line: 21, code }))).toBe(
      'Not accepted: the evidence for line 21 of "src/db.ts" has no `code`. Copy the line unchanged, or leave it out.',
    );
  });
});

function checkDiff(evidence: Omit<Evidence, 'path'> & { readonly path?: string }): EvidenceCheck {
  const ledger = createShownFiles();
  for (const lines of linesOfDiff(parseDiff(DIFF))) ledger.show(lines);
  return checkEvidence({ path: 'src/db.ts', ...evidence }, ledger);
}

function messageOf(check: EvidenceCheck): string {
  return check.kind === 'refused' ? check.message : 'taken';
}

const GATED = `diff --git a/src/db.ts b/src/db.ts
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
  lines: readDiffLines(GATED),
  isInScope: () => true,
  minSeverity: 'minor',
  isLaterReview: false,
};

const CHANGED = { path: 'src/db.ts', line: 21, side: 'RIGHT' } as const;

describe('stopAtGate', () => {
  it.each([
    [
      'outside-paths',
      { path: 'docs/a.md' },
      { isInScope: (path: string) => path.startsWith('src/') },
      '"docs/a.md" is outside the paths that this review is about. Leave it out.',
    ],
    [
      'pre-existing',
      { line: 20 },
      {},
      'the change does not touch line 20 of "src/db.ts". If the change now relies on it, call again with the changed line in `evidence`. Otherwise leave it out.',
    ],
    [
      'below-min-severity',
      { severity: 'minor' },
      { minSeverity: 'major' },
      'its effect and reach make it `minor`, and this review reports `major` and worse. Leave it out.',
    ],
    [
      'nit-later',
      { severity: 'nit' },
      { minSeverity: 'nit', isLaterReview: true },
      'its effect and reach make it `nit`, and only the first review of a pull request reports those. Leave it out.',
    ],
  ] as const)('stops at %s', (_, finding, rules, message) => {
    expect(stopAtGate({ ...FINDING, ...finding }, { ...RULES, ...rules })).toBe(message);
  });

  it.each([
    'Verify that the input is escaped',
    'Please make sure the lock is held',
    'Consider using a prepared statement',
    'You may want to double-check this',
    'It would be good to ensure that ids are unique',
    '**Consider** a retry',
  ])('treats "%s" as a question', (title) => {
    expect(stopAtGate({ ...FINDING, title, trigger: '' }, RULES)).toContain('asks the author');
    expect(stopAtGate({ ...FINDING, body: `${title}.`, trigger: '' }, RULES)).toContain('asks the author');
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
    [
      'a file outside of the diff with evidence on a changed line',
      { path: 'src/api.ts', evidence: [CHANGED] },
    ],
    ['a file whose lines are not in the diff', { path: 'logo.png', line: 1 }],
  ] as const)('does not call %s pre-existing', (_, finding) => {
    expect(stopAtGate({ ...FINDING, ...finding }, RULES)).toBeUndefined();
  });

  it('reports nits in a first review that requests them', () => {
    expect(stopAtGate({ ...FINDING, severity: 'nit' }, { ...RULES, minSeverity: 'nit' })).toBeUndefined();
  });
});
