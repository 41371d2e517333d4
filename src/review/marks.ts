import * as v from 'valibot';
import { type Mark, type MarkLane, markOf } from '../safety/mark.js';
import { ACTORS, CATEGORIES, END_WORDS, type EndReason, SEVERITIES } from './finding.js';

/**
 * What was decided of a finding. The hidden first line of a text of ours and the agent's state hold the same marks, so that
 * either can take the place of the other. Times are milliseconds since 1970 by the runner's clock.
 */
const LANES = ['trusted', 'tainted', 'untrusted'] as const;
const id = v.pipe(v.string(), v.regex(/^[0-9a-f]{16}$/));
const side = v.optional(v.picklist(['LEFT', 'RIGHT']), 'RIGHT');
const person = v.optional(v.string());

const raisedSchema = v.object({
  kind: v.literal('raised'),
  id,
  at: v.number(),
  agent: v.string(),
  handle: v.pipe(v.string(), v.regex(/^F[A-Z0-9]{4}$/)),
  title: v.string(),
  category: v.picklist(CATEGORIES),
  severity: v.picklist(SEVERITIES),
  /** Nobody is certain of it, so it blocks nothing. */
  unsure: v.optional(v.boolean()),
  path: v.string(),
  line: v.number(),
  side,
  /** Of the line, see `codeKey`. */
  code: v.string(),
  lane: v.picklist(LANES),
  /** Who had its conversation resolved as it was said there: that gesture is older than the finding. */
  closedBy: person,
  /** Where it stands, which is known once it was read; in the state alone. */
  thread: v.optional(v.string()),
  comment: v.optional(v.number()),
  /** Which model raised it; in the state alone. */
  model: v.optional(v.string()),
});

const endedSchema = v.object({
  kind: v.literal('ended'),
  id,
  at: v.number(),
  state: v.picklist(['settled', 'dismissed']),
  by: v.picklist(ACTORS),
  why: v.picklist(Object.keys(END_WORDS) as EndReason[]),
  login: person,
  /** Of the line as it stood then; empty where it stood no more. */
  code: v.string(),
  /** Its conversation was resolved then, by us or by somebody with write access: one that is open was opened since. */
  closed: v.boolean(),
});

const backSchema = v.object({
  kind: v.literal('back'),
  id,
  at: v.number(),
  by: v.picklist(ACTORS),
  login: person,
  path: v.string(),
  line: v.number(),
  side,
  code: v.string(),
  severity: v.picklist(SEVERITIES),
  /** Who had its conversation resolved where we could not open it: that gesture is an old one. */
  closedBy: person,
});

const markSchema = v.variant('kind', [raisedSchema, endedSchema, backSchema]);

export type Raised = v.InferOutput<typeof raisedSchema>;

export type Ended = v.InferOutput<typeof endedSchema>;

/** A finding that had ended is open again; or an open one is worse, or on a changed line. */
export type Back = v.InferOutput<typeof backSchema>;

export type FindingMark = v.InferOutput<typeof markSchema>;

/** A mark, of whatever a text or a state file holds; undefined for what is none. */
export function readFindingMark(value: unknown): FindingMark | undefined {
  const { success, output } = v.safeParse(markSchema, value);
  return success ? output : undefined;
}

/** The marks of findings that a text of ours bears. Whether it is ours has to be known besides. */
export function findingMarksOf(body: string): readonly FindingMark[] {
  const { marks } = markOf(body);
  return Array.isArray(marks) ? marks.flatMap((one) => readFindingMark(one) ?? []) : [];
}

/** The hidden line of a comment on a line, or of a finding that is said in an open conversation. */
export function findingMark(agent: string, lane: MarkLane, marks: readonly FindingMark[]): Mark {
  return { kind: 'finding', agent, id: marks[0]?.id, marks, lane };
}

/** The hidden line of an answer that tells of a finding, by its id, what became of it, once for each commit. */
export function replyMark(
  agent: string,
  lane: MarkLane,
  marks: readonly FindingMark[],
  head: string,
  id: string,
): Mark {
  return { kind: 'reply', agent, id, how: marks[0]?.kind ?? 'claim', head, marks, lane };
}

/** The agent of a review of ours and the commit it is about; undefined for any other text. */
export function readReviewMark(body: string): { readonly agent: string; readonly head: string } | undefined {
  const { kind, agent, head } = markOf(body);
  return kind === 'review' && typeof agent === 'string' && typeof head === 'string'
    ? { agent, head }
    : undefined;
}

/** The agent of a review; one that was asked for in a comment bears the comment's number behind the agent's name. */
export function agentOf(reviewer: string): string {
  return reviewer.replace(/\/reply-\d+$/, '');
}
