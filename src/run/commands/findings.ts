import type { LoadedAgent } from '../../agent/agent-source.js';
import type { CommentTrigger } from '../../event/trigger.js';
import {
  DEFAULT_ADMISSION_POLICY,
  factsOf,
  offersCommands,
  Reading,
  rightsOf,
} from '../../event/trust.js';
import type { Ledger } from '../../findings/decide/ledger.js';
import { compareSeverity, hasEnded, isOpen } from '../../findings/finding.js';
import { type KeptFinding, readCopy } from '../../findings/kept-finding.js';
import type { FindingToFix, KnownFinding } from '../../findings/known-finding.js';
import {
  CONVERSATION_STAYS_OPEN,
  replyToDismissal,
  replyToDone,
  replyToLeft,
  replyToReopen,
} from '../../findings/post/finding-texts.js';
import { WHY_NOT_SHOWN } from '../../findings/post/test-command-text.js';
import { findTestText } from '../../findings/post/test-text.js';
import { saidRevsBy } from '../../findings/read/peoples-words.js';
import { agentOfReview } from '../../findings/state-facts.js';
import {
  commentsIn,
  type GitHubComment,
  type PullRequestConversation,
  type Thread,
} from '../../github/reading/conversation.js';
import { cleanLine } from '../../lib/text/format.js';
import { orderToFix } from '../../prompt/task.js';
import { readOwnMark } from '../../safety/mark.js';
import type { TestBench } from '../../tools/process/test-bench.js';
import type { Dependencies } from '../dependencies.js';
import { keepsState, readFindings } from '../earlier-reviews.js';
import { readMemory } from '../memory.js';
import { type MemoryRefusal, refusal } from '../memory-commands/command-session.js';
import type { ReviewedChange, RunRequest } from '../records.js';
import { warnUnsaved } from '../save.js';
import { settleFindings } from '../settle-findings.js';
import {
  type AgentMemory,
  type CheckCommand,
  type CommandAnswer,
  type CommandOnFinding,
  commandDone,
  DRY_RUN,
  type FindingCommand,
  type FixCommand,
  type TestCommand,
} from './command.js';

/**
 * Carries out `/axe dismiss`, `/axe done` and `/axe reopen` for people with write access. The
 * comment itself closes or reopens a finding when the ledger reads it with the rest of the
 * conversation. The review and the check are updated at once.
 */
export async function runFindingCommand(
  command: FindingCommand,
  opened: AgentMemory,
  request: RunRequest,
  deps: Dependencies,
): Promise<CommandAnswer> {
  const { name } = opened.agent;
  const { trigger, verb } = command;
  const pullFindings = await readPullFindings(command, opened, deps);
  if ('result' in pullFindings) return pullFindings;
  const { ledger, change } = pullFindings;
  const targets = findTargets(command, ledger);
  if ('result' in targets) return targets;
  if (request.dryRun) return { result: DRY_RUN };

  const run = {
    repository: trigger.repository,
    agent: name,
    head: change?.head ?? ledger.seen?.head ?? '',
    word: 'own',
    memory: opened.memory,
  } as const;
  const decision = { pull: trigger.number, start: ledger, isOld: false };
  const findings = await settleFindings(decision, run, deps);
  await deps.publisher.tellFindings({
    ...findings,
    trigger,
    agent: name,
    head: run.head,
    answered: new Set(targets.map(({ id }) => id)),
    skipped: undefined,
  });
  warnUnsaved(findings.save, run.agent, deps);

  const decided = targets.flatMap(({ handle }) => findings.ledger.find(handle) ?? []);
  // The token could not resolve it.
  const staysUnresolved = decided.some(
    (finding) =>
      finding.thread?.isResolved === false &&
      hasEnded(finding) &&
      finding.saw.resolvedBy === undefined,
  );
  const hearsCommands = command.isReply !== true || offersCommands(request.admissionPolicy);
  const answers = targets.map(({ handle }) => {
    const hasLeft =
      verb === 'reopen' && !findings.ledger.open.some((open) => open.handle === handle);
    return hasLeft ? replyToLeft(handle) : ANSWERS[verb](handle, hearsCommands);
  });
  const text = [...answers, ...(staysUnresolved ? [CONVERSATION_STAYS_OPEN] : [])].join('\n\n');

  return { result: commandDone(text, true), among: 'for-all', says: decided };
}

/**
 * People say "not a bug" to each other too, so only a reply in the thread of our finding counts.
 */
export async function isAboutFinding(
  { trigger }: CommandOnFinding,
  { github, deadline }: Dependencies,
): Promise<boolean> {
  const answer = await github?.said(trigger.number, { isFresh: false }, deadline.signal);
  if (answer?.kind !== 'read') return false;
  return answer.seen.threads.some(
    ({ first }) => first.id === trigger.inReplyTo && saidRevsBy(first).length > 0,
  );
}

