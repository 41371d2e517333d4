import type { AnsweredThread, Permissions, ThreadRemark } from '../../src/review/answers.js';
import type { Ended, LessonFact, Raised } from '../../src/review/finding-facts.js';
import type { KnownFinding } from '../../src/review/known.js';
import { findingLine } from '../helpers/marks.js';

export const ID = '0123456789abcdef';
export const OTHER = 'fedcba9876543210';
export const AT = new Date('2026-11-20T10:00:00Z');
export const LATER = new Date('2026-11-21T10:00:00Z');
export const NOW = new Date('2026-11-22T10:00:00Z');

/** octocat, monalisa and hubot may write; reader may only read. */
export const PERMISSIONS: Permissions = new Map([
  ['octocat', 'write'],
  ['monalisa', 'maintain'],
  ['hubot', 'admin'],
  ['reader', 'read'],
  ['triager', 'triage'],
  ['nobody', 'unknown'],
] as const);

const PLACE = { id: ID, pull: 41, path: 'src/auth.ts', category: 'security' } as const;

export function raised(parts: Partial<Raised> = {}): Raised {
  return { kind: 'finding', ...PLACE, severity: 'major', at: AT, ...parts };
}

export function ended(parts: Partial<Ended> = {}): Ended {
  return { kind: 'ended', ...PLACE, how: 'dismissed', why: 'reply', by: 'octocat', at: AT, ...parts };
}

export function lesson(parts: Partial<LessonFact> = {}): LessonFact {
  return { kind: 'lesson', ...PLACE, strength: 1, sketch: '', code: '', by: 'octocat', at: AT, ...parts };
}

/** A reply in a conversation. */
export function said(login: string, body: string, parts: Partial<ThreadRemark> = {}): ThreadRemark {
  const about = { id: 2, url: '', authorAssociation: 'NONE', isOurs: false, isEditedByOther: false };
  return { author: { login, isBot: false }, body, ...about, ...parts };
}

/** The comment that a finding of the agent `bot` began a conversation with. */
export function opening(parts: Partial<ThreadRemark> = {}): ThreadRemark {
  return {
    id: 1,
    url: 'https://github.com/octocat/hello/pull/41#discussion_r1',
    author: { login: 'github-actions', isBot: true },
    authorAssociation: 'NONE',
    isOurs: true,
    body: `${findingLine({ id: ID, agent: 'bot' })}\nComparing with == tells the length.`,
    isEditedByOther: false,
    ...parts,
  };
}

export function thread(parts: Partial<AnsweredThread> = {}): AnsweredThread {
  return {
    id: 'T_1',
    path: 'src/auth.ts',
    side: 'RIGHT',
    line: 10,
    hunk: '@@ -9,2 +9,2 @@\n line 9;\n+query("SELECT " + user.id);',
    isResolved: parts.resolvedBy !== undefined,
    resolvedBy: undefined,
    isOutdated: false,
    first: opening(),
    thumbsUp: [],
    thumbsDown: [],
    replies: [],
    ...parts,
  };
}

/** An open finding of the own agent, as a run knows it. */
export function known(parts: Partial<KnownFinding> = {}): KnownFinding {
  return {
    id: ID,
    handle: 'F1',
    agent: 'bot',
    isOwn: true,
    isShowable: true,
    state: 'open',
    path: 'src/auth.ts',
    side: 'RIGHT',
    line: 10,
    code: 'query("SELECT " + user.id);',
    hunk: '@@ -9,2 +9,2 @@\n line 9;\n+query("SELECT " + user.id);',
    title: 'The query is built from the id',
    text: '🟠 **Major · security** — The query is built from the id\n\nThe id reaches the query unescaped. Bind it.',
    severity: 'major',
    category: 'security',
    isChanged: false,
    people: [],
    thread: {
      id: 'T_1',
      commentId: 1,
      url: 'https://github.com/octocat/hello/pull/42#discussion_r1',
      body: '',
    },
    ...parts,
  };
}
