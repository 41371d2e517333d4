import type { FetchedChange, PullRequestTrigger } from '../event/trigger.js';
import type { ReviewComment } from '../github/posting/review.js';
import { parseDiff } from '../lib/text/diff.js';
import { count } from '../lib/text/format.js';
import { readDiffLines } from '../review/diff-lines.js';
import type { Finding } from '../review/finding.js';
import { type FindingMark, replyMark } from '../review/marks.js';
import type { ReviewPost } from '../review/news.js';
import { prepareReview } from '../review/prepare-review.js';
import { DEFAULT_PUBLISH_RULES } from '../review/publish-rules.js';
import { backMark, backText, endedMark, endText } from '../review/said.js';
import type { Post, Seen, Thread } from '../review/seen.js';
import type { FindingsToTell, Publisher, PublishRequest } from '../run/dependencies.js';
import type { GitHub } from '../run/github.js';
import type { Published } from '../run/records.js';
import { formatMark } from '../safety/mark.js';

const AUTHOR = { login: 'you', isBot: false };
const REPOSITORY = { owner: 'demo', name: 'demo', defaultBranch: 'main', isPrivate: true };
const BOT = { login: 'github-actions', isBot: true };

export type DemoEvent = Pick<Finding, 'title' | 'path' | 'line' | 'severity'> & {
  readonly kind: 'raised' | 'settled' | 'dismissed' | 'back' | 'held-back';
};

/** A pull request that lives in memory: what GitHub is asked for, and where reviews are posted. */
export function createDemoPullRequest() {
  let threads: readonly Thread[] = [];
  let pushed = { base: '', head: '', diff: '', fresh: undefined as string | undefined };
  let posts = 0;
  let events: readonly DemoEvent[] = [];

  const write = (body: string, author: typeof BOT): Post => {
    posts += 1;
    const rights = { authorAssociation: 'OWNER', isOurs: author.isBot, isEditedByOther: false };
    const createdAt = new Date().toISOString();
    return { id: posts, url: `#${posts}`, author, body, createdAt, thumbsDown: [], ...rights };
  };

  /** As they are since the last push. */
  const seen = (): Seen => ({
    head: pushed.head,
    threads: threads.map((thread) => {
      const lines = [...(readDiffLines(pushed.diff).get(thread.path)?.RIGHT ?? [])];
      return { ...thread, line: lines.find(([, { text }]) => thread.hunk.endsWith(`\n+${text}`))?.[0] };
    }),
    reviews: [],
    comments: [],
  });

  /** Says something in a conversation, and closes or opens it. */
  const say = (id: string | undefined, body: string, isResolved: boolean): void => {
    const resolvedBy = isResolved ? BOT.login : undefined;
    threads = threads.map((one) =>
      one.id === id ? { ...one, isResolved, resolvedBy, replies: [...one.replies, write(body, BOT)] } : one,
    );
  };

  function post({ plan, buffered, change, lane, findings }: PublishRequest): Published {
    const agent = plan.agent.name;
    if (change === undefined || findings === undefined) throw new Error('the demo knows every diff');
    const { ledger, news, pull } = findings;
    const posting: ReviewPost = {
      ...DEFAULT_PUBLISH_RULES,
      place: { repository: REPOSITORY, number: pull },
      agent,
      head: change.head,
      lane,
      ledger,
      news,
      buffered,
      remarks: [],
      isOver: true,
      extent: undefined,
      footer: '',
      signature: '',
      now: new Date(),
      warn: () => undefined,
      clean: (text) => text,
    };
    const at = posting.now.getTime();
    const ended = news.ended.map((finding) => {
      const mark = endedMark(finding, { at, closed: true });
      say(finding.thread?.id, told(endText(finding, posting) ?? '', mark, change.head), true);
      return mark;
    });
    const back = news.back.map((finding) => {
      const mark = backMark(finding, { at, closedBy: undefined });
      say(finding.thread?.id, told(backText(finding, posting), mark, change.head), false);
      return mark;
    });
    const marks = [...ended, ...back];
    const { comments, raised } = prepareReview(posting, marks);
    const lines = readDiffLines(pushed.diff);
    const begin = ({ path, side, line, body }: ReviewComment): Thread => {
      const first = write(body, BOT);
      const hunk = `@@ -1 +1 @@\n+${lines.get(path)?.[side].get(line)?.text}`;
      const open = { isResolved: false, resolvedBy: undefined, reviewId: undefined };
      return { id: `thread ${first.id}`, path, side, line, hunk, first, replies: [], ...open };
    };
    threads = [...threads, ...comments.map(begin)];
    events = eventsOf(findings);
    const line = summaryOf(events);
    return { line, url: undefined, marks: [{ pull, marks: [...marks, ...raised] }], posted: ids() };

    function told(text: string, mark: FindingMark, head: string): string {
      return `${formatMark(replyMark(agent, lane, [mark], head, mark.id))}\n${text}`;
    }
  }

  const ids = () => threads.flatMap(({ first, replies }) => [first, ...replies].map(({ id }) => id));

  return {
    events: () => events,
    push(push: typeof pushed) {
      pushed = push;
    },
    /** Its author answers the finding on the line with this text. */
    answer(code: string, body: string) {
      threads = threads.map((one) =>
        one.hunk.includes(code) ? { ...one, replies: [...one.replies, write(body, AUTHOR)] } : one,
      );
    },
    trigger: () => triggerOf(pushed.base, pushed.head, pushed.fresh === undefined ? 'opened' : 'synchronize'),
    publisher: {
      publish: async (run) => post(run),
      tellFindings: async () => ({}),
      reply: async () => ({ line: undefined, url: undefined }),
    } satisfies Publisher,
    github: {
      permission: async () => ({ kind: 'known', permission: 'write' }),
      context: async () => ({ kind: 'pull_request', ...changeOf(pushed.diff), warnings: [] }),
      newSince: async () =>
        pushed.fresh === undefined
          ? { kind: 'unread' }
          : { kind: 'ahead', change: changeOf(pushed.fresh), warnings: [] },
      said: async () => ({ kind: 'read', seen: seen() }),
      change: async () => ({ kind: 'read', isFork: false, ...pushed }),
    } satisfies GitHub,
  };
}

