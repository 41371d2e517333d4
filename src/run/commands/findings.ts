import type { CommentTrigger } from '../../event/trigger.js';
import { DEFAULT_ADMISSION_POLICY } from '../../event/trust.js';
import type { Ledger } from '../../findings/decide/ledger.js';
import { isOpen } from '../../findings/finding.js';
import type { KnownFinding } from '../../findings/known-finding.js';
import {
  CONVERSATION_STAYS_OPEN,
  replyToDismissal,
  replyToDone,
  replyToOutdated,
  replyToReopen,
} from '../../findings/post/finding-texts.js';
import { ownMarksIn } from '../../findings/read/peoples-words.js';
import { markFacts } from '../../findings/state-facts.js';
import {
  commentsIn,
  type GitHubComment,
  type PullRequestConversation,
} from '../../github/reading/conversation.js';
import { cleanLine } from '../../lib/text/format.js';
import type { Dependencies } from '../dependencies.js';
import { readFindings } from '../earlier-reviews.js';
import { readMemory } from '../memory.js';
import { type MemoryRefusal, refusal } from '../memory-commands/command-session.js';
import { applyToFindings } from '../publish.js';
import type { ReviewedChange, RunRequest } from '../records.js';
import {
  type AgentMemory,
  type CommandAnswer,
  commandDone,
  DRY_RUN,
  type FindingCommand,
  type FixCommand,
  keepCommandFacts,
} from './command.js';

/**
 * Carries out `/axe dismiss`, `/axe done` and `/axe reopen` for people who can write: the comment
 * itself is what ends or opens a finding, so it is read with everything else that was said, and
 * answered. Review and check follow at once.
 */
export async function runFindingCommand(
  command: FindingCommand,
  opened: AgentMemory,
  request: RunRequest,
  deps: Dependencies,
): Promise<CommandAnswer> {
  const { name } = opened.agent;
  const { trigger, verb } = command;
  const read = await readPullFindings(command, opened, deps);
  if ('result' in read) return read;
  const { ledger, change } = read;
  const meant = findMeant(command, ledger);
  if ('result' in meant) return meant;
  if (request.dryRun) return { result: DRY_RUN };
  if (verb === 'reopen') for (const { id } of meant) ledger.reopen(id, trigger.actor.login);
  const findings = applyToFindings(ledger, trigger.number);
  const told = await deps.publisher.tellFindings({
    ...findings,
    trigger,
    agent: name,
    head: change?.head ?? ledger.seen?.head ?? '',
    answered: new Set(meant.map(({ id }) => id)),
    skipped: undefined,
  });
  const marks = (told.marks ?? []).flatMap((one) => one.marks);
  const kept = markFacts(marks, trigger.number);
  // Where memory takes none, the answer has them.
  const unkept =
    kept.length === 0 ? undefined : await keepCommandFacts(opened, kept, request, deps);
  if (unkept?.kind === 'failed' && unkept.reason === 'not-saved') {
    const { message, remedy } = unkept;
    deps.reporter.warn({ code: 'memory-save-failed', message, remedy });
  }
  // The conversation is open although nothing in it is: the token could not resolve it.
  const isLeft = meant.some(
    ({ id, thread }) =>
      thread !== undefined &&
      marks.some((mark) => mark.id === id && mark.kind === 'ended' && !mark.closed) &&
      !ledger.open.some((one) => one.thread?.id === thread.id),
  );
  const answers = meant.map(({ handle }) => {
    const isOver = verb === 'reopen' && !ledger.open.some((one) => one.handle === handle);
    return isOver ? replyToOutdated(handle) : ANSWERS[verb](handle);
  });
  const text = [...answers, ...(isLeft ? [CONVERSATION_STAYS_OPEN] : [])].join('\n\n');
  // Also findings that stay closed in its conversation.
  const here = new Set(meant.map(({ id, thread }) => thread?.id ?? id));
  const about = ledger.findings.filter(({ id, thread }) => here.has(thread?.id ?? id));
  const own = marks.filter(
    (mark) => mark.kind !== 'raised' && about.some(({ id }) => id === mark.id),
  );
  return { result: commandDone(text, true), among: 'for-all', marks: own };
}

/**
 * Whether a reply is in the conversation of a finding of ours: people say "not a bug" to each
 * other, too.
 */
export async function isAboutFinding(
  { trigger }: FindingCommand | FixCommand,
  { github, deadline }: Dependencies,
): Promise<boolean> {
  const answer = await github?.said(trigger.number, { isFresh: false }, deadline.signal);
  if (answer?.kind !== 'read') return false;
  return answer.seen.threads.some(
    ({ first }) => first.id === trigger.inReplyTo && ownMarksIn(first).length > 0,
  );
}

