import type { LoadedAgent } from '../agent/agent-source.js';
import { asFixer, FIXER } from '../agent/built-in.js';
import { parseModelRef } from '../agent/config.js';
import {
  type AdmissionFacts,
  decideAdmission,
  type EventFacts,
  isPausable,
  isRepeatable,
  needsPermission,
} from '../event/admission.js';
import {
  changedPathsOf,
  hasStrangersInOwnRemarks,
  knowOwnRemarks,
  type TriggerContext,
  withoutForeignOutput,
} from '../event/context.js';
import { isRepository, subjectNumber, type Trigger } from '../event/trigger.js';
import {
  contentAuthor,
  type Facts,
  factsOf,
  isForkUnknown,
  offersCommands,
  type Permission,
  type PermissionAnswer,
  Reading,
  refuseCheckout,
  rightsOf,
} from '../event/trust.js';
import {
  filesWithoutLines,
  planScope,
  type ReviewScope,
  reviewCommand,
} from '../findings/change/scope.js';
import type { KnownFinding } from '../findings/known-finding.js';
import { isPaused, postedWords, type ReviewFact } from '../findings/state-facts.js';
import { AxeError, ConfigError, isNotFound, type Warning } from '../lib/errors.js';
import { exhaustedLimit, hasSpendLimit, spendBefore } from '../loop/budget.js';
import { createPathFilter } from '../prompt/diff-policy.js';
import { readGuidance } from '../prompt/guidance.js';
import type { Dependencies } from './dependencies.js';
import type { PullAtStart } from './github.js';
import { planMemory, readStateAlone, readWholeMemory } from './memory.js';
import type { Admitted, PlanBasis, RunReport, RunRequest, StoredMemory } from './records.js';
import { planReview } from './review-plan.js';

/** A skipped run. `admitted` is present if its agent was loaded and its memory requested. */
export type SkippedRun = Extract<RunReport, { kind: 'skipped' }> & { readonly admitted?: Admitted };

/**
 * The first step: decides if the event starts a run. Each rule is applied as soon as its facts are
 * known: first with the event alone, then with permissions, the agent, and what memory says about
 * earlier runs. Throws an AxeError; the order of errors is axe's.
 */
export async function admit(
  request: RunRequest,
  deps: Dependencies,
): Promise<Admitted | SkippedRun> {
  const { trigger, dryRun, admissionPolicy: policy } = request;
  const event = { trigger, policy, asksForReview: reviewCommand(trigger) !== undefined };
  const early = skipOf({ event });
  if (early !== undefined) return early;

  const loading = startEarly(loadAgent(request, deps));
  // Reading does no harm, and most people who start a run are allowed to.
  const fetching = startEarly(fetchContext(request, deps));
  const author = contentAuthor(trigger);
  const authorAnswer = startEarly(askPermission(author, deps));

  const access = await admitActor(event, deps);
  if (access.kind === 'skipped') return access;
  const { permission } = access;
  const authorPermission = author === undefined ? permission : permissionOf(await authorAnswer);
  const facts = { event, permission };
  refuseCheckout(trigger, await request.readCheckout());

  // A `/axe review` without the phrase can address another agent; only this one's tools tell.
  const isAddressed = skipOf({ event: { ...event, asksForReview: false } }) === undefined;
  if (isAddressed && !dryRun) deps.acknowledgement?.start();
  const agent = await agentOrSkip(loading, request, facts, deps);
  if ('decision' in agent) return agent;

  const skipped = skipOf({ ...facts, agent: { kind: 'found', postsReviews: postsReviews(agent) } });
  const hasEarlierFindings =
    skipped?.decision.reason === 'no-change' || skipped?.decision.reason === 'merge-queue';
  if (skipped !== undefined && !hasEarlierFindings) return skipped;
  if (!isAddressed && !dryRun) deps.acknowledgement?.start();
  const parts = { facts, authorPermission, agent, unchanged: skipped, fetching };
  return await admitByState(request, parts, deps);
}

