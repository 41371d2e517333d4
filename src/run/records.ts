import type { LoadedAgent } from '../agent/agent-source.js';
import type { AgentConfig, ModelRef } from '../agent/config.js';
import type { ContextFile } from '../agent/context-files.js';
import type { Effort } from '../agent/keys.js';
import type { Admission, AdmissionFacts } from '../event/admission.js';
import type { TriggerContext } from '../event/context.js';
import type { Trigger } from '../event/trigger.js';
import type { AdmissionPolicy, Lane, TaintSource, TaintTracker, Trust } from '../event/trust.js';
import type { BufferedPublications } from '../findings/buffered-publications.js';
import type { Coverage, ReviewScope } from '../findings/change/scope.js';
import type { Ledger } from '../findings/decide/ledger.js';
import type { KnownFinding } from '../findings/known-finding.js';
import type { ReviewResult } from '../findings/post/record.js';
import type { MarksOnPull, ReviewFact } from '../findings/state-facts.js';
import type { SourcePosition, Warning } from '../lib/errors.js';
import type { RunOutcome } from '../lib/outcome.js';
import type { OpenModel } from '../loop/asker.js';
import type { Spend, SpendLimits } from '../loop/budget.js';
import type { AgentUsage } from '../loop/reply.js';
import type { AnswerForm } from '../loop/structured.js';
import type { MemoryChange, NoteChange } from '../memory/change.js';
import type { CheckedNotes } from '../memory/citations.js';
import type { NotesSession } from '../memory/notes/session.js';
import type { NotesTool } from '../memory/paths.js';
import type { Provenance } from '../memory/run-log.js';
import type { MemoryStore, RestoreResult, SaveResult } from '../memory/store.js';
import type { DiffPolicy, LocalChange } from '../prompt/diff-policy.js';
import type { NotesPrompt, SystemPromptParts } from '../prompt/prompt.js';
import type { Task } from '../prompt/task.js';
import type { Artifacts } from '../tools/workspace/artifact-folders.js';
import type { GcResult } from './gc-result.js';
import type { MemoryCommandResult } from './memory-commands/command-session.js';
import type { ReviewPlan, ReviewWishes } from './review-plan.js';

/** What a caller asks for; empty strings mean not given, as in axe. */
export interface RunRequest {
  readonly agent: string;
  readonly model: string;
  readonly effort?: Effort;
  readonly skill: string;
  readonly workdir: string;
  readonly prompt: string;
  readonly trigger: Trigger;
  /**
   * The findings that the run fixes, which is all that it is shown of the pull request; left out:
   * it is for something else.
   */
  readonly toFix?: readonly KnownFinding[];
  readonly admissionPolicy: AdmissionPolicy;
  /**
   * `full`: a review looks at the whole pull request each time; left out, at what is new since the
   * last one.
   */
  readonly reviewScope?: 'auto' | 'full';
  readonly review?: ReviewWishes;
  readonly language?: string;
  /**
   * The commit that is checked out in the workspace; undefined where there is none, or nobody else
   * could have chosen it.
   */
  readonly readCheckout: () => Promise<string | undefined>;
  /** A change on this machine, as context (`--git`). */
  readonly readChange: () => Promise<LocalChange | undefined>;
  /** Facts of the workflow run; undefined on the command line without an event. */
  readonly origin: Readonly<Record<'runId' | 'attempt' | 'job' | 'sha', string>> | undefined;
  /** In a workflow an empty answer is a failure and a cut one is warned of (D27). */
  readonly inWorkflow: boolean;
  readonly readStdin: () => Promise<string>;
  readonly isMemoryReadOnly: boolean;
  readonly diffPolicy: DiffPolicy;
  /** Memory is kept in another repository, and what it says must not be shown here (D14). */
  readonly isMemoryHidden: boolean;
  readonly maxTurns: number;
  /**
   * Most input and output tokens of the run, sub-agents included, of what the agent's `[budget]`
   * says; 0: no limit.
   */
  readonly tokenLimit: (agentMaxTokens: number) => number;
  /** JSON schema of the answer as text; empty leaves it to the agent's `params.response_format`. */
  readonly outputSchema: string;
  readonly maxCostUsd: number;
  /** What runs of the agent may cost together; 0 for no limit each. */
  readonly spendLimits: SpendLimits;
  readonly fallbackModels: readonly string[];
  readonly timeLimit: (agentTimeoutSeconds: number) => number;
  readonly dryRun: boolean;
}

