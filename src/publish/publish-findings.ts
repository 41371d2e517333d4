import { type Repository, subjectNumber, subjectTrigger, type Trigger } from '../event/trigger.js';
import { NO_PUBLICATIONS, type Refused, withoutEnded } from '../findings/buffered-publications.js';
import { isQuestion } from '../findings/change/scope.js';
import { endsOfRecord } from '../findings/check-rows.js';
import { hasEnded } from '../findings/finding.js';
import type { KeptFact } from '../findings/kept-finding.js';
import {
  factsToKeep,
  hasUnreportedChanges,
  isPartlyKnown,
  reviewEndOf,
  turnBack,
  turnConversations,
  updateCopy,
} from '../findings/post/conversations.js';
import type { ReviewToPost } from '../findings/post/finding-texts.js';
import { type PostedReview, postReview } from '../findings/post/post-review.js';
import { type FindingRecord, findingRecords, type ReviewResult } from '../findings/post/record.js';
import { NO_TOKEN, withGitHub } from '../github/client/ask.js';
import type { GitHubClient } from '../github/client/client.js';
import { GitHubError } from '../github/client/errors.js';
import {
  addReaction,
  findOrCreateIssue,
  type ReactionSubject,
  setLabels,
} from '../github/posting/issues.js';
import { type Posted, updateOf } from '../github/posting/posted.js';
import { cameToNothing } from '../lib/outcome.js';
import { textId } from '../lib/text/text-id.js';
import type {
  Acknowledgement,
  FindingsToTell,
  OwnedFindings,
  PublishRequest,
  ToldFindings,
  TurnedFindings,
} from '../run/dependencies.js';
import { cleanFor, reviewExtent } from '../run/outbound.js';
import { formatLabels } from '../run/views/published.js';
import { sanitize } from '../safety/sanitize.js';
import type { ActionPublisherOptions } from './answer.js';
import { reviewFooter, reviewRemarks, reviewSignature } from './views/review.js';

/**
 * Publishes what the tools of a run collected: the review, then labels and the like. Trouble is a
 * warning.
 */
export async function publishRequested(
  end: PublishRequest,
  options: ActionPublisherOptions,
): Promise<PostedReview> {
  const { plan, outcome, buffered, change, findings, word } = end;
  const { trigger, agent } = plan;
  if ((buffered === NO_PUBLICATIONS && findings === undefined) || trigger.kind === 'local')
    return { isReview: false };
  const isRead = !cameToNothing(outcome);
  const clean = cleanFor(word, options);
  const { repository } = trigger;
  let review: PostedReview = { isReview: false };
  if (change !== undefined && findings !== undefined) {
    const { head } = change;
    review = await postReview(options.client, {
      ...postingOf(findings, { repository, agent: agent.name, head, word }, options),
      agent: trigger.kind === 'comment' ? `${agent.name}/reply-${trigger.commentId}` : agent.name,
      buffered,
      remarks: reviewRemarks(outcome, buffered, plan.warnings),
      isQuestion: isQuestion(trigger),
      isOver: options.comment !== 'never' && isRead,
      maxComments: options.rules.maxComments,
      extent: reviewExtent(end),
      model: outcome.stats.modelId,
      footer: reviewFooter(end, options, clean),
    });
  }
  const isComplete =
    outcome.kind === 'completed' || (outcome.kind === 'exhausted' && outcome.isAnswered === true);
  const effects = isComplete ? await publishSideEffects(end, options) : {};
  return {
    ...review,
    posts: [...(review.posts ?? []), ...(effects.posts ?? [])],
    failure: review.failure ?? effects.failure,
    review: isRead ? review.review : undefined,
  };
}

/** The refused calls that people should know of; undefined for none. */
export function refusedOf({ buffered, findings }: PublishRequest): Refused | undefined {
  const ended = (findings?.ledger.findings ?? []).filter(hasEnded);
  const refused = withoutEnded(buffered, new Set(ended.map(({ id }) => id)));
  const isNone = refused.refusedFindings.length + refused.refusals.length === 0;
  return isNone ? undefined : refused;
}

