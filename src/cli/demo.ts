import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { FetchedChange, PullRequestTrigger } from '../event/trigger.js';
import { DEFAULT_PUBLISH_RULES } from '../findings/buffered-publications.js';
import { commentableLines } from '../findings/change/diff-lines.js';
import { lessonsOf } from '../findings/decide/duplicates.js';
import type { Finding } from '../findings/finding.js';
import type { KnownFinding } from '../findings/known-finding.js';
import { SEVERITY_ICONS } from '../findings/post/comment-text.js';
import {
  endedMark,
  type ReviewToPost,
  reopenedMark,
  replyToEnded,
  replyToReopened,
} from '../findings/post/finding-texts.js';
import { prepareReview } from '../findings/post/prepare-review.js';
import {
  type FindingMark,
  findingMarksIn,
  parseReviewFacts,
  replyMark,
} from '../findings/state-facts.js';
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
import { count } from '../lib/text/format.js';
import { readTextFile } from '../lib/user-files.js';
import type { FindingsToTell, Publisher, PublishRequest } from '../run/dependencies.js';
import type { GitHub } from '../run/github.js';
import type { PublicationResult } from '../run/records.js';
import { runPipeline } from '../run/run.js';
import { formatMark } from '../safety/mark.js';
import { expectPositionals, type ParsedFlags, parseFlags } from './command-line.js';
import { makeRequest } from './run.js';
import { createTerminalDeadline, print, type Terminal } from './terminal.js';
import { createTerminalReporter } from './terminal-reporter.js';
import { createTerminalDependencies } from './terminal-world.js';

const LOG = "  console.log('charging', cart.id);\n";
const checkout = (body: string) =>
  `export async function checkout(cart: Cart): Promise<void> {\n${body}  await sendReceipt(cart);\n}\n`;

/**
 * The base, then the commits of the pull request: of what `offline/rules` can see, which understand
 * no code.
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
/** A commit has the hash of its text for its name, so that it is the same in every run. */
const nameOf = (text: string) => createHash('sha1').update(text).digest('hex');
const diffOf = (before: string, after: string) =>
  formatPatch('src/checkout.ts', encodeBytes(before), encodeBytes(after));
const ANSWER = 'By design: this line is our record of payments.';
const STATE = 'pr-reviewer.state.md: what became of findings. It contains none of your words.';
const LIFE = `Raised once, dismissed by an answer, fixed by a push, back in its own conversation.
Next: \`npm link\` here, then \`axe-action init\` in your repository writes this as a workflow.
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
  const { signal } = deadline;
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
  const seen: string[] = [];
  let before = BASE;
  for (const [index, [subject, text]] of COMMITS.entries()) {
    const head = nameOf(text);
    const fresh = diffOf(before, text);
    const isFirst = index === 0;
    pull.push({
      base: nameOf(BASE),
      head,
      diff: diffOf(BASE, text),
      fresh: isFirst ? undefined : fresh,
    });
    before = text;
    heading(`Commit ${index + 1} of ${COMMITS.length} · ${head.slice(0, 7)} · ${subject}`);
    for (const [, sign, line] of fresh.matchAll(/^([+-])(?![+-]{2} )(.*)$/gm))
      write(`   ${sign} ${line}`);
    write('');
    const request = makeRequest('builtin/pr-reviewer', pull.trigger(), flags, terminal, signal);
    const report = await runPipeline(
      { ...request, model: 'offline/rules', origin: undefined },
      { ...deps, ...pull },
    );
    if (report.kind !== 'ran' || report.outcome.kind !== 'completed')
      throw new AxeError('the demo run did not complete', REPORT_IT);
    for (const event of pull.events()) write(describe(event));
    const kinds = pull.events().map(({ kind }) => kind);
    if (!kinds.includes('raised')) write('   No new comment.');
    seen.push(kinds.join(' '));
    if (!isFirst) continue;
    pull.answer('console.log', ANSWER);
    write(`\n   @you answers the comment on console.log: “${ANSWER}”`);
  }
  heading('What it remembers, in two markdown files');
  const read = async (name: string) =>
    await readTextFile(join(folder, 'axe/memory/offline', name), {
      what: 'memory file',
      ...REPORT_IT,
    });
  write('pr-reviewer.md: one entry per review. The next review gets them.');
  const log = await read('pr-reviewer.md');
  for (const [, line = ''] of log.matchAll(/^\*\*Result:\*\* (.*)$/gm)) write(`   - ${line}`);
  write(STATE);
  const lessons = lessonsOf(findingMarksIn(parseReviewFacts(await read('pr-reviewer.state.md'))));
  for (const { path, category, login, title } of lessons)
    write(`   - dismissed by @${login}: ${category}, ${path}: ${title}`);
  const isWhole = seen.join(' | ') === 'raised raised | settled dismissed | back held-back';
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

/** A pull request that lives in memory: what GitHub is asked for, and where reviews are posted. */
function createDemoPullRequest() {
  let threads: readonly Thread[] = [];
  let pushed = { base: '', head: '', diff: '', fresh: undefined as string | undefined };
  let posts = 0;
  let events: readonly DemoEvent[] = [];

  const write = (body: string, author: typeof BOT): GitHubComment => {
    posts += 1;
    const rights = { authorAssociation: 'OWNER', isOurs: author.isBot, isEditedByOther: false };
    const createdAt = new Date().toISOString();
    return { id: posts, url: `#${posts}`, author, body, createdAt, thumbsDown: [], ...rights };
  };

  /** As they are since the last push. */
  const seen = (): PullRequestConversation => ({
    head: pushed.head,
    threads: threads.map((thread) => {
      const lines = [...(commentableLines(pushed.diff).get(thread.path)?.RIGHT ?? [])];
      return {
        ...thread,
        line: lines.find(([, { text }]) => thread.hunk.endsWith(`\n+${text}`))?.[0],
      };
    }),
    reviews: [],
    comments: [],
  });

  /** Says something in a conversation, and closes or opens it. */
  const say = (id: string | undefined, body: string, isResolved: boolean): void => {
    const resolvedBy = isResolved ? BOT.login : undefined;
    threads = threads.map((one) =>
      one.id === id
        ? { ...one, isResolved, resolvedBy, replies: [...one.replies, write(body, BOT)] }
        : one,
    );
  };

  function post({ plan, buffered, change, lane, findings }: PublishRequest): PublicationResult {
    const agent = plan.agent.name;
    if (change === undefined || findings === undefined)
      throw new Error('the demo knows every diff');
    const { ledger, news, pull } = findings;
    const posting: ReviewToPost = {
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
    const tell = ({ thread, id }: KnownFinding, mark: FindingMark, text = '') => {
      const hidden = formatMark(replyMark({ agent, lane, marks: [mark], head: change.head, id }));
      say(thread?.id, `${hidden}\n${text}`, mark.kind === 'ended');
      return mark;
    };
    const marks = [
      ...news.ended.map((one) => tell(one, endedMark(one, at, true), replyToEnded(one, posting))),
      ...news.back.map((one) => tell(one, reopenedMark(one, at), replyToReopened(one, posting))),
    ];
    const { comments, raised } = prepareReview(posting, marks);
    const lines = commentableLines(pushed.diff);
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
  }

  const ids = () =>
    threads.flatMap(({ first, replies }) => [first, ...replies].map(({ id }) => id));

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
    trigger: () =>
      triggerOf(pushed.base, pushed.head, pushed.fresh === undefined ? 'opened' : 'synchronize'),
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
