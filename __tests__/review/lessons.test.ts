import { describe, expect, it } from '@jest/globals';
import { codeId, readCode } from '../../src/review/code.js';
import { featuresOf } from '../../src/review/features.js';
import {
  type Accepted,
  heldBack,
  type Lesson,
  lessonsAt,
  type NewFinding,
  STRENGTHS,
} from '../../src/review/lessons.js';
import { sketchOf } from '../../src/review/likeness.js';

const NOW = new Date('2026-11-22T12:00:00Z');
const CODE = 'return cache.get(id) ?? load(id);';
const TEXT = 'Result of `load` is not stored in `cache`, so each call loads again.';
const REWORDED = 'The loaded value is never put into the `cache`, and the next call loads it anew.';

describe('heldBack', () => {
  it('holds a dismissed finding back with different wording, on any pull request', () => {
    const lesson = lessonOf({ pull: 12 });
    expect(held({}, [lesson])).toEqual({ why: 'same', lessons: [lesson] });
    expect(held({ text: REWORDED }, [lesson])?.why).toBe('same');
  });

  it.each([
    ['is about something else', { text: 'The key is not escaped and may hold a path.' }],
    ['is on other code', { code: 'return items.get(key) ?? fetch(key);' }],
    ['is in another file', { path: 'src/other.ts' }],
  ])('posts a finding that %s after one dismissal', (_, finding) => {
    expect(held(finding, [lessonOf({})])).toBeUndefined();
  });

  it('follows a renamed file', () => {
    const finding = { path: 'src/renamed.ts', previousPath: 'src/cache.ts' };
    expect(held(finding, [lessonOf({})])?.why).toBe('same');
  });

  it('never treats a line without content as the same', () => {
    expect(held({ code: '}' }, [lessonOf({ code: '' })])).toBeUndefined();
  });

  it('holds back an equal finding even if it is critical or about security', () => {
    const lesson = lessonOf({ category: 'security' });
    expect(held({ category: 'security', severity: 'critical' }, [lesson])?.why).toBe('same');
  });

  it('ignores an unreadable sketch', () => {
    expect(held({}, [lessonOf({ sketch: '!' })])).toBeUndefined();
  });
});

describe('likeness to dismissed findings', () => {
  const three = [1, 1, 2].map((pull) => lessonOf({ pull, path: 'lib/a.ts', code: codeId('x = other(1)') }));

  it('holds a finding back that resembles three from two pull requests', () => {
    expect(held({ text: REWORDED }, three)).toEqual({ why: 'alike', lessons: three });
  });

  it.each([
    ['two lessons', three.slice(1), {}],
    ['three lessons of one pull request', three.map((one) => ({ ...one, pull: 1 })), {}],
    ['three set phrases', three.map((one) => ({ ...one, strength: STRENGTHS.phrase })), {}],
    ['another category', three, { category: 'data' }],
    ['another language', three, { path: 'src/cache.py' }],
    ['another fault', three, { text: 'The key is not escaped and may hold a path.' }],
    ['a critical finding', three, { severity: 'critical' }],
    ['security', three.map((one) => ({ ...one, category: 'security' as const })), { category: 'security' }],
  ] as const)('does not hold it back with %s', (_, lessons, finding) => {
    expect(held(finding, lessons)).toBeUndefined();
  });

  it('counts six set phrases as three dismissals', () => {
    const phrases = [...three, ...three].map((one) => ({ ...one, strength: STRENGTHS.phrase }));
    expect(held({}, phrases)?.why).toBe('alike');
  });

  it('does not hold back findings that people act on as often as they dismiss them', () => {
    const accepted: Accepted = { sketch: sketch(TEXT), category: 'performance', path: 'lib/b.ts', at: NOW };
    expect(held({}, three, [accepted, accepted])?.why).toBe('alike');
    expect(held({}, three, [accepted, accepted, accepted])).toBeUndefined();
    const other = { ...accepted, category: 'data' } as const;
    expect(held({}, three, [other, other, other])?.why).toBe('alike');
  });
});

describe('the age of a dismissal', () => {
  it.each([
    [[180], true],
    [[181], false],
    [[181, 170], true],
    [[300, 181, 100], true],
    [[300, 120], true],
    [[300, 119], false],
  ])('is respected: of those that are %p days old, the first one counts: %p', (ages, expected) => {
    const [first, ...others] = ages.map((days) => lessonOf({ at: daysAgo(days) }));
    const like = others.map((one) => ({ ...one, path: 'lib/other.ts', id: 'b' }));
    const { lessons } = lessonsAt(NOW, {
      lessons: first === undefined ? like : [first, ...like],
      accepted: [],
    });
    expect(lessons.some(({ from }) => from === first)).toBe(expected);
  });

  it('is not renewed by a dismissal of another kind', () => {
    const other = lessonOf({ at: daysAgo(100), category: 'data' });
    const { lessons } = lessonsAt(NOW, { lessons: [lessonOf({ at: daysAgo(200) }), other], accepted: [] });
    expect(lessons.map(({ from }) => from)).toEqual([other]);
  });
});

function lessonOf(parts: Partial<Lesson>): Lesson {
  return {
    id: '9f2c000000000001',
    sketch: sketch(TEXT),
    category: 'performance',
    path: 'src/cache.ts',
    code: codeId(CODE),
    pull: 7,
    by: 'anna',
    at: NOW,
    strength: STRENGTHS.command,
    ...parts,
  };
}

interface Words extends Partial<Pick<NewFinding, 'path' | 'previousPath' | 'category' | 'severity'>> {
  readonly text?: string;
  readonly code?: string;
}

function held(
  { text = TEXT, code = CODE, ...rest }: Words,
  lessons: readonly Lesson[],
  accepted: readonly Accepted[] = [],
): ReturnType<typeof heldBack> {
  const finding: NewFinding = {
    path: 'src/cache.ts',
    previousPath: undefined,
    line: 70,
    category: 'performance',
    severity: 'minor',
    code: readCode(code),
    features: featuresOf(text),
    ...rest,
  };
  return heldBack(finding, lessonsAt(NOW, { lessons, accepted }));
}

function sketch(text: string): string {
  return sketchOf(featuresOf(text));
}

function daysAgo(days: number): Date {
  return new Date(NOW.getTime() - days * 24 * 60 * 60 * 1000);
}