function skipOf(facts: AdmissionFacts): SkippedRun | undefined {
  const decision = decideAdmission(facts);
  return decision.kind === 'run' ? undefined : { kind: 'skipped', decision };
}

export type Access =
  | { readonly kind: 'open'; readonly permission: Permission | 'unknown' }
  | Extract<RunReport, { kind: 'skipped' }>;

/**
 * Decides from the event and the actor's permission alone, which is enough for a command. Throws an
 * AxeError if the decision needs a permission that could not be read: a skipped run would be green,
 * and nobody would notice.
 */
export async function admitActor(event: EventFacts, deps: Dependencies): Promise<Access> {
  const answer = await askPermission(needsPermission(event), deps);
  const actor = permissionOf(answer);
  const decision = decideAdmission({ event, permission: actor });
  if (decision.kind === 'run') return { kind: 'open', permission: actor };

  const { trigger } = event;
  if (
    decision.reason !== 'permission-unknown' ||
    answer.kind !== 'unknown' ||
    trigger.kind === 'local'
  )
    return { kind: 'skipped', decision };

  const { owner, name } = trigger.repository;
  throw new AxeError(
    `the permission of ${trigger.actor.login} in ${owner}/${name} could not be read: ${answer.message}`,
    {
      remedy:
        answer.remedy ?? 'Run it again; nothing is run for a person whose permission is unknown.',
    },
  );
}

/** Asks GitHub for an account's permission; it is unknown without a login. */
export async function askPermission(
  login: string | undefined,
  deps: Dependencies,
): Promise<PermissionAnswer> {
  if (login === undefined) return { kind: 'unknown', message: 'nobody in particular' };
  if (deps.github === undefined) {
    const remedy =
      "In a workflow, set the step's `github-token`, or remove that input to use the job's token. Elsewhere, set `GH_TOKEN`.";
    return { kind: 'unknown', message: 'there is no token for GitHub', remedy };
  }
  return await deps.github.permission(login, deps.deadline.signal);
}

export function permissionOf(answer: PermissionAnswer): Permission | 'unknown' {
  return answer.kind === 'known' ? answer.permission : 'unknown';
}

/** The findings that a run is about, if it is shown nothing else of the pull request. */
function findingsAlone({ toFix, toShow }: RunRequest): readonly KnownFinding[] | undefined {
  return toFix ?? (toShow && [toShow.finding]);
}

/** To fix findings, any agent gets the prompt and the tools of the built-in fixer. */
async function loadAgent(
  { agent: name, toFix }: RunRequest,
  { agents }: Dependencies,
): Promise<LoadedAgent> {
  const agent = await agents.loadAgent(name);
  return toFix === undefined ? agent : asFixer(agent, await agents.loadAgent(FIXER));
}

/**
 * The agent of the base ref. An agent that exists only on the pull request's head is checked but
 * not run, since its author might not have write access.
 */
async function agentOrSkip(
  loading: Promise<LoadedAgent>,
  { agent: name }: RunRequest,
  facts: AdmissionFacts,
  { headAgents }: Dependencies,
): Promise<LoadedAgent | SkippedRun> {
  try {
    return await loading;
  } catch (thrown) {
    if (!isNotFound(thrown, 'agent') || headAgents === undefined) throw thrown;
    const { source } = await headAgents.loadAgent(name).catch((error: unknown) => {
      throw error instanceof ConfigError && !isNotFound(error, 'agent') ? error : thrown;
    });
    const unmerged = skipOf({ ...facts, agent: { kind: 'unmerged', name, source } });
    if (unmerged === undefined) throw thrown;
    return unmerged;
  }
}

interface AgentAdmission {
  readonly facts: Admitted['facts'];
  /** Permission of the account that wrote the text the run reads. */
  readonly authorPermission: Permission | 'unknown';
  readonly agent: LoadedAgent;
  /** Set if there is nothing new for the agent to read, so its earlier findings still hold. */
  readonly unchanged: SkippedRun | undefined;
  readonly fetching: Promise<TriggerContext | undefined>;
}

