import type { LoadedAgent } from '../agent/agent-source.js';
import {
  type InternalAgent,
  type InternalAgentParts,
  internalAgent,
  paramsForAnother,
  VERIFIER,
} from '../agent/built-in.js';
import { isOffline, type ModelRef, parseModelRef } from '../agent/model-ref.js';
import { VERIFICATION } from '../lib/defaults.js';
import { ConfigError } from '../lib/errors.js';
import type { RunStats } from '../lib/outcome.js';
import type { OpenModel } from '../loop/asker.js';
import type { LoopDependencies } from '../loop/events.js';
import type { ContextFile } from '../prompt/context-files.js';
import { skillBody } from '../prompt/system.js';
import type { DescribedClaims } from '../review/claims.js';
import { createShownFiles, type ShownFiles } from '../review/evidence.js';
import { type FindingVerdict, Verdicts } from '../review/verdict.js';
import { createGiveVerdict } from '../tools/review/give-verdict.js';
import { agentWorkdir } from './admit.js';
import {
  type AgentConversation,
  type Held,
  type LiveRun,
  type LostAnswer,
  lostBy,
  lostByThrown,
  openModel,
} from './conversation.js';
import { holdConversation } from './hold-conversation.js';
import { atMost, quietly } from './passes.js';
import type { Plan } from './records.js';

/** What second looks came to. */
export interface Looked {
  readonly verdicts: ReadonlyMap<string, FindingVerdict>;
  readonly stats: readonly RunStats[];
  /** Why some were not given. */
  readonly lost: readonly LostAnswer[];
}

/** What one verifier decides on. */
interface Claims {
  /** Of the findings, in the order of their claims. */
  readonly ids: readonly string[];
  /** `ledger` is what the reviewer was shown. */
  describe(ledger: ShownFiles): DescribedClaims;
}

/**
 * Has each claim looked at by a verifier of its own. A run that has failed cannot ask anybody; one that has spent its budget may
 * not. Never throws: what goes wrong is in the result.
 */
export async function lookAgain(
  claims: readonly Claims[],
  agent: InternalAgent,
  { plan, loop }: AgentConversation,
  { outcome }: Held,
  run: LiveRun,
): Promise<Looked> {
  const isOver = outcome.kind === 'failed' || outcome.kind === 'refused' || loop.signal.aborted;
  if (isOver || run.budget.spent() !== undefined) return { verdicts: new Map(), stats: [], lost: [] };
  try {
    const verifier = await openVerifier(plan, run);
    const looker = { agent, verifier, plan, loop: quietly(loop) };
    const looks = await atMost(VERIFICATION.atOnce, claims, (one) => lookAt(one, looker, run));
    return {
      verdicts: new Map(looks.flatMap(({ verdicts }) => [...verdicts])),
      stats: looks.flatMap(({ stats }) => stats),
      lost: looks.flatMap(({ lost }) => lost),
    };
  } catch (thrown) {
    return { verdicts: new Map(), stats: [], lost: [lostByThrown(thrown)] };
  }
}

/** Who looks. */
interface Looker {
  readonly agent: InternalAgent;
  readonly verifier: Verifier;
  /** The reviewer's. */
  readonly plan: Plan;
  readonly loop: LoopDependencies;
}

/** What second looks of a run are taken with. */
interface Verifier {
  readonly ref: ModelRef;
  readonly model: OpenModel;
  /** Those that were chosen for this model; of one that is only named nobody has chosen any. */
  readonly params: InternalAgentParts['params'];
  /** The project's own; undefined for the built-in one. */
  readonly own:
    | { readonly agent: LoadedAgent; readonly skill: string; readonly files: readonly ContextFile[] }
    | undefined;
}

/**
 * Opens the model of the second look, and the agent that the reviewer names for it. Of that agent count its prompt, skill,
 * context files, model and parameters; its tools are those of any second look. Throws an AxeError.
 */
