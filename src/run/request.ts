import type { Effort } from '../agent/choices.js';
import type { Admission, AdmissionFacts } from '../event/admission.js';
import type { AdmissionPolicy } from '../event/admission-policy.js';
import type { TaintSource, TaintTracker } from '../event/taint.js';
import type { Trigger } from '../event/trigger.js';
import type { RunOutcome } from '../lib/outcome.js';
import type { OpenModel } from '../loop/asker.js';
import type { CostInput } from '../loop/budget.js';
import type { Spend, SpendLimits } from '../loop/spend.js';
import type { AgentUsage } from '../loop/usage.js';
import type { Change, NoteChange } from '../memory/change.js';
import type { MemoryCommandResult } from '../memory/commands/command-session.js';
import type { GcResult } from '../memory/gc/gc-result.js';
import type { MemoryStore, RestoreResult, SaveResult } from '../memory/store.js';
import type { DiffPolicy, LocalChange, TriggerContext } from '../prompt/context.js';
import type { NotesPrompt } from '../prompt/system.js';
import type { Buffered } from '../review/buffered.js';
import type { ReviewResult } from '../review/findings-json.js';
import type { Ledger } from '../review/ledger.js';
import type { ReviewWishes } from '../review/review-plan.js';
import type { ReviewFact } from '../review/state-facts.js';
import type { ReviewedChange } from './change.js';
import type { Published } from './dependencies.js';
import type { RunNotes } from './notes.js';
import type { Basis, Plan, ReadByRun, RunOrigin } from './run-plan.js';
import type { Validation } from './validate/validation.js';

/** What a caller asks for; empty strings mean not given, as in axe. */
export interface RunRequest {
  readonly agent: string;
  readonly model: string;
  /** In the place of the agent's; left out: as the agent says. */
  readonly effort?: Effort | undefined;
  readonly skill: string;
  readonly workdir: string;
  readonly prompt: string;
  readonly trigger: Trigger;
  readonly admissionPolicy: AdmissionPolicy;
  /** `full`: a review looks at the whole pull request each time; left out, at what is new since the last one. */
  readonly reviewScope?: 'auto' | 'full';
  /** How a review is made; left out, as the agent says. */
  readonly review?: ReviewWishes;
  /** Of the answer; left out or empty: whatever the agent says. */
  readonly language?: string;
  /** The commit that is checked out in the workspace; undefined where there is none, or nobody else could have chosen it. */
  readonly readCheckout: () => Promise<string | undefined>;
  /** A change on this machine, as context (`--git`). */
  readonly readChange: () => Promise<LocalChange | undefined>;
  /** Facts of the workflow run; undefined on the command line without an event. */
  readonly origin: RunOrigin | undefined;
  /** In a workflow an empty answer is a failure and a cut one is warned of (D27). */
  readonly inWorkflow: boolean;
  readonly readStdin: () => Promise<string>;
  /** The run loads memory and adds nothing to it. */
  readonly isMemoryReadOnly: boolean;
  /** How much the model is told of a change. */
  readonly diffPolicy: DiffPolicy;
  /** Memory is kept in another repository, and what it says must not be shown here (D14). */
  readonly isMemoryHidden: boolean;
  /** Somebody wants to see how many entries there are. */
  readonly wantCount: boolean;
  readonly maxTurns: number;
  /** Most input and output tokens of the run, sub-agents included, of what the agent's `[budget]` says; 0: no limit. */
  readonly tokenLimit: (agentMaxTokens: number) => number;
  /** JSON schema of the answer as text; empty leaves it to the agent's `params.response_format`. */
  readonly outputSchema: string;
  /** US dollars; 0 for no limit. */
  readonly maxCostUsd: number;
  /** The input that it comes from, unless it is `max-cost-usd`. */
  readonly costInput?: CostInput;
  /** What runs of the agent may cost together; 0 for no limit each. */
  readonly spendLimits: SpendLimits;
  /** `provider/model`, tried in order when the agent's stays out of reach. */
  readonly fallbackModels: readonly string[];
  /** The time limit in seconds, of what the agent says (0: nothing). */
  readonly timeLimit: (agentTimeoutSeconds: number) => number;
  readonly dryRun: boolean;
}