/**
 * Requests memory and context at once, and waits for memory only if it can stop the run. For a
 * comment only the context says if the pull request comes from a fork, and the run's rights depend
 * on that.
 */
async function admitByState(
  request: RunRequest,
  { facts, authorPermission, agent, unchanged, fetching }: AgentAdmission,
  deps: Dependencies,
): Promise<Admitted | SkippedRun> {
  const { trigger, admissionPolicy, dryRun } = request;
  const pull = await pullOfComment(request, deps);
  const reading = new Reading(
    factsOf(trigger, {
      actor: facts.permission,
      author: authorPermission,
      allowBots: admissionPolicy.allowBots,
      head: pull && originOf(pull, trigger),
      toFix: findingsAlone(request),
    }),
  );

  if (!dryRun && postsReviews(agent)) void startEarly(readAhead(trigger, fetching, deps));
  const listed = pull?.changedPaths;
  const changedPaths = listed ? Promise.resolve(listed) : fetching.then(changedPathsOf);
  const guidance = startEarly(
    changedPaths.then((paths) => readGuidanceFor(agent, { trigger, changedPaths: paths }, deps)),
  );
  const basis = await planBasis(request, agent, reading, deps);
  const memory = startEarly(readEarly(basis, deps));
  const context = startEarly(readContext(fetching, memory, reading));
  const reads = { memory, context, guidance };
  const admitted = { kind: 'admitted', facts, basis, reads } as const;
  if (unchanged !== undefined) return { ...unchanged, admitted };

  const missingKey = dryRun ? undefined : await deps.models.missingKey?.(basis.model);
  const keyless = missingKey === undefined ? undefined : skipOf({ ...facts, missingKey });
  if (keyless !== undefined) return { ...keyless, admitted };

  const { spendLimits: limits } = request;
  const canBeRepeated = canRepeat(request, agent);
  const canBeStopped = canBeRepeated || isPausable(trigger) || hasSpendLimit(limits, trigger);
  // A dry run costs nothing, so its plan is shown in any case.
  if (dryRun || !canBeStopped) return admitted;

  const reviewFacts = (await memory)?.facts ?? [];
  const number = subjectNumber(trigger);
  const state = {
    isPaused: number !== undefined && isPaused(reviewFacts, number),
    isReviewed: canBeRepeated && wasReviewed(reviewFacts, trigger),
    spent: exhaustedLimit(spendBefore(reviewFacts, { trigger, limits, now: deps.clock.now() })),
  };
  const skipped = skipOf({ ...facts, state });
  return skipped === undefined ? admitted : { ...skipped, admitted };
}

/** Compares with the commit of our newest review, which is mostly the one that memory names. */
async function readAhead(
  trigger: Trigger,
  context: Promise<TriggerContext | undefined>,
  { github, deadline }: Dependencies,
): Promise<void> {
  if (trigger.kind === 'comment' && reviewCommand(trigger) !== undefined)
    await github?.compareWithLastReview(trigger.number, trigger.commits?.head.sha, deadline.signal);
  if (trigger.kind !== 'pull_request') return;
  await context;
  await github?.compareWithLastReview(trigger.number, trigger.head.sha, deadline.signal);
}

/** The guidance of the repository for a change on GitHub. */
async function readGuidanceFor(
  agent: LoadedAgent,
  event: { readonly trigger: Trigger; readonly changedPaths: readonly string[] | undefined },
  { agents }: Dependencies,
): ReturnType<typeof readGuidance> {
  const isReview = postsReviews(agent);
  return await readGuidance(agent, { ...event, change: undefined, isReview }, agents);
}

export function postsReviews({ config }: LoadedAgent): boolean {
  return config.tools.includes('add_review_comment') || config.tools.includes('submit_review');
}

/**
 * The event can reach a commit that was already reviewed, without a request for another review. A
 * pull request that was just opened has no review, and somebody started a later attempt by hand.
 */
