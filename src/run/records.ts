import type { LoadedAgent } from '../agent/agent-source.js';
import type { AgentConfig, ModelRef } from '../agent/config.js';
import type { ContextFile } from '../agent/context-files.js';
import type { Effort } from '../agent/keys.js';
import type { Price } from '../agent/model-keys.js';
import type { Admission, AdmissionFacts } from '../event/admission.js';
import type { TriggerContext } from '../event/context.js';
import type { Trigger } from '../event/trigger.js';
import type { AdmissionPolicy, Reading } from '../event/trust.js';
import type { BufferedPublications, Refused } from '../findings/buffered-publications.js';
import type { Coverage, ReviewScope } from '../findings/change/scope.js';
import type { Check } from '../findings/checks.js';
import type { HiddenPlace } from '../findings/decide/hidden-findings.js';
import type { Ledger } from '../findings/decide/ledger.js';
import type { FindingToFix, KnownFinding } from '../findings/known-finding.js';
import type { FindingCounts, UnpostedReview } from '../findings/post/post-review.js';
import type { ReviewResult } from '../findings/post/record.js';
import type { ReviewFact } from '../findings/state-facts.js';
import type { Posted } from '../github/posting/posted.js';
import type { SourcePosition, Warning } from '../lib/errors.js';
import type { RunOutcome } from '../lib/outcome.js';
import type { Spend, SpendLimits } from '../loop/budget.js';
import type { AgentUsage } from '../loop/reply.js';
import type { AnswerForm } from '../loop/structured.js';
import type { MemoryChange, NoteChange } from '../memory/change.js';
import type { CheckedNotes, NoteLine } from '../memory/citations.js';
import type { NotesSession } from '../memory/notes/session.js';
import type { NotesTool } from '../memory/paths.js';
import type { Recalled, Subject } from '../memory/recall.js';
import type { Provenance } from '../memory/run-log.js';
import type { MemoryLocation, MemoryStore, RestoreResult, SaveResult } from '../memory/store.js';
import type { DiffPolicy, LocalChange } from '../prompt/diff-policy.js';
import type { readGuidance } from '../prompt/guidance.js';
import type { NotesPrompt, SystemPromptParts } from '../prompt/prompt.js';
import type { Task } from '../prompt/task.js';
import type { TestBench } from '../tools/process/test-bench.js';
import type { Artifacts } from '../tools/workspace/artifact-folders.js';
import type { GcResult } from './gc-result.js';
import type { MemoryCommandResult } from './memory-commands/command-session.js';
import type { ReviewPlan, ReviewWishes } from './review-plan.js';

/** Empty strings mean not given, as in axe. */
export interface RunRequest {
  readonly agent: string;
  readonly model: string;
  readonly effort?: Effort;
  readonly skill: string;
  readonly workdir: string;
  readonly prompt: string;
  readonly trigger: Trigger;
  /** The findings to fix, and all that the run is shown of the pull request; left out: not a fix. */
  readonly toFix?: readonly FindingToFix[];
  /** Runs the tests of these findings; a string says why they are not run. Left out: no tests. */
  readonly fixBench?: TestBench | string;
  /** The finding to show by a test, and nothing else; left out: the run has another purpose. */
  readonly toShow?: FindingToShow;
  readonly admissionPolicy: AdmissionPolicy;
  /** `full`: each review reads the whole pull request; else only the changes since the last one. */
  readonly reviewScope?: 'auto' | 'full';
  readonly review?: ReviewWishes;
  readonly language?: string;
  /** The commit that is checked out; undefined if there is none, or no stranger could choose it. */
  readonly readCheckout: () => Promise<string | undefined>;
  /** A change on this machine, as context (`--git`). */
  readonly readChange: () => Promise<LocalChange | undefined>;
  /** The workflow run; undefined on the command line without an event. */
  readonly origin: Readonly<Record<'runId' | 'attempt' | 'sha', string>> | undefined;
  /** In a workflow an empty answer is a failure, and a truncated one causes a warning. */
  readonly inWorkflow: boolean;
  readonly readStdin: () => Promise<string>;
  readonly isMemoryReadOnly: boolean;
  readonly diffPolicy: DiffPolicy;
  /** Memory is in another repository, so it must not be shown in this one. */
  readonly isMemoryHidden: boolean;
  readonly maxTurns: number;
  /** Maximum tokens of the run, sub-agents included, from the agent's `[budget]`; 0: no limit. */
  readonly tokenLimit: (agentMaxTokens: number) => number;
  /** JSON schema of the answer as text; empty leaves it to the agent's `params.response_format`. */
  readonly outputSchema: string;
  readonly maxCostUsd: number;
  /** The price of the run's model if it is not known; absent: that in the agent's file. */
  readonly price?: Price;
  /** Limits on the cost of several runs of the agent together; 0 for no limit each. */
  readonly spendLimits: SpendLimits;
  readonly fallbackModels: readonly string[];
  readonly timeLimit: (agentTimeoutSeconds: number) => number;
  readonly dryRun: boolean;
}

