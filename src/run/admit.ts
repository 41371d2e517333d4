import { resolve } from 'node:path';
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
import type { TriggerContext } from '../event/context.js';
import { isRepository, type Repository, subjectNumber, type Trigger } from '../event/trigger.js';
import {
  classifyTrust,
  contentAuthor,
  createTaintTracker,
  type Permission,
  type PermissionAnswer,
  refuseCheckout,
  type TaintTracker,
  type Trust,
  untrustedBecause,
} from '../event/trust.js';
import {
  filesWithoutLines,
  planScope,
  type ReviewScope,
  reviewCommand,
} from '../findings/change/scope.js';
import { isPaused, type ReviewFact } from '../findings/state-facts.js';
import { AxeError, ConfigError, isNotFound } from '../lib/errors.js';
import { exhaustedLimit, hasSpendLimit, spendBefore } from '../loop/budget.js';
import { createPathFilter } from '../prompt/diff-policy.js';
import type { Dependencies } from './dependencies.js';
import { planMemory, readMemory } from './memory.js';
import { planNotes } from './notes.js';
import type { Admitted, PlanBasis, RunReport, RunRequest } from './records.js';
import { planReview } from './review-plan.js';

/**
 * An event that starts nothing; `at` is how far it came, where that is to the agent and its memory.
 */
export type SkippedRun = Extract<RunReport, { kind: 'skipped' }> & { readonly at?: Admitted };

/**
 * The first step: whether the event starts a run. The rules are asked as soon as their facts are
 * known: by the event alone, then with permissions, the agent, and what memory says of earlier
 * runs. Throws an AxeError; the order of errors is axe's (axe-behaviour §4).
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
  const writer = contentAuthor(trigger);
  const asking = startEarly(askPermission(writer, deps));
  const access = await admitActor(event, deps);
  if (access.kind === 'skipped') return access;
  const { permission } = access;
  const author = writer === undefined ? permission : permissionOf(await asking);
  const facts = { event, permission };
  refuseCheckout(trigger, await request.readCheckout());

  // A command without the phrase may be meant for another agent: only this one's tools say that.
  const isMeant = skipOf({ event: { ...event, asksForReview: false } }) === undefined;
  if (isMeant && !dryRun) deps.acknowledgement?.start();
  const agent = await agentOrSkip(loading, request, facts, deps);
  if ('decision' in agent) return agent;
  // Nothing that the agent looks at has changed: what it found before still holds.
  const unfit = skipOf({ ...facts, agent: { kind: 'found', postsReviews: postsReviews(agent) } });
  if (unfit !== undefined && unfit.decision.reason !== 'no-change') return unfit;
  if (!isMeant && !dryRun) deps.acknowledgement?.start();
  return await admitByState(request, facts, author, agent, unfit, deps);
}

function skipOf(facts: AdmissionFacts): SkippedRun | undefined {
  const decision = decideAdmission(facts);
  return decision.kind === 'run' ? undefined : { kind: 'skipped', decision };
}

/** Whether an event starts anything, with the actor's permission if it does. */
export type Access =
  | { readonly kind: 'open'; readonly permission: Permission | 'unknown' }
  | Extract<RunReport, { kind: 'skipped' }>;

/**
 * Asks what the actor may do and decides by the event and that alone (D20): all that a command
 * needs. Throws an AxeError where it depends on a permission that could not be read: a run that was
 * skipped for it would be green, and nobody would look.
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
  const { actor: who, repository } = trigger;
  const where = `${repository.owner}/${repository.name}`;
  throw new AxeError(
    `the permission of ${who.login} in ${where} could not be read: ${answer.message}`,
    {
      remedy:
        answer.remedy ?? 'Run it again; nothing is run for a person whose permission is unknown.',
    },
  );
}

/** What an account may do here; of nobody in particular it is unknown. */
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

/** An agent fixes findings with the prompt and the tools of ours for that. */
async function loadAgent(
  { agent: name, toFix }: RunRequest,
  { agents }: Dependencies,
): Promise<LoadedAgent> {
  const agent = await agents.loadAgent(name);
  return toFix === undefined ? agent : asFixer(agent, await agents.loadAgent(FIXER));
}