/**
 * Carries out what was decided of findings: resolves and opens conversations, and keeps the record.
 * Returns its lines for the state; without a state the newest review has it.
 */
export async function turnFindings(
  findings: OwnedFindings,
  options: ActionPublisherOptions,
): Promise<TurnedFindings> {
  const posting = { ...postingOf(findings, findings, options), extent: findings.extent };
  // A record that could not be read against GitHub stays as it was.
  if (posting.ledger.seen === undefined) return { facts: [], isChanged: false };
  const mayWrite = options.comment !== 'never';
  const { client } = options;
  const isTurning = mayWrite && client !== undefined && findings.isUnread !== true;
  const turned = isTurning ? await turnConversations(client, posting) : [];
  const isCopied = isTurning && (await updateCopy(client, posting));

  const fresh = new Set(findings.news.fresh.map(({ finding }) => finding.id));
  const isNew = (fact: KeptFact) => fact.kind === 'finding' && fresh.has(fact.id);
  // Ends wait if GitHub could not be read again. A finding that nobody can see does not count.
  const facts = factsToKeep(posting)
    .filter((fact) => findings.isUnread !== true || isNew(fact))
    .filter((fact) => mayWrite || !isNew(fact));
  if (client === undefined || turned.length === 0) return { facts, isChanged: isCopied };
  return { facts, isChanged: true, turnBack: () => turnBack(client, posting, turned) };
}

/** Tells on other pull requests, where people have answered findings since. */
export async function reportOnOtherPulls(
  { plan: { trigger, agent }, others, word }: PublishRequest,
  options: ActionPublisherOptions,
): Promise<void> {
  if (options.comment === 'never' || trigger.kind === 'local') return;
  const { repository } = trigger;
  for (const findings of others) {
    // Their change is not known: no review is posted, only taken back.
    const run = { repository, agent: agent.name, head: findings.ledger.seen?.head ?? '', word };
    await postReview(options.client, postingOf(findings, run, options));
  }
}

/** Tells of findings without a run: what people did, what the check of the commit says then. */
export async function reportFindings(
  changes: ToldFindings,
  options: ActionPublisherOptions,
): Promise<ReviewResult> {
  const { ledger, pull, head, agent, trigger, skipped } = changes;
  const { repository } = trigger;
  const run = { repository, agent, head, word: 'own' } as const;
  const { maxComments } = options.rules;
  const posting = { ...postingOf(changes, run, options), maxComments, answered: changes.answered };
  const isUnread = ledger.seen === undefined;
  const isChanged = hasUnreportedChanges(posting);
  const maySay = options.comment !== 'never' && !isUnread && isChanged;
  const part = maySay ? await postReview(options.client, posting) : undefined;
  const isNews = isChanged || changes.hasCheckWord === true || skipped !== undefined;
  if (options.checkRun && isNews) {
    const review = part?.review ?? reviewEndOf(posting);
    await options.progress?.tell({
      repository,
      headSha: head,
      name: agent,
      review,
      skipped,
      isUnread: isUnread || isPartlyKnown(posting),
    });
  }
  const findings = findingRecords(posting).map((record) => redactRecord(record, options.secrets));
  const report = { head, base: '', pull, coverage: undefined, findings };
  const { checks } = ledger;
  const ends = checks === undefined ? {} : { checks: endsOfRecord(checks) };
  return { agent, report, isUnpublished: false, ...ends };
}

/** The posting for findings of which the run itself says nothing. */
function postingOf(
  { pull, ledger, news, isUnread, unsayable }: FindingsToTell,
  {
    repository,
    agent,
    head,
    word,
    model,
  }: Pick<ReviewToPost, 'agent' | 'head' | 'word' | 'model'> & { readonly repository: Repository },
  options: ActionPublisherOptions,
): ReviewToPost {
  return {
    agent,
    head,
    word,
    model,
    place: { repository, number: pull },
    ledger,
    news,
    isUnread,
    unsayable,
    buffered: NO_PUBLICATIONS,
    remarks: [],
    isOver: true,
    maxComments: 0,
    blockOn: options.rules.blockOn,
    offersCommands: options.offersCommands,
    extent: undefined,
    footer: '',
    signature: reviewSignature(agent, options.runUrl),
    now: options.now(),
    warn: (warning) => options.reporter.warn(warning),
    clean: cleanFor(word, options),
  };
}

