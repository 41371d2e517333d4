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
import { DEMONSTRATION, VERIFICATION } from '../lib/defaults.js';
import { AxeError, ConfigError } from '../lib/errors.js';
import { errorOf, type RunStats } from '../lib/outcome.js';
import { parseDiff } from '../lib/text/diff.js';
import { count } from '../lib/text/format.js';
import type { LoopDependencies } from '../loop/events.js';
import { addStats } from '../loop/reply.js';
import { createGiveVerdict } from '../tools/findings/review-tools.js';
import type { Tool } from '../tools/tool.js';
import {
  type AgentConversation,
  type ConversationResult,
  canAskMore,
  formatLostParts,
  type LiveRun,
  lostByThrown,
  openModel,
  priceInRun,
} from './conversation.js';
import type { Demonstrations } from './demonstrate.js';
import { holdConversation } from './hold-conversation.js';
import { quietLoop } from './passes.js';
import { readOwnFiles } from './sub-agents.js';

/**
 * Has a review's findings verified by an agent that did not raise them, each place in a fresh
 * context, within the budget and time of the run. Never throws: a verifier that fails removes no
 * finding. The review itself is complete, so a failure here is a warning and does not change the
 * outcome.
 */
export async function verifyFindings(
  reviewer: AgentConversation,
  result: ConversationResult,
  run: LiveRun,
): Promise<ConversationResult> {
  const { outcome, buffered } = result;
  const scope = run.publications?.scopeOfReview;
  const candidates = reviewer.plan.review.depth === 'quick' ? [] : findingsToVerify(buffered);
  if (candidates.length === 0 || scope === undefined) return result;

  const files = parseDiff(run.change?.diff ?? '');
  const claims = groupClaims(candidates.slice(0, VERIFICATION.findings)).map((group) => ({
    ids: group.map(({ id }) => id),
    ...describeClaims(group, { files, shownFiles: scope.shown }),
  }));
  run.deps.progress?.show({ kind: 'second-look', findings: candidates.length });
  const demonstrations = await openDemonstrations(reviewer, buffered, run);
  const verification = await verifyClaims(
    claims,
    VERIFIER,
    { reviewer, result, demonstrations },
    run,
  );

  const candidateIds = new Set(candidates.map(({ id }) => id));
  const { minSeverity } = scope.rules;
  const looked = applyVerdicts(buffered, candidateIds, verification.verdicts, {
    ...scope,
    minSeverity,
  });
  const findings = looked.findings.map((placed) => ({
    ...placed,
    finding: demonstrations?.withTest(placed.finding) ?? placed.finding,
  }));
  const verified = { ...looked, findings, tested: demonstrations?.tested(findings) };
  const { unverified, refuted } = verified;
  const confirmed = findings.filter(({ finding }) => finding.confidence === 'confirmed').length;
  reviewer.loop.reporter.event({
    kind: 'verified',
    looks: verification.verdicts.size,
    confirmed,
    refuted: refuted.length,
    unverified,
  });

  if (unverified > 0) {
    const message = (reasons: string) =>
      `${count(unverified, 'finding')} had no second check: ${reasons}. Findings without one are posted as raised.`;
    warnOfLost(verification, message, reviewer.loop);
  }
  const stats = addStats(outcome.stats, verification.stats, run.budget);
  return { ...result, outcome: { ...outcome, stats }, buffered: verified };
}

/** Undefined if the agent does not ask for tests. */
async function openDemonstrations(
  reviewer: AgentConversation,
  { findings }: BufferedPublications,
  run: LiveRun,
): Promise<Demonstrations | undefined> {
  if (reviewer.plan.review.prove === undefined) return undefined;
  const demonstrate = await import('./demonstrate.js');
  return await demonstrate.openDemonstrations(reviewer, findings, run);
}

/**
 * Findings that are severe enough to verify, the worst first. Findings of a rule hold without a
 * model.
 */
function findingsToVerify({ findings }: BufferedPublications): readonly Finding[] {
  return findings
    .map(({ finding }) => finding)
    .filter(({ severity, rule }) => rule === undefined && isAtLeast(severity, 'minor'))
    .toSorted((a, b) => compareSeverity(a.severity, b.severity));
}

/**
 * Has another agent confirm that an earlier finding is settled, where the model's word alone does
 * not end it: if it blocks, and always after strangers' words. The verifier gets the finding, the
 * quoted lines and the code, and never the run's reason, which strangers may have had a part in. Unless the verifier clearly agrees, the finding stays open:
 * that only delays a merge until a person settles it, but the opposite would let a fault through.
 * Never throws.
 */
