import { resolve } from 'node:path';
import type { LoadedAgent } from '../agent/agent-source.js';
import {
  type AdmissionFacts,
  decideAdmission,
  type EventFacts,
  isPausable,
  isRepeatable,
  type StateFacts,
} from '../event/admission.js';
import { refuseCheckout } from '../event/checkout.js';
import type { Permission } from '../event/permission.js';
import { createTaintTracker, type TaintTracker } from '../event/taint.js';
import { subjectNumber, type Trigger } from '../event/trigger.js';
import { classifyTrust, contentAuthor } from '../event/trust.js';
import { ConfigError, isNotFound } from '../lib/errors.js';
import { spendBefore, usedUp } from '../loop/spend.js';
import type { TriggerContext } from '../prompt/context.js';
import { isForkUnknown, trustOfDiff } from '../prompt/context-trust.js';
import { reviewCommand } from '../review/command.js';
import { planScope } from '../review/scope.js';
import { isPaused, type ReviewFact } from '../review/state-facts.js';
import { admitActor, askPermission, permissionOf } from './access.js';
import type { Dependencies } from './dependencies.js';
import { readMemory } from './memory.js';
import { planNotes } from './notes.js';
import { planBasis, runAhead } from './plan.js';
import type { Admitted, Memory, RunReport, RunRequest } from './records.js';
import { postsReviews } from './scope.js';

/** An event that starts nothing; `at` is how far it came, where that is to the agent and its memory. */
export type Skipped = Extract<RunReport, { kind: 'skipped' }> & { readonly at?: Admitted };

/**
 * The first step: whether the event starts a run. The rules are asked as soon as their facts are known: by the event
 * alone, then with permissions, the agent, and what memory says of earlier runs. Only after that is the context fetched.
 * Throws an AxeError; the order of errors is axe's (axe-behaviour §4).
 */
export async function admit(request: RunRequest, deps: Dependencies): Promise<Admitted | Skipped> {
  const { trigger } = request;
  const event = eventFacts(request);
  const early = skipOf({ event });
  if (early !== undefined) return early;

  const agentLoaded = runAhead(deps.agents.loadAgent(request.agent));
  const authorPermission = runAhead(askPermission(contentAuthor(trigger), deps));
  const access = await admitActor(event, deps);
  if (access.kind === 'skipped') return access;
  const actor = access.permission;
  const writer = contentAuthor(trigger);
  const answer = await authorPermission;
  const author = writer === undefined ? actor : permissionOf(answer);
  const facts = { event, permission: actor };
  refuseCheckout(trigger, await request.readCheckout());

  // A command without the phrase may be meant for another agent: only this one's tools say that.
  const isMeant = skipOf({ event: { ...event, asksForReview: false } }) === undefined;
  if (isMeant && !request.dryRun) deps.acknowledgement?.start();
  const agent = await agentOrSkip(agentLoaded, { request, facts }, deps);
  if (agent.kind === 'skipped') return agent;
  if (!isMeant && !request.dryRun) deps.acknowledgement?.start();
  return await admitByState({ request, facts, author, ...agent }, deps);
}

function eventFacts({ trigger, admissionPolicy }: RunRequest): EventFacts {
  const asksForReview = reviewCommand(trigger) !== undefined;
  return { trigger, asksForReview, policy: admissionPolicy };
}

function skipOf(facts: AdmissionFacts): Skipped | undefined {
  const decision = decideAdmission(facts);
  return decision.kind === 'run' ? undefined : { kind: 'skipped', decision };
}

interface AgentParts {
  readonly request: RunRequest;
  /** What is known of an event once its people were asked about. */
  readonly facts: { readonly event: EventFacts; readonly permission: Permission | 'unknown' };
}

/** `unfit`: nothing that the agent looks at has changed; what it found before holds still. */
type AgentOrSkip =
  | { readonly kind: 'agent'; readonly agent: LoadedAgent; readonly unfit?: Skipped }
  | Skipped;

/** The agent of the base ref. One that exists only on the pull request's head is checked and not run (D21). */
async function agentOrSkip(
  loaded: Promise<LoadedAgent>,
  { request, facts }: AgentParts,
  deps: Dependencies,
): Promise<AgentOrSkip> {
  try {
    const agent = await loaded;
    const unfit = skipOf({ ...facts, agent: { kind: 'found', postsReviews: postsReviews(agent) } });
    if (unfit?.decision.reason === 'no-change') return { kind: 'agent', agent, unfit };
    return unfit ?? { kind: 'agent', agent };
  } catch (thrown) {
    if (!isNotFound(thrown, 'agent') || deps.headAgents === undefined) throw thrown;
    const { source } = await deps.headAgents.loadAgent(request.agent).catch((error: unknown) => {
      throw error instanceof ConfigError && !isNotFound(error, 'agent') ? error : thrown;
    });
    const unmerged = skipOf({ ...facts, agent: { kind: 'unmerged', name: request.agent, source } });
    if (unmerged === undefined) throw thrown;
    return unmerged;
  }
}

