import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { FetchedChange, PullRequestTrigger } from '../event/trigger.js';
import { DEFAULT_PUBLISH_RULES, NO_PUBLICATIONS } from '../findings/buffered-publications.js';
import { commentableLines } from '../findings/change/diff-lines.js';
import { lessonsOf } from '../findings/decide/duplicates.js';
import type { Finding } from '../findings/finding.js';
import type { KnownFinding } from '../findings/known-finding.js';
import { SEVERITY_ICONS } from '../findings/post/comment-text.js';
import { factsToKeep, revMark } from '../findings/post/conversations.js';
import {
  type ReviewToPost,
  replyToEnded,
  replyToReopened,
} from '../findings/post/finding-texts.js';
import { prepareReview } from '../findings/post/prepare-review.js';
import { keptFindings, parseReviewFacts } from '../findings/state-facts.js';
import type { ReviewComment } from '../github/posting/review.js';
import type {
  GitHubComment,
  PullRequestConversation,
  Thread,
} from '../github/reading/conversation.js';
import type { Deadline } from '../lib/clock.js';
import { AxeError, type ExitCode } from '../lib/errors.js';
import { withTempDir } from '../lib/files.js';
import { encodeBytes } from '../lib/text/bytes.js';
import { formatPatch, parseDiff } from '../lib/text/diff.js';
import { readTextFile } from '../lib/user-files.js';
import type {
  FindingsToTell,
  OwnedFindings,
  Publisher,
  PublishRequest,
  TurnedFindings,
} from '../run/dependencies.js';
import type { GitHub } from '../run/github.js';
import type { PublicationResult } from '../run/records.js';
import { runPipeline } from '../run/run.js';
import { formatMark } from '../safety/mark.js';
import { expectPositionals, type ParsedFlags, parseFlags } from './command-line.js';
import { createTerminalDependencies } from './dependencies.js';
import { projectFolder } from './file-memory.js';
import { makeRequest } from './run.js';
import { createTerminalDeadline, print, type Terminal } from './terminal.js';
import { createTerminalReporter } from './terminal-reporter.js';

const LOG = "  console.log('charging', cart.id);\n";
const checkout = (body: string) =>
  `export async function checkout(cart: Cart): Promise<void> {\n${body}  await sendReceipt(cart);\n}\n`;

/**
 * The base, then the commits of the pull request. Their faults are ones that `offline/rules` can
 * find without understanding code.
 */
const BASE = checkout('  await payments.charge(cart);\n');
const COMMITS = [
  ['Note each payment', checkout(`${LOG}  payments.charge(cart);\n`)],
  ['Wait for the payment', checkout(`${LOG}  await payments.charge(cart);\n`)],
  [
    'Note the total as well',
    checkout("  console.log('charging', cart.id, cart.total);\n  payments.charge(cart);\n"),
  ],
] as const;

/** A commit is named by the hash of its text, so it has the same name in every run. */
const commitName = (text: string) => createHash('sha1').update(text).digest('hex');
const diffOf = (before: string, after: string) =>
  formatPatch('src/checkout.ts', encodeBytes(before), encodeBytes(after));
const ANSWER = 'By design: this line is our record of payments.';
const STATE = 'pr-reviewer.state.md: what became of findings. It contains none of your words.';
const LIFE = `Raised once, dismissed by an answer, fixed by a push, back in its own conversation.
Next: \`npm link\` here, then \`axe-action init\` in your repository writes the first workflow.
docs/getting-started.md explains each step.`;
const REPORT_IT = { remedy: 'Please report this: the demo comes with all that it needs.' };

/** `demo`: the life of two findings, through the same pipeline as any run. Throws an AxeError. */
export async function demoCommand(words: ParsedFlags, terminal: Terminal): Promise<ExitCode> {
  expectPositionals(words, 0);
  const deadline = createTerminalDeadline(terminal);
  deadline.limit(60_000);
  return await withTempDir((folder) => play(folder, terminal, deadline)).finally(() =>
    deadline.clear(),
  );
}