export async function verifySettlements(
  reviewer: AgentConversation,
  result: ConversationResult,
  run: LiveRun,
): Promise<ConversationResult> {
  const { plan, loop } = reviewer;
  const { outcome, buffered } = result;
  const scope = run.publications?.scopeOfReview;
  // A person decides to dismiss a finding, so the code cannot confirm it.
  const { ends, demonstrates } = plan.reading.rights;
  const needsLook = ({ how: kind, finding, byTest }: Settlement) => {
    // The run may have read a stranger's words since.
    if (byTest !== undefined) return byTest === 'look' || demonstrates !== 'alone';
    return kind !== 'dismissed' && (ends === 'look' || scope?.ledger.isBlocking(finding) === true);
  };
  const claimed = buffered.settlements.filter(needsLook);
  if (scope === undefined || claimed.length === 0 || ends === 'people') return result;

  // The offline rules would only give the same result again.
  if (isOffline(plan.model)) {
    const settlements = buffered.settlements.map(withAgreement);
    return { ...result, buffered: { ...buffered, settlements } };
  }

  const submitted = claimed.slice(0, VERIFICATION.findings);
  const files = parseDiff(run.change?.diff ?? '');
  const claims = submitted.map((settlement) => ({
    ids: [settlement.finding.id],
    ...describeSettlement(settlement, { files, shownFiles: scope.shown }),
  }));
  const verification = await verifyClaims(claims, SETTLE_VERIFIER, { reviewer, result }, run);

  const { verdicts } = verification;
  const unverified = submitted.filter(({ finding }) => !verdicts.has(finding.id));
  if (unverified.length > 0) {
    const message = (reasons: string) =>
      `${count(unverified.length, 'earlier finding')} had no second check: ${reasons}. They stay open.`;
    warnOfLost(verification, message, loop);
  }

  const isConfirmed = ({ finding }: Settlement) => verdicts.get(finding.id)?.kind === 'refuted';
  const refused = claimed.filter((settlement) => !isConfirmed(settlement));
  const refusedIds = new Set(refused.map(({ finding }) => finding.id));
  const settlements = buffered.settlements
    .filter(({ finding }) => !refusedIds.has(finding.id))
    .map((settlement) => (isConfirmed(settlement) ? withAgreement(settlement) : settlement));
  const refusals = refused.map((settlement) =>
    refusalOf(settlement, verdicts.get(settlement.finding.id)),
  );
  return {
    ...result,
    outcome: { ...outcome, stats: addStats(outcome.stats, verification.stats, run.budget) },
    buffered: { ...buffered, settlements, refusals: [...buffered.refusals, ...refusals] },
  };
}

function withAgreement(settlement: Settlement): Settlement {
  return { ...settlement, isAgreed: true };
}

/** For the job summary, with the verifier's reason. */
function refusalOf(
  { finding: { id, handle } }: Settlement,
  verdict: FindingVerdict | undefined,
): BufferedPublications['refusals'][number] {
  const finding = { id, handle };
  return { tool: 'settle_finding', code: 'unconfirmed', detail: verdict?.reason, finding };
}

/** Reports lost verifications in one warning with their reasons; the review shows their number. */
function warnOfLost(
  { lost }: Verification,
  message: (reasons: string) => string,
  { reporter }: LoopDependencies,
): void {
  if (lost.length === 0) return;
  const { reasons, remedy } = formatLostParts(lost);
  reporter.warn({ code: 'not-verified', message: message(reasons), remedy });
}

interface Verification {
  readonly verdicts: ReadonlyMap<string, FindingVerdict>;
  readonly stats: readonly RunStats[];
  /** Errors that are the reason for missing verdicts. */
  readonly lost: readonly AxeError[];
}

interface Claims extends DescribedClaims {
  /** Ids of the findings, in the order of the claims. */
  readonly ids: readonly string[];
}

/**
 * Has each claim verified in a conversation of its own, unless the run has failed or has spent its
 * budget. Never throws: errors are in the result.
 */