/**
 * The findings of the pull request that a command is on, with its change, or why they are not
 * known.
 */
async function readPullFindings(
  command: FindingCommand | FixCommand,
  { agent, memory }: AgentMemory,
  deps: Dependencies,
): Promise<
  | {
      readonly ledger: Ledger;
      readonly change: (ReviewedChange & { readonly isFork: boolean }) | undefined;
    }
  | CommandAnswer
> {
  const { trigger } = command;
  if (trigger.on !== 'pull_request') {
    const remedy = 'Write it below the pull request.';
    return answerOnce(refusal('refused', 'findings are on pull requests', remedy));
  }
  const answer = await deps.github?.change(deps.deadline.signal);
  const change = answer?.kind === 'read' ? answer : undefined;
  const { ledger, trouble } = await readFindings(
    trigger.number,
    {
      agent: agent.name,
      trigger,
      permission: 'unknown',
      facts: (await readMemory(agent, memory?.plan, deps))?.facts ?? [],
      isTrusted: true,
      change,
      isFork: change?.isFork === true,
      add: (seen) => (command.verb === 'fix' ? seen : withComment(seen, command, deps.clock.now())),
    },
    deps,
  );
  if (trouble !== undefined)
    return { result: refusal('unreadable', `the conversations could not be read: ${trouble}`) };
  return { ledger, change };
}

/**
 * The comment that gives the command may not be among those that GitHub lists yet, and after the
 * trigger phrase it reads like none: the ledger reads it as the command that it is.
 */
function withComment(
  seen: PullRequestConversation,
  { trigger, verb, handle = '', isReply }: FindingCommand,
  now: Date,
): PullRequestConversation {
  const { commentId, inReplyTo, author } = trigger;
  const said = isReply === true ? trigger.body : `/axe ${verb} ${handle}`;
  const isListed = commentsIn(seen).some(({ id }) => id === commentId);
  const post: GitHubComment = {
    id: commentId,
    url: '',
    author,
    authorAssociation: '',
    isOurs: false,
    body: said,
    isEditedByOther: false,
    createdAt: now.toISOString(),
    thumbsDown: [],
  };
  const put = (posts: readonly GitHubComment[], isHere: boolean) =>
    isHere && !isListed
      ? [...posts, post]
      : posts.map((one) => (one.id === commentId ? { ...one, body: said } : one));
  return {
    ...seen,
    threads: seen.threads.map((thread) => ({
      ...thread,
      replies: put(thread.replies, thread.first.id === inReplyTo),
    })),
    comments: put(seen.comments, inReplyTo === undefined),
  };
}

/** One answer is enough, of whichever agent. */
function answerOnce(result: MemoryRefusal): CommandAnswer {
  return { result, among: 'unless-answered' };
}

/** What other agents have raised in texts of a pull request: in all of them, if none are given. */
function raisedByOthers({ seen, context }: Ledger, posts?: readonly GitHubComment[]) {
  const reviews = (seen?.reviews ?? []).map(({ body }) => ({
    body,
    isOurs: true,
    isEditedByOther: false,
  }));
  const marks = (posts ?? [...(seen === undefined ? [] : commentsIn(seen)), ...reviews]).flatMap(
    ownMarksIn,
  );
  return marks.flatMap((mark) =>
    mark.kind === 'raised' && mark.agent !== context.agent ? [mark] : [],
  );
}

/** The findings that a command is about, or why it is about none. */
function findMeant(
  { handle, trigger, verb, isReply }: FindingCommand | FixCommand,
  ledger: Ledger,
): readonly KnownFinding[] | CommandAnswer {
  const { seen } = ledger;
  if (handle !== undefined) {
    const finding = ledger.find(handle);
    if (finding !== undefined) return [finding];
    if (raisedByOthers(ledger).some((mark) => mark.handle === handle))
      return { result: refusal('not-found', `${handle} belongs to another agent`), isSilent: true };
    const remedy = "You can find its name in the finding's comment and in the review.";
    return answerOnce(refusal('not-found', `no finding ${handle} on #${trigger.number}`, remedy));
  }
  const thread = seen?.threads.find(({ first }) => first.id === trigger.inReplyTo);
  const held =
    thread === undefined ? [] : ledger.findings.filter((one) => one.thread?.id === thread.id);
  if (held.length === 1 || (held.length > 1 && isReply === true)) return held;
  const isOthers =
    thread !== undefined &&
    held.length === 0 &&
    raisedByOthers(ledger, [thread.first, ...thread.replies]).length > 0;
  if (isOthers)
    return { result: refusal('not-found', 'it belongs to another agent'), isSilent: true };
  return answerOnce(unnamed(verb, held.length > 1 ? held : ledger.findings));
}

