import { resolve } from 'node:path';
import type { LoadedAgent } from '../core/agent/loaded-agent.js';
import { parseModelRef } from '../core/agent/model-ref.js';
import type { Dependencies } from '../core/dependencies.js';
import { ConfigError, isNotFound } from '../core/errors.js';
import { decideAdmission, taskOfMention } from '../core/event/admission.js';
import type { AdmissionPolicy } from '../core/event/admission-policy.js';
import { refuseHeadAgent } from '../core/event/agent-ref.js';
import { refuseCheckout } from '../core/event/checkout.js';
import { createTaintTracker, type TaintTracker } from '../core/event/taint.js';
import { type Repository, subjectNumber, type Trigger } from '../core/event/trigger.js';
import { classifyTrust, contentAuthor, type Trust } from '../core/event/trust.js';
import type { OpenModel } from '../core/loop/asker.js';
import { type Plan, planMemory } from '../core/plan.js';
import { planNotes } from '../core/plan-notes.js';
import type { TriggerContext } from '../core/prompt/context.js';
import type { DiffPolicy } from '../core/prompt/context-policy.js';
import { isForkUnknown, trustOfDiff } from '../core/prompt/fork-trust.js';
import { warnOfOwnChanges } from '../core/prompt/own-changes.js';
import { skillBody } from '../core/prompt/skill.js';
import { buildSystemPrompt } from '../core/prompt/system.js';
import { isBlank, resolveTask } from '../core/prompt/task.js';
import { reviewCommand } from '../core/review/command.js';
import { admit, askPermission, permissionOf } from './admit.js';
import { agentWorkdir } from './agent-workdir.js';
import { answerForm, withInstruction } from './answer-form.js';
import { changeOf, type ReviewedDiff } from './change.js';
import { type Deferred, defer } from './deferred.js';
import { openModel } from './delegation.js';
import { learnAnswers } from './learn.js';
import { restore } from './remember.js';
import type { Learned, Memory, RunReport, RunRequest } from './request.js';
import { findScope, postsReviews } from './scope.js';

/** A plan with what was started for it, or the reason why there is nothing to do. */
export type Prepared =
  | {
      readonly kind: 'prepared';
      readonly plan: Plan;
      /** What has been read so far that anybody may have written. */
      readonly taint: TaintTracker;
      /** Of the pull request the run is about. */
      readonly change: ReviewedDiff | undefined;
      readonly memory: Promise<Deferred<Memory | undefined>>;
      readonly learned: Promise<Deferred<Learned>>;
      /** Undefined in a dry run, which opens none. */
      readonly model: Promise<Deferred<OpenModel>> | undefined;
    }
  | Extract<RunReport, { kind: 'skipped' }>;

/**
 * The gate, then the plan. What needs the network starts at once and is waited for where it is needed, so that the
 * waits overlap; the order of errors is axe's (axe-behaviour §4). Throws an AxeError.
 */
export async function prepare(request: RunRequest, deps: Dependencies): Promise<Prepared> {
  const { trigger } = request;
  const gatePolicy = policyFor(request);
  const atBest = decideAdmission(trigger, 'write', gatePolicy);
  if (atBest.kind === 'skip') return { kind: 'skipped', decision: atBest };

  const agentLoaded = defer(deps.agents.loadAgent(request.agent));
  const taint = createTaintTracker(trigger);
  const context = defer(readContext(trigger, taint, deps));
  const authorAsked = defer(askPermission(contentAuthor(trigger), deps));
  const gate = await admit(trigger, deps, gatePolicy);
  if (gate.kind === 'skipped') return gate;
  const authorPermission = permissionOf((await authorAsked)());
  const author = contentAuthor(trigger) === undefined ? gate.permission : authorPermission;
  const refused = refuseHeadAgent(trigger, request.agentRef ?? 'base', { actor: gate.permission, author });
  if (refused !== undefined) return { kind: 'skipped', decision: refused };
  refuseCheckout(trigger, await request.readCheckout());
  const asked = decideAdmission(trigger, 'write', request.gatePolicy);
  if (!request.dryRun && asked.kind === 'run') deps.acknowledgement?.start();

  const agent = await agentOrSkip(await agentLoaded, request, deps);
  if (agent.kind === 'skipped') return agent;
  // Without the phrase `/axe review` is for agents that post reviews; whoever else listens is not meant.
  if (asked.kind === 'skip' && !postsReviews(agent.agent)) return { kind: 'skipped', decision: asked };
  if (!request.dryRun && asked.kind === 'skip') deps.acknowledgement?.start();
  const { allowBots } = gatePolicy;
  const classified = classifyTrust(trigger, { actor: gate.permission, author: authorPermission, allowBots });
  const trust = isForkUnknown(trigger, classified)
    ? trustOfDiff(classified, trigger, (await context)())
    : classified;
  if (trust.lane === 'tainted') taint.add({ kind: 'event', reason: trust.reason });
  if (request.memoryPolicy.minTrust === 'untrusted') taint.add({ kind: 'untrusted-memory' });
  return await makePlan(request, { agent: agent.agent, trust, taint, context }, deps);
}

