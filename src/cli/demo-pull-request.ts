import type { GitHub, Published, Publisher, PublishRequest } from '../core/dependencies.js';
import type { FetchedChange } from '../core/event/fetched-change.js';
import type { PullRequestTrigger } from '../core/event/trigger.js';
import { parseDiff } from '../core/text/diff.js';
import { count } from '../core/text/number.js';
import type { AnsweredThread, ThreadRemark } from '../review/answers.js';
import { readDiffLines } from '../review/diff-lines.js';
import { endFacts, sortEarlier } from '../review/earlier.js';
import type { KnownFinding } from '../review/known.js';
import { parseFindingMarker } from '../review/markers.js';
import { type PreparedComment, prepareReview } from '../review/prepare-review.js';
import { DEFAULT_PUBLISH_RULES } from '../review/publish-rules.js';

const AUTHOR = { login: 'you', isBot: false };
const BOT = { login: 'github-actions', isBot: true };

export type DemoEvent = Pick<KnownFinding, 'title' | 'path' | 'line' | 'severity'> & {
  readonly kind: 'raised' | 'settled' | 'dismissed' | 'back' | 'held-back';
};

type Begun = PreparedComment & Pick<AnsweredThread, 'hunk' | 'first' | 'replies'>;

/** A pull request that lives in memory: what GitHub is asked for, and where reviews are posted. */
export function createDemoPullRequest() {
  let begun: readonly Begun[] = [];
  let pushed = { base: '', head: '', diff: '', fresh: undefined as string | undefined };
  let comments = 0;
  let events: readonly DemoEvent[] = [];
  const resolved = new Set<string>();

  const remark = (body: string, author: typeof BOT): ThreadRemark => {
    comments += 1;
    const rights = { authorAssociation: 'OWNER', isOurs: author.isBot, isEditedByOther: false };
    return { id: comments, url: `#${comments}`, author, body, ...rights };
  };

  /** The conversations as they are since the last push. */
  const threads = () =>
    begun.map(({ placed, ...one }): AnsweredThread => {
      const lines = [...(readDiffLines(pushed.diff).get(one.path)?.RIGHT ?? [])];
      const line = lines.find(([, { text }]) => one.hunk.endsWith(`\n+${text}`))?.[0];
      const isResolved = resolved.has(placed.id);
      const resolvedBy = isResolved ? BOT.login : undefined;
      const state = { line, isOutdated: line === undefined, isResolved, resolvedBy };
      return { ...one, ...state, id: placed.id, originalLine: one.line, thumbsUp: [], thumbsDown: [] };
    });

  function post(agent: string, wanted: PublishRequest): Published {
    const { buffered, commits, facts, known, dismissed = [], lane } = wanted;
    if (commits === undefined) throw new Error('the demo knows every diff');
    const open = threads().flatMap((one) => {
      const marker = one.isResolved ? undefined : parseFindingMarker(one.first.body);
      return marker === undefined ? [] : [{ ...one, marker, repliesTotal: one.replies.length }];
    });
    const earlier = sortEarlier({ commits, buffered, lane }, { head: pushed.head, threads: open });
    const { comments: posted } = prepareReview({
      ...DEFAULT_PUBLISH_RULES,
      agent,
      head: commits.head,
      lane,
      buffered,
      open: [],
      compared: new Set(known.map(({ id }) => id)),
      clean: (text) => text,
    });
    const ids = {
      dismissed: dismissed.map(({ id }) => id),
      settled: earlier.settled.map(({ thread }) => thread.marker.id),
      back: earlier.back.map(({ of }) => of.id),
    };
    for (const id of [...ids.dismissed, ...ids.settled]) resolved.add(id);
    for (const id of ids.back) resolved.delete(id);
    const lines = readDiffLines(pushed.diff);
    const begin = (comment: PreparedComment): Begun => {
      const code = lines.get(comment.path)?.[comment.side].get(comment.line)?.text;
      return { ...comment, hunk: `@@ -1 +1 @@\n+${code}`, first: remark(comment.body, BOT), replies: [] };
    };
    begun = [...begun, ...posted.map(begin)];
    events = [
      ...posted.map(({ placed: { finding } }) => ({ ...finding, kind: 'raised' as const })),
      ...(['dismissed', 'settled', 'back'] as const).flatMap((kind) =>
        known.filter(({ id }) => ids[kind].includes(id)).map((one) => ({ ...one, kind })),
      ),
      ...buffered.heldBack.map(({ finding }) => ({ ...finding, kind: 'held-back' as const })),
    ];
    const findings = posted.map(({ placed }) => placed);
    const ends = endFacts(earlier, { pull: 1, facts, now: new Date() });
    const line = summaryOf(events);
    return { line, url: undefined, posted: begun.map(({ first }) => first.id), findings, ends };
  }

  return {
    events: () => events,
    push(push: typeof pushed) {
      pushed = push;
    },
    /** Its author answers the finding on the line with this text. */
    answer(code: string, body: string) {
      const reply = (thread: Begun) => [...thread.replies, remark(body, AUTHOR)];
      begun = begun.map((one) => (one.hunk.includes(code) ? { ...one, replies: reply(one) } : one));
    },
    trigger: () => triggerOf(pushed.base, pushed.head, pushed.fresh === undefined ? 'opened' : 'synchronize'),
    publisher: {
      publish: async (plan, _outcome, wanted) => post(plan.agent.name, wanted),
      reply: async () => ({ line: undefined, url: undefined }),
    } satisfies Publisher,
    github: {
      permission: async () => ({ kind: 'known', permission: 'write' }),
      context: async () => ({ kind: 'pull_request', ...changeOf(pushed.diff), warnings: [] }),
      newSince: async () =>
        pushed.fresh === undefined
          ? { kind: 'unread' }
          : { kind: 'ahead', change: changeOf(pushed.fresh), hasMerge: false, warnings: [] },
      threads: async () => ({ kind: 'read', threads: threads() }),
      findingThreads: async () => ({ kind: 'read', threads: [] }),
    } satisfies GitHub,
  };
}

function triggerOf(base: string, head: string, action: string): PullRequestTrigger {
  return {
    kind: 'pull_request',
    event: 'pull_request',
    action,
    repository: { owner: 'demo', name: 'demo', defaultBranch: 'main', isPrivate: true },
    actor: AUTHOR,
    number: 1,
    title: 'Greet people by their name',
    body: '',
    author: AUTHOR,
    isDraft: false,
    head: { sha: head, ref: 'names', repository: 'demo/demo' },
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