function canRepeat({ trigger, reviewScope, origin }: RunRequest, agent: LoadedAgent): boolean {
  if (!isRepeatable(trigger) || trigger.action === 'opened' || !postsReviews(agent)) return false;
  return !(Number(origin?.attempt ?? '1') > 1 || reviewScope === 'full');
}

/** A commit with files that did not fit into its last review still has something to review. */
function wasReviewed(facts: readonly ReviewFact[], trigger: Trigger): boolean {
  if (trigger.kind !== 'pull_request') return false;
  const { number: pull, head, base } = trigger;
  const plan = planScope({ facts, pull, head: head.sha, into: base.ref, isFullRequested: false });
  return plan.kind === 'full' && plan.why === 'again' && (plan.before?.unseen ?? []).length === 0;
}

async function fetchContext(
  request: RunRequest,
  { github, deadline }: Dependencies,
): Promise<TriggerContext | undefined> {
  if (findingsAlone(request) !== undefined) return { kind: 'none', warnings: [] };
  return await github?.context(request.trigger, deadline.signal);
}

/** The pull request of a comment whose event does not say where its head is. */
async function pullOfComment(
  request: RunRequest,
  { github, deadline }: Dependencies,
): Promise<PullAtStart | undefined> {
  const { trigger } = request;
  if (trigger.kind !== 'comment' || !isForkUnknown(trigger)) return undefined;
  if (findingsAlone(request) !== undefined) return undefined;
  return await github?.pull(trigger.number, deadline.signal);
}

function originOf({ head }: PullAtStart, trigger: Trigger): Facts['code'] | undefined {
  if (trigger.kind === 'local') return undefined;
  return isRepository(head.repository, trigger.repository) ? 'ours' : 'fork';
}

/** The texts of a private memory wait until everything else has been read. */
async function readEarly(basis: PlanBasis, deps: Dependencies): Promise<StoredMemory | undefined> {
  const { agent, memory } = basis;
  if (memory?.isPrivate === true) return await readStateAlone(agent, memory, deps);
  return await readWholeMemory(basis, deps);
}

/**
 * Knows our own texts among the others, adds those after which strangers' words were read, and
 * leaves out what other apps say of their checks, unless the run hears everybody.
 */
async function readContext(
  fetching: Promise<TriggerContext | undefined>,
  memoryReading: Promise<StoredMemory | undefined>,
  reading: Reading,
): Promise<TriggerContext | undefined> {
  const [fetched, memory] = await Promise.all([fetching, memoryReading]);
  if (fetched === undefined) return undefined;
  const context = knowOwnRemarks(fetched, postedWords(memory?.facts ?? []));
  if (rightsOf(reading.begun).hears === 'all') return context;
  if (hasStrangersInOwnRemarks(context)) reading.addOwnRemark();
  return withoutForeignOutput(context);
}

/**
 * Builds the part of the plan that memory needs. Starts the agent's time limit. Throws an AxeError
 * for an invalid model, configuration or folder.
 */
async function planBasis(
  request: RunRequest,
  loaded: LoadedAgent,
  reading: Reading,
  deps: Dependencies,
): Promise<PlanBasis> {
  const { trigger, effort } = request;
  const params = effort === undefined ? loaded.config.params : { ...loaded.config.params, effort };
  const agent = { ...loaded, config: { ...loaded.config, params } };
  const { config } = agent;

  const timeoutSeconds = request.timeLimit(config.timeoutSeconds);
  deps.deadline.limit(timeoutSeconds * 1000);

  const model = parseModelRef(firstGiven([request.model, config.model]));
  await deps.models.configure();
  const review = planReview(request.review ?? {}, { config: config.review, model });
  const memory = planMemory({ agent, model }, request, deps.clock.newId());
  const workdir = firstGiven([request.workdir, await agentWorkdir(agent, deps), deps.cwd]);
  const basis = { agent, model, trigger, reading, workdir, timeoutSeconds, review, memory };
  return { ...basis, offersCommands: offersCommands(request.admissionPolicy) };
}

/**
 * The agent's `workdir`, empty if it names none. Throws a ConfigError for a folder outside of the
 * workspace, since file tools, context files and programs all start there.
 */