/** What stands around the event. What of it is anybody's is noted, as a tool notes it that brings the same text. */
async function readContext(
  trigger: Trigger,
  taint: TaintTracker,
  { github, deadline }: Dependencies,
): Promise<TriggerContext | undefined> {
  const context = await github?.context(trigger, deadline.signal);
  if ((context?.checks ?? []).length > 0) taint.add({ kind: 'failing-checks' });
  return context;
}

/** A command is meant for us without the phrase of a mention. */
function policyFor({ trigger, gatePolicy }: RunRequest): AdmissionPolicy {
  return reviewCommand(trigger) === undefined ? gatePolicy : { ...gatePolicy, triggerPhrase: '' };
}

type AgentOrSkip =
  | { readonly kind: 'agent'; readonly agent: LoadedAgent }
  | Extract<RunReport, { kind: 'skipped' }>;

/**
 * The agent of the base ref. One that exists only on the pull request's head is checked and not run: a stranger's
 * text must not configure anything before a person has merged it (D21).
 */
async function agentOrSkip(
  loaded: Deferred<LoadedAgent>,
  request: RunRequest,
  deps: Dependencies,
): Promise<AgentOrSkip> {
  try {
    return { kind: 'agent', agent: loaded() };
  } catch (thrown) {
    if (!isNotFound(thrown, 'agent') || deps.headAgents === undefined) throw thrown;
    const head = await deps.headAgents.loadAgent(request.agent).catch((error: unknown) => {
      throw error instanceof ConfigError && !isNotFound(error, 'agent') ? error : thrown;
    });
    return {
      kind: 'skipped',
      decision: {
        kind: 'skip',
        reason: 'agent-not-merged',
        message: `The agent "${request.agent}" exists only in this pull request (${head.source}); it is valid and will run once it is merged`,
      },
    };
  }
}

function withoutMemory({ name }: LoadedAgent): ConfigError {
  return new ConfigError(`\`memory-required: true\` needs an agent with memory, and "${name}" has none`, {
    remedy: 'Set `enabled = true` in `[memory]` of the agent, or leave out `memory-required`.',
  });
}

interface PlanParts {
  readonly agent: LoadedAgent;
  readonly trust: Trust;
  readonly taint: TaintTracker;
  readonly context: Promise<Deferred<TriggerContext | undefined>>;
}

