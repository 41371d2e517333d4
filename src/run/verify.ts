import { internalAgent, VERIFIER } from '../core/agent/internal.js';
import { VERIFICATION } from '../core/defaults.js';
import { createLedger } from '../core/findings/evidence.js';
import { atLeast, compareSeverity } from '../core/findings/severity.js';
import type { OpenModel } from '../core/loop/asker.js';
import type { LoopDependencies } from '../core/loop/loop-dependencies.js';
import { withStats } from '../core/loop/usage.js';
import type { RunOutcome, RunStats } from '../core/outcome.js';
import type { Plan } from '../core/plan.js';
import { buildSystemPrompt } from '../core/prompt/system.js';
import { applyVerdicts } from '../core/review/apply-verdicts.js';
import type { Buffered } from '../core/review/buffered.js';
import { type ClaimGroup, describeClaims, groupClaims } from '../core/review/claims.js';
import type { PlacedFinding } from '../core/review/place.js';
import { type Verdict, Verdicts } from '../core/review/verdict.js';
import { redact } from '../core/sanitize/redact.js';
import { count } from '../core/text/count.js';
import { type DiffFile, parseDiff } from '../core/text/diff.js';
import { createGiveVerdict } from '../core/tools/review/give-verdict.js';
import { atMost } from './at-most.js';
import type { ReviewedDiff } from './change.js';
import { type Delegation, openModel } from './delegation.js';
import { messageOf, quietly } from './quietly.js';

/** A review whose conversation is over. */
export interface Raised {
  readonly plan: Plan;
  readonly change: ReviewedDiff | undefined;
  readonly outcome: RunOutcome;
  readonly buffered: Buffered;
  readonly loop: LoopDependencies;
}

/** The same after its findings were looked at a second time. */
export type Verified = Pick<Raised, 'outcome' | 'buffered'>;

/**
 * Has the findings of a review looked at by somebody who has not raised them, each place in a fresh context, within the run's
 * one budget and time. Never throws: a verifier that fails takes no finding away. The review was whole before, so what the
 * second look lacks is told and does not change how the run ended.
 */
export async function verifyFindings(raised: Raised, delegation: Delegation): Promise<Verified> {
  const { outcome, buffered, change } = raised;
  const scope = delegation.publications?.scopeOfReview;
  const wanted = wantedOf(raised);
  if (wanted.length === 0 || scope === undefined) return { outcome, buffered };
  const asked = new Set(wanted.map(({ id }) => id));
  const files = parseDiff(change?.diff ?? '');
  const looked = mayGoOn(raised, delegation)
    ? await lookAgain(wanted.slice(0, VERIFICATION.findings), { raised, files }, delegation)
    : NOTHING_SEEN;
  const { lines, overrides, rules } = scope;
  const { verdicts } = looked;
  const isRead = (path: string) => scope.isRead(path);
  const verdictScope = { lines, overrides, isRead, minSeverity: rules.minSeverity };
  const verified = applyVerdicts(buffered, { asked, verdicts }, verdictScope);
  tell(verified, looked, raised.loop);
  return {
    outcome: { ...outcome, stats: withStats(outcome.stats, looked.stats, delegation.budget) },
    buffered: verified,
  };
}

/** Of a quick review nothing, and of any other what may be bad enough; the worst first. */
function wantedOf({ plan, buffered }: Raised): readonly PlacedFinding[] {
  const findings = buffered.findings.toSorted(({ finding: a }, { finding: b }) =>
    compareSeverity(a.severity, b.severity),
  );
  switch (plan.review.depth) {
    case 'quick':
      return [];
    case 'standard':
      return findings.filter(({ finding }) => atLeast(finding.severity, 'minor'));
    case 'thorough':
      // What several passes have raised and proven was looked at more than once already.
      return findings.filter(({ finding }) => finding.confidence !== 'confirmed');
  }
}

/** A run that has failed cannot ask anybody; one that has spent its budget may not. */
function mayGoOn({ outcome, loop }: Raised, { budget }: Delegation): boolean {
  if (outcome.kind === 'failed' || outcome.kind === 'refused') return false;
  return !loop.signal.aborted && budget.spent() === undefined;
}

/** What the second looks came to. */
interface Looked {
  readonly verdicts: ReadonlyMap<string, Verdict>;
  readonly stats: readonly RunStats[];
  /** Why some were not given, each once. */
  readonly troubles: readonly string[];
}

const NOTHING_SEEN: Looked = { verdicts: new Map(), stats: [], troubles: [] };

interface Looking {
  readonly raised: Raised;
  /** Of the whole diff. */
  readonly files: readonly DiffFile[];
}

async function lookAgain(
  findings: readonly PlacedFinding[],
  looking: Looking,
  delegation: Delegation,
): Promise<Looked> {
  const told = { ...looking, raised: { ...looking.raised, loop: quietly(looking.raised.loop) } };
  try {
    const model = await openModel(delegation.deps, looking.raised.plan.review.verifyModel);
    const looks = await atMost(VERIFICATION.atOnce, groupClaims(findings), (group) =>
      lookAt(group, { ...told, model }, delegation),
    );
    return {
      verdicts: new Map(looks.flatMap(({ verdicts }) => [...verdicts])),
      stats: looks.flatMap(({ stats }) => stats),
      troubles: [...new Set(looks.flatMap(({ troubles }) => troubles))],
    };
  } catch (thrown) {
    return { ...NOTHING_SEEN, troubles: [messageOf(thrown)] };
  }
}

/** One verifier on one place. */
async function lookAt(
  group: ClaimGroup,
  { raised, files, model }: Looking & { readonly model: OpenModel },
  delegation: Delegation,
): Promise<Looked> {
  const ledger = createLedger();
  const verdicts = new Verdicts(
    group.map(({ id }) => id),
    ledger,
  );
  try {
    const shownBefore = delegation.publications?.scopeOfReview?.ledger ?? createLedger();
    const { message, shown } = describeClaims(group, { files, ledger: shownBefore });
    for (const lines of shown) ledger.show(lines);
    const purpose = {
      tool: createGiveVerdict(verdicts),
      isReached: () => verdicts.isComplete,
      show: (lines: typeof shown) => {
        for (const one of lines) ledger.show(one);
      },
    };
    const plan = verifierPlan(raised.plan, redact(message, delegation.deps.secrets), delegation);
    const parts = { model, memory: '', notesSession: undefined, loop: raised.loop, purpose };
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

function verifierPlan(parent: Plan, message: string, { request }: Delegation): Plan {
  const { verifyModel: model } = parent.review;
  const agent = internalAgent(VERIFIER, { caller: parent.agent, hasOwnModel: model !== parent.model });
  const { systemPrompt } = agent.config;
  const language = request.language ?? '';
  return {
    ...parent,
    agent,
    model,
    skill: { path: '', content: '' },
    files: [],
    stdin: '',
    task: { sentence: VERIFIER.description, message, warnings: [] },
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

/** What is lost is told once, with its reasons; how many findings that is stands in the review. */
function tell(
  { unverified, refuted, findings }: Buffered,
  { troubles, verdicts }: Looked,
  { reporter }: LoopDependencies,
): void {
  const confirmed = findings.filter(({ finding }) => finding.confidence === 'confirmed').length;
  reporter.event({ kind: 'verified', looks: verdicts.size, confirmed, refuted: refuted.length, unverified });
  if (troubles.length === 0) return;
  const message = `${count(unverified, 'finding')} had no second look: ${troubles.slice(0, 3).join('; ')}. They are posted as they were raised.`;
  reporter.warn({ code: 'not-verified', message });
}