/** Reads the findings and the change of a command's pull request. */
export async function readPullFindings(
  command: CommandOnFinding | CheckCommand,
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
  const stored = await readMemory(agent, memory?.plan, deps);
  const { ledger, trouble } = await readFindings(
    trigger.number,
    {
      agent: agent.name,
      trigger,
      permission: 'unknown',
      facts: stored?.facts ?? [],
      keepsState: keepsState(memory?.plan, stored),
      rights: rightsOf('own'),
      change,
      isFork: change?.isFork === true,
      add: (seen) => (isDecision(command) ? withComment(seen, command, deps.clock.now()) : seen),
    },
    deps,
  );
  if (trouble !== undefined)
    return { result: refusal('unreadable', `the conversations could not be read: ${trouble}`) };
  return { ledger, change };
}

/** The command decides about a finding. */
function isDecision(command: CommandOnFinding | CheckCommand): command is FindingCommand {
  return command.verb !== 'fix' && command.verb !== 'test' && !('check' in command);
}

/**
 * Adds the command's comment to the conversation if GitHub does not list it yet, and gives it the
 * text of a command, since the ledger does not recognize commands after the trigger phrase.
 */
function withComment(
  seen: PullRequestConversation,
  { trigger, verb, handle = '', isReply }: FindingCommand,
  now: Date,
): PullRequestConversation {
  const { commentId, inReplyTo, author } = trigger;
  const body = isReply === true ? trigger.body : `/axe ${verb} ${handle}`;
  const isListed = commentsIn(seen).some(({ id }) => id === commentId);
  const commandComment: GitHubComment = {
    id: commentId,
    url: '',
    author,
    authorAssociation: '',
    isOurs: false,
    body,
    isEditedByOther: false,
    createdAt: now.toISOString(),
    thumbsDown: [],
  };
  const put = (comments: readonly GitHubComment[], isHere: boolean) =>
    isHere && !isListed
      ? [...comments, commandComment]
      : comments.map((comment) => (comment.id === commentId ? { ...comment, body } : comment));

  return {
    ...seen,
    threads: seen.threads.map((thread) => ({
      ...thread,
      replies: put(thread.replies, thread.first.id === inReplyTo),
    })),
    comments: put(seen.comments, inReplyTo === undefined),
  };
}

/** Several agents can hear a comment; one of them answers. */
export function answerOnce(result: MemoryRefusal): CommandAnswer {
  return { result, among: 'unless-answered' };
}

/** Findings of other agents, by the copies of their records in reviews. */
function raisedByOthers({ seen, context }: Ledger): readonly KeptFinding[] {
  return (seen?.reviews ?? []).flatMap(({ body }) => {
    const isOwn = agentOfReview(body) === context.agent;
    return isOwn ? [] : (readCopy(body)?.findings ?? []);
  });
}

/** The conversation is about a finding of another agent. */
function isOfOtherAgent({ first, replies }: Thread, { context }: Ledger): boolean {
  return [first, ...replies].some(
    (comment) =>
      saidRevsBy(comment).length > 0 && readOwnMark(comment.body)['agent'] !== context.agent,
  );
}

/** The findings that a command refers to, or the answer if they are not clear. */
export function findTargets(
  { handle, trigger, verb }: CommandOnFinding,
  ledger: Ledger,
): readonly KnownFinding[] | CommandAnswer {
  const { seen } = ledger;
  if (handle !== undefined) {
    const target = ledger.find(handle);
    if (target !== undefined) return [target];
    if (raisedByOthers(ledger).some((finding) => finding.handle === handle))
      return { result: refusal('not-found', `${handle} belongs to another agent`), isSilent: true };
    const remedy = "You can find its name in the finding's comment and in the review.";
    return answerOnce(refusal('not-found', `no finding ${handle} on #${trigger.number}`, remedy));
  }

  const thread = seen?.threads.find(({ first }) => first.id === trigger.inReplyTo);
  const inThread =
    thread === undefined
      ? []
      : ledger.findings.filter((finding) => finding.thread?.id === thread.id);
  if (inThread.length > 0) return inThread;

  if (thread !== undefined && isOfOtherAgent(thread, ledger))
    return { result: refusal('not-found', 'it belongs to another agent'), isSilent: true };
  return answerOnce(unclearTarget(verb, ledger.findings));
}

const MAX_LISTED = 10;
const MAX_PATH = 100;
const MAX_TITLE = 100;

