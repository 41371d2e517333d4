import type { LoadedAgent } from '../agent/agent-source.js';
import { type InternalAgent, internalAgent, SETTLE_VERIFIER, VERIFIER } from '../agent/built-in.js';
import { isOffline, parseModelRef } from '../agent/config.js';
import type { BufferedPublications } from '../findings/buffered-publications.js';
import { ShownFiles, type ShownLines } from '../findings/decide/evidence.js';
import {
  applyVerdicts,
  type DescribedClaims,
  describeClaims,
  describeSettlement,
  type FindingVerdict,
  groupClaims,
  VerdictCollector,
} from '../findings/decide/second-look.js';
import { compareSeverity, type Finding, isAtLeast } from '../findings/finding.js';
import type { Settlement } from '../findings/known-finding.js';
import { mapWithLimit } from '../lib/clock.js';
import { VERIFICATION } from '../lib/defaults.js';
import { AxeError, ConfigError } from '../lib/errors.js';
import { errorOf, type RunStats } from '../lib/outcome.js';
import { parseDiff } from '../lib/text/diff.js';
import { count } from '../lib/text/format.js';
import type { LoopDependencies } from '../loop/events.js';
import { addStats } from '../loop/reply.js';
import { createGiveVerdict } from '../tools/findings/review-tools.js';
import {
  type AgentConversation,
  type ConversationResult,
  formatLostParts,
  type LiveRun,
  lostByThrown,
  openModel,
} from './conversation.js';
import { holdConversation, readOwnFiles } from './hold-conversation.js';
import { quietLoop } from './passes.js';

/**
 * Has the findings of a review looked at by somebody who has not raised them, each place in a fresh
 * context, within the run's one budget and time. Never throws: a verifier that fails takes no
 * finding away. The review was whole before, so what the second look lacks is told and does not
 * change how the run ended.
 */
export async function verifyFindings(
  own: AgentConversation,
  held: ConversationResult,
  run: LiveRun,
): Promise<ConversationResult> {
  const { outcome, buffered } = held;
  const scope = run.publications?.scopeOfReview;
  const candidates = own.plan.review.depth === 'quick' ? [] : worstOf(buffered);
  if (candidates.length === 0 || scope === undefined) return held;
  const files = parseDiff(run.change?.diff ?? '');
  const claims = groupClaims(candidates.slice(0, VERIFICATION.findings)).map((group) => ({
    ids: group.map(({ id }) => id),
    ...describeClaims(group, { files, shownFiles: scope.shown }),
  }));
  const looked = await lookAgain(claims, VERIFIER, own, held, run);
  const asked = new Set(candidates.map(({ id }) => id));
  const { minSeverity } = scope.rules;
  const verified = applyVerdicts(buffered, asked, looked.verdicts, { ...scope, minSeverity });
  const { unverified, refuted, findings } = verified;
  const confirmed = findings.filter(({ finding }) => finding.confidence === 'confirmed').length;
  const looks = looked.verdicts.size;
  own.loop.reporter.event({
    kind: 'verified',
    looks,
    confirmed,
    refuted: refuted.length,
    unverified,
  });
  const left = `${count(unverified, 'finding')} had no second look`;
  if (unverified > 0)
    warnOfLost(looked, left, 'Findings without one are posted as raised.', own.loop);
  const stats = addStats(outcome.stats, looked.stats, run.budget);
  return { ...held, outcome: { ...outcome, stats }, buffered: verified };
}

/** What may be bad enough for a second look, the worst first. */
function worstOf({ findings }: BufferedPublications): readonly Finding[] {
  return findings
    .map(({ finding }) => finding)
    .filter(({ severity }) => isAtLeast(severity, 'minor'))
    .toSorted((a, b) => compareSeverity(a.severity, b.severity));
}

/**
 * Has somebody else look whether an earlier finding is over, before the model's word for it takes
 * back a review that asks for changes. Without their clear word the finding stays open, whatever
 * the reason: that holds up a merge, and can be ended by a person; the other way round a fault goes
 * through. Never throws.
 */