const MAX_LISTED = 10;
const MAX_PATH = 100;
const MAX_TITLE = 100;

/** What is told where nobody can tell which finding is meant. */
function unnamed(
  verb: (FindingCommand | FixCommand)['verb'],
  findings: readonly KnownFinding[],
): MemoryRefusal {
  const toChange = findings.filter(
    (one) => isOpen(one) !== (verb === 'reopen') && one.state !== 'outdated',
  );
  const listed = toChange.slice(0, MAX_LISTED).map(({ handle, path, line, title }) => {
    const place = cleanLine(`${path}:${line}`, MAX_PATH).replaceAll('`', "'");
    return `- \`/axe ${verb} ${handle}\` — ${cleanLine(title, MAX_TITLE)} (\`${place}\`)`;
  });
  const remedy = `Write \`/axe ${verb}\` in the conversation of the finding, or name it.`;
  const list = listed.length === 0 ? '' : `\n\n${listed.join('\n')}`;
  return refusal('refused', 'it is not clear which finding is meant', `${remedy}${list}`);
}

const ANSWERS: Readonly<Record<FindingCommand['verb'], (handle: string) => string>> = {
  dismiss: replyToDismissal,
  done: replyToDone,
  reopen: replyToReopen,
};

/** The open findings that `/axe fix` is about, worst first, or why nothing is fixed. */
export async function findToFix(
  command: FixCommand,
  opened: AgentMemory,
  deps: Dependencies,
): Promise<readonly KnownFinding[] | CommandAnswer> {
  const read = await readPullFindings(command, opened, deps);
  if ('result' in read) return read;
  const { ledger, change } = read;
  const { trigger, isAll } = command;
  const meant = isAll ? ledger.open : findMeant(command, ledger);
  if ('result' in meant) return meant;
  const open = meant.filter(isOpen);
  if (open.length === 0) {
    if (isAll && raisedByOthers(ledger).length > 0)
      return {
        result: refusal('not-found', 'the findings belong to another agent'),
        isSilent: true,
      };
    const handles = meant.map(({ handle }) => handle).join(', ');
    return answerOnce(refusal('refused', isAll ? 'no finding is open' : `${handles} is not open`));
  }
  if (trigger.isClosed === true)
    return { result: refusal('refused', `pull request #${trigger.number} is closed`) };
  if (change === undefined)
    return { result: refusal('unreadable', 'the pull request could not be read') };
  if (change.isFork)
    return {
      result: refusal(
        'refused',
        'the pull request comes from a fork, and its branch is not pushed to',
      ),
    };
  // A commit rests on the words of the comment: those of another workflow may be a stranger's.
  const posted = ledger.context.memory?.posted;
  const isOurs = ({ said, thread }: KnownFinding) =>
    said === undefined ||
    [said.comment, thread?.reviewId ?? 0].some((id) => posted?.has(id) === true);
  if (deps.changes !== undefined)
    return open.map((one) => (isOurs(one) ? one : { ...one, lane: 'untrusted' as const }));
  const remedy =
    'Add the files that it may change to the `with:` of the step, as in `changes-allowed: src/**`, and `contents: write` under `permissions:` of the job.';
  return { result: refusal('refused', 'this workflow lets runs change nothing', remedy) };
}

/**
 * The run that fixes findings. It is shown them and nothing else of the pull request: whose words a
 * title, a description or a comment are does not matter then.
 */
export function fixRequest(
  request: RunRequest,
  trigger: CommentTrigger,
  findings: readonly KnownFinding[],
): RunRequest {
  const handles = findings.map(({ handle }) => handle).join(', ');
  const prompt = `Fix ${findings.length === 1 ? 'the finding' : 'the findings'} ${handles} of pull request #${trigger.number}`;
  return {
    ...request,
    trigger: {
      ...trigger,
      title: '',
      description: '',
      body: '',
      subjectAuthor: trigger.author,
      isFork: false,
      place: undefined,
    },
    admissionPolicy: DEFAULT_ADMISSION_POLICY,
    prompt:
      findings.length === 1
        ? prompt
        : `${prompt}, one after the other, with a commit for each whose message has its name`,
    // The answer is for a person, whatever the workflow reads of a review.
    outputSchema: '',
    toFix: findings,
  };
}
