import { isDeepStrictEqual } from 'node:util';
import * as v from 'valibot';
import { WORDS } from '../event/trust.js';
import { cutToBytes, utf8Bytes } from '../lib/text/bytes.js';
import { readOwnMark } from '../safety/mark.js';
import { checksSchema, type KeptChecks } from './check-rows.js';
import {
  CATEGORIES,
  CONFIDENCES,
  FINDING_ACTORS,
  FINDING_RULES,
  isOpen,
  SEVERITIES,
  STATE_REASON_TEXTS,
  type StateReason,
} from './finding.js';

/**
 * The record of findings: one line for each in the agent's state file, the newest counts. The copy
 * in a review's hidden line has the same form, for runs that have no state. It says everything that
 * was decided; the texts on GitHub bear `id.rev` and nothing else that is believed.
 */

/** The version of the copy in a review; one with a higher version cannot be read. */
const VERSION = 1;

const number = v.pipe(v.number(), v.integer());
const pull = v.pipe(number, v.minValue(1));
const login = v.optional(v.string());

const evidenceSchema = v.object({ path: v.string(), line: v.number(), code: v.string() });

const testSchema = v.object({
  sha256: v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/)),
  path: v.string(),
  command: v.string(),
  saw: v.pipe(v.tuple([v.string(), v.string()]), v.readonly()),
  fixed: v.pipe(v.array(v.string()), v.readonly()),
  words: v.picklist(WORDS),
  head: v.string(),
});

const keptSchema = v.object({
  kind: v.literal('finding'),
  id: v.pipe(v.string(), v.regex(/^[0-9a-f]{16}$/)),
  pull,
  /** When this line was written; milliseconds, as all times here. */
  at: v.number(),
  /** Goes up with each decision; the texts on GitHub bear it, so that nothing is said twice. */
  rev: v.pipe(number, v.minValue(1)),
  handle: v.pipe(v.string(), v.regex(/^F[A-Z0-9]{4}$/)),
  /** Left out: a model raised it. */
  rule: v.optional(v.picklist(FINDING_RULES)),
  title: v.string(),
  category: v.picklist(CATEGORIES),
  severity: v.picklist(SEVERITIES),
  /** Left out: `likely`. */
  confidence: v.optional(v.picklist(CONFIDENCES)),
  path: v.string(),
  line: v.number(),
  startLine: v.optional(v.number()),
  side: v.optional(v.picklist(['LEFT', 'RIGHT']), 'RIGHT'),
  /** Fingerprint of the line, see `lineFingerprint`. */
  code: v.string(),
  state: v.picklist(['open', 'settled', 'dismissed']),
  by: v.optional(v.picklist(FINDING_ACTORS)),
  why: v.optional(v.picklist(Object.keys(STATE_REASON_TEXTS) as StateReason[])),
  login,
  /** Why, in the model's words. */
  reason: v.optional(v.string()),
  /** Its line was nowhere in the change when it ended. */
  gone: v.optional(v.boolean()),
  /** Nobody needs to be told of this `rev`: who decided sees it. */
  isMute: v.optional(v.boolean()),
  /** The commit on which it was raised, or came back last. */
  head: v.string(),
  /** The word of the run that raised it. */
  words: v.picklist(WORDS),
  raised: v.number(),
  /** When `rev` was decided. */
  decided: v.number(),
  /** Which model raised it. */
  model: v.optional(v.string()),
  /** Its conversation, which is known once it was read. */
  thread: v.optional(v.string()),
  /** People's gestures that are accounted for, as the last reading saw them, or as we made them. */
  saw: v.optional(v.object({ resolvedBy: login, down: v.optional(v.array(v.string()), []) }), {
    down: [],
  }),
  // Only while the finding is open.
  body: v.optional(v.string()),
  trigger: v.optional(v.string()),
  evidence: v.optional(v.array(evidenceSchema)),
  suggestion: v.optional(v.string()),
  test: v.optional(testSchema),
});

/** A finding as it is kept. */
export type KeptFinding = v.InferOutput<typeof keptSchema>;

const heardSchema = v.object({
  kind: v.literal('heard'),
  pull,
  at: v.number(),
  /** Ids of the texts whose word on a finding counts already. */
  ids: v.array(v.number()),
  /** The newest review of ours that is accounted for; 0 for none. */
  review: v.number(),
});

/** Words that count, and the reviews that are accounted for. */
type HeardFact = v.InferOutput<typeof heardSchema>;

type ChecksFact = v.InferOutput<typeof checksSchema>;

export type KeptFact = KeptFinding | HeardFact | ChecksFact;

const factSchema = v.variant('kind', [keptSchema, heardSchema, checksSchema]);