async function makePlan(request: RunRequest, parts: PlanParts, deps: Dependencies): Promise<Prepared> {
  const { agent, trust, taint } = parts;
  const { config } = agent;
  const timeoutSeconds = request.timeLimit(config.timeoutSeconds);
  deps.deadline.limit(timeoutSeconds * 1000);
  const model = parseModelRef(firstGiven([request.model, config.model]));
  await deps.models.configure(model);
  const memoryPlan = planMemory({
    agent,
    model,
    trigger: request.trigger,
    trust,
    origin: request.origin,
    entryId: deps.clock.newId(),
    policy: request.memoryPolicy,
    wantCount: request.wantCount,
  });
  if (request.requiresMemory === true && memoryPlan === undefined) throw withoutMemory(agent);
  const workdir = firstGiven([request.workdir, await agentWorkdir(agent, deps), deps.cwd]);
  const notes = planNotes({
    agent,
    memory: memoryPlan,
    trigger: request.trigger,
    trust,
    workdir: resolve(deps.cwd, workdir),
    isSubAgent: false,
  });
  const memory = defer(restore(agent, memoryPlan, deps, { plan: notes, unsaved: [] }));
  const learned = defer(
    Promise.all([memory, parts.context]).then(([restored]) => {
      const lane = taint.lane(memoryPlan?.lane ?? 'none');
      return learnAnswers({ agent: agent.name, trigger: request.trigger, lane, memory: restored() }, deps);
    }),
  );
  const scoped = defer(findScope({ agent, request, memory, context: parts.context }, deps));
  const opened = request.dryRun ? undefined : defer(openModel(deps, model));

  const { files, warnings } = await deps.agents.loadContextFiles(config.files, workdir, agent);
  const skillPath = firstGiven([request.skill, config.skill]);
  const skill = {
    path: skillPath,
    content: skillPath === '' ? '' : skillBody(await deps.agents.loadSkill(skillPath, agent)),
  };
  const piped = await request.readStdin();
  const stdin = isBlank(piped) ? '' : piped;
  const change = await request.readChange();
  const context = (await parts.context)();
  const { scope, warnings: scopeWarnings } = (await scoped)();
  const prompt = firstGiven([request.prompt, askedFor(request)]);
  const task = resolveTask({
    prompt,
    stdin,
    trigger: request.trigger,
    context,
    scope,
    change,
    policy: { ...request.diffPolicy, ...diffTool(agent, deps) },
    showsStrangers: trust.level === 'untrusted',
  });
  const agentRef = request.agentRef ?? 'base';
  const ownChanges = warnOfOwnChanges(
    { agent, skill: skillPath, files, agentRef, ...repositoryOf(request.trigger) },
    context,
  );
  const form = await answerForm(config.params, request.outputSchema, deps);
  const plan: Plan = {
    agent,
    model,
    trigger: request.trigger,
    trust,
    workdir,
    skill,
    files,
    stdin,
    task: { ...task, message: withInstruction(task.message, form) },
    ...(scope === undefined ? {} : { scope }),
    form,
    systemPrompt: buildSystemPrompt({
      systemPrompt: config.systemPrompt,
      skill: skill.content,
      files,
      language: request.language ?? '',
    }),
    memory: memoryPlan,
    maxTurns: request.maxTurns,
    timeoutSeconds,
    warnings: [
      ...agent.warnings,
      ...warnings,
      ...(ownChanges === undefined ? [] : [ownChanges]),
      ...(context?.warnings ?? []),
      ...scopeWarnings,
      ...task.warnings,
    ],
  };
  const reviewed = changeOf(request.trigger, context);
  return { kind: 'prepared', plan, taint, memory, learned, model: opened, change: reviewed };
}

/** What a comment asks for. */
function askedFor({ trigger, gatePolicy }: RunRequest): string {
  const isReview = reviewCommand(trigger) !== undefined;
  return isReview ? `Review pull request #${subjectNumber(trigger)}` : taskOfMention(trigger, gatePolicy);
}

function repositoryOf(trigger: Trigger): { readonly repository?: Repository } {
  return trigger.kind === 'local' ? {} : { repository: trigger.repository };
}

/** What the model is told to ask for the rest of a diff with; it is there where there is an event and a token. */
function diffTool({ config }: LoadedAgent, { github }: Dependencies): Pick<DiffPolicy, 'tool'> {
  const tool = 'github_diff';
  return github !== undefined && config.tools.includes(tool) ? { tool } : {};
}

/** The first that is not empty: the earlier source wins (command line or input, agent, surroundings). */
function firstGiven(values: readonly string[]): string {
  return values.find((value) => value !== '') ?? '';
}