export async function verifySettlements(
  own: AgentConversation,
  held: ConversationResult,
  run: LiveRun,
): Promise<ConversationResult> {
  const { plan, loop } = own;
  const { outcome, buffered } = held;
  const scope = run.publications?.scopeOfReview;
  // What a person has dismissed is theirs to decide, and no code shows it.
  const isWanted = (one: Settlement) =>
    one.how !== 'dismissed' && scope?.ledger.isBlocking(one.finding);
  const wanted = buffered.settlements.filter(isWanted);
  // The word of a run that has read strangers' text ends nothing anyway.
  if (scope === undefined || wanted.length === 0 || run.taint.lane(plan.trust.lane) !== 'trusted')
    return held;
  // Rules come to the same again, whoever asks them.
  if (isOffline(plan.model))
    return { ...held, buffered: { ...buffered, settlements: buffered.settlements.map(agreed) } };
  // A verifier is shown what the finding says.
  const shown = wanted
    .filter(({ finding }) => finding.lane === 'trusted')
    .slice(0, VERIFICATION.findings);
  const files = parseDiff(run.change?.diff ?? '');
  const claims = shown.map((settlement) => ({
    ids: [settlement.finding.id],
    ...describeSettlement(settlement, { files, shownFiles: scope.shown }),
  }));
  const looked = await lookAgain(claims, SETTLE_VERIFIER, own, held, run);
  const isOver = (one: Settlement) => looked.verdicts.get(one.finding.id)?.kind === 'refuted';
  const kept = wanted.filter((one) => !isOver(one));
  const unseen = shown.filter(({ finding }) => !looked.verdicts.has(finding.id));
  const left = `${count(unseen.length, 'earlier finding')} had no second look`;
  if (unseen.length > 0) warnOfLost(looked, left, 'They stay open.', loop);
  const settlements = buffered.settlements
    .filter(({ finding }) => !kept.some((one) => one.finding.id === finding.id))
    .map((one) => (isOver(one) ? agreed(one) : one));
  const refusals = kept.map((one) => refusalOf(one, looked.verdicts.get(one.finding.id)));
  return {
    ...held,
    outcome: { ...outcome, stats: addStats(outcome.stats, looked.stats, run.budget) },
    buffered: { ...buffered, settlements, refusals: [...buffered.refusals, ...refusals] },
  };
}

function agreed(settlement: Settlement): Settlement {
  return { ...settlement, isAgreed: true };
}

/** It is in the job summary, with the verifier's reason. */
function refusalOf(
  { finding: { handle, lane } }: Settlement,
  verdict: FindingVerdict | undefined,
): BufferedPublications['refusals'][number] {
  const unseen =
    lane === 'trusted' ? 'nobody could look' : 'strangers may have influenced what it says';
  const why = `${handle} stays open, because a second look did not confirm its end (${verdict?.reason ?? unseen}).`;
  return { tool: 'settle_finding', why };
}

/** What is lost is told once, with its reasons; the review has their number. */
function warnOfLost(
  { lost }: Looked,
  what: string,
  then: string,
  { reporter }: LoopDependencies,
): void {
  if (lost.length === 0) return;
  const { reasons, remedy } = formatLostParts(lost);
  reporter.warn({ code: 'not-verified', message: `${what}: ${reasons}. ${then}`, remedy });
}

interface Looked {
  readonly verdicts: ReadonlyMap<string, FindingVerdict>;
  readonly stats: readonly RunStats[];
  /** Why some were not given. */
  readonly lost: readonly AxeError[];
}

interface Claims extends DescribedClaims {
  /** Of the findings, in the order of their claims. */
  readonly ids: readonly string[];
}

/**
 * Has each claim looked at by a verifier of its own. A run that has failed cannot ask anybody; one
 * that has spent its budget may not. Never throws: what goes wrong is in the result.
 */
