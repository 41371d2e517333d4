import type { LoadedAgent } from '../agent/agent-source.js';
import { formatModelRef, isOffline, type ModelRef } from '../agent/model-ref.js';
import type { Trigger } from '../event/trigger.js';
import type { Lane, Trust } from '../event/trust.js';
import { MAX_LOADED_MEMORY_BYTES } from '../lib/defaults.js';
import { isCutShort, type RunOutcome } from '../lib/outcome.js';
import type { Warning } from '../lib/warning.js';
import type { AnswerForm } from '../loop/structured.js';
import { defaultLogPath, untrustedPath, unusableLogPath } from '../memory/log-path.js';
import type { Provenance } from '../memory/provenance.js';
import type { ContextFile } from '../prompt/context-files.js';
import type { SystemPromptParts } from '../prompt/system.js';
import type { Task } from '../prompt/task.js';
import { cutShort, withoutAnswer, withoutFiles } from '../review/coverage.js';
import type { Coverage } from '../review/record.js';
import type { ReviewPlan } from '../review/review-plan.js';
import type { Scope } from '../review/scope.js';

/** What the rest of a plan is built on, and memory is read by. */
export interface Basis {
  readonly agent: LoadedAgent;
  readonly model: ModelRef;
  readonly trigger: Trigger;
  readonly trust: Trust;
  readonly workdir: string;
  readonly timeoutSeconds: number;
  readonly review: ReviewPlan;
  /** Undefined for an agent without memory. */
  readonly memory: MemoryPlan | undefined;
}

/** Everything a run has decided before it touches memory or a model. */
export interface Plan extends Basis {
  /** The skill's path as it was given, and its text; both empty for none. */
  readonly skill: { readonly path: string; readonly content: string };
  readonly files: readonly ContextFile[];
  /** Standard input as it was read; empty for none. */
  readonly stdin: string;
  readonly task: Task;
  /** How much of a pull request is reviewed; left out where the run is not a review that goes on from an earlier one. */
  readonly scope?: Scope | undefined;
  /** The pull request that another workflow's run is about; left out where there is none. */
  readonly reportsOn?: number | undefined;
  /** How much of a change the model is shown; left out where the run is about no change. */
  readonly coverage?: Coverage | undefined;
  /** The conversations of a review that needs several; left out: one, with the task. */
  readonly passes?: readonly ReviewPass[] | undefined;
  /** The system prompt without the memory section. */
  readonly prompt: SystemPromptParts;
  /** The form the answer must have; undefined for any text. */
  readonly form: AnswerForm | undefined;
  readonly maxTurns: number;
  readonly warnings: readonly Warning[];
}

/** How much of its change a run has read once it is over. */
export interface ReadByRun {
  /** Undefined where the run is about no change. */
  readonly coverage: Coverage | undefined;
  /** Paths of files that the next review shows first: they did not fit, or no pass has read them. */
  readonly unseen: readonly string[];
}

/**
 * What a run has read of the change that was planned. The pass of files in `unread` was not held, or failed; those in `paths`
 * did not fit into the model's window, or not whole; `isCut`: the model's server has cut the prompt.
 */
export function readByRun(
  { coverage, task }: Pick<Plan, 'coverage' | 'task'>,
  outcome: RunOutcome,
  {
    unread,
    paths,
    isCut,
  }: {
    readonly unread: readonly string[];
    readonly paths: ReadonlySet<string>;
    readonly isCut: boolean;
  },
): ReadByRun {
  const missed = [
    ...unread.map((path) => ({ path, why: 'failed' as const })),
    ...[...paths].map((path) => ({ path, why: 'budget' as const })),
  ];
  const read = coverage === undefined ? undefined : readInTheEnd(withoutFiles(coverage, missed), outcome);
  return {
    coverage: read !== undefined && isCut ? cutShort(read) : read,
    unseen: [...new Set([...(task.unseen ?? []), ...unread, ...paths])],
  };
}

