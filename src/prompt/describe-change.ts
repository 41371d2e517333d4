import type { CountedFile, FetchedChange } from '../event/fetched-change.js';
import { MAX_REMARK_BYTES, MAX_REMARKS_BYTES } from '../lib/defaults.js';
import { cleanLine, cutToBytes } from '../lib/text/cut.js';
import { parseDiff } from '../lib/text/diff.js';
import { count } from '../lib/text/number.js';
import { filesWithoutLines } from '../review/coverage.js';
import { fence } from '../safety/fence.js';
import { visibleMarkdown } from '../safety/hidden.js';
import {
  type CommitNote,
  createPathFilter,
  type DiffPolicy,
  type FailedCheck,
  type Surroundings,
} from './context.js';
import { describeDiff, listOf } from './describe-diff.js';
import { NO_PARTS, type Parts } from './describe-text.js';

/** Code points of a path or of the first line of a commit message. */
const MAX_NAME = 1000;
const MAX_SUBJECT = 200;
const MAX_AUTHOR = 100;

export function describeFetched(
  { diff, files, filesTotal }: FetchedChange,
  { source, policy }: { readonly source: string; readonly policy: DiffPolicy },
): Parts {
  const described = describeDiff(diff, { source, policy });
  if (files.length === 0) return { ...described, blocks: ['Changed files: none', ...described.blocks] };
  const listed = files.length < filesTotal ? `, of which GitHub lists ${files.length}` : '';
  const blocks = [
    `Changed files: ${filesTotal}${listed} (${count(sum(files, 'additions'), 'line')} added, ${count(sum(files, 'deletions'), 'line')} removed)`,
    fence(listOf(files.map(formatFile)), { source: 'changed files' }),
    ...described.blocks,
  ];
  const unseen = [...new Set([...(described.unseen ?? []), ...withoutLines({ diff, files }, policy)])];
  return { ...described, blocks, unseen };
}

/** Paths of wanted files that GitHub lists with changed lines and shows none of, since they are too large: a later run may see them. */
export function withoutLines(
  { diff, files }: Pick<FetchedChange, 'diff' | 'files'>,
  policy: DiffPolicy,
): readonly string[] {
  const filter = createPathFilter(policy);
  const isBinary = new Set(
    parseDiff(diff).flatMap(({ path, content }) => (content === 'binary' ? [path] : [])),
  );
  return filesWithoutLines({ diff, files }).filter(
    (path) => !isBinary.has(path) && filter(path) === undefined,
  );
}

/** Lines that were added or removed in files. */
function sum(files: readonly CountedFile[], key: 'additions' | 'deletions'): number {
  return files.reduce((total, file) => total + file[key], 0);
}

export function formatFile({ path, status, additions, deletions, previousPath }: CountedFile): string {
  const from = previousPath === undefined ? '' : ` (from ${cleanLine(previousPath, MAX_NAME)})`;
  return `${status} ${cleanLine(path, MAX_NAME)}${from} +${additions} -${deletions}`;
}

export function describeCommits({ commits }: Surroundings): Parts {
  if (commits === undefined || commits.length === 0) return NO_PARTS;
  const fenced = fence(listOf(commits.map(formatCommit)), { source: 'commits' });
  return { blocks: [`Commits: ${commits.length}`, fenced] };
}

function formatCommit({ sha, author, message }: CommitNote): string {
  const [subject = ''] = message.trim().split('\n');
  const by = author === '' ? '' : ` (${cleanLine(author, MAX_AUTHOR)})`;
  return `${sha.slice(0, 7)} ${cleanLine(subject, MAX_SUBJECT)}${by}`;
}

/** Checks that failed, with what is known of why. */
export function describeChecks({ checks }: Surroundings): Parts {
  if (checks === undefined || checks.length === 0) return NO_PARTS;
  let free = MAX_REMARKS_BYTES;
  const texts = checks.flatMap((check) => {
    const text = formatCheck(check);
    free -= new TextEncoder().encode(text).length;
    return free < 0 ? [] : [text];
  });
  const more = checks.length - texts.length;
  if (more > 0) texts.push(`… and ${more} more`);
  return {
    blocks: [`Failing checks: ${checks.length}`, fence(texts.join('\n\n'), { source: 'failing checks' })],
  };
}

/** A summary is rendered where people read it, a log is not; its end is nearest to the failure. */
function formatCheck({ name, conclusion, summary, log }: FailedCheck): string {
  const head = `${cleanLine(name, MAX_SUBJECT)}: ${cleanLine(conclusion, MAX_SUBJECT)}`;
  const said =
    summary.trim() === '' ? [] : [cutToBytes(visibleMarkdown(summary).trim(), MAX_REMARK_BYTES).text];
  const tail = log === undefined || log === '' ? [] : [`End of its log:\n${lastBytes(log)}`];
  return [head, ...said, ...tail].join('\n');
}

function lastBytes(text: string): string {
  const lines = text.split('\n');
  let free = MAX_REMARK_BYTES;
  let first = lines.length;
  for (; first > 0; first -= 1) {
    free -= new TextEncoder().encode(lines[first - 1]).length + 1;
    if (free < 0) break;
  }
  return lines.slice(first).join('\n') || cutToBytes(lines.at(-1) ?? '', MAX_REMARK_BYTES).text;
}