interface StateParts extends AgentParts {
  /** What whoever wrote the text may do. */
  readonly author: Permission | 'unknown';
  readonly agent: LoadedAgent;
  readonly unfit?: Skipped | undefined;
}

/**
 * Waits for memory where it can turn the event away, and only then asks for the context. Below a comment only the context
 * says whether the pull request comes from a fork, and the run's trust depends on that: there it is asked for even if a
 * limit of several runs turns the event away.
 */
async function admitByState(parts: StateParts, deps: Dependencies): Promise<Admitted | Skipped> {
  const { request, facts, author, agent, unfit } = parts;
  const { trigger, admissionPolicy } = request;
  const taint = createTaintTracker(trigger);
  const classified = classifyTrust(trigger, {
    actor: facts.permission,
    author,
    allowBots: admissionPolicy.allowBots,
  });
  const isForkOpen = isForkUnknown(trigger, classified);
  const needsState = unfit === undefined && canStateSkip(parts);
  const early = isForkOpen || !needsState ? runAhead(readContext(request, taint, deps)) : undefined;
  const trust = isForkOpen ? trustOfDiff(classified, trigger, await early) : classified;
  if (trust.lane === 'tainted') taint.add({ kind: 'event', reason: trust.reason });
  if (trigger.kind === 'push' || trigger.kind === 'release') taint.add({ kind: 'history' });

  const basis = await planBasis(request, agent, trust, deps);
  const workdir = resolve(deps.cwd, basis.workdir);
  const notes = planNotes({ ...basis, workdir, isSubAgent: false });
  const memory = runAhead(readMemory(basis.agent, basis.memory, deps, { plan: notes, unsaved: [] }));
  const none = Promise.resolve(undefined);
  const at = { kind: 'admitted', facts, basis, taint, memory, context: early ?? none } as const;
  if (unfit !== undefined) return { ...unfit, at };
  if (needsState) {
    const state = stateFacts(await memory, parts, deps);
    const skipped = skipOf({ ...facts, state });
    if (skipped !== undefined) return { ...skipped, at };
  }
  return { ...at, context: early ?? runAhead(readContext(request, taint, deps)) };
}

/** Whether memory can turn the event away. A dry run costs nothing and is shown all the same. */
function canStateSkip(parts: StateParts): boolean {
  const { trigger, spendLimits, dryRun } = parts.request;
  if (dryRun) return false;
  const { perPullUsd, perDayUsd } = spendLimits;
  const isLimited = perDayUsd > 0 || (perPullUsd > 0 && subjectNumber(trigger) !== undefined);
  return isLimited || isPausable(trigger) || canRepeat(parts);
}

/**
 * Whether the event can come to a commit that was reviewed before, without anybody asking for that. Nothing was reviewed
 * of one that was just opened, and a run of a later attempt was started again by hand.
 */
function canRepeat({ request, facts, agent }: StateParts): boolean {
  const { trigger, reviewScope, origin } = request;
  if (trigger.kind !== 'pull_request' || trigger.action === 'opened' || !postsReviews(agent)) return false;
  const isAgain = Number(origin?.attempt ?? '1') > 1 || reviewScope === 'full';
  return !isAgain && isRepeatable(facts.event);
}

function stateFacts(memory: Memory | undefined, parts: StateParts, { clock }: Dependencies): StateFacts {
  const { trigger, spendLimits: limits } = parts.request;
  const facts = memory?.facts ?? [];
  const pull = subjectNumber(trigger);
  const spend = spendBefore(facts, { trigger, limits, now: clock.now() });
  return {
    isPaused: pull !== undefined && isPaused(facts, pull),
    isReviewed: canRepeat(parts) && wasReviewed(facts, trigger),
    spent: usedUp(spend),
  };
}

/** A limit may have ended the review, or files may have been left that did not fit: then there is something to look at. */
function wasReviewed(facts: readonly ReviewFact[], trigger: Trigger): boolean {
  if (trigger.kind !== 'pull_request') return false;
  const { number: pull, head, base } = trigger;
  const plan = planScope({ facts, pull, head: head.sha, into: base.ref, isFullRequested: false });
  return plan.kind === 'full' && plan.why === 'again' && (plan.before?.unseen ?? []).length === 0;
}

/** What is around the event. What of it is anybody's is noted, as a tool notes it that brings the same text. */
async function readContext(
  { trigger }: RunRequest,
  taint: TaintTracker,
  { github, deadline }: Dependencies,
): Promise<TriggerContext | undefined> {
  const context = await github?.context(trigger, deadline.signal);
  if ((context?.checks ?? []).length > 0) taint.add({ kind: 'failing-checks' });
  return context;
}