/**
 * The agent of the base ref. One that exists only on the pull request's head is checked and not run
 * (D21).
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

/**
 * Asks for memory and context at once, and waits for memory where it can turn the event away. Below
 * a comment only the context says whether the pull request comes from a fork, and the run's trust
 * depends on that.
 */
async function admitByState(
  request: RunRequest,
  facts: Admitted['facts'],
  /** What whoever wrote the text may do. */
  author: Permission | 'unknown',
  agent: LoadedAgent,
  unfit: SkippedRun | undefined,
  deps: Dependencies,
): Promise<Admitted | SkippedRun> {
  const { trigger, admissionPolicy, dryRun } = request;
  const taint = createTaintTracker(trigger);
  if (request.toFix?.some(({ lane }) => lane !== 'trusted') === true)
    taint.add({ kind: 'event', reason: 'strangers may have had a part in the finding' });
  const { allowBots } = admissionPolicy;
  const classified = classifyTrust(trigger, { actor: facts.permission, author, allowBots });
  // Events of plain comments do not say it.
  const isForkOpen =
    classified.lane !== 'untrusted' &&
    trigger.kind === 'comment' &&
    trigger.on === 'pull_request' &&
    trigger.isFork === undefined;
  const mayRepeat = canRepeat(request, agent);
  // A dry run costs nothing and is shown all the same.
  const mayBeStopped =
    mayRepeat || isPausable(trigger) || hasSpendLimit(request.spendLimits, trigger);
  const needsState = unfit === undefined && !dryRun && mayBeStopped;
  const context = startEarly(readContext(request, taint, deps));
  const trust = isForkOpen
    ? trustOfDiff(classified, trigger.repository, await context)
    : classified;
  if (trust.lane === 'tainted') taint.add({ kind: 'event', reason: trust.reason });
  if (trigger.kind === 'push' || trigger.kind === 'release') taint.add({ kind: 'history' });

  const basis = await planBasis(request, agent, trust, deps);
  const workdir = resolve(deps.cwd, basis.workdir);
  const notes = planNotes({ ...basis, workdir, isSubAgent: false });
  const memory = startEarly(readMemory(basis.agent, basis.memory, deps, notes));
  const at = { kind: 'admitted', facts, basis, taint, memory, context } as const;
  if (unfit !== undefined) return { ...unfit, at };
  if (needsState) {
    const known = (await memory)?.facts ?? [];
    const pull = subjectNumber(trigger);
    const limits = request.spendLimits;
    const state = {
      isPaused: pull !== undefined && isPaused(known, pull),
      isReviewed: mayRepeat && wasReviewed(known, trigger),
      spent: exhaustedLimit(spendBefore(known, { trigger, limits, now: deps.clock.now() })),
    };
    const skipped = skipOf({ ...facts, state });
    if (skipped !== undefined) return { ...skipped, at };
  }
  return at;
}

export function postsReviews({ config }: LoadedAgent): boolean {
  return config.tools.includes('add_review_comment') || config.tools.includes('submit_review');
}

/**
 * Whether the event can come to a commit that was reviewed before, without anybody asking for that.
 * Nothing was reviewed of one that was just opened, and a run of a later attempt was started again
 * by hand.
 */
function canRepeat({ trigger, reviewScope, origin }: RunRequest, agent: LoadedAgent): boolean {
  if (!isRepeatable(trigger) || trigger.action === 'opened' || !postsReviews(agent)) return false;
  return !(Number(origin?.attempt ?? '1') > 1 || reviewScope === 'full');
}

/** Files may have been left that did not fit: then there is something to look at. */
function wasReviewed(facts: readonly ReviewFact[], trigger: Trigger): boolean {
  if (trigger.kind !== 'pull_request') return false;
  const { number: pull, head, base } = trigger;
  const plan = planScope({ facts, pull, head: head.sha, into: base.ref, isFullRequested: false });
  return plan.kind === 'full' && plan.why === 'again' && (plan.before?.unseen ?? []).length === 0;
}

/**
 * What is around the event. What of it is anybody's is noted, as a tool notes it that brings the
 * same text.
 */
async function readContext(
  { trigger, toFix }: RunRequest,
  taint: TaintTracker,
  { github, deadline }: Dependencies,
): Promise<TriggerContext | undefined> {
  if (toFix !== undefined) return { kind: 'none', warnings: [] };
  const context = await github?.context(trigger, deadline.signal);
  if ((context?.checks ?? []).length > 0) taint.add({ kind: 'failing-checks' });
  return context;
}

