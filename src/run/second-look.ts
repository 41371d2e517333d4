import { type InternalAgent, internalAgent } from '../core/agent/internal.js';
import { VERIFICATION } from '../core/defaults.js';
import { createLedger, type ShownLedger } from '../core/findings/evidence.js';
import type { OpenModel } from '../core/loop/asker.js';
import type { LoopDependencies } from '../core/loop/loop-dependencies.js';
import type { RunOutcome, RunStats } from '../core/outcome.js';
import type { Plan } from '../core/plan.js';
import { buildSystemPrompt } from '../core/prompt/system.js';
import type { DescribedClaims } from '../core/review/claims.js';
import { type Verdict, Verdicts } from '../core/review/verdict.js';
import { redact } from '../core/sanitize/redact.js';
import { createGiveVerdict } from '../core/tools/review/give-verdict.js';
import type { Delegation } from './delegation.js';
import { messageOf } from './quietly.js';

/** What second looks came to. */
export interface Looked {
  readonly verdicts: ReadonlyMap<string, Verdict>;
  readonly stats: readonly RunStats[];
  /** Why some were not given, each once. */
  readonly troubles: readonly string[];
}

/** Nobody was asked. */
export const NOTHING_SEEN: Looked = { verdicts: new Map(), stats: [], troubles: [] };

/** A run that has failed cannot ask anybody; one that has spent its budget may not. */
export function mayLook(
  { outcome, loop }: { readonly outcome: RunOutcome; readonly loop: LoopDependencies },
  { budget }: Delegation,
): boolean {
  if (outcome.kind === 'failed' || outcome.kind === 'refused') return false;
  return !loop.signal.aborted && budget.spent() === undefined;
}

/** What one verifier decides on. */
export interface Claims {
  /** Of the findings, in the order of their claims. */
  readonly ids: readonly string[];
  /** `ledger` is what the reviewer was shown. */
  describe(ledger: ShownLedger): DescribedClaims;
}

/** Who looks. */
export interface Looker {
  readonly agent: InternalAgent;
  /** The reviewer's. */
  readonly plan: Plan;
  readonly model: OpenModel;
  readonly loop: LoopDependencies;
}

/** One verifier in a fresh context. Never throws: what goes wrong is in the result. */
export async function lookAt(claims: Claims, looker: Looker, delegation: Delegation): Promise<Looked> {
  const ledger = createLedger();
  const verdicts = new Verdicts(claims.ids, ledger);
  try {
    const shownBefore = delegation.publications?.scopeOfReview?.ledger ?? createLedger();
    const { message, shown } = claims.describe(shownBefore);
    for (const lines of shown) ledger.show(lines);
    const purpose = {
      tool: createGiveVerdict(verdicts),
      isReached: () => verdicts.isComplete,
      show: (lines: typeof shown) => {
        for (const one of lines) ledger.show(one);
      },
    };
    const plan = verifierPlan(looker, redact(message, delegation.deps.secrets), delegation);
    const { model, loop } = looker;
    const parts = { model, memory: '', notesSession: undefined, loop, purpose };
    const outcome = await delegation.converse(plan, parts, delegation, {
      depth: 0,
      callerEffects: undefined,
    });
    const troubles = verdicts.isComplete ? [] : [whyNot(outcome)];
    return { verdicts: verdicts.all, stats: [outcome.stats], troubles };
  } catch (thrown) {
    return { verdicts: verdicts.all, stats: [], troubles: [messageOf(thrown)] };
  }
}

/** Several looks as one. */
export function joinLooks(looks: readonly Looked[]): Looked {
  return {
    verdicts: new Map(looks.flatMap(({ verdicts }) => [...verdicts])),
    stats: looks.flatMap(({ stats }) => stats),
    troubles: [...new Set(looks.flatMap(({ troubles }) => troubles))],
  };
}

function verifierPlan({ agent: of, plan: parent }: Looker, message: string, { request }: Delegation): Plan {
  const { verifyModel: model } = parent.review;
  const agent = internalAgent(of, { caller: parent.agent, hasOwnModel: model !== parent.model });
  const { systemPrompt } = agent.config;
  const language = request.language ?? '';
  return {
    ...parent,
    agent,
    model,
    skill: { path: '', content: '' },
    files: [],
    stdin: '',
    task: { sentence: of.description, message, warnings: [] },
    form: undefined,
    systemPrompt: buildSystemPrompt({ systemPrompt, skill: '', files: [], language }),
    memory: undefined,
    maxTurns: VERIFICATION.turns,
    warnings: [],
  };
}

function whyNot(outcome: RunOutcome): string {
  switch (outcome.kind) {
    case 'failed':
    case 'incomplete':
    case 'exhausted':
      return outcome.error.message;
    case 'refused':
      return 'the model refused to answer';
    case 'completed':
      return 'the model gave no verdict';
  }
}