/** All that is kept of one pull request. */
export interface PullRecord {
  readonly findings: readonly KeptFinding[];
  readonly heard: readonly number[];
  readonly review: number;
  /** Left out: no check was asked. */
  readonly checks?: KeptChecks;
  /** Open findings are missing: there was no room for them. */
  readonly isCut?: true;
}

export const EMPTY_RECORD: PullRecord = { findings: [], heard: [], review: 0 };

/** A line of the record, of whatever a state file or a text holds; undefined for none. */
export function readKeptFact(value: unknown): KeptFact | undefined {
  const { success, output } = v.safeParse(factSchema, value);
  return success ? output : undefined;
}

/** The record of a pull request; undefined where nothing is kept of it. */
export function recordOfPull(
  facts: readonly { readonly kind: string; readonly pull?: number }[],
  pullNumber: number,
): PullRecord | undefined {
  const ofPull = facts.filter((fact) => fact.pull === pullNumber);
  const findings = ofPull.filter((fact): fact is KeptFinding => fact.kind === 'finding');
  const heard = ofPull.find((fact): fact is HeardFact => fact.kind === 'heard');
  const checks = ofPull.find((fact): fact is ChecksFact => fact.kind === 'checks');
  const isKnown = ofPull.some(({ kind }) => kind === 'reviewed') || heard !== undefined;
  if (!isKnown && findings.length === 0 && checks === undefined) return undefined;
  return { findings, heard: heard?.ids ?? [], review: heard?.review ?? 0, checks };
}

/** The lines that keep a record: those that `keepFinding` has written anew. */
export function factsOfRecord(
  { findings, heard, review, checks }: PullRecord,
  parts: { readonly pull: number; readonly now: Date; readonly before: PullRecord | undefined },
): readonly KeptFact[] {
  const { now, before = EMPTY_RECORD } = parts;
  const changed = keptOfPull(findings).filter((finding) => !before.findings.includes(finding));

  const line = { pull: parts.pull, at: now.getTime() };
  const isAsked = checks !== undefined && !isDeepStrictEqual(checks, before.checks);
  const checksFacts: readonly KeptFact[] = isAsked ? [{ kind: 'checks', ...line, ...checks }] : [];
  const ids = heard.slice(-MAX_HEARD);
  const isHeard = review === before.review && isDeepStrictEqual(ids, before.heard);
  if (isHeard) return [...changed, ...checksFacts];
  return [...changed, ...checksFacts, { kind: 'heard', ...line, ids, review }];
}

/** Findings of one pull request; ended ones are left out first, the oldest before the others. */
const MAX_OF_PULL = 100;

const MAX_HEARD = 300;

function keptOfPull(findings: readonly KeptFinding[]): readonly KeptFinding[] {
  const open = findings.filter(({ state }) => state === 'open');
  const room = Math.max(0, MAX_OF_PULL - open.length);
  const ended = findings
    .filter(({ state }) => state !== 'open')
    .toSorted((a, b) => b.decided - a.decided);
  const fitting = new Set([...open, ...ended.slice(0, room)]);
  return findings.filter((finding) => fitting.has(finding));
}

/** The number of findings that a pull request can have in addition to the open ones. */
export function roomForFindings(open: number): number {
  return Math.max(0, MAX_OF_PULL - open);
}

/** UTF-16 units of a body in the record. */
const MAX_BODY_CHARACTERS = 1000;

/** A text for the record, cut where it is too long. */
export function keptText(text: string): string {
  return text.length <= MAX_BODY_CHARACTERS
    ? text
    : `${text.slice(0, MAX_BODY_CHARACTERS - 1).toWellFormed()}…`;
}

/**
 * Leaves out of findings the parts that do not fit, the oldest first: suggestions, then bodies, then
 * ended findings. An open finding always stays: what is left out must never count as ended.
 */
export function fitFindings(
  findings: readonly KeptFinding[],
  maxBytes: number,
  sizeOf: (finding: KeptFinding) => number,
): readonly KeptFinding[] {
  const oldestFirst = findings.toSorted((a, b) => a.at - b.at || a.decided - b.decided);
  const fitting = new Map(findings.map((finding) => [finding.id, finding]));
  let size = findings.reduce((sum, finding) => sum + sizeOf(finding), 0);

  const shorten = (change: (finding: KeptFinding) => KeptFinding | undefined) => {
    for (const { id } of oldestFirst) {
      const finding = fitting.get(id);
      if (size <= maxBytes || finding === undefined) continue;
      const shorter = change(finding);
      size += (shorter === undefined ? 0 : sizeOf(shorter)) - sizeOf(finding);
      if (shorter === undefined) fitting.delete(id);
      else fitting.set(id, shorter);
    }
  };
  shorten(({ suggestion, ...rest }) => rest);
  shorten(({ body, trigger, evidence, ...rest }) => rest);
  shorten((finding) => (finding.state === 'open' ? finding : undefined));
  shorten((finding) => ({ ...finding, title: cutToBytes(finding.title, SHORT_TITLE).text }));
  return findings.flatMap(({ id }) => fitting.get(id) ?? []);
}