/** What the model was sent counts as read only if an answer came of it. */
function readInTheEnd(read: Coverage, outcome: RunOutcome): Coverage {
  const hasAnswer = outcome.kind !== 'failed' && outcome.kind !== 'refused' && outcome.stats.turns > 0;
  if (!hasAnswer) return withoutAnswer(read);
  return isCutShort(outcome) ? cutShort(read) : read;
}

/** One of several conversations that review a change. */
export interface ReviewPass {
  /** For people: `part 2 of 4`. */
  readonly name: string;
  /** The user message. */
  readonly message: string;
  /** The files that it shows. */
  readonly paths: readonly string[];
}

/** What will be read from memory and how the entry is written. */
export interface MemoryPlan {
  /** Place of the agent's run log in the tree; the untrusted lane's is {@link untrustedPath} of it. */
  readonly path: string;
  /** Where the event lets the entry go (D19); what the run reads can change it, which the run's `TaintTracker` says. */
  readonly lane: Lane;
  readonly lastN: number;
  /** Most bytes of run log that are loaded; 0 for no bound (D52). */
  readonly maxBytes: number;
  readonly maxEntries: number;
  /** Whether entries have to be counted, which reads the whole log (D33). */
  readonly count: boolean;
  /** Unique id of the entry this run may append. */
  readonly entryId: string;
  /** The entry's last line; undefined leaves the file as axe writes it (D8). */
  readonly provenance: Provenance | undefined;
}

/** Facts of a workflow run that an entry's provenance names (D8); absent on the command line without an event. */
export interface RunOrigin {
  readonly runId: string;
  readonly attempt: string;
  readonly job: string;
  readonly sha: string;
}

/** What the memory plan is decided from. */
export interface MemoryPlanParts {
  readonly agent: LoadedAgent;
  readonly model: ModelRef;
  readonly trigger: Trigger;
  readonly trust: Trust;
  readonly origin: RunOrigin | undefined;
  readonly entryId: string;
  /** The run adds nothing to memory. */
  readonly isReadOnly: boolean;
  /** Somebody wants to see the count although no `max_entries` is set. */
  readonly wantCount: boolean;
}

/** The memory plan of an agent, or undefined if its memory is off. */
export function planMemory(parts: MemoryPlanParts): MemoryPlan | undefined {
  const { agent, model, entryId, wantCount } = parts;
  const { memory } = agent.config;
  if (!memory.enabled) return undefined;
  const inWorkflow = parts.origin !== undefined;
  const path = runLogPath(agent, model, inWorkflow);
  const isWritten = memory.provenance === 'on' || (memory.provenance === 'auto' && inWorkflow);
  return {
    path,
    lane: parts.isReadOnly ? 'none' : parts.trust.lane,
    lastN: memory.lastN,
    maxBytes: memory.maxLogBytes || (memory.hasLastN ? 0 : MAX_LOADED_MEMORY_BYTES),
    maxEntries: memory.maxEntries,
    count: wantCount || memory.maxEntries > 0,
    entryId,
    provenance: isWritten ? provenanceOf(parts) : undefined,
  };
}

/**
 * `<agent>.md`; in a workflow a relative `memory.path` names the place (D13). The offline rules keep to a folder of
 * their own, so that trying the action out never fills a real agent's memory (D32).
 */
export function runLogPath({ name, config }: LoadedAgent, model: ModelRef, inWorkflow: boolean): string {
  const { path } = config.memory;
  const own = inWorkflow && path !== '' && unusableLogPath(path) === undefined ? path : defaultLogPath(name);
  return isOffline(model) ? `offline/${own}` : own;
}

function provenanceOf({ model, trigger, trust, origin, entryId }: MemoryPlanParts): Provenance {
  return {
    id: entryId,
    run: origin === undefined ? '' : `${origin.runId}/${origin.attempt}`,
    job: origin?.job ?? '',
    event: trigger.kind === 'local' ? 'local' : trigger.event,
    sha: (trigger.kind === 'pull_request' ? trigger.head.sha : (origin?.sha ?? '')).slice(0, 7),
    actor: trigger.kind === 'local' ? '' : trigger.actor.login,
    trust: trust.level,
    model: formatModelRef(model),
  };
}