async function play(folder: string, terminal: Terminal, deadline: Deadline): Promise<ExitCode> {
  const write = (line: string) => print(terminal, line);
  const heading = (text: string) =>
    write(`\n── ${text} ${'─'.repeat(Math.max(3, 72 - text.length))}`);
  write('One pull request, three commits, and what becomes of two findings.');
  write(
    'Reviewer: builtin/pr-reviewer with offline/rules, a set of fixed rules. No key, no network.',
  );

  const pull = createDemoPullRequest();
  const deps = await createTerminalDependencies({
    terminal: {
      ...terminal,
      env: { ...terminal.env, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
    },
    trigger: { kind: 'local' },
    deadline,
    reporter: createTerminalReporter(terminal),
    agentsDir: '',
    output: { json: false, verbose: false },
  });
  const flags = parseFlags([], {}, 'run <agent>');
  const eventKinds: string[] = [];
  let before = BASE;

  for (const [index, [subject, text]] of COMMITS.entries()) {
    const head = commitName(text);
    const fresh = diffOf(before, text);
    const isFirst = index === 0;
    pull.push({
      base: commitName(BASE),
      head,
      diff: diffOf(BASE, text),
      fresh: isFirst ? undefined : fresh,
    });
    before = text;

    heading(`Commit ${index + 1} of ${COMMITS.length} · ${head.slice(0, 7)} · ${subject}`);
    for (const [, sign, line] of fresh.matchAll(/^([+-])(?![+-]{2} )(.*)$/gm))
      write(`   ${sign} ${line}`);
    write('');

    const agent = 'builtin/pr-reviewer';
    const request = makeRequest(agent, pull.trigger(), { flags, terminal, deadline });
    const report = await runPipeline(
      { ...request, model: 'offline/rules', origin: undefined },
      { ...deps, ...pull },
    );
    if (report.kind !== 'ran' || report.outcome.kind !== 'completed')
      throw new AxeError('the demo run did not complete', REPORT_IT);

    for (const event of pull.events()) write(describe(event));
    const kinds = pull.events().map(({ kind }) => kind);
    if (!kinds.includes('raised')) write('   No new comment.');
    eventKinds.push(kinds.join(' '));
    if (!isFirst) continue;
    pull.answer('console.log', ANSWER);
    write(`\n   @you answers the comment on console.log: “${ANSWER}”`);
  }

  heading('What it remembers, in two markdown files');
  const project = await projectFolder(terminal.cwd);
  const read = async (name: string) =>
    await readTextFile(join(folder, 'axe/memory', project, 'offline', name), {
      what: 'memory file',
      ...REPORT_IT,
    });
  write('pr-reviewer.md: one entry per review. The next review gets them.');
  const log = await read('pr-reviewer.md');
  for (const [, line = ''] of log.matchAll(/^\*\*Result:\*\* (.*)$/gm)) write(`   - ${line}`);
  write(STATE);
  const lessons = lessonsOf(keptFindings(parseReviewFacts(await read('pr-reviewer.state.md'))));
  for (const { path, category, login, title } of lessons)
    write(`   - dismissed by @${login}: ${category}, ${path}: ${title}`);

  const isWhole = eventKinds.join(' | ') === 'raised raised | settled dismissed | back held-back';
  heading(isWhole ? 'That was the whole life of a finding' : 'This is not what the demo promises');
  write(isWhole ? LIFE : 'Please report this.');
  return isWhole ? 0 : 1;
}

function describe({ kind, severity = 'minor', title, path, line }: DemoEvent): string {
  const [mark, fate] = {
    raised: [SEVERITY_ICONS[severity], `raised as ${severity}: a comment on the line`],
    settled: ['✅', 'settled: the rule no longer finds it, and the conversation is resolved'],
    dismissed: ['🗑️ ', 'dismissed by the answer, and remembered for every pull request'],
    back: ['↩️ ', 'back: its old conversation is reopened, so there is no new comment'],
    'held-back': ['🔇', 'found again, and not raised: it was dismissed'],
  }[kind];
  return `${mark} ${title} · ${line === undefined ? path : `${path}:${line}`}\n   ${fate}`;
}

const AUTHOR = { login: 'you', isBot: false };
const REPOSITORY = { owner: 'demo', name: 'demo', defaultBranch: 'main', isPrivate: true };
const BOT = { login: 'github-actions', isBot: true };

type DemoEvent = Pick<Finding, 'title' | 'path' | 'line' | 'severity'> & {
  readonly kind: 'raised' | 'settled' | 'dismissed' | 'back' | 'held-back';
};

interface Push {
  readonly base: string;
  readonly head: string;
  readonly diff: string;
  /** The diff since the push before; undefined for the first one. */
  readonly fresh: string | undefined;
}

/** A pull request in memory, which answers what a run asks GitHub and keeps the posted reviews. */
function createDemoPullRequest() {
  const conversations = createConversations();
  let pushed: Push = { base: '', head: '', diff: '', fresh: undefined };
  let events: readonly DemoEvent[] = [];

  function publish(request: PublishRequest): PublicationResult {
    const { change, findings } = request;
    if (change === undefined || findings === undefined)
      throw new Error('the demo knows every diff');
    const review = reviewToPost(request.plan.agent.name, { ...request, ...findings }, change.head);
    replyToFindings(review, conversations);
    const { comments } = prepareReview(review);
    const lines = commentableLines(pushed.diff);
    for (const comment of comments) {
      const code = lines.get(comment.path)?.[comment.side].get(comment.line)?.text;
      conversations.start(comment, code);
    }

    events = eventsOf(findings);
    return {
      ...publicationsOf(events),
      posted: conversations.commentIds(),
    };
  }

  function turn(findings: OwnedFindings): TurnedFindings {
    const { agent, head } = findings;
    const review = reviewToPost(agent, { ...findings, buffered: NO_PUBLICATIONS }, head);
    turnConversations(review, conversations);
    return { facts: factsToKeep(review), isChanged: true };
  }

  const read = (): PullRequestConversation => ({
    head: pushed.head,
    author: AUTHOR.login,
    threads: conversations.threadsOn(pushed.diff),
    reviews: [],
    comments: [],
  });

  return {
    events: () => events,
    push(push: Push) {
      pushed = push;
    },
    /** The author answers the finding on the line with this code. */
    answer: conversations.answer,
    trigger: () =>
      pushTrigger(pushed.base, pushed.head, pushed.fresh === undefined ? 'opened' : 'synchronize'),
    publisher: {
      publish: async (request) => publish(request),
      turn: async (findings) => turn(findings),
      tellFindings: async () => {
        throw new Error('each run of the demo reviews');
      },
      reply: async () => ({ posts: [] }),
    } satisfies Publisher,
    github: {
      permission: async () => ({ kind: 'known', permission: 'write' }),
      context: async () => ({ kind: 'pull_request', ...changeOf(pushed.diff), warnings: [] }),
      newSince: async () =>
        pushed.fresh === undefined
          ? { kind: 'unread' }
          : { kind: 'ahead', change: changeOf(pushed.fresh), warnings: [] },
      said: async () => ({ kind: 'read', seen: read() }),
      change: async () => ({ kind: 'read', isFork: false, ...pushed }),
      filesAt: async (commit, paths) => {
        const text = COMMITS.map(([, code]) => code).find((code) => commitName(code) === commit);
        return new Map(paths.map((path) => [path, text]));
      },
      pull: async () => undefined,
      saidElsewhere: async () => new Map(),
      compareWithLastReview: async () => undefined,
    } satisfies GitHub,
  };
}

type Conversations = ReturnType<typeof createConversations>;

function createConversations() {
  let threads: readonly Thread[] = [];
  let commentCount = 0;

  const createComment = (body: string, author: typeof BOT): GitHubComment => {
    commentCount += 1;
    const rights = { authorAssociation: 'OWNER', isOurs: author.isBot, isEditedByOther: false };
    const createdAt = new Date().toISOString();
    const identity = { id: commentCount, url: `#${commentCount}` };
    return { ...identity, author, body, createdAt, thumbsDown: [], ...rights };
  };

  return {
    start({ path, side, line, body }: ReviewComment, code: string | undefined): void {
      const first = createComment(body, BOT);
      const hunk = `@@ -1 +1 @@\n+${code}`;
      const open = { isResolved: false, resolvedBy: undefined, reviewId: undefined };
      const place = { id: `thread ${first.id}`, path, side, line, hunk };
      threads = [...threads, { ...place, first, replies: [], ...open }];
    },
    reply(threadId: string | undefined, body: string): void {
      threads = threads.map((thread) => {
        if (thread.id !== threadId) return thread;
        return { ...thread, replies: [...thread.replies, createComment(body, BOT)] };
      });
    },
    turn(threadId: string | undefined, isResolved: boolean): void {
      const resolvedBy = isResolved ? BOT.login : undefined;
      threads = threads.map((thread) =>
        thread.id === threadId ? { ...thread, isResolved, resolvedBy } : thread,
      );
    },
    answer(code: string, body: string): void {
      threads = threads.map((thread) => {
        if (!thread.hunk.includes(code)) return thread;
        return { ...thread, replies: [...thread.replies, createComment(body, AUTHOR)] };
      });
    },
    /** All threads, each at the line where its code is in this diff. */
    threadsOn: (diff: string): readonly Thread[] =>
      threads.map((thread) => {
        const lines = [...(commentableLines(diff).get(thread.path)?.RIGHT ?? [])];
        const sameCode = lines.find(([, { text }]) => thread.hunk.endsWith(`\n+${text}`));
        return { ...thread, line: sameCode?.[0] };
      }),
    commentIds: () =>
      threads.flatMap(({ first, replies }) => [first, ...replies].map(({ id }) => id)),
  };
}

function reviewToPost(
  agent: string,
  {
    buffered,
    word,
    ledger,
    news,
    pull,
  }: Pick<PublishRequest, 'buffered' | 'word'> & FindingsToTell,
  head: string,
): ReviewToPost {
  return {
    ...DEFAULT_PUBLISH_RULES,
    place: { repository: REPOSITORY, number: pull },
    agent,
    head,
    word,
    ledger,
    news,
    buffered,
    remarks: [],
    isOver: true,
    extent: undefined,
    footer: '',
    signature: '',
    offersCommands: true,
    now: new Date(),
    warn: () => undefined,
    clean: (text) => text,
  };
}

/** Resolves the threads of ended findings, and reopens those of findings that are back. */
function turnConversations({ ledger, news }: ReviewToPost, conversations: Conversations): void {
  for (const { id, thread } of [...news.ended, ...news.back]) {
    const isEnded = news.ended.some((finding) => finding.id === id);
    conversations.turn(thread?.id, isEnded);
    ledger.noteResolved(id, isEnded ? BOT.login : undefined);
  }
}

/** Answers in the threads of ended findings, and of findings that are back. */
function replyToFindings(review: ReviewToPost, conversations: Conversations): void {
  const { news } = review;
  const reply = (finding: KnownFinding, text = '') =>
    conversations.reply(finding.thread?.id, `${formatMark(revMark(finding, review))}\n${text}`);
  for (const finding of news.ended) reply(finding, replyToEnded(finding, review));
  for (const finding of news.back) reply(finding, replyToReopened(finding, review));
}

function eventsOf({ news }: FindingsToTell): readonly DemoEvent[] {
  return [
    ...news.fresh.map(({ finding }) => ({ ...finding, kind: 'raised' as const })),
    ...news.ended.map((finding) => {
      const kind = finding.state === 'dismissed' ? 'dismissed' : 'settled';
      return { ...finding, kind } as const;
    }),
    ...news.back.map((finding) => ({ ...finding, kind: 'back' as const })),
    ...news.heldBack.map(({ finding }) => ({ ...finding, kind: 'held-back' as const })),
  ];
}

function pushTrigger(base: string, head: string, action: string): PullRequestTrigger {
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

function publicationsOf(events: readonly DemoEvent[]): Pick<PublicationResult, 'posts' | 'counts'> {
  const ofKind = (kind: DemoEvent['kind']) => events.filter((event) => event.kind === kind);
  const comments = ofKind('raised').map(({ path, line }) => ({ path, line }));
  const none = { open: [], fresh: 0, dismissed: 0, claimed: 0, kept: 0, refuted: 0, unclear: 0 };
  const counts = {
    ...none,
    settled: ofKind('settled').length,
    back: ofKind('back').length,
    heldBack: ofKind('held-back').length,
  };
  return { posts: comments.length === 0 ? [] : [{ kind: 'review', number: 1, comments }], counts };
}