const SHORT_TITLE = 60;

/** The record as a review of ours holds it, in the agent's newest review of a pull request. */
interface RecordCopy extends Omit<PullRecord, 'review'> {
  readonly v: number;
}

/** UTF-16 units of the copy in a review, before its characters are escaped. */
const MAX_COPY = 30_000;

/** The copy for a hidden line; `room` is what the rest of the review leaves, in UTF-16 units. */
export function copyOfRecord(
  { findings, heard, isCut, checks }: PullRecord,
  room = MAX_COPY,
): RecordCopy {
  const ids = heard.slice(-MAX_HEARD_IN_COPY);
  const whole = Math.min(room, MAX_COPY) - 15 * ids.length - 100;
  const fittingChecks = checks && fitChecks(checks, whole / 2);
  const most = whole - (fittingChecks === undefined ? 0 : sizeInMark(fittingChecks));
  let free = most;
  const shortened = fitFindings(keptOfPull(findings), most, sizeInMark);
  const fitting = shortened.filter((finding) => {
    const size = sizeInMark(finding);
    const isIn = size <= free;
    if (isIn) free -= size;
    return isIn;
  });
  // An older review may have what does not fit; it must not count as ended.
  const isMissing = shortened.some((finding) => isOpen(finding) && !fitting.includes(finding));
  const cut = isMissing || isCut === true ? { isCut: true as const } : {};
  const checksPart = fittingChecks === undefined ? {} : { checks: fittingChecks };
  return { v: VERSION, findings: fitting, heard: ids, ...checksPart, ...cut };
}

const MAX_HEARD_IN_COPY = 100;

/** Checks without people's reasons where these do not fit; undefined if nothing does. */
function fitChecks(checks: KeptChecks, most: number): KeptChecks | undefined {
  const shorter = { ...checks, over: checks.over.map((word) => ({ ...word, why: '' })) };
  return [checks, shorter].find((part) => sizeInMark(part) <= most);
}

/** Characters that could end a comment take six units in a hidden line. */
function sizeInMark(part: KeptFinding | KeptChecks): number {
  const json = JSON.stringify(part);
  return json.length + 1 + 5 * (json.match(/[<>@#-]/g)?.length ?? 0);
}

const copySchema = v.object({
  v: v.literal(VERSION),
  findings: v.array(v.unknown()),
  heard: v.optional(v.array(v.number()), []),
  checks: v.optional(v.omit(checksSchema, ['kind', 'pull', 'at'])),
  isCut: v.optional(v.literal(true)),
});

/** The copy that a review of ours holds; undefined for none, or one that cannot be read. */
export function readCopy(body: string): RecordCopy | undefined {
  const { success, output } = v.safeParse(copySchema, readOwnMark(body)['record']);
  if (!success) return undefined;
  const findings = output.findings.flatMap((value) => {
    const fact = readKeptFact(value);
    return fact?.kind === 'finding' ? [fact] : [];
  });
  return { ...output, findings };
}

/** A decision on a finding that a text of ours says. */
export interface SaidRev {
  readonly id: string;
  readonly rev: number;
}

/** The decisions that a text says. The caller knows that it is ours. */
export function saidRevsIn(body: string): readonly SaidRev[] {
  const { kind, id, rev, says: list } = readOwnMark(body);
  const isOfOne = kind === 'finding' || kind === 'reply';
  const named = isOfOne && typeof id === 'string' && typeof rev === 'number' ? [{ id, rev }] : [];
  return [...named, ...(Array.isArray(list) ? list.flatMap(readSaid) : [])];
}

/** A text that says no finding for the first time: an answer of ours in a conversation. */
export function isReplyText(body: string): boolean {
  const { kind } = readOwnMark(body);
  return kind === 'reply' || kind === 'claim';
}

function readSaid(text: unknown): readonly SaidRev[] {
  const [, id, rev] = /^([0-9a-f]{16})\.(\d{1,9})$/.exec(String(text)) ?? [];
  return id === undefined ? [] : [{ id, rev: Number(rev) }];
}

export function formatSaid({ id, rev }: SaidRev): string {
  return `${id}.${rev}`;
}

/** Bytes of a line that keeps a fact. */
export function lineBytes(fact: KeptFact): number {
  return utf8Bytes(JSON.stringify(fact)) + 3;
}
