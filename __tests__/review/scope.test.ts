import { describe, expect, it } from '@jest/globals';
import { planScope, type Scope, unseenSoFar, wholeSoFar } from '../../src/review/scope.js';
import type { Reviewed } from '../../src/review/state-facts.js';

const [OLD, LAST, HEAD] = ['1', '2', '3'].map((digit) => digit.repeat(40)) as [string, string, string];
const AT = Date.parse('2026-11-22T10:00:00Z');
const REVIEWED: Reviewed = { kind: 'reviewed', pull: 42, head: LAST, base: 'b', into: 'main', at: AT };

function plan(last: Partial<Reviewed> | undefined, asked: Partial<Parameters<typeof planScope>[0]> = {}) {
  const facts = last === undefined ? [] : [{ ...REVIEWED, ...last }];
  return planScope({ facts, pull: 42, head: HEAD, into: 'main', isFullRequested: false, ...asked });
}

describe('the scope of a review', () => {
  it('continues from the commit that was reviewed last', () => {
    expect(plan({})).toEqual({ kind: 'ask', from: LAST, before: { last: LAST, wasCut: false } });
  });

  it('includes what did not fit into the reviews before', () => {
    expect(plan({ unseen: ['b.ts'] })).toMatchObject({ kind: 'ask', before: { unseen: ['b.ts'] } });
  });

  it('continues from the last commit that was reviewed completely', () => {
    const before = { last: LAST, wasCut: true };
    expect(plan({ cut: { whole: OLD } })).toEqual({ kind: 'ask', from: OLD, before });
    expect(plan({ cut: { whole: OLD } }, { head: LAST })).toEqual({ kind: 'ask', from: OLD, before });
  });

  it.each<[string, ReturnType<typeof plan>]>([
    ['first', plan(undefined)],
    ['first', plan({ pull: 41 })],
    ['asked', plan({}, { isFullRequested: true })],
    ['again', plan({}, { head: LAST })],
    ['cut-short', plan({ cut: { whole: undefined } })],
    ['other-base', plan({}, { into: 'release' })],
    ['asked', plan({ into: 'release' }, { isFullRequested: true })],
  ])('covers everything: %s', (why, made) => {
    expect(made).toMatchObject({ kind: 'full', why });
  });

  it('does not treat an unknown base as a different one', () => {
    const { into: _, ...without } = REVIEWED;
    const question = { pull: 42, head: HEAD, isFullRequested: false };
    expect(planScope({ ...question, facts: [without], into: 'main' }).kind).toBe('ask');
    expect(planScope({ ...question, facts: [REVIEWED], into: '' }).kind).toBe('ask');
  });
});

const before = { last: LAST, wasCut: false };
const reviewing = { head: HEAD, filesTotal: 11 };
const file = { path: 'a.ts', status: 'modified', additions: 1, deletions: 0 };
const change = { diff: '', files: [file, file], filesTotal: 2 };
const SINCE: Scope = { kind: 'since', from: LAST, before, change, hasMerge: false, ...reviewing };
const AGAIN: Scope = { kind: 'full', why: 'again', before, ...reviewing };

describe('the description of a scope', () => {
  it('names the files of the last complete review that did not fit', () => {
    const partly = { ...before, unseen: ['b.ts'] };
    expect(unseenSoFar({ ...SINCE, before: partly })).toEqual(['b.ts']);
    expect(unseenSoFar({ ...AGAIN, before: partly })).toEqual(['b.ts']);
    expect(unseenSoFar({ kind: 'full', why: 'rewritten', before: partly, ...reviewing })).toEqual([]);
    expect([SINCE, undefined].map(unseenSoFar)).toEqual([[], []]);
  });

  it('states how far the pull request was reviewed before', () => {
    expect([SINCE, AGAIN, undefined].map(wholeSoFar)).toEqual([LAST, LAST, undefined]);
    expect(wholeSoFar({ kind: 'full', why: 'rewritten', before, ...reviewing })).toBeUndefined();
  });
});