async function lookAgain(
  claims: readonly Claims[],
  agent: InternalAgent,
  own: AgentConversation,
  { outcome }: ConversationResult,
  run: LiveRun,
): Promise<Looked> {
  const isOver = outcome.kind === 'failed' || outcome.kind === 'refused' || own.loop.signal.aborted;
  if (isOver || run.budget.spent() !== undefined)
    return { verdicts: new Map(), stats: [], lost: [] };
  try {
    const verifier = await openVerifier(agent, own, run);
    const looks = await mapWithLimit(VERIFICATION.atOnce, claims, (one) =>
      lookAt(one, verifier, run),
    );
    return {
      verdicts: new Map(looks.flatMap(({ verdicts }) => [...verdicts])),
      stats: looks.flatMap(({ stats }) => stats),
      lost: looks.flatMap(({ lost }) => lost),
    };
  } catch (thrown) {
    return { verdicts: new Map(), stats: [], lost: [lostByThrown(thrown)] };
  }
}

/**
 * The conversation of a verifier, before it has a claim. Of an agent that the reviewer names for it
 * count prompt, skill, context files, model and parameters; its tools are those of any second look.
 * Throws an AxeError.
 */
async function openVerifier(
  of: InternalAgent,
  { plan: parent, loop }: AgentConversation,
  { deps, request }: LiveRun,
): Promise<AgentConversation> {
  const { verifier: name, verifyModel } = parent.review;
  const named = name === '' ? undefined : await deps.agents.loadAgent(name);
  const own = named && (await readOwnFiles(named, deps));
  for (const warning of own?.warnings ?? []) deps.reporter.warn(warning);
  const { params } = (named ?? parent.agent).config;
  const model =
    verifyModel ?? (named === undefined ? parent.model : parseModelRef(named.config.model));
  if (isOffline(model)) {
    const remedy =
      'Name a model in the file of the verifier, or in `verify_model` in `[review]` of the agent.';
    throw new ConfigError('`offline/rules` is no model that could verify', { remedy });
  }
  // Of a model that is only named nobody has chosen any parameters.
  const chosen = verifyModel === undefined ? params : { effort: params.effort };
  const agent = internalAgent(
    named === undefined ? of : withPromptOf(named, of),
    parent.agent,
    chosen,
  );
  const { skill = '', files = [] } = own ?? {};
  const plan = {
    ...parent,
    agent,
    model,
    skill: { path: '', content: '' },
    files: [],
    task: { sentence: of.description, message: '', warnings: [] },
    form: undefined,
    prompt: {
      systemPrompt: agent.config.systemPrompt,
      skill,
      files,
      language: request.language ?? '',
    },
    memory: undefined,
    maxTurns: VERIFICATION.turns,
    warnings: [],
  };
  return {
    plan,
    model: await openModel(deps, model, chosen),
    memory: '',
    notes: undefined,
    loop: quietLoop(loop),
    depth: 0,
    callerEffects: undefined,
  };
}

/**
 * A project's own verifier takes the place of the built-in one. The question whether something is
 * over is another one than the one it was written for, so there its prompt is added.
 */
function withPromptOf(
  { config: { name, systemPrompt } }: LoadedAgent,
  of: InternalAgent,
): InternalAgent {
  if (systemPrompt.trim() === '') return { ...of, name };
  const prompt = of === VERIFIER ? systemPrompt : `${of.systemPrompt}\n\n${systemPrompt}`;
  return { ...of, name, systemPrompt: prompt };
}

/** One verifier in a fresh context. Never throws: what goes wrong is in the result. */
async function lookAt(claims: Claims, verifier: AgentConversation, run: LiveRun): Promise<Looked> {
  const shownFiles = new ShownFiles(claims.shown);
  const verdicts = new VerdictCollector(claims.ids, shownFiles);
  const show = (lines: readonly ShownLines[]) => shownFiles.show(lines);
  try {
    const plan = { ...verifier.plan, task: { ...verifier.plan.task, message: claims.message } };
    const purpose = {
      tool: createGiveVerdict(verdicts),
      isReached: () => verdicts.isComplete,
      show,
    };
    const outcome = await holdConversation({ ...verifier, plan, purpose }, run);
    const lost = verdicts.isComplete
      ? []
      : [errorOf(outcome) ?? new AxeError('the model gave no verdict')];
    return { verdicts: verdicts.all, stats: [outcome.stats], lost };
  } catch (thrown) {
    return { verdicts: verdicts.all, stats: [], lost: [lostByThrown(thrown)] };
  }
}