/** Lists the findings that a command without a name can refer to. */
function unclearTarget(
  verb: CommandOnFinding['verb'],
  findings: readonly KnownFinding[],
): MemoryRefusal {
  const toChange = findings
    .filter((finding) => isOpen(finding) !== (verb === 'reopen') && finding.why !== 'left')
    .toSorted((a, b) => compareSeverity(a.severity, b.severity));
  const listed = toChange.slice(0, MAX_LISTED).map(({ handle, path, line, title }) => {
    const place = cleanLine(`${path}:${line}`, MAX_PATH).replaceAll('`', "'");
    return `- \`/axe ${verb} ${handle}\` — ${cleanLine(title, MAX_TITLE)} (\`${place}\`)`;
  });
  const remedy = `Write \`/axe ${verb}\` in the conversation of the finding, or name it.`;
  const list = listed.length === 0 ? '' : `\n\n${listed.join('\n')}`;
  return refusal('refused', 'it is not clear which finding is meant', `${remedy}${list}`);
}

const ANSWERS: Readonly<
  Record<FindingCommand['verb'], (handle: string, offersCommands: boolean) => string>
> = {
  dismiss: replyToDismissal,
  done: replyToDone,
  reopen: replyToReopen,
};

/** The open findings for `/axe fix`, worst first, or the answer if nothing is fixed. */
export async function findToFix(
  command: FixCommand,
  opened: AgentMemory,
  deps: Dependencies,
): Promise<FixWork | CommandAnswer> {
  const pullFindings = await readPullFindings(command, opened, deps);
  if ('result' in pullFindings) return pullFindings;
  const { ledger, change } = pullFindings;
  const { trigger, isAll } = command;
  const targets = isAll ? ledger.open : findTargets(command, ledger);
  if ('result' in targets) return targets;

  const open = targets.filter(isOpen);
  if (open.length === 0) {
    if (isAll && raisedByOthers(ledger).length > 0)
      return {
        result: refusal('not-found', 'the findings belong to another agent'),
        isSilent: true,
      };
    const handles = targets.map(({ handle }) => handle).join(', ');
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

  if (deps.changes !== undefined)
    return await withTests(command, open, { ledger, change, agent: opened.agent }, deps);
  const remedy =
    'To enable `/axe fix`, add `changes-allowed: src/**` to the `with:` of the step, and `contents: write` under `permissions:` of the job.';
  return { result: refusal('refused', 'this workflow does not allow changes', remedy) };
}

/** Adds the texts of their tests to findings, and opens a bench for them if there are any. */
async function withTests(
  command: FixCommand,
  open: readonly KnownFinding[],
  {
    ledger,
    change,
    agent,
  }: { readonly ledger: Ledger; readonly change: ReviewedChange; readonly agent: LoadedAgent },
  deps: Dependencies,
): Promise<FixWork> {
  const findings = open.map((finding) => {
    const testText = finding.test && findTestText(finding.test, finding, ledger.seen);
    return { ...finding, testText };
  });
  if (findings.every(({ test }) => test === undefined)) return { findings };
  if (findings.every(({ testText }) => testText === undefined))
    return { findings, bench: WHY_NOT_SHOWN.edited };
  const place = { agent, head: change.head };
  return { findings, bench: await openBench(command, findings, place, deps) };
}

/** The bench for tests of findings in a run that is shown these alone; a string says why none. */
export async function openBench(
  command: FixCommand | TestCommand,
  findings: readonly KnownFinding[],
  place: { readonly agent: LoadedAgent; readonly head: string },
  { openTestBench, deadline }: Dependencies,
): Promise<TestBench | string> {
  const trigger = aboutFindings(command.trigger);
  // Only people with write access give commands.
  const reading = new Reading(factsOf(trigger, { actor: 'write', toFix: findings }));
  const opened = await openTestBench?.({ ...place, reading, signal: deadline.signal });
  return opened ?? WHY_NOT_SHOWN.noBench;
}

/** The findings that a run is to fix, with a bench for their tests; left out: none has a test. */
interface FixWork {
  readonly findings: readonly FindingToFix[];
  readonly bench?: TestBench | string;
}

/**
 * The run that fixes findings. It sees the findings and no other text of the pull request, so it
 * does not matter who wrote the title, the description and the comments.
 */
export function fixRequest(
  request: RunRequest,
  trigger: CommentTrigger,
  { findings, bench: fixBench }: FixWork,
): RunRequest {
  const handles = findings.map(({ handle }) => handle);
  return {
    ...requestAboutFindings(request, trigger),
    prompt: orderToFix(handles, trigger.number),
    toFix: findings,
    fixBench,
  };
}

/** A run that is shown findings and no other text of the pull request, which is not a fork's. */
export function requestAboutFindings(request: RunRequest, trigger: CommentTrigger): RunRequest {
  return {
    ...request,
    trigger: aboutFindings(trigger),
    admissionPolicy: DEFAULT_ADMISSION_POLICY,
    // A person reads the answer, even if the workflow reads reviews as JSON.
    outputSchema: '',
  };
}

/** The comment without other people's texts, on a pull request that is not a fork's. */
function aboutFindings(trigger: CommentTrigger): CommentTrigger {
  const texts = { title: '', description: '', body: '', place: undefined } as const;
  return { ...trigger, ...texts, subjectAuthor: trigger.author, isFork: false };
}