export async function agentWorkdir(
  { name, config }: LoadedAgent,
  { resolveWorkdir }: Dependencies,
): Promise<string> {
  const { workdir } = config;
  if (workdir === '' || resolveWorkdir === undefined) return workdir;
  const labelInErrors = `\`workdir\` of the agent "${name}"`;
  return await resolveWorkdir(workdir, labelInErrors);
}

/** The first that is not empty. Sources are ordered: command line or input, agent, surroundings. */
export function firstGiven(values: readonly string[]): string {
  return values.find((value) => value !== '') ?? '';
}

/** Starts work before its result is needed. A failure is only reported if the work is awaited. */
export function startEarly<T>(work: Promise<T>): Promise<T> {
  work.catch(() => undefined);
  return work;
}

/**
 * The end of admission, when the change has been fetched: skips the run if there is nothing to
 * review. Only reviews can be skipped for that; a question can be answered without a change. Throws
 * an AxeError if nothing of the change could be read.
 */
export function admitChange(
  { trigger, diffPolicy }: RunRequest,
  { facts }: Admitted,
  context: TriggerContext | undefined,
  scope: ReviewScope | undefined,
): SkippedRun | undefined {
  const number = subjectNumber(trigger);
  const isReview = trigger.kind === 'pull_request' || reviewCommand(trigger) !== undefined;
  if (!isReview && trigger.kind !== 'merge_group') return undefined;

  // Without the change a model could only make findings up.
  const unread =
    context?.kind === 'none' && context.warnings.find(({ code }) => code === 'context-incomplete');
  if (unread) throw unreadError(number, unread, context.warnings);
  if (context?.kind !== 'pull_request' || number === undefined) return undefined;

  const isShown = createPathFilter(diffPolicy);
  const isInScope = ({ path }: { readonly path: string }) => isShown(path);
  const hasNothingNew = scope?.kind === 'since' && !hasNew(scope, isInScope);
  const nothingNewSince = hasNothingNew ? scope.before.last : undefined;
  const unreadable = whyUnreadable(context, isInScope);
  const skipped = skipOf({ ...facts, change: { number, unreadable, nothingNewSince } });
  if (skipped?.decision.reason !== 'nothing-new') return skipped;
  return { ...skipped, unchangedSince: nothingNewSince };
}

/** Names all permissions that GitHub has refused so far, so that nobody adds them one at a time. */
function unreadError(
  pull: number | undefined,
  { message }: Warning,
  refused: readonly Warning[],
): AxeError {
  const subject = pull === undefined ? 'the merge group' : `pull request #${pull}`;
  const remedies = [...new Set(refused.flatMap(({ remedy }) => remedy ?? []))];
  return new AxeError(`nothing of ${subject} could be read: ${message}`, {
    remedy: remedies.length === 0 ? undefined : remedies.join(' '),
  });
}

/**
 * Undefined also if GitHub did not list all files, since some of the rest could be in scope, and
 * for text files whose lines it omits, since a tool can read those.
 */
function whyUnreadable(
  context: Extract<TriggerContext, { readonly kind: 'pull_request' }>,
  isInScope: (file: { readonly path: string }) => boolean,
): string | undefined {
  const { files, filesTotal } = context;
  if (filesTotal === 0) return 'it changes no file';
  if (filesTotal > files.length) return undefined;
  const inScope = files.filter(isInScope);
  if (inScope.length === 0) return '`paths` leaves out every file that it changes';

  const withoutLines = new Set(filesWithoutLines(context));
  const isBinary = inScope.every(
    ({ path, additions, deletions }) => withoutLines.has(path) && additions + deletions === 0,
  );
  return isBinary ? 'its changed files are binary' : undefined;
}

function hasNew(
  { change, before }: Extract<ReviewScope, { kind: 'since' }>,
  isInScope: (file: { readonly path: string }) => boolean,
): boolean {
  return change.files.some(isInScope) || (before.unseen ?? []).length > 0;
}
