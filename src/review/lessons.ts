import { codeKey, isTellingKey } from './diff-lines.js';
import type { Category, Finding } from './finding.js';
import type { Ended, FindingMark, Raised } from './marks.js';
import { isAlike } from './same.js';
import type { KnownFinding } from './seen.js';

/** A finding that a person with write access has dismissed, on whichever pull request. */
export interface Lesson {
  readonly id: string;
  readonly handle: string;
  readonly pull: number;
  readonly path: string;
  readonly category: Category;
  /** Of the line, see `codeKey`. */
  readonly key: string;
  /** The model's words; empty where a stranger may have had a part in them. */
  readonly title: string;
  readonly why: Ended['why'];
  readonly login: string;
  /** Milliseconds. */
  readonly at: number;
}

/** A mark with the pull request that it is on. */
export type MarkOnPull = FindingMark & { readonly pull: number };

/** The dismissals that hold, newest first: whoever reopens one takes it back. */
export function lessonsOf(marks: readonly MarkOnPull[]): readonly Lesson[] {
  const raised = new Map(marks.flatMap((mark) => (mark.kind === 'raised' ? [[mark.id, mark] as const] : [])));
  const last = new Map<string, MarkOnPull>();
  for (const mark of marks.toSorted((a, b) => a.at - b.at))
    if (mark.kind !== 'raised') last.set(mark.id, mark);
  const lessons = [...last.values()].flatMap((mark): readonly Lesson[] => {
    const first = raised.get(mark.id);
    const isLesson = mark.kind === 'ended' && mark.state === 'dismissed' && mark.by === 'person';
    return isLesson && first !== undefined ? [lessonOf(first, mark)] : [];
  });
  return lessons.toSorted((a, b) => b.at - a.at);
}

function lessonOf(
  { id, handle, path, category, code, title, lane }: Raised,
  { pull, why, login = '', at }: Ended & { readonly pull: number },
): Lesson {
  const words = lane === 'trusted' ? title : '';
  return { id, handle, pull, path, category, key: code, title: words, why, login, at };
}

/** The lesson of the same file, telling line and category. */
export function lessonOfLine(
  { path, category, code = '' }: Finding,
  lessons: readonly Lesson[],
): Lesson | undefined {
  const key = codeKey(code);
  return lessons.find(
    (one) => one.path === path && one.category === category && isTellingKey(key) && one.key === key,
  );
}

/** No lesson holds back what is critical or about security. */
export function isNeverHeld({ severity, category }: Pick<Finding, 'severity' | 'category'>): boolean {
  return severity === 'critical' || category === 'security';
}

/** Lessons of the same file under a title like this one: the model is asked whether it means one of them. */
export function lessonsLike({ path, title }: Finding, lessons: readonly Lesson[]): readonly Lesson[] {
  return lessons.filter((one) => one.path === path && one.title !== '' && isAlike(one.title, title));
}

/** Which decision of a person holds a finding back. */
export function whyHeldBack(of: KnownFinding | Lesson): string {
  if ('pull' in of) return `dismissed on #${of.pull}`;
  return of.state === 'dismissed'
    ? `${of.handle} was dismissed on this pull request`
    : `${of.handle} was closed by a person, and its line is as it was`;
}
