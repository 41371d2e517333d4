import type { Actor } from '../event/trigger.js';
import { MAX_DESCRIPTION_BYTES, MAX_REMARK_BYTES, MAX_REMARKS_BYTES } from '../lib/defaults.js';
import type { Warning } from '../lib/errors.js';
import { cutToBytes } from '../lib/text/bytes.js';
import { cleanLine, count, grouped } from '../lib/text/format.js';
import { fence, visibleMarkdown } from '../safety/fence.js';
import type { LinkedIssueNote, Remark, RemarkThread, Surroundings } from './context.js';

/**
 * What people said around a trigger: linked issues, the conversation, threads on lines. `showsStrangers`: people without
 * write access are listened to, by a run that is untrusted anyway (D19).
 */
export function describeTalk(surroundings: Surroundings, showsStrangers: boolean): Parts {
  const { issues = [], comments = [], threads = [] } = surroundings;
  const { changedLater = 0, olderComments = 0, unread = [] } = surroundings;
  const isHeard = ({ isOurs, lane, mayWrite }: Remark) =>
    showsStrangers || mayWrite || (isOurs && lane !== 'untrusted');
  const heardThreads = threads.map((thread) => ({ ...thread, remarks: thread.remarks.filter(isHeard) }));
  const said = [...issues.map(({ remark }) => remark), ...comments, ...threads.flatMap((one) => one.remarks)];
  const strangers = said.filter((remark) => !isHeard(remark)).length;
  /** Among strangers it is said who may write; alone, everybody may. */
  const authorOf = ({ author, isOurs, mayWrite }: Remark): string => {
    if (isOurs) return `${loginOf(author)}, our own`;
    return `${loginOf(author)}${showsStrangers && mayWrite ? ', who has write access' : ''}`;
  };
  const blocks = [
    ...newest(
      issues
        .filter(({ remark }) => isHeard(remark))
        .map((issue) => formatIssue(issue, authorOf(issue.remark))),
    ),
    ...newest(
      comments.filter(isHeard).map((remark) => fenceRemark(remark.text, `comment by ${authorOf(remark)}`)),
    ),
    ...newest(
      heardThreads
        .filter(({ remarks }) => remarks.length > 0)
        .map((thread) => formatThread(thread, thread.remarks.map(authorOf))),
    ),
  ];
  const words = [
    leftOut(olderComments, 'older comment', 'of the conversation'),
    leftOut(strangers, 'text', 'not known to be by people with write access'),
    leftOut(changedLater, 'text', 'written or changed after the event'),
    unread.length === 0 ? '' : `Could not be read: ${unread.join(', ')}.`,
  ].filter((sentence) => sentence !== '');
  return { blocks: words.length === 0 ? blocks : [...blocks, words.join(' ')] };
}

function leftOut(number: number, noun: string, which: string): string {
  return number === 0 ? '' : `${count(number, noun)} ${which} ${number === 1 ? 'is' : 'are'} left out.`;
}

/** The newest blocks that fit together, in their order, with a word on the others. */
function newest(blocks: readonly string[]): readonly string[] {
  let free = MAX_REMARKS_BYTES;
  let first = blocks.length;
  for (; first > 0; first -= 1) {
    free -= new TextEncoder().encode(blocks[first - 1]).length;
    if (free < 0) break;
  }
  return first === 0 ? blocks : [`(${first} earlier left out for their length)`, ...blocks.slice(first)];
}

function formatIssue({ reference, isOpen, title, remark }: LinkedIssueNote, author: string): string {
  const source = `linked issue ${reference} by ${author}${isOpen ? '' : ', closed'}`;
  return fenceRemark(`Title: ${cleanLine(title, MAX_FACT)}\n\n${remark.text}`, source);
}

/** One fence for each remark, so that nobody can speak in another's name. */
function formatThread(thread: RemarkThread, authors: readonly string[]): string {
  const { path, line, isResolved, isOutdated, remarks } = thread;
  const place = `${cleanLine(path, MAX_FACT)}${line === undefined ? '' : ` line ${line}`}`;
  const state = `${isResolved ? 'resolved' : 'open'}${isOutdated ? ', outdated' : ''}`;
  const fences = remarks.map(({ text }, index) =>
    index === 0
      ? fenceRemark(text, `review comment by ${authors[index]} (${state}) on ${place}`)
      : fenceRemark(text, `reply by ${authors[index]}`),
  );
  return fences.join('\n');
}

function fenceRemark(text: string, source: string): string {
  const { text: kept, leftOutBytes } = cutToBytes(visibleMarkdown(text).trim(), MAX_REMARK_BYTES);
  const shown = leftOutBytes === 0 ? kept : `${kept}\n… (${leftOutBytes} bytes left out)`;
  return fence(shown, { source, markdown: true });
}

export interface Parts {
  /** Paragraphs and fences, in order. */
  readonly blocks: readonly string[];
  readonly warnings?: readonly Warning[];
  /** Paths of files of a diff that are not shown, or not whole, for want of room. */
  readonly unseen?: readonly string[];
}

export const NO_PARTS: Parts = { blocks: [] };

/** Code points of a fact, a login or a sha. */
export const MAX_FACT = 200;
const MAX_HEADING = 1000;

export function loginOf({ login }: Actor): string {
  return cleanLine(login, MAX_FACT);
}

/** Markdown by somebody else, fenced, with a heading by them too. */
export function describeText(text: string, source: string, heading: readonly string[] = []): Parts {
  const { text: kept, leftOutBytes } = cutToBytes(visibleMarkdown(text), MAX_DESCRIPTION_BYTES);
  const body = kept.trim() === '' ? '(empty)' : kept;
  const lines = heading.map((line) => cleanLine(line, MAX_HEADING));
  const blocks = [
    fence([...lines, ...(lines.length > 0 ? [''] : []), body].join('\n'), { source, markdown: true }),
  ];
  if (leftOutBytes === 0) return { blocks };
  blocks.push(`The last ${leftOutBytes} bytes of the ${source} are left out.`);
  const limit = `${Math.round(MAX_DESCRIPTION_BYTES / 1024)} KiB`;
  const message = `the ${source} is longer than ${limit}; the last ${grouped(leftOutBytes)} bytes were left out`;
  return { blocks, warnings: [{ code: 'context-truncated', message }] };
}

/** Several pieces of a message as one; a text is a paragraph. */
export function joinParts(pieces: readonly (Parts | string | undefined)[]): Parts {
  const parts = pieces.map((one = NO_PARTS) => (typeof one === 'string' ? { blocks: [one] } : one));
  return {
    blocks: parts.flatMap(({ blocks }) => blocks),
    warnings: parts.flatMap(({ warnings = [] }) => warnings),
    unseen: [...new Set(parts.flatMap(({ unseen = [] }) => unseen))],
  };
}