/**
 * The trust of a run that is given the diff of a pull request, once it is known where its head lies
 * (D19).
 */
function trustOfDiff(
  trust: Trust,
  repository: Repository,
  context: TriggerContext | undefined,
): Trust {
  if (context?.kind !== 'pull_request')
    return untrustedBecause('the pull request could not be read');
  if (context.pinned === undefined) return trust;
  if (isRepository(context.pinned.head.repository, repository)) return trust;
  return untrustedBecause('the pull request comes from a fork');
}

/**
 * What the rest of a plan is built on, and memory is read by. Starts the agent's time limit. Throws
 * an AxeError for a model, configuration or folder of no use.
 */
async function planBasis(
  request: RunRequest,
  loaded: LoadedAgent,
  trust: Trust,
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
  const memory = planMemory(agent, model, trust, request, deps.clock.newId());
  const workdir = firstGiven([request.workdir, await agentWorkdir(agent, deps), deps.cwd]);
  return { agent, model, trigger, trust, workdir, timeoutSeconds, review, memory };
}

/**
 * The folder that an agent works in, empty where it names none. Throws a ConfigError for one
 * outside of the workspace: file tools, context files and programs all start there (D48).
 */
export async function agentWorkdir(
  { name, config }: LoadedAgent,
  { resolveWorkdir }: Dependencies,
): Promise<string> {
  const { workdir } = config;
  if (workdir === '' || resolveWorkdir === undefined) return workdir;
  return await resolveWorkdir(workdir, `\`workdir\` of the agent "${name}"`);
}

/**
 * The first that is not empty: the earlier source wins (command line or input, agent,
 * surroundings).
 */
export function firstGiven(values: readonly string[]): string {
  return values.find((value) => value !== '') ?? '';
}

/**
 * Lets work run ahead of its need: a failure is reported where it is awaited, and nowhere if nobody
 * comes to need it.
 */
export function startEarly<T>(work: Promise<T>): Promise<T> {
  work.catch(() => undefined);
  return work;
}

/**
 * The end of admission: whether the change holds anything to read. Asked once the change is there,
 * and before a model is. Only what an event on a pull request, or `/axe review`, is about can be
 * empty: a question has an answer all the same. Throws an AxeError for a change of which nothing
 * could be read (D40).
 */
export function admitChange(
  { trigger, diffPolicy }: RunRequest,
  { facts }: Admitted,
  context: TriggerContext | undefined,
  scope: ReviewScope | undefined,
): SkippedRun | undefined {
  const number = subjectNumber(trigger);
  const isReview = trigger.kind === 'pull_request' || reviewCommand(trigger) !== undefined;
  if (!isReview || number === undefined) return undefined;
  // A run that has seen nothing can only make something up.
  const unread =
    context?.kind === 'none' && context.warnings.find(({ code }) => code === 'context-incomplete');
  if (unread) {
    const text = `nothing of pull request #${number} could be read: ${unread.message}`;
    throw new AxeError(text, { remedy: unread.remedy });
  }
  if (context?.kind !== 'pull_request') return undefined;
  const isShown = createPathFilter(diffPolicy);
  const isInScope = ({ path }: { readonly path: string }) => isShown(path);
  const change = {
    number,
    unreadable: whyUnreadable(context, isInScope),
    nothingNewSince:
      scope?.kind === 'since' && !hasNew(scope, isInScope) ? scope.before.last : undefined,
  };
  const skipped = skipOf({ ...facts, change });
  if (skipped?.decision.reason !== 'nothing-new') return skipped;
  return { ...skipped, unchangedSince: change.nothingNewSince };
}

/**
 * Files that GitHub does not list may be wanted, and what it shows no lines of can be read by a
 * tool.
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
  const bare = new Set(filesWithoutLines(context));
  const isBinary = inScope.every(
    ({ path, additions, deletions }) => bare.has(path) && additions + deletions === 0,
  );
  return isBinary ? 'its changed files are binary' : undefined;
}

function hasNew(
  { change, before }: Extract<ReviewScope, { kind: 'since' }>,
  isInScope: (file: { readonly path: string }) => boolean,
): boolean {
  return change.files.some(isInScope) || (before.unseen ?? []).length > 0;
}
