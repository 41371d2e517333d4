import type { GitHub, Published, Publisher } from '../../core/dependencies.js';
import type { FetchedChange } from '../../core/event/fetched-change.js';
import type { PullRequestTrigger } from '../../core/event/trigger.js';
import type { AnsweredThread, ThreadRemark } from '../../core/review/answers.js';
import { readDiffLines } from '../../core/review/diff-lines.js';
import { type EarlierThread, endFacts, sortEarlier } from '../../core/review/earlier.js';
import { endMarkOf, parseFindingMarker } from '../../core/review/markers.js';
import type { PlacedFinding } from '../../core/review/place.js';
import { type PreparedComment, prepareReview } from '../../core/review/prepare-review.js';
import { DEFAULT_PUBLISH_RULES } from '../../core/review/publish-rules.js';
import { parseDiff } from '../../core/text/diff.js';
import { count } from '../../core/text/number.js';

const NUMBER = 1;
const REPOSITORY = { owner: 'demo', name: 'demo', defaultBranch: 'main', isPrivate: true } as const;
const BOT = { login: 'github-actions', isBot: true } as const;

/** What became of a finding in one review. */
export interface DemoEvent {
  readonly kind: 'raised' | 'settled' | 'gone' | 'dismissed' | 'back' | 'held-back';
  readonly title: string;
  readonly severity: string;
  readonly path: string;
  readonly line: number | undefined;
}

/** A conversation as the pull request keeps it. */
interface Thread extends AnsweredThread {
  readonly code: string;
}

/** A pull request that lives in memory: what GitHub is asked for, and where reviews are posted. */
export class DemoPullRequest {
  #threads: readonly Thread[] = [];
  #head = '';
  #change: FetchedChange = changeOf('');
  #fresh: FetchedChange | undefined;
  #events: readonly DemoEvent[] = [];
  #comments = 0;

  constructor(
    /** Who opened it and may write. */
    private readonly author: string,
    /** Sha of the commit it is compared with. */
    private readonly base: string,
  ) {}

