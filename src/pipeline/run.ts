import { AxeError } from '../axe/errors.js';
import type { OpenModel } from '../axe/loop/asker.js';
import type { RunOutcome } from '../axe/loop/outcome.js';
import type { Plan } from '../axe/plan.js';
import type { World } from '../axe/ports.js';
import { converse, formCrew } from './converse.js';
import { prepare } from './prepare.js';
import { entriesOf, memoryWarnings, remember, UNPUBLISHED } from './remember.js';
import type { Memory, RunReport, RunRequest } from './request.js';
import { commentWords } from './tend/command-words.js';
import { tendMemory } from './tend/tend-memory.js';

/**
 * The six steps: inputs → plan → restore → run → publish → save. Publishing comes before saving, so that the entry
 * can name what was posted. Throws an AxeError for what stops a run before it reaches the model; what happens later
 * is in the report.
 */
export async function runPipeline(request: RunRequest, world: World): Promise<RunReport> {
  const words = commentWords(request.trigger);
  if (words !== undefined) return await tendMemory({ ...request, words, askedIn: 'comment' }, world);
  const prepared = await prepare(request, world);
  if (prepared.kind === 'skipped') return prepared;
  const { plan } = prepared;
  for (const warning of plan.warnings) world.reporter.warn(warning);
  const memory = (await prepared.memory)();
  if (memory !== undefined) {
    for (const warning of memoryWarnings(plan, memory.restored)) world.reporter.warn(warning);
  }
  if (prepared.model === undefined) return { kind: 'planned', plan, memory };

  const outcome = judge(
    await run(plan, { request, memory, model: (await prepared.model)() }, world),
    request,
  );
  warnOfCutAnswer(outcome, request, world);
  const pending = entriesOf({ plan, memory, outcome, published: UNPUBLISHED }, world);
  if (pending.length > 0 && memory?.restored.kind !== 'failed') await world.journal?.pending(pending);
  const published = await world.publisher.publish(plan, outcome);
  const remembered = await remember({ plan, memory, outcome, published }, world);
  return { kind: 'ran', plan, memory, outcome, published, remembered };
}

interface RunParts {
  readonly request: RunRequest;
  readonly memory: Memory | undefined;
  readonly model: OpenModel;
}

async function run(plan: Plan, { request, memory, model }: RunParts, world: World): Promise<RunOutcome> {
  const { clock, reporter, deadline } = world;
  reporter.event({ kind: 'run-started', plan, restored: memory?.restored });
  const loop = { clock, reporter, signal: deadline.signal, leftMs: () => deadline.leftMs() };
  const crew = formCrew(plan, request, world);
  return await converse(plan, { model, memory: memory?.text ?? '', loop }, crew, {
    depth: 0,
    callerEffects: undefined,
    callerReading: undefined,
  });
}

/** In a workflow nobody sees an empty answer, so it is a failure there; axe takes it for a success (D27). */
function judge(outcome: RunOutcome, { inWorkflow }: RunRequest): RunOutcome {
  if (!inWorkflow || outcome.kind !== 'completed' || outcome.answer.trim() !== '') return outcome;
  const error = new AxeError('the model gave an empty answer', {
    exitCode: 1,
    remedy: "Run it again; if it stays empty, look at the agent's `system_prompt` and `params.max_tokens`.",
  });
  return { kind: 'failed', error, stats: outcome.stats };
}

const CUT_STOP_REASONS = new Set(['max_tokens', 'length', 'MAX_TOKENS']);

function warnOfCutAnswer(outcome: RunOutcome, { inWorkflow }: RunRequest, { reporter }: World): void {
  if (!inWorkflow || outcome.kind !== 'completed' || !CUT_STOP_REASONS.has(outcome.stats.stopReason)) return;
  const message = `the answer was cut at ${outcome.stats.outputTokens} output tokens. Raise \`max_tokens\` in \`[params]\` of the agent.`;
  reporter.warn({ code: 'answer-truncated', message });
}