export async function verifyClaims(
  claims: readonly Claims[],
  agent: InternalAgent,
  review: {
    readonly reviewer: AgentConversation;
    /** The outcome of the conversation that made the claims; left out: none was held. */
    readonly result?: Pick<ConversationResult, 'outcome'>;
    readonly demonstrations?: Demonstrations;
  },
  run: LiveRun,
): Promise<Verification> {
  const { reviewer, result, demonstrations } = review;
  if (!canAskMore(result?.outcome, reviewer, run))
    return { verdicts: new Map(), stats: [], lost: [] };

  try {
    const verifier = await openVerifier(agent, reviewer, run);
    const verifications = await mapWithLimit(VERIFICATION.atOnce, claims, (claim) =>
      verifyClaim(claim, verifier, demonstrations?.toolFor(claim.ids), run),
    );
    return {
      verdicts: new Map(verifications.flatMap(({ verdicts }) => [...verdicts])),
      stats: verifications.flatMap(({ stats }) => stats),
      lost: verifications.flatMap(({ lost }) => lost),
    };
  } catch (thrown) {
    return { verdicts: new Map(), stats: [], lost: [lostByThrown(thrown)] };
  }
}

/**
 * Opens a verifier's conversation without a claim. If the reviewer's file names an agent for it,
 * that agent's prompt, skill, context files, model and parameters are used, with the built-in
 * verifier's tools. Throws an AxeError.
 */
export async function openVerifier(
  builtIn: InternalAgent,
  { plan: parent, loop }: AgentConversation,
  run: LiveRun,
): Promise<AgentConversation> {
  const { deps, request } = run;
  const { verifier: name, verifyModel } = parent.review;
  const custom = name === '' ? undefined : await deps.agents.loadAgent(name);
  const customFiles = custom && (await readOwnFiles(custom, deps));
  for (const warning of customFiles?.warnings ?? []) deps.reporter.warn(warning);

  const { params, stream } = (custom ?? parent.agent).config;
  const defaultModel = () =>
    custom === undefined ? parent.model : parseModelRef(custom.config.model);
  const model = verifyModel ?? defaultModel();
  if (isOffline(model)) {
    const remedy =
      'Name a model in the file of the verifier, or in `verify_model` in `[review]` of the agent.';
    throw new ConfigError('`offline/rules` is no model that could verify', { remedy });
  }
  // The parameters in the agent's file were chosen for another model than `verify_model`.
  const modelParams = verifyModel === undefined ? params : { effort: params.effort };
  const price = priceInRun(model, verifyModel === undefined ? params.price : undefined, run);
  const verifier = custom === undefined ? builtIn : withPromptOf(custom, builtIn);
  const agent = internalAgent(verifier, parent.agent, modelParams);
  const { skill = '', files = [] } = customFiles ?? {};
  const plan = {
    ...parent,
    agent,
    model,
    skill: { path: '', content: '' },
    files: [],
    task: { sentence: builtIn.description, message: '', warnings: [] },
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
    model: await openModel(deps, model, { ...modelParams, stream, price }),
    memory: '',
    notes: undefined,
    loop: quietLoop(loop),
    depth: 0,
    callerEffects: undefined,
  };
}

/**
 * A project's verifier replaces the built-in prompt for findings. It was not written to verify
 * settlements, so there its prompt is added to the built-in one.
 */
function withPromptOf(
  { config: { name, systemPrompt } }: LoadedAgent,
  builtIn: InternalAgent,
): InternalAgent {
  if (systemPrompt.trim() === '') return { ...builtIn, name };
  const prompt = builtIn === VERIFIER ? systemPrompt : `${builtIn.systemPrompt}\n\n${systemPrompt}`;
  return { ...builtIn, name, systemPrompt: prompt };
}

/** Asks one verifier in a fresh context. Never throws: errors are in the result. */
async function verifyClaim(
  claims: Claims,
  verifier: AgentConversation,
  demonstrate: Tool | undefined,
  run: LiveRun,
): Promise<Verification> {
  const shownFiles = new ShownFiles(claims.shown);
  const verdicts = new VerdictCollector(claims.ids, shownFiles);
  const show = (lines: readonly ShownLines[]) => shownFiles.show(lines);
  try {
    const moreTurns = demonstrate === undefined ? 0 : DEMONSTRATION.turns;
    const plan = {
      ...verifier.plan,
      task: { ...verifier.plan.task, message: claims.message },
      maxTurns: verifier.plan.maxTurns + moreTurns,
    };
    const purpose = {
      tool: createGiveVerdict(verdicts),
      others: demonstrate === undefined ? [] : [demonstrate],
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
