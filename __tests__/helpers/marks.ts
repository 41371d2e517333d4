import {
  type EndedMark,
  type FindingMark,
  findingMark,
  type RaisedMark,
  type ReopenedMark,
} from '../../src/findings/state-facts.js';
import { formatMark } from '../../src/safety/mark.js';

const ID = '0123456789abcdef';
const AT = Date.parse('2026-11-20T10:00:00Z');
const PLACE = { path: 'src/a.ts', line: 1, side: 'RIGHT', code: '' } as const;

/** The mark of a finding that the agent `bot` raised. */
export function raised(patch: Partial<RaisedMark> = {}): RaisedMark {
  return {
    kind: 'raised',
    id: ID,
    at: AT,
    agent: 'bot',
    handle: 'FQ7K2',
    title: 'It is wrong',
    category: 'correctness',
    severity: 'major',
    ...PLACE,
    words: 'own',
    ...patch,
  };
}

/** The mark of its end: a person has dismissed it. */
export function ended(patch: Partial<EndedMark> = {}): EndedMark {
  return {
    kind: 'ended',
    id: ID,
    at: AT + 1000,
    state: 'dismissed',
    by: 'person',
    why: 'command',
    code: '',
    closed: true,
    ...patch,
  };
}

/** The mark that it is open again. */
export function back(patch: Partial<ReopenedMark> = {}): ReopenedMark {
  return {
    kind: 'back',
    id: ID,
    at: AT + 2000,
    by: 'model',
    ...PLACE,
    severity: 'major',
    ...patch,
  };
}

/**
 * The hidden lines of what a run of somebody with write access has posted: a finding and what else
 * was decided then.
 */
export function findingLine(
  first: Partial<RaisedMark> = {},
  ...more: readonly FindingMark[]
): string {
  const mark = raised(first);
  return formatMark(findingMark(mark.agent, [mark, ...more]));
}

export function reviewLine(
  { agent, head }: { readonly agent: string; readonly head: string },
  ...marks: readonly FindingMark[]
): string {
  return formatMark({ kind: 'review', agent, head, part: 1, marks });
}

export const answerLine = (agent: string): string => formatMark({ kind: 'answer', agent });