/** A review for other programs: redacted, since nobody cleans it later. */
export function reviewResultOf(
  { plan, read: { coverage }, change }: PublishRequest,
  { records, isUnposted = false }: PostedReview,
  { secrets }: ActionPublisherOptions,
): ReviewResult | undefined {
  if (records === undefined || coverage === undefined || change === undefined) return undefined;
  const { head, base } = change;
  const findings = records.map((record) => redactRecord(record, secrets));
  const report = { head, base, pull: subjectNumber(plan.trigger), coverage, findings };
  return { agent: plan.agent.name, report, isUnpublished: isUnposted };
}

function redactRecord(record: FindingRecord, secrets: readonly string[]): FindingRecord {
  const clean = (text: string) => sanitize(text, 'output', secrets);
  const cleanIfAny = (text: string | undefined) => (text === undefined ? undefined : clean(text));
  return {
    ...record,
    title: clean(record.title),
    body: cleanIfAny(record.body),
    trigger: cleanIfAny(record.trigger),
    why: cleanIfAny(record.why),
    suggestion: cleanIfAny(record.suggestion),
    evidence: record.evidence?.map((cited) => ({ ...cited, code: clean(cited.code) })),
  };
}

const REMEDY = 'Check the `permissions:` of the job.';

/**
 * Labels, issues and the reaction of a run, each as far as GitHub takes it. Trouble is a warning.
 * @internal
 */
export async function publishSideEffects(
  request: PublishRequest,
  options: ActionPublisherOptions,
): Promise<Pick<PostedReview, 'failure' | 'posts'>> {
  const { labels, issues, reaction } = request.buffered;
  const wantsLabels = labels.add.length + labels.remove.length > 0;
  const { trigger } = request.plan;
  if (trigger.kind === 'local' || (!wantsLabels && issues.length === 0 && reaction === undefined))
    return {};

  const posts: Posted[] = [];
  const failures: string[] = [];
  const note = ({ post, problem }: SideEffect) => {
    if (post !== undefined) posts.push(post);
    if (problem === undefined) return;
    const { message, remedy, isFailure } = problem;
    if (isFailure) failures.push(message);
    options.reporter.warn({ code: 'publish-failed', message, remedy });
  };

  const { client } = options;
  if (client === undefined) {
    const message = `labels, issues and reactions were left out: ${NO_TOKEN}`;
    note({ problem: { message, isFailure: true } });
    return { failure: message };
  }
  const place = { client, trigger };
  if (wantsLabels) note(await postLabels(labels, place));
  for (const draft of issues) note(await postIssue(draft, request, options, place));
  if (reaction !== undefined) note(await postReaction(reaction, place));
  // Nobody looks for a reaction.
  const isSeen = posts.some(({ kind }) => kind !== 'reaction');
  return { posts, failure: isSeen ? undefined : failures[0] };
}

/** The end of posting labels, an issue or a reaction. */
interface SideEffect {
  readonly post?: Posted;
  readonly problem?: {
    readonly message: string;
    readonly remedy?: string;
    /** Something that people look for is missing. */
    readonly isFailure: boolean;
  };
}

interface SideEffectPlace {
  readonly client: GitHubClient;
  readonly trigger: Exclude<Trigger, { readonly kind: 'local' }>;
}

async function postLabels(
  labels: PublishRequest['buffered']['labels'],
  { client, trigger }: SideEffectPlace,
): Promise<SideEffect> {
  const { repository } = trigger;
  const number = subjectNumber(trigger);
  if (number === undefined) return {};

  const place = { repository, number };
  const result = await withGitHub((signal) => setLabels(client, place, labels, signal), REMEDY);
  if (result instanceof GitHubError)
    return { problem: problemOf('the labels were not set', result, true) };
  const { added, removed, unknown } = result;
  const isChanged = added.length + removed.length > 0;
  // The workflow allows these names, so they can be shown.
  const message = `the repository does not have ${formatLabels(unknown)}; none was made`;
  return {
    post: isChanged ? { kind: 'labels', number, added, removed } : undefined,
    problem: unknown.length === 0 ? undefined : { message, isFailure: false },
  };
}