/** A finding for a run that shows it by a test, with what its command has read. */
export interface FindingToShow {
  readonly finding: KnownFinding;
  readonly ledger: Ledger;
  readonly change: ReviewedChange;
  readonly bench: TestBench;
}

/** The part of a plan that is decided before memory is read. */
export interface PlanBasis {
  readonly agent: LoadedAgent;
  readonly model: ModelRef;
  readonly trigger: Trigger;
  /** The strangers' texts that the run has read, and so its rights. */
  readonly reading: Reading;
  readonly workdir: string;
  readonly timeoutSeconds: number;
  readonly review: ReviewPlan;
  readonly memory: MemoryPlan | undefined;
  /** Comments start the workflow, so texts can offer `/axe` commands; left out: they do not. */
  readonly offersCommands?: boolean;
}

/** Everything a run has decided before it touches memory or a model. */
export interface Plan extends PlanBasis {
  /** The skill's path as it was given, and its text; both empty for none. */
  readonly skill: { readonly path: string; readonly content: string };
  readonly files: readonly ContextFile[];
  readonly promptFrom: 'flag' | 'stdin' | 'default';
  readonly task: Task;
  /** The part of a pull request to review; left out if the run is not a review. */
  readonly scope?: ReviewScope;
  /** The pull request that another workflow's run belongs to; left out if there is none. */
  readonly reportsOn?: number;
  readonly subject?: Subject;
  readonly coverage?: Coverage;
  /** The conversations of a review that needs several; left out: one, with the task. */
  readonly passes?: readonly ReviewPass[];
  /** The system prompt without the memory section. */
  readonly prompt: SystemPromptParts;
  /**
   * The checks in words that the run asks. None: answers of earlier runs are of rules that are gone.
   * `unread`: nobody knows them. Left out: this run asks none.
   */
  readonly checks?: readonly Check[] | 'unread';
  readonly form: AnswerForm | undefined;
  readonly maxTurns: number;
  readonly warnings: readonly Warning[];
}

/** The part of the change that a run has read. */
export interface ReadByRun {
  readonly coverage: Coverage | undefined;
  /** Files to show first in the next review: they did not fit, or no pass has read them. */
  readonly unseen: readonly string[];
}

export interface ReviewPass {
  readonly name: string;
  readonly message: string;
  readonly paths: readonly string[];
}

/** Says which part of memory is read, and how the entry is written. */
export interface MemoryPlan {
  /** Path of the agent's run log in the tree; what is kept apart has one below `apart/`. */
  readonly path: string;
  /** Nothing is added to it. */
  readonly isReadOnly: boolean;
  /** It belongs to another repository, so only `own` runs are given its text. */
  readonly isPrivate: boolean;
  /** Number of entries to load, 0 for all; left out if the agent does not say it. */
  readonly lastN?: number;
  /** Maximum bytes of run log to load, as the agent says; 0 if it does not. */
  readonly maxLogBytes: number;
  readonly maxEntries: number;
  readonly entryId: string;
  /** The origin in each entry; undefined for a file exactly as axe writes it. */
  readonly provenance: Provenance | undefined;
}