async function openVerifier(plan: Plan, { deps }: LiveRun): Promise<Verifier> {
  const { verifier: name, verifyModel } = plan.review;
  const paramsOf = ({ config: { params } }: LoadedAgent) =>
    verifyModel === undefined ? params : paramsForAnother(params);
  if (name === '') {
    const ref = verifyModel ?? plan.model;
    const params = paramsOf(plan.agent);
    return { ref, model: await openModel(deps, ref, params), params, own: undefined };
  }
  const agent = await deps.agents.loadAgent(name);
  const { config } = agent;
  const ref = verifyModel ?? parseModelRef(config.model);
  if (isOffline(ref)) throw noJudge(name);
  const workdir = (await agentWorkdir(agent, deps)) || deps.cwd;
  const { files, warnings } = await deps.agents.loadContextFiles(config.files, workdir, agent);
  for (const warning of [...agent.warnings, ...warnings]) deps.reporter.warn(warning);
  const skill = config.skill === '' ? '' : skillBody(await deps.agents.loadSkill(config.skill, agent));
  const params = paramsOf(agent);
  return { ref, model: await openModel(deps, ref, params), params, own: { agent, skill, files } };
}

function noJudge(name: string): ConfigError {
  const message = `the verifier "${name}" has the model \`offline/rules\`, which is no model`;
  return new ConfigError(message, {
    remedy: 'Name a model in its file, or `verify_model` in `[review]` of the agent.',
  });
}

/** One verifier in a fresh context. Never throws: what goes wrong is in the result. */
async function lookAt(claims: Claims, looker: Looker, run: LiveRun): Promise<Looked> {
  const ledger = createShownFiles();
  const verdicts = new Verdicts(claims.ids, ledger);
  try {
    const shownBefore = run.publications?.scopeOfReview?.shown ?? createShownFiles();
    const { message, shown } = claims.describe(shownBefore);
    for (const lines of shown) ledger.show(lines);
    const purpose = {
      tool: createGiveVerdict(verdicts),
      isReached: () => verdicts.isComplete,
      show: (lines: typeof shown) => {
        for (const one of lines) ledger.show(one);
      },
    };
    const plan = verifierPlan(looker, message, run);
    const { verifier, loop } = looker;
    const alone = { memory: '', notes: undefined, depth: 0, callerEffects: undefined };
    const outcome = await holdConversation({ plan, model: verifier.model, ...alone, loop, purpose }, run);
    const lost = verdicts.isComplete ? [] : [lostBy(outcome, 'the model gave no verdict')];
    return { verdicts: verdicts.all, stats: [outcome.stats], lost };
  } catch (thrown) {
    return { verdicts: verdicts.all, stats: [], lost: [lostByThrown(thrown)] };
  }
}

function verifierPlan(looker: Looker, message: string, { request }: LiveRun): Plan {
  const { agent: of, verifier, plan: parent } = looker;
  const { own, params, ref: model } = verifier;
  const agent = internalAgent(own === undefined ? of : withOwn(of, own.agent), {
    caller: parent.agent,
    params,
  });
  const { systemPrompt } = agent.config;
  const language = request.language ?? '';
  const { skill = '', files = [] } = own ?? {};
  return {
    ...parent,
    agent,
    model,
    skill: { path: '', content: '' },
    files: [],
    stdin: '',
    task: { sentence: of.description, message, warnings: [] },
    form: undefined,
    prompt: { systemPrompt, skill, files, language },
    memory: undefined,
    maxTurns: VERIFICATION.turns,
    warnings: [],
  };
}

/**
 * A project's own verifier takes the place of the built-in one. The question whether something is over is another one than
 * the one it was written for, so there its prompt is added.
 */
function withOwn(of: InternalAgent, { config: { name, systemPrompt } }: LoadedAgent): InternalAgent {
  if (systemPrompt.trim() === '') return { ...of, name };
  const prompt = of === VERIFIER ? systemPrompt : `${of.systemPrompt}\n\n${systemPrompt}`;
  return { ...of, name, systemPrompt: prompt };
}