/** An issue is known by its title: a run that is repeated, or a later one, updates it. */
async function postIssue(
  draft: PublishRequest['buffered']['issues'][number],
  { plan: { agent }, word }: PublishRequest,
  { secrets }: ActionPublisherOptions,
  { client, trigger: { repository } }: SideEffectPlace,
): Promise<SideEffect> {
  const issue = {
    repository,
    mark: { kind: 'issue', agent: agent.name, key: textId(draft.title) },
    title: sanitize(draft.title, 'title', secrets),
    body: cleanFor(word, { secrets })(draft.body),
    labels: draft.labels,
  } as const;
  const result = await withGitHub((signal) => findOrCreateIssue(client, issue, signal), REMEDY);
  if (result instanceof GitHubError)
    return { problem: problemOf('the issue was not opened', result, true) };
  const { created, number, url } = result;
  return { post: { kind: 'issue', number, url, ...updateOf(created) } };
}

async function postReaction(
  content: NonNullable<PublishRequest['buffered']['reaction']>,
  { client, trigger }: SideEffectPlace,
): Promise<SideEffect> {
  const { repository } = trigger;
  const subject = reactionSubject(trigger);
  if (subject === undefined) return {};

  const reaction = { repository, subject, content };
  const result = await withGitHub((signal) => addReaction(client, reaction, signal), REMEDY);
  // Nobody misses a reaction.
  if (result instanceof GitHubError)
    return { problem: problemOf('the reaction was not added', result, false) };
  return { post: { kind: 'reaction', number: subjectNumber(trigger) } };
}

function problemOf(
  missing: string,
  { message, remedy }: GitHubError,
  isFailure: boolean,
): SideEffect['problem'] {
  return { message: `${missing}: ${message}`, remedy, isFailure };
}

/**
 * The subject of a reaction. A review takes none (REST API, reactions), so its pull request gets
 * it.
 */
function reactionSubject(trigger: Trigger): ReactionSubject | undefined {
  const subject = subjectTrigger(trigger);
  if (subject === undefined) return undefined;
  if (subject.kind === 'comment' && subject.event === 'pull_request_review_comment')
    return { kind: 'review-comment', id: subject.commentId };
  if (subject.kind === 'comment' && subject.event === 'issue_comment')
    return { kind: 'issue-comment', id: subject.commentId };
  return { kind: 'issue', number: subject.number };
}

/**
 * 👀 on the comment that started a run or is a command, and a reply of one line where it has no
 * answer. A reaction is a courtesy: one that is refused is a line in the log, and no warning.
 * GitHub's REST API takes none on a review.
 */
export function createCommentReactions({
  client,
  trigger,
  isSilent,
  answer,
  log,
}: {
  readonly client: GitHubClient | undefined;
  readonly trigger: Trigger;
  /** Nothing is to be written to issues and pull requests. */
  readonly isSilent: boolean;
  /** Answers the comment with one line. */
  readonly answer: (line: string) => Promise<void>;
  readonly log: (line: string) => void;
}): Acknowledgement {
  let started: Promise<void> | undefined;
  async function setEyes(): Promise<void> {
    const subject = reactionSubject(trigger);
    if (client === undefined || isSilent || trigger.kind !== 'comment') return;
    if (subject === undefined || subject.kind === 'issue') return;
    const { repository } = trigger;
    const result = await withGitHub(
      (signal) => addReaction(client, { repository, subject, content: 'eyes' }, signal),
      '',
    );
    if (!(result instanceof GitHubError)) return;
    const message = `No reaction on the comment: ${result.message}`;
    log(message);
  }
  return {
    start() {
      started ??= setEyes();
    },
    async end(failure) {
      if (started === undefined) return;
      if (failure !== undefined) await answer(failure);
      await started;
    },
  };
}
