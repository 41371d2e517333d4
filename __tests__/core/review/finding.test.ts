import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readDiffLines } from '../../../src/core/review/diff-lines.js';
import { fingerprint, firstSentence, normalizeRule } from '../../../src/core/review/finding.js';
import { placeFinding } from '../../../src/core/review/place.js';
import { finding } from './change.js';

const CODE = 'query("SELECT " + user.id);';

describe('a rule', () => {
  it.each<[string | undefined, string]>([
    ['sql-injection', 'sql-injection'],
    ['SQL Injection', 'sql-injection'],
    ['  sql_injection\n', 'sql-injection'],
    ['Sql--Injection!', 'sql-injection'],
    ['sécurité', 'se-curite'],
    ['--> @octocat', 'octocat'],
    ['', 'general'],
    ['注入', 'general'],
    [undefined, 'general'],
    ['a'.repeat(80), 'a'.repeat(50)],
    [`${'a'.repeat(49)} b`, 'a'.repeat(49)],
  ])('%j is kept as %j', (written, expected) => {
    expect(normalizeRule(written)).toBe(expected);
  });
});

describe('a fingerprint', () => {
  it('has sixteen hexadecimal digits, the same in every version', () => {
    expect(fingerprint(finding({ code: CODE }))).toMatchInlineSnapshot(`"6389c2042cb7c040"`);
  });

  it.each<[string, object]>([
    ['the line number', { line: 99, startLine: 90 }],
    ['the side', { side: 'LEFT' }],
    ['the words', { body: 'Something else altogether.' }],
    ['capitals and spaces of the rule', { rule: 'SQL  Injection' }],
    ['indentation and spacing', { code: `\t\t${CODE.replace(' +', '   +')}  \r` }],
    ['the suggestion', { suggestion: 'x' }],
  ])('does not depend on %s', (_, parts) => {
    expect(fingerprint({ ...finding({ code: CODE }), ...parts })).toBe(fingerprint(finding({ code: CODE })));
  });

  it.each<[string, object]>([
    ['another file', { path: 'src/b.ts' }],
    ['another rule', { rule: 'xss' }],
    ['another line of code', { code: CODE.replace('id', 'name') }],
    ['capitals in the code', { code: CODE.toUpperCase() }],
  ])('is another for %s', (_, parts) => {
    expect(fingerprint(finding({ code: CODE, ...parts }))).not.toBe(fingerprint(finding({ code: CODE })));
  });

  it.each<[string, object]>([
    ['there is no rule', { rule: 'general', code: CODE }],
    ['the line is a bracket', { code: '  }' }],
    ['the line is empty', { code: '' }],
    ['the line is not known', {}],
  ])('takes the first sentence into account where %s', (_, parts) => {
    const one = fingerprint(finding({ ...parts, body: 'Line 10 leaks. Close it.' }));
    expect(fingerprint(finding({ ...parts, body: '**Line 12** leaks.\n\nSay it longer.' }))).toBe(one);
    expect(fingerprint(finding({ ...parts, body: 'It races.' }))).not.toBe(one);
  });

  it('stays when lines are added above and the surrounding changes', () => {
    const line = fc.stringMatching(/^[a-z ]{0,20}$/);
    fc.assert(
      fc.property(fc.array(line, { maxLength: 30 }), fc.array(line, { maxLength: 5 }), (above, below) => {
        const lines = [...above, `  ${CODE}`, ...below];
        const diff = `--- /dev/null\n+++ b/src/auth.ts\n@@ -0,0 +1,${lines.length} @@\n${lines.map((one) => `+${one}\n`).join('')}`;
        const placed = placeFinding(finding({ line: above.length + 1 }), readDiffLines(diff));
        expect(placed.fingerprint).toBe(fingerprint(finding({ code: CODE })));
      }),
    );
  });
});

describe('the first sentence', () => {
  it.each<[string, string]>([
    ['One. Two.', 'One.'],
    ['No end', 'No end'],
    ['Over\ntwo lines! More', 'Over two lines!'],
    ['In v1.2 it fails. Then', 'In v1.2 it fails.'],
    ['これは危険。次', 'これは危険。'],
    ['  ', ''],
  ])('of %j is %j', (body, expected) => {
    expect(firstSentence(body)).toBe(expected);
  });
});
