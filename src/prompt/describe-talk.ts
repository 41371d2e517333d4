import { MAX_REMARK_BYTES, MAX_REMARKS_BYTES } from '../lib/defaults.js';
import { cleanLine, cutToBytes } from '../lib/text/cut.js';
import { count } from '../lib/text/number.js';
import { fence } from '../safety/fence.js';
import { visibleMarkdown } from '../safety/hidden.js';
import type { LinkedIssueNote, Remark, RemarkThread, Surroundings } from './context.js';
import { loginOf, MAX_FACT } from './describe-text.js';
import { isHeardByTrusted } from './own-changes.js';
import type { Parts } from './parts.js';

/** Whether people without write access are listened to: only by a run that is untrusted anyway (D19). */
interface TalkOptions {
  readonly showsStrangers: boolean;
}

/** What people said around a trigger: linked issues, the conversation, threads on lines. */
export function describeTalk(surroundings: Surroundings, { showsStrangers }: TalkOptions): Parts {
  const formats = createFormats({ showsStrangers });
  const { issues = [], comments = [], threads = [], changedLater = 0, unread = [] } = surroundings;
  const isHeard = (remark: Remark) => showsStrangers || isHeardByTrusted(remark);
  const heardThreads = threads.map((thread) => ({ ...thread, remarks: thread.remarks.filter(isHeard) }));
  const said = [...issues.map(({ remark }) => remark), ...comments, ...threads.flatMap((one) => one.remarks)];
  const strangers = said.filter((remark) => !isHeard(remark)).length;
  const older = surroundings.olderComments ?? 0;
  const blocks = [
    ...newest(issues.filter(({ remark }) => isHeard(remark)).map(formats.issue)),
    ...newest(comments.filter(isHeard).map(formats.comment)),
    ...newest(
      heardThreads.flatMap((thread) => (thread.remarks.length === 0 ? [] : [formats.thread(thread)])),
    ),
  ];
  const words = [
    ...(older === 0
      ? []
      : [`${count(older, 'older comment')} of the conversation ${isAre(older)} left out.`]),
    ...(strangers === 0
      ? []
      : [
          `${count(strangers, 'text')} not known to be by people with write access ${isAre(strangers)} left out.`,
        ]),
    ...(changedLater === 0
      ? []
      : [
          `${count(changedLater, 'text')} written or changed after the event ${isAre(changedLater)} left out.`,
        ]),
    ...(unread.length === 0 ? [] : [`Could not be read: ${unread.join(', ')}.`]),
  ];
  return {
    blocks: [...blocks, ...(words.length === 0 ? [] : [words.join(' ')])],
    isFenced: blocks.length > 0,
    warnings: [],
  };
}

function isAre(number: number): string {
  return number === 1 ? 'is' : 'are';
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

interface Formats {
  comment(remark: Remark): string;
  thread(thread: RemarkThread): string;
  issue(issue: LinkedIssueNote): string;
}

/** Among strangers it is said who may write; alone, everybody may. */
function createFormats({ showsStrangers }: TalkOptions): Formats {
  function authorOf({ author, isOurs, mayWrite }: Remark): string {
    if (isOurs) return `${loginOf(author)}, our own`;
    return `${loginOf(author)}${showsStrangers && mayWrite ? ', who has write access' : ''}`;
  }
  return {
    comment: (remark) => fenceRemark(remark, `comment by ${authorOf(remark)}`),
    /** One fence for each remark, so that nobody can speak in another's name. */
    thread({ path, line, isResolved, isOutdated, remarks }) {
      const place = `${cleanLine(path, MAX_FACT)}${line === undefined ? '' : ` line ${line}`}`;
      const state = `${isResolved ? 'resolved' : 'open'}${isOutdated ? ', outdated' : ''}`;
      const sources = remarks.map((remark, index) =>
        index === 0
          ? `review comment by ${authorOf(remark)} (${state}) on ${place}`
          : `reply by ${authorOf(remark)}`,
      );
      return remarks.map((remark, index) => fenceRemark(remark, sources[index] ?? '')).join('\n');
    },
    issue({ reference, isOpen, title, remark }) {
      const source = `linked issue ${reference} by ${authorOf(remark)}${isOpen ? '' : ', closed'}`;
      return fenceRemark(
        { ...remark, text: `Title: ${cleanLine(title, MAX_FACT)}\n\n${remark.text}` },
        source,
      );
    },
  };
}

function fenceRemark({ text }: Remark, source: string): string {
  const { text: kept, leftOutBytes } = cutToBytes(visibleMarkdown(text).trim(), MAX_REMARK_BYTES);
  const shown = leftOutBytes === 0 ? kept : `${kept}\n… (${leftOutBytes} bytes left out)`;
  return fence(shown, { source, markdown: true });
}