  /** A push: the new head, the whole diff, and what is new since the head before. */
  push(head: string, diff: string, fresh: string | undefined): void {
    this.#head = head;
    this.#change = changeOf(diff);
    this.#fresh = fresh === undefined ? undefined : changeOf(fresh);
    const lines = readDiffLines(diff);
    this.#threads = this.#threads.map((thread) => {
      const there = [...(lines.get(thread.path)?.RIGHT ?? [])].find(([, { text }]) => text === thread.code);
      return { ...thread, line: there?.[0], isOutdated: there === undefined };
    });
  }

  /** Somebody answers the finding on the line with this text. */
  answer(by: string, line: string, body: string): void {
    this.#threads = this.#threads.map((thread) =>
      thread.code.includes(line)
        ? { ...thread, replies: [...thread.replies, this.#remark(body, by)] }
        : thread,
    );
  }

  /** The event that starts a review of the head. */
  get trigger(): PullRequestTrigger {
    const actor = { login: this.author, isBot: false };
    return {
      kind: 'pull_request',
      event: 'pull_request',
      action: this.#fresh === undefined ? 'opened' : 'synchronize',
      repository: REPOSITORY,
      actor,
      number: NUMBER,
      title: 'Greet people by their name',
      body: '',
      author: actor,
      isDraft: false,
      head: { sha: this.#head, ref: 'names', repository: `${REPOSITORY.owner}/${REPOSITORY.name}` },
      base: { sha: this.base, ref: REPOSITORY.defaultBranch },
      isFork: false,
    };
  }

  /** What a run asks GitHub. */
  get github(): GitHub {
    return {
      permission: async (login) => ({
        kind: 'known',
        permission: login === this.author ? 'write' : 'none',
      }),
      context: async () => ({ kind: 'pull_request', ...this.#change, warnings: [] }),
      newSince: async () =>
        this.#fresh === undefined
          ? { kind: 'unread' }
          : { kind: 'ahead', change: this.#fresh, hasMerge: false, warnings: [] },
      threads: async () => ({ kind: 'read', threads: this.#threads }),
      findingThreads: async () => ({ kind: 'read', threads: [] }),
    };
  }

  /** Posts what a run wants posted, by the same rules as on GitHub. */
  get publisher(): Publisher {
    return {
      publish: async (plan, _outcome, wanted) => {
        const { buffered, commits, facts, known, dismissed = [], lane } = wanted;
        if (commits === undefined) return NOTHING;
        const open = this.#threads.flatMap(openThread);
        const earlier = sortEarlier({ commits, buffered, lane }, { head: this.#head, threads: open });
        const prepared = prepareReview({
          agent: plan.agent.name,
          head: commits.head,
          lane,
          buffered,
          open: [],
          compared: new Set(known.map(({ id }) => id)),
          maxComments: DEFAULT_PUBLISH_RULES.maxComments,
          blockOn: DEFAULT_PUBLISH_RULES.blockOn,
          clean: (text) => text,
        });
        const titleOf = (id: string) => known.find((one) => one.id === id);
        const ended = new Set([
          ...earlier.removed.map(({ marker }) => marker.id),
          ...earlier.settled.map(({ thread }) => thread.marker.id),
          ...dismissed.map(({ id }) => id),
        ]);
        const back = new Set(earlier.back.map(({ of }) => of.id));
        this.#threads = [
          ...this.#threads.map((thread) => this.#resolve(thread, ended, back)),
          ...prepared.comments.map((comment) => this.#thread(comment)),
        ];
        const eventOf = (kind: DemoEvent['kind'], id: string): readonly DemoEvent[] => {
          const one = titleOf(id);
          return one === undefined ? [] : [{ ...one, kind, severity: one.severity ?? '' }];
        };
        this.#events = [
          ...prepared.comments.map(({ placed }) => raised(placed)),
          ...dismissed.flatMap(({ id }) => eventOf('dismissed', id)),
          ...earlier.settled.flatMap(({ thread }) => eventOf('settled', thread.marker.id)),
          ...earlier.removed.flatMap(({ marker }) => eventOf('gone', marker.id)),
          ...earlier.back.flatMap(({ of }) => eventOf('back', of.id)),
          ...buffered.heldBack.map(({ finding }) => ({ ...finding, kind: 'held-back' as const })),
        ];
        return {
          line: summaryOf(this.#events),
          url: undefined,
          posted: this.#threads.map(({ first }) => first.id),
          findings: prepared.comments.map(({ placed }) => placed),
          ends: endFacts(earlier, { pull: NUMBER, facts, now: new Date() }),
        };
      },
      reply: async () => NOTHING,
    };
  }

  /** What the last review came to. */
  get events(): readonly DemoEvent[] {
    return this.#events;
  }

  #resolve(thread: Thread, ended: ReadonlySet<string>, back: ReadonlySet<string>): Thread {
    const id = parseFindingMarker(thread.first.body)?.id ?? '';
    if (back.has(id)) return { ...thread, isResolved: false, resolvedBy: undefined };
    return ended.has(id) ? { ...thread, isResolved: true, resolvedBy: BOT.login } : thread;
  }

  #thread({ path, side, line, body, placed }: PreparedComment): Thread {
    const code = readDiffLines(this.#change.diff).get(path)?.[side].get(line)?.text ?? '';
    return {
      id: placed.id,
      path,
      side,
      line,
      originalLine: line,
      hunk: `@@ -${line} +${line} @@\n+${code}`,
      isResolved: false,
      resolvedBy: undefined,
      isOutdated: false,
      first: this.#remark(body),
      thumbsUp: [],
      thumbsDown: [],
      replies: [],
      code,
    };
  }

  #remark(body: string, by?: string): ThreadRemark {
    this.#comments += 1;
    return {
      id: this.#comments,
      url: `#${this.#comments}`,
      author: by === undefined ? BOT : { login: by, isBot: false },
      authorAssociation: by === undefined ? 'NONE' : 'OWNER',
      isOurs: by === undefined,
      body,
      isEditedByOther: false,
    };
  }
}

const NOTHING: Published = { line: undefined, url: undefined };

function changeOf(diff: string): FetchedChange {
  const files = parseDiff(diff).map(({ path, status, additions, deletions }) => {
    return { path, status: status === 'deleted' ? 'removed' : status, additions, deletions };
  });
  return { diff, files, filesTotal: files.length };
}

function openThread(thread: Thread): readonly EarlierThread[] {
  const marker = parseFindingMarker(thread.first.body);
  if (marker === undefined || thread.isResolved || endMarkOf(thread.first.body) !== undefined) return [];
  return [{ ...thread, marker, repliesTotal: thread.replies.length }];
}

function raised({ finding }: PlacedFinding): DemoEvent {
  return { ...finding, kind: 'raised' };
}

/** The line in the entry, as on GitHub. */
function summaryOf(events: readonly DemoEvent[]): string {
  const of = (...kinds: readonly DemoEvent['kind'][]) =>
    events.filter(({ kind }) => kinds.includes(kind)).length;
  const raisedOnes = events.filter(({ kind }) => kind === 'raised');
  const places = raisedOnes.map(({ path, line }) => `${path}:${line}`).join(', ');
  const [settled, back, held] = [of('settled', 'gone'), of('back'), of('held-back')];
  return [
    raisedOnes.length === 0 ? '' : `Posted ${count(raisedOnes.length, 'comment')} on #${NUMBER}: ${places}.`,
    settled === 0 ? '' : `Settled ${count(settled, 'earlier finding')}.`,
    back === 0 ? '' : `${count(back, 'earlier finding')} came back.`,
    held === 0 ? '' : `Not repeated: ${held} dismissed before.`,
  ]
    .filter((sentence) => sentence !== '')
    .join(' ');
}