function eventsOf({ news }: FindingsToTell): readonly DemoEvent[] {
  return [
    ...news.fresh.map(({ finding }) => ({ ...finding, kind: 'raised' as const })),
    ...news.ended.map(
      (one) => ({ ...one, kind: one.state === 'dismissed' ? 'dismissed' : 'settled' }) as const,
    ),
    ...news.back.map((one) => ({ ...one, kind: 'back' as const })),
    ...news.heldBack.map(({ finding }) => ({ ...finding, kind: 'held-back' as const })),
  ];
}
function triggerOf(base: string, head: string, action: string): PullRequestTrigger {
  return {
    kind: 'pull_request',
    event: 'pull_request',
    action,
    repository: REPOSITORY,
    actor: AUTHOR,
    number: 1,
    title: 'Note each payment',
    body: '',
    author: AUTHOR,
    isDraft: false,
    head: { sha: head, ref: 'note-payments', repository: 'demo/demo' },
    base: { sha: base, ref: 'main' },
    isFork: false,
  };
}

function changeOf(diff: string): FetchedChange {
  const files = parseDiff(diff).map(({ path, additions, deletions }) => {
    return { path, status: 'modified', additions, deletions };
  });
  return { diff, files, filesTotal: files.length };
}

function summaryOf(events: readonly DemoEvent[]): string {
  const of = (kind: DemoEvent['kind']) => events.filter((event) => event.kind === kind);
  const [raised, settled, back, held] = [of('raised'), of('settled'), of('back'), of('held-back')];
  const places = raised.map(({ path, line }) => `${path}:${line}`).join(', ');
  const sentences = [
    raised.length > 0 && `Posted ${count(raised.length, 'comment')} on #1: ${places}.`,
    settled.length > 0 && `Settled ${count(settled.length, 'earlier finding')}.`,
    back.length > 0 && `${count(back.length, 'earlier finding')} came back.`,
    held.length > 0 && `Not repeated: ${held.length} dismissed before.`,
  ];
  return sentences.filter((sentence) => sentence !== false).join(' ');
}