/** What the rest of a plan is built on, and memory is read by. */
export interface PlanBasis {
  readonly agent: LoadedAgent;
  readonly model: ModelRef;
  readonly trigger: Trigger;
  readonly trust: Trust;
  readonly workdir: string;
  readonly timeoutSeconds: number;
  readonly review: ReviewPlan;
  readonly memory: MemoryPlan | undefined;
}

/** Everything a run has decided before it touches memory or a model. */
export interface Plan extends PlanBasis {
  /** The skill's path as it was given, and its text; both empty for none. */
  readonly skill: { readonly path: string; readonly content: string };
  readonly files: readonly ContextFile[];
  readonly promptFrom: 'flag' | 'stdin' | 'default';
  readonly task: Task;
  /**
   * How much of a pull request is reviewed; left out where the run is not a review that goes on
   * from an earlier one.
   */
  readonly scope?: ReviewScope;
  /** The pull request that another workflow's run is about; left out where there is none. */
  readonly reportsOn?: number;
  readonly coverage?: Coverage;
  /** The conversations of a review that needs several; left out: one, with the task. */
  readonly passes?: readonly ReviewPass[];
  /** The system prompt without the memory section. */
  readonly prompt: SystemPromptParts;
  readonly form: AnswerForm | undefined;
  readonly maxTurns: number;
  readonly warnings: readonly Warning[];
}

/** How much of its change a run has read once it is over. */
export interface ReadByRun {
  readonly coverage: Coverage | undefined;
  /**
   * Paths of files that the next review shows first: they did not fit, or no pass has read them.
   */
  readonly unseen: readonly string[];
}

export interface ReviewPass {
  readonly name: string;
  readonly message: string;
  readonly paths: readonly string[];
}

/** What will be read from memory and how the entry is written. */
export interface MemoryPlan {
  /** Place of the agent's run log in the tree; the untrusted lane has one next to it. */
  readonly path: string;
  /**
   * Where the event lets the entry go (D19); what the run reads can change it, which the run's
   * `TaintTracker` says.
   */
  readonly lane: Lane;
  readonly lastN: number;
  /** Most bytes of run log that are loaded; 0 for no bound (D52). */
  readonly maxBytes: number;
  readonly maxEntries: number;
  readonly entryId: string;
  /** The entry's last line; undefined leaves the file as axe writes it (D8). */
  readonly provenance: Provenance | undefined;
}

/** The change a run looks at: the commits that were compared, and their whole diff. */
export interface ReviewedChange {
  readonly head: string;
  readonly base: string;
  /** Name of the branch it goes into; left out where that is not known. */
  readonly into?: string;
  readonly diff: string;
}

export interface RunNotes {
  readonly session: NotesSession;
  readonly tools: readonly NotesTool[];
  /** What of them was found when the run started. */
  readonly found: { readonly files: number; readonly location: string };
  readonly prompt: NotesPrompt;
  /** What they rest on, held against the base. */
  readonly checked: CheckedNotes;
  readonly warnings: readonly Warning[];
  /**
   * Keeps in the journal what has to be saved of them, in the lane that the run has by now (D16,
   * D19).
   */
  keep(lane: Lane): Promise<void>;
}

/** Memory as it was when the run started. */
export interface Memory {
  readonly store: MemoryStore;
  readonly restored: RestoreResult;
  /** What goes into the prompt: the loaded entries without their provenance lines. */
  readonly text: string;
  readonly notes?: RunNotes;
  /** What is kept besides the run log and is not for the model (D36). */
  readonly facts: readonly ReviewFact[];
}

/** An event that starts a run, with what was begun on the way. */
export interface Admitted {
  readonly kind: 'admitted';
  readonly facts: Required<Pick<AdmissionFacts, 'event' | 'permission'>>;
  readonly basis: PlanBasis;
  /** What has been read so far that anybody may have written. */
  readonly taint: TaintTracker;
  readonly memory: Promise<Memory | undefined>;
  readonly context: Promise<TriggerContext | undefined>;
}

/** A plan before memory has taught anything, with what was started for it. */
export interface DraftPlan {
  readonly kind: 'draft';
  readonly plan: Plan;
  readonly taint: TaintTracker;
  readonly change: ReviewedChange | undefined;
  readonly memory: Promise<Memory | undefined>;
  readonly learned: Promise<EarlierFindings>;
  /** Undefined in a dry run, which opens none. */
  readonly model: Promise<OpenModel> | undefined;
}

/** A run that is ready for its model. */
export interface Restored {
  readonly plan: Plan;
  readonly taint: TaintTracker;
  readonly change: ReviewedChange | undefined;
  readonly model: Promise<OpenModel> | undefined;
  readonly memory: Memory | undefined;
  readonly learned: EarlierFindings;
}