/** Memory as it was when the run started. */
export interface Memory {
  readonly store: MemoryStore;
  readonly restored: RestoreResult;
  /** What goes into the prompt: the loaded entries without their provenance lines. */
  readonly text: string;
  /** What notes add to the prompt behind the entries; absent where they are off. */
  readonly notes?: NotesPrompt | undefined;
  /** The notes themselves, in a run that has them. */
  readonly notesSession?: RunNotes | undefined;
  /** What is kept besides the run log and is not for the model (D36). */
  readonly facts: readonly ReviewFact[];
}

/** An event that starts a run, with what was begun on the way. */
export interface Admitted {
  readonly kind: 'admitted';
  /** What it was admitted by. */
  readonly facts: AdmissionFacts;
  readonly basis: Basis;
  /** What has been read so far that anybody may have written. */
  readonly taint: TaintTracker;
  readonly memory: Promise<Memory | undefined>;
  readonly context: Promise<TriggerContext | undefined>;
}

/** A plan before memory has taught anything, with what was started for it. */
export interface Draft {
  readonly kind: 'draft';
  readonly plan: Plan;
  readonly taint: TaintTracker;
  /** Of the pull request the run is about. */
  readonly change: ReviewedChange | undefined;
  readonly memory: Promise<Memory | undefined>;
  readonly learned: Promise<Learned>;
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
  readonly learned: Learned;
}

/** A run whose conversation is over. */
export interface Conversed extends Restored {
  readonly outcome: RunOutcome;
  readonly read: ReadByRun;
  /** What is to be published besides the answer. */
  readonly buffered: Buffered;
  readonly spend: Spend;
  /** Who took how much of the run's budget. */
  readonly usage: readonly AgentUsage[];
}

/** What a run knows of earlier findings. */
export interface Learned {
  /** Those of the run's own pull request; undefined where it is about none. */
  readonly ledger: Ledger | undefined;
  /** Those of others, on which people may have answered. */
  readonly others: readonly { readonly pull: number; readonly ledger: Ledger }[];
  /** In a sentence, why those of its own could not be read. */
  readonly trouble?: string | undefined;
}

/** The change that appends an entry. */
export type EntryChange = Extract<Change, { readonly kind: 'append' }>;

/** What became of the run's entry and of its notes. */
export interface Remembered {
  /**
   * One, or of a tainted run two: what we compute, and the whole entry apart from it. Empty for a run that did not complete,
   * which keeps its notes all the same (D16).
   */
  readonly entries: readonly EntryChange[];
  /** The changes to notes that were saved with it. */
  readonly notes: readonly NoteChange[];
  readonly result: SaveResult;
}

/** How far a run came, with everything it made. */
export type RunReport =
  | {
      readonly kind: 'skipped';
      readonly decision: Extract<Admission, { kind: 'skip' }>;
      /** Sha of the commit since which nothing that is reviewed has changed; left out: another reason. */
      readonly unchangedSince?: string | undefined;
      /** The findings of the pull request as they are; left out: nobody looked. */
      readonly reviewResult?: ReviewResult | undefined;
      /** They could not be read, so nothing is known of them but what memory says. */
      readonly isIncomplete?: boolean;
    }
  | { readonly kind: 'planned'; readonly plan: Plan; readonly memory: Memory | undefined }
  | {
      readonly kind: 'ran';
      readonly plan: Plan;
      readonly memory: Memory | undefined;
      readonly outcome: RunOutcome;
      readonly read: ReadByRun;
      /** What brought text by anybody into the run. */
      readonly taints: readonly TaintSource[];
      readonly published: Published;
      /** Undefined where the agent has no memory, or the run did not complete and wrote no notes. */
      readonly remembered: Remembered | undefined;
      readonly spend: Spend;
      readonly usage: readonly AgentUsage[];
    }
  /** A command of a comment was carried out, and no model asked. */
  | {
      readonly kind: 'memory-command';
      readonly agent: string;
      readonly command: string;
      readonly result: MemoryCommandResult;
      readonly published: Published;
    }
  /** Garbage collection of an agent's memory. */
  | {
      readonly kind: 'gc';
      readonly agent: string;
      readonly collection: GcResult;
    }
  /** Agents were looked at, and none was run. */
  | { readonly kind: 'validated'; readonly validation: Validation };
