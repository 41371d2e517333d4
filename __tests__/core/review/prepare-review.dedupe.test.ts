import { describe, expect, it } from '@jest/globals';
import { dropKnown } from '../../../src/core/review/prepare-review.js';
import type { Withdrawn } from '../../../src/core/review/state-facts.js';
import { placed } from './change.js';

const AT = new Date('2026-11-20T10:00:00Z');

function withdrawn(parts: Partial<Withdrawn> = {}): Withdrawn {
  const { fingerprint, finding } = placed();
  const { path, rule } = finding;
  return {
    kind: 'withdrawn',
    fingerprint,
    pull: 40,
    path,
    rule,
    why: 'thumbs-down',
    by: 'octocat',
    at: AT,
    ...parts,
  };
}

describe('a finding that was said before', () => {
  it('is not repeated while it is open', () => {
    const [one, other] = [placed(), placed({ line: 11 })];
    const sorted = dropKnown([one, other], { open: [one.fingerprint], withdrawn: [] });
    expect(sorted).toEqual({ fresh: [other], alreadyOpen: [one], withdrawn: [] });
  });

  it('is repeated where the same line stands a second time', () => {
    const [one, other] = [placed({ line: 10 }), placed({ line: 10, body: 'Again.' })];
    const sorted = dropKnown([one, other], { open: [one.fingerprint], withdrawn: [] });
    expect(sorted.alreadyOpen).toEqual([one]);
    expect(sorted.fresh).toEqual([other]);
  });

  it.each<[string, Partial<Withdrawn>, number]>([
    ['with a thumb down', {}, 1],
    ['by resolving it', { why: 'resolved' }, 1],
    ['in an answer', { why: 'reply' }, 1],
    ['on another pull request', { pull: 1 }, 1],
    ['by fixing it, and it is back', { why: 'fixed' }, 0],
    ['in another file', { path: 'src/b.ts' }, 0],
    ['under another rule', { rule: 'xss' }, 0],
    ['on another line', { fingerprint: '0'.repeat(16) }, 0],
  ])('and withdrawn %s is dropped: %s', (_, parts, dropped) => {
    const sorted = dropKnown([placed()], { open: [], withdrawn: [withdrawn(parts)] });
    expect(sorted.withdrawn).toHaveLength(dropped);
    expect(sorted.fresh).toHaveLength(1 - dropped);
  });

  it('is not repeated where it was answered, whatever is kept of it', () => {
    const [one, other] = [placed(), placed({ line: 11 })];
    const known = { open: [], withdrawn: [], withdrawnHere: [one.fingerprint] };
    expect(dropKnown([one, other], known)).toEqual({ fresh: [other], alreadyOpen: [], withdrawn: [one] });
  });

  it('is known in a renamed file', () => {
    const renamed = placed({ path: 'src/new-name.ts', line: 5 });
    const former = renamed.formerFingerprint ?? '';
    expect(former).not.toBe('');
    expect(dropKnown([renamed], { open: [former], withdrawn: [] }).alreadyOpen).toEqual([renamed]);
    const fact = withdrawn({ fingerprint: former, path: 'src/old-name.ts' });
    expect(dropKnown([renamed], { open: [], withdrawn: [fact] }).withdrawn).toEqual([renamed]);
  });

  it('is withdrawn rather than open where it is both', () => {
    const known = { open: [placed().fingerprint], withdrawn: [withdrawn()] };
    expect(dropKnown([placed()], known).withdrawn).toHaveLength(1);
  });
});