/** A run whose conversation is over. */
export interface Conversed extends Restored {
  readonly outcome: RunOutcome;
  readonly read: ReadByRun;
  /** What is to be published besides the answer. */
  readonly buffered: BufferedPublications;
  readonly spend: Spend;
  readonly usage: readonly AgentUsage[];
  /** What sub-agents were to remember, and could not save. */
  readonly lost: readonly MemorySaveResult[];
  readonly artifacts: Artifacts | undefined;
}

export interface EarlierFindings {
  /** Those of the run's own pull request; undefined where it is about none. */
  readonly ledger: Ledger | undefined;
  /** Those of others, on which people may have answered. */
  readonly others: readonly { readonly pull: number; readonly ledger: Ledger }[];
  /** In a sentence, why those of its own could not be read. */
  readonly trouble?: string;
}

/** What publishing did, for the summary and for the entry. */
export interface PublicationResult {
  /**
   * One computed line that is before the result in the entry (D9); undefined if nothing was posted.
   */
  readonly line: string | undefined;
  readonly url: string | undefined;
  readonly posted?: readonly number[];
  /** Of the pull request that was opened or brought up to date with what the run has changed. */
  readonly pullRequestUrl?: string;
  readonly checkUrl?: string;
  readonly marks?: readonly MarksOnPull[];
  /**
   * There was a review to post, and it does not stand on the pull request: GitHub did not take it,
   * or it was not wanted there.
   */
  readonly isReviewLost?: boolean;
  /** Markdown for the job summary: what was wanted and is not posted. Nobody has cleaned it yet. */
  readonly details?: string;
  /** What a review found, for other programs; absent in what is not a review. */
  readonly reviewResult?: ReviewResult;
  /**
   * Why what the run was there for could not be published (D40); absent where it was, or nothing
   * was to be.
   */
  readonly failure?: string;
}

export type EntryChange = Extract<MemoryChange, { readonly kind: 'append' }>;

/** What became of the run's entry and of its notes. */
export interface MemorySaveResult {
  /**
   * One, or of a tainted run two: what we compute, and the whole entry apart from it. Empty for a
   * run that did not complete, which keeps its notes all the same (D16).
   */
  readonly entries: readonly EntryChange[];
  readonly notes: readonly NoteChange[];
  readonly result: SaveResult;
}

/** How far a run came, with everything it made. */
export type RunReport =
  | {
      readonly kind: 'skipped';
      readonly decision: Extract<Admission, { kind: 'skip' }>;
      /**
       * Sha of the commit since which nothing that is reviewed has changed; left out: another
       * reason.
       */
      readonly unchangedSince?: string;
      /** The findings of the pull request as they are; left out: nobody looked. */
      readonly reviewResult?: ReviewResult;
      /** They could not be read, so nothing is known of them but what memory says. */
      readonly isIncomplete?: boolean;
    }
  | { readonly kind: 'planned'; readonly plan: Plan; readonly memory: Memory | undefined }
  | (Conversed & {
      readonly kind: 'ran';
      /** What brought text by anybody into the run. */
      readonly taints: readonly TaintSource[];
      readonly published: PublicationResult;
      /**
       * Undefined where the agent has no memory, or the run did not complete and wrote no notes.
       */
      readonly remembered: MemorySaveResult | undefined;
    })
  /** A command of a comment was carried out, and no model asked. */
  | {
      readonly kind: 'memory-command';
      readonly agent: string;
      readonly command: string;
      readonly result: MemoryCommandResult;
      readonly published: PublicationResult;
    }
  | {
      readonly kind: 'gc';
      readonly agent: string;
      readonly collection: GcResult;
    }
  | { readonly kind: 'validated'; readonly validation: Validation };

/** Something wrong with an agent, found without running it. */
export interface Fault {
  /** An error ends a run, or a call of a sub-agent; with a warning it goes on. */
  readonly severity: 'error' | 'warning';
  readonly message: string;
  /** Empty where the message says it. */
  readonly remedy: string;
  readonly at: SourcePosition;
}

export interface CheckedAgent {
  readonly name: string;
  readonly file: string;
  /** Undefined where it could not be read, or has values of a wrong type. */
  readonly config: AgentConfig | undefined;
  /** In the order of the file. */
  readonly faults: readonly Fault[];
}

export interface Validation {
  /** Half a sentence for people: whose files were looked at. */
  readonly where: string;
  /** In byte order of their files. */
  readonly agents: readonly CheckedAgent[];
}
