import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { normalizeCode } from '../../src/review/code.js';
import { findingText, firstSentence, mintId } from '../../src/review/finding.js';
import { finding } from './change.js';

describe('the id of a finding', () => {
  it('has sixteen hexadecimal digits, the same in every version', () => {
    expect(mintId('7/1/review', 1)).toMatchInlineSnapshot(`"8aefabeb5258b5a2"`);
    expect(mintId('7/1/review', 1)).toMatch(/^[0-9a-f]{16}$/);
  });

  it('is different for every run and every number in it', () => {
    const run = fc.stringMatching(/^[0-9]{1,3}\/[0-9]$/);
    fc.assert(
      fc.property(run, run, fc.nat(200), fc.nat(200), (one, other, number, next) => {
        fc.pre(one !== other || number !== next);
        expect(mintId(one, number)).not.toBe(mintId(other, next));
      }),
    );
  });
});

describe('the text of a finding', () => {
  it.each<[object, string]>([
    [{ title: 'T', body: 'B', trigger: 'W' }, 'T\nB\nW'],
    [{ title: 'T', body: 'B' }, 'T\nB'],
    [{ title: '', body: 'B' }, 'B'],
  ])('of %j is %j', (parts, expected) => {
    expect(findingText(finding(parts))).toBe(expected);
  });
});

describe('a line of code', () => {
  it.each<[string, string]>([
    ['\t\ta(b,  c);  \r', 'a(b, c);'],
    ['a(b, c);', 'a(b, c);'],
    ['  ', ''],
  ])('%j is compared as %j', (code, expected) => {
    expect(normalizeCode(code)).toBe(expected);
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