/** The change under review: the commits that were compared, and their whole diff. */
export interface ReviewedChange {
  readonly head: string;
  readonly base: string;
  /** Name of the target branch; left out if it is not known. */
  readonly into?: string;
  readonly diff: string;
  /** The diff has every file of the change; left out if that is not known. */
  readonly hasAllFiles?: boolean;
}

export interface RunNotes {
  readonly session: NotesSession;
  readonly tools: readonly NotesTool[];
  /** The facts of the built-in reviewer, chosen by its change; left out for other agents. */
  readonly facts?: readonly NoteLine[];
  /** Number and location of the notes when the run started. */
  readonly found: { readonly files: number; readonly location: string };
  readonly prompt: NotesPrompt;
  /** The result of checking their citations against the base. */
  readonly checked: CheckedNotes;
  readonly warnings: readonly Warning[];
  /** Adds their unsaved changes to the journal, apart or among the others. */
  keep(isApart: boolean): Promise<void>;
}

/** Private memory that a run is not given; `reason` is half a sentence that follows "because". */
interface WithheldMemory extends MemoryLocation {
  readonly kind: 'withheld';
  readonly reason: string;
}

/** Memory as it was when the run started. */
export interface StoredMemory {
  readonly store: MemoryStore;
  readonly restored: RestoreResult | WithheldMemory;
  readonly notes?: RunNotes;
  /** The state of reviews, which the model does not see. */
  readonly facts: readonly ReviewFact[];
}

/** Memory with the entries that this run is given. */
export interface Memory extends StoredMemory {
  /** The entries without their provenance lines, for the prompt. */
  readonly text: string;
  /** Left out if the agent says how many entries it is given. */
  readonly recalled?: Recalled;
}

/** Reads that admission starts before they are needed, so that the waits overlap. */
export interface AdmissionReads {
  readonly memory: Promise<StoredMemory | undefined>;
  readonly context: Promise<TriggerContext | undefined>;
  /** For the change on GitHub. */
  readonly guidance: ReturnType<typeof readGuidance>;
}

/** An event that starts a run. */
export interface Admitted {
  readonly kind: 'admitted';
  readonly facts: Required<Pick<AdmissionFacts, 'event' | 'permission'>>;
  readonly basis: PlanBasis;
  readonly reads: AdmissionReads;
}

/** A run that has read everything it needs before its model is asked. */
export interface OpenRun {
  readonly plan: Plan;
  readonly change: ReviewedChange | undefined;
  readonly memory: Memory | undefined;
  readonly learned: EarlierFindings;
  /** Places with hidden characters that this review reports; none if it is not a review. */
  readonly hidden: readonly HiddenPlace[];
}

/** A run whose conversation is over. */
export interface Conversed extends OpenRun {
  readonly outcome: RunOutcome;
  readonly read: ReadByRun;
  /** Publications in addition to the answer. */
  readonly buffered: BufferedPublications;
  readonly spend: Spend;
  readonly usage: readonly AgentUsage[];
  /** Memory of sub-agents that could not be saved. */
  readonly lost: readonly MemorySaveResult[];
  readonly artifacts: Artifacts | undefined;
}

export interface EarlierFindings {
  /** Findings of the run's own pull request; undefined if it has none. */
  readonly ledger: Ledger | undefined;
  /** Findings of other pull requests, which people might have answered. */
  readonly others: readonly { readonly pull: number; readonly ledger: Ledger }[];
  /** A sentence that says why the run's own pull request could not be read. */
  readonly trouble?: string;
}

/** The result of publishing, as facts. */
export interface PublicationResult {
  /** The publications, in the order in which they were made. */
  readonly posts: readonly Posted[];
  /** Left out: the run tells of no findings. */
  readonly counts?: FindingCounts;
  readonly url?: string;
  /** Ids of the comments and reviews. */
  readonly posted?: readonly number[];
  /** The pull request that was opened or updated with the run's edits. */
  readonly pullRequestUrl?: string;
  readonly checkUrl?: string;
  /** The parts of the review that were not posted; left out: there are none. */
  readonly unposted?: UnpostedReview;
  /** The refused calls that people should know of; left out: there are none. */
  readonly refused?: Refused;
  /** The commit whose pull request the answer was for, and that has none. */
  readonly unplacedCommit?: string;
  /** The fate of the files that the run has changed; left out: it changed none. */
  readonly change?: ChangeResult;
  /** A review's findings, for other programs; absent if the run is not a review. */
  readonly reviewResult?: ReviewResult;
  /** The reason if the main result could not be published; absent if all went well. */
  readonly failure?: string;
}

