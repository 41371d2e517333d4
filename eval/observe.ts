import { readFileSync } from 'node:fs';
import type { StoredRepo } from '../__tests__/helpers/github-state.js';
import type { RecordedRequest } from '../__tests__/helpers/loopback.js';
import type { StepResult } from '../__tests__/helpers/run-action.js';
import type { Coverage } from '../src/findings/change/scope.js';
import { saidRevsIn } from '../src/findings/kept-finding.js';
import type { FindingRecord } from '../src/findings/post/record.js';
import { parseDiff } from '../src/lib/text/diff.js';
import type { Version } from './versions.js';

/** The account that the action's token belongs to. */
const US = 'github-actions[bot]';

/** A finding that a run posted. */
export interface Posted extends Pick<FindingRecord, 'id' | 'path' | 'line' | 'severity' | 'title'> {
  /** Title, body and trigger. */
  readonly text: string;
  /** It has a conversation of its own on a line. */
  readonly isOnLine: boolean;
}

/** A conversation that a finding of ours began. */
export interface Thread {
  /** Of its first comment. */
  readonly comment: number;
  /** Id of the finding. */
  readonly finding: string;
  readonly isOpen: boolean;
}

/** What one run did, as people and other programs see it. */
export interface Seen {
  readonly conclusion: string;
  /** Why a run failed. */
  readonly reason?: string | undefined;
  readonly posted: readonly Posted[];
  /** Raised, and taken out by a second look. */
  readonly refuted: readonly Posted[];
  /** All conversations of the pull request after the run. */
  readonly threads: readonly Thread[];
  readonly isBlocked: boolean;
  readonly hasApproved: boolean;
  /** Everything that we have written on the pull request. */
  readonly written: string;
  readonly coverage: Pick<Coverage, 'kind' | 'files' | 'read'> | undefined;
  /** How many files the model was shown whole; undefined where nobody was asked. */
  readonly shownFiles: number | undefined;
  readonly usage: Usage;
}

/** What a run used. */
export interface Usage {
  readonly calls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly costUsd: number;
}

/** What is looked at after a run. */
export interface Looking {
  readonly step: StepResult;
  readonly repo: StoredRepo;
  readonly pull: number;
  readonly version: Version;
  /** What files were called when the case began, by their names now. */
  readonly renames: ReadonlyMap<string, string>;
  /** Those of earlier runs on the pull request too: what was shown then counts as read. */
  readonly requests: readonly RecordedRequest[];
  readonly calls: number;
}

/** Reads what a run did from what it left behind. */
export function observe({ step, repo, pull, version, renames, requests, calls }: Looking): Seen {
  const { talk } = repo;
  const reviews = talk.reviews.filter((one) => one.pull === pull && one.author === US);
  const comments = talk.reviewComments.filter((one) => one.pull === pull && one.author === US);
  const threads = comments
    .filter(({ inReplyTo }) => inReplyTo === undefined)
    .map(({ id, body }) => ({
      comment: id,
      finding: saidRevsIn(body)[0]?.id ?? '',
      isOpen: !talk.resolved.has(id),
    }));
  const report = reportOf(step);
  const toPosted = (record: FindingRecord): Posted => ({
    id: record.id,
    path: renames.get(record.path) ?? record.path,
    line: record.line,
    severity: record.severity,
    title: record.title,
    text: [record.title, record.body, record.trigger]
      .filter((part) => part !== undefined)
      .join('\n'),
    isOnLine: threads.some(({ finding }) => finding === record.id),
  });
  const records = report?.findings ?? [];
  const inState = (...states: readonly FindingRecord['state'][]) =>
    records.filter(({ state }) => states.includes(state)).map(toPosted);
  return {
    conclusion: step.outputs['conclusion'] ?? 'none',
    reason: step.outputs['reason'],
    posted: records.filter(({ state, isNew }) => isNew === true && state === 'open').map(toPosted),
    refuted: inState('refuted', 'unclear'),
    threads,
    isBlocked: reviews.some(({ state }) => state === 'CHANGES_REQUESTED'),
    hasApproved: reviews.some(({ state }) => state === 'APPROVED'),
    written: [
      ...reviews.map(({ body }) => body),
      ...comments.map(({ body }) => body),
      ...repo.comments
        .filter(({ issue, author }) => issue === pull && author === US)
        .map(({ body }) => body),
    ].join('\n'),
    coverage: report?.coverage,
    shownFiles: requests.length === 0 ? undefined : countShown(version, requests),
    usage: usageOf(step, calls),
  };
}

interface Report {
  readonly coverage: Coverage;
  readonly findings: readonly FindingRecord[];
}

function reportOf({ outputs }: StepResult): Report | undefined {
  const file = outputs['findings-file'];
  return file === undefined ? undefined : (JSON.parse(readFileSync(file, 'utf8')) as Report);
}

function usageOf({ outputs }: StepResult, calls: number): Usage {
  const number = (name: string) => Number(outputs[name] ?? 0) || 0;
  return {
    calls,
    inputTokens: number('input-tokens'),
    outputTokens: number('output-tokens'),
    costUsd: number('cost-usd'),
  };
}

/**
 * The files of a diff of which the model was shown every line that changed; a line that only moved
 * has not.
 */
function countShown({ diff, base, head }: Version, requests: readonly RecordedRequest[]): number {
  const shown = new Set(requests.flatMap(({ body }) => textsIn(body)).flatMap(linesOf));
  const [before, after] = [base, head].map(
    (files) => new Set(Object.values(files).flatMap(linesOf)),
  );
  const isOld = (text: string) => before?.has(text) === true && after?.has(text) === true;
  return parseDiff(diff).filter(({ hunks }) =>
    hunks
      .flatMap(({ lines }) => lines)
      .filter(({ kind, text }) => kind !== 'context' && text.trim() !== '')
      .every(({ text }) => shown.has(text.trim()) || isOld(text.trim())),
  ).length;
}

/** Lines with and without the mark and the number that a diff puts before them. */
function linesOf(text: string): readonly string[] {
  return text
    .split('\n')
    .flatMap((line) => [line, line.slice(1), line.replace(/^[+ ]\d+: /, '')])
    .map((line) => line.trim());
}

/** All texts in a request, whatever the wire. */
function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}