/** The fate of changed files; what was made of them is among the posts. */
interface ChangeResult {
  /** The job's own token made the commit, so its workflows wait for a person's approval. */
  readonly isByJob?: true;
  /** Left out: all was published. */
  readonly unpublished?: UnpublishedChange;
}

export interface UnpublishedChange {
  /** `rest`: the commits after those that were pushed; `unasked`: the agent asked for nothing. */
  readonly kind: 'pull-request' | 'commits' | 'rest' | 'unasked';
  /** A code, or the reason in half a sentence; `limited`: the run could only make a patch. */
  readonly cause:
    | 'unfinished'
    | 'not-asked'
    | { readonly message: string }
    | { readonly limited: string };
  readonly files: number;
  /** Left out: a change that breaks a rule is shown nowhere. */
  readonly patch?: ChangePatch;
}

export type ChangePatch =
  | { readonly kind: 'shown'; readonly diff: string }
  | { readonly kind: 'too-large'; readonly bytes: number }
  /** Cleaning would change it, so it would not apply. */
  | { readonly kind: 'unclean' };

export type EntryChange = Extract<MemoryChange, { readonly kind: 'append' }>;

/** The result of saving the run's entry and notes. */
export interface MemorySaveResult {
  /**
   * One entry, or two for a run that has read strangers' words: a computed one, and apart from it
   * the whole one.
   * Empty for a run that did not complete; its notes are saved in any case.
   */
  readonly entries: readonly EntryChange[];
  readonly notes: readonly NoteChange[];
  readonly result: SaveResult;
}

/** The end of a run, with its results up to there. */
export type RunReport =
  | {
      readonly kind: 'skipped';
      readonly decision: Extract<Admission, { kind: 'skip' }>;
      /** Sha of the last reviewed commit, if the run was skipped because nothing is new since. */
      readonly unchangedSince?: string;
      /** The current findings of the pull request; left out if they were not read. */
      readonly reviewResult?: ReviewResult;
      /** The findings could not be read, so they are those in memory; left out: they were. */
      readonly areFindingsUnread?: true;
    }
  | { readonly kind: 'planned'; readonly plan: Plan; readonly memory: Memory | undefined }
  | (Conversed & {
      readonly kind: 'ran';
      readonly published: PublicationResult;
      /** Undefined if the agent has no memory, or the run did not complete and has no notes. */
      readonly remembered: MemorySaveResult | undefined;
    })
  /** A command in a comment, carried out without a model. */
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

/** A mistake in an agent's file, detected without running the agent. */
export interface Fault {
  /**
   * An error: the agent cannot run, or cannot do what it is for. A note is not a mistake and is not
   * counted.
   */
  readonly severity: 'error' | 'warning' | 'note';
  readonly message: string;
  /** Empty if the message includes the remedy. */
  readonly remedy: string;
  readonly at: SourcePosition;
}

/** A mistake in the inputs of a workflow's step, or an input without effect. */
export type SetupProblem = Omit<Fault, 'at'>;

export interface CheckedAgent {
  readonly name: string;
  readonly file: string;
  /** Undefined if it could not be read, or has values of a wrong type. */
  readonly config: AgentConfig | undefined;
  /** In the order of the file. */
  readonly faults: readonly Fault[];
}

export interface Validation {
  /** Half a sentence for people that names the place of the files. */
  readonly where: string;
  /** In byte order of their files. */
  readonly agents: readonly CheckedAgent[];
  /** Problems of the step's inputs; left out outside of a workflow. */
  readonly setup?: readonly SetupProblem[];
  /** Problems of the checkout's workflows with this action; left out: they were not checked. */
  readonly workflows?: readonly Fault[];
}
