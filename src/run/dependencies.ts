import type { AgentLibrary, LoadedAgent } from '../agent/agent-source.js';
import type { Repository, Trigger } from '../event/trigger.js';
import type { Reading, Word } from '../event/trust.js';
import type { PublishRules } from '../findings/buffered-publications.js';
import type { FindingChanges, Ledger } from '../findings/decide/ledger.js';
import type { KeptFact, SaidRev } from '../findings/kept-finding.js';
import type { CheckProgress } from '../findings/post/check-progress.js';
import type { PostingTrouble, ReviewExtent } from '../findings/post/finding-texts.js';
import type { ReviewOutcome } from '../findings/post/post-review.js';
import type { ReviewResult } from '../findings/post/record.js';
import type { Clock, Deadline } from '../lib/clock.js';
import type { Warning } from '../lib/errors.js';
import type { Models } from '../loop/asker.js';
import type { LoopEvent } from '../loop/events.js';
import type { MemoryChange } from '../memory/change.js';
import type { ReadBase } from '../memory/citations.js';
import type { MemoryStore } from '../memory/store.js';
import type { Secrets } from '../safety/secrets.js';
import type { TestBench } from '../tools/process/test-bench.js';
import type { Tool, ToolEffect } from '../tools/tool.js';
import type { Artifacts } from '../tools/workspace/artifact-folders.js';
import type { Changes } from '../tools/workspace/changes.js';
import type { GitHub } from './github.js';
import type { Conversed, Memory, MemoryPlan, Plan, PublicationResult } from './records.js';

export interface ToolRequest {
  readonly agent: LoadedAgent;
  readonly workdir: string;
  readonly reading: Reading;
  /** The conversation is about a change: of a pull request, of `--git` or piped in. */
  readonly hasChange: boolean;
  /** Effects of the calling agent's tools; undefined for the top-level agent. */
  readonly callerEffects: ReadonlySet<ToolEffect> | undefined;
  /** The agents that this one can call, directly or through others. */
  callable(): Promise<readonly LoadedAgent[]>;
  readonly signal: AbortSignal;
  /** Called for each requested tool that is missing, and for a server that is lost during the run. */
  warn(warning: Warning): void;
}

export interface BenchRequest extends Pick<ToolRequest, 'agent' | 'reading' | 'signal'> {
  /** The commit. */
  readonly head: string;
}

export interface ToolBox {
  readonly tools: readonly Tool[];
  /** Names of the agent's MCP servers of which it has no tool; left out: none. */
  readonly missingServers?: readonly string[];
  close(): Promise<void>;
}

/** Listeners of a run. Must not throw. */
export interface Reporter {
  event(event: RunEvent): void;
  warn(warning: Warning): void;
}

/** The findings of a pull request, with the changes to report. */
export interface FindingsToTell {
  readonly pull: number;
  readonly ledger: Ledger;
  readonly news: FindingChanges;
  /**
   * GitHub could not be read after the run's work: only what the run has raised is news, and more
   * may have happened. Left out: it was read.
   */
  readonly isUnread?: boolean;
  /** Why none of it can be said; left out: it can. */
  readonly unsayable?: PostingTrouble;
}

/** Findings as a run has decided them, with what a line of the record says of the run. */
export interface OwnedFindings extends FindingsToTell {
  readonly repository: Repository;
  readonly agent: string;
  /** The commit that they were held against. */
  readonly head: string;
  readonly word: Word;
  /** Which model has raised what is new; left out: none. */
  readonly model?: string;
  /** The part of the change that the run has reviewed; left out: nothing. */
  readonly extent?: ReviewExtent;
}

/** Decisions that are carried out, before they are saved and said. */
export interface TurnedFindings {
  /** The lines of state that keep the findings; none for a run without a state. */
  readonly facts: readonly KeptFact[];
  /** Something was written on GitHub. */
  readonly isChanged: boolean;
  /** Turns conversations back to what they were; left out: none was turned. */
  turnBack?(): Promise<void>;
}

/** A run whose conversation is over, with the findings to post. */
export interface PublishRequest extends Conversed {
  /** Undefined if the run has no pull request, or is not a review. */
  readonly findings: FindingsToTell | undefined;
  /** The review's outcome before this run's findings. */
  readonly reviewEnd: ReviewOutcome | undefined;
  /** Findings of other pull requests that people have answered. */
  readonly others: readonly FindingsToTell[];
  /** The word of the run when its conversation was over. */
  readonly word: Word;
  /** Called with the id of each comment and review as soon as GitHub has it. */
  onPosted(id: number): void;
  /** The reason why the run's edits cannot be committed, in half a sentence; undefined if they can. */
  readonly onlyPatch?: string;
}

export interface Reply {
  readonly trigger: Trigger;
  /** Undefined for a reply that all agents share, see `among`. */
  readonly agent: string | undefined;
  readonly text: string;
  /**
   * Makes several agents that get the same comment share one reply: `unless-answered` keeps an
   * existing reply, `for-all` replaces it. Left out: each agent replies for itself.
   */
  readonly among?: 'unless-answered' | 'for-all';
  /** Decisions on findings that it says. */
  readonly says?: readonly SaidRev[];
}

/** Changes that people made to findings, reported by a command or a skipped run without a model. */
export interface ToldFindings extends FindingsToTell {
  readonly trigger: Exclude<Trigger, { readonly kind: 'local' }>;
  readonly agent: string;
  readonly head: string;
  readonly answered: ReadonlySet<string>;
  /** A person's word on a rule of the project; left out: on findings, if at all. */
  readonly hasCheckWord?: boolean;
  /** For the check of a skipped run. Undefined for a command: its check needs a change. */
  readonly skipped: { readonly message: string; readonly since: string | undefined } | undefined;
}

/** Posts to standard output, or to job summary and GitHub. Must not throw: errors are warnings. */
export interface Publisher {
  publish(run: PublishRequest): Promise<PublicationResult>;
  /**
   * Resolves and opens conversations as it was decided, and notes that in the ledger. Without a
   * state it also keeps the record, in the newest review.
   */
  turn(findings: OwnedFindings): Promise<TurnedFindings>;
  /** Posts changes of findings. Returns the findings as JSON data. */
  tellFindings(findings: ToldFindings): Promise<ReviewResult>;
  reply(answer: Reply): Promise<PublicationResult>;
}

/** Shows the requester that the run has started. Must not throw. */
export interface Acknowledgement {
  /** Called when a run or a command is admitted; does not wait for GitHub. */
  start(): void;
  /**
   * Called when the run or command is over; does nothing if none was started. `failure` is posted
   * as the reply to the comment if there is no other.
   */
  end(failure?: string): Promise<void>;
}

/**
 * Records changes before (`pending`) and after (`done`) they are saved, so that the action's `post`
 * step can save what a killed run left pending.
 */
export interface Journal {
  pending(changes: readonly MemoryChange[]): Promise<void>;
  /** Keeps what review tools have accepted so far, as clean markdown for the job summary. */
  found(markdown: string): Promise<void>;
  /** Keeps the lines of the record for the same, in place of those of the call before. */
  accepted(changes: readonly MemoryChange[]): Promise<void>;
  /** Keeps the cost of the run so far, for the same summary. */
  spent(costUsd: number): Promise<void>;
  /** Drops all that the run would remember or say, except for its facts, such as its cost. */
  forget(): Promise<void>;
  done(changes: readonly MemoryChange[]): Promise<void>;
}

/** `axe` if the command line is started under that name, as a replacement for axe. */
export type ProgramName = 'axe' | 'axe-action';

/** All side effects of a run; the only container. */
export interface Dependencies {
  readonly agents: AgentLibrary;
  /** The pull request's own agents: only checked, never run, since anybody could write them. */
  readonly headAgents?: AgentLibrary;
  readonly models: Models;
  /**
   * Throws an AxeError for a tool that does not exist, or an unusable artifact folder; other errors
   * are warnings.
   */
  openTools(request: ToolRequest): Promise<ToolBox>;
  /**
   * Opens a bench for tests over the checkout of a commit; a string says why there is none, in half
   * a sentence. Left out where no run has one.
   */
  openTestBench?(request: BenchRequest): Promise<TestBench | string>;
  /** Closes tools that stay open for the whole run. Returns the agent's artifacts, if it has any. */
  closeTools(warn: (warning: Warning) => void): Promise<Artifacts | undefined>;
  /** Edits of the file tools; left out if the workflow does not allow any. */
  readonly changes?: Changes;
  /** Opens the store for an agent's memory. On an error it returns a store that fails. */
  openMemory(agent: LoadedAgent, memory: MemoryPlan): MemoryStore;
  /** Absent without a token, and on the command line without an event. */
  readonly github?: GitHub;
  /** Reads the code that notes cite; absent if it cannot be read. */
  readonly readBase?: ReadBase;
  /** Returns which of the commits have only pull requests that have ended. Throws an AxeError. */
  readonly withEndedPulls?: (
    commits: readonly string[],
    signal: AbortSignal,
  ) => Promise<readonly string[]>;
  readonly publisher: Publisher;
  readonly publishRules: PublishRules;
  readonly acknowledgement?: Acknowledgement;
  /** Absent if the workflow does not ask for a check. */
  readonly progress?: CheckProgress;
  readonly journal?: Journal;
  readonly reporter: Reporter;
  readonly clock: Clock;
  readonly deadline: Deadline;
  /**
   * Resolves the `workdir` of an agent; `label` names it in errors. In a workflow it returns an
   * absolute path, and throws a ConfigError for a folder outside of the workspace. On a developer's
   * machine it replaces `~` and variables.
   */
  readonly resolveWorkdir?: (path: string, label: string) => Promise<string>;
  /** The folder that a relative workdir starts from. */
  readonly cwd: string;
  readonly program: ProgramName;
  /** Values that must never be published or sent to a model; grows when tools are opened. */
  readonly secrets: Secrets;
}

/** Progress of a run, for the log. */
export type RunEvent =
  | LoopEvent
  /** The plan is complete and the model is ready. */
  | {
      readonly kind: 'run-started';
      readonly plan: Plan;
      /** Undefined for an agent without memory. */
      readonly memory: Memory | undefined;
      /** Number and location of the notes; absent for an agent without notes. */
      readonly notes?: { readonly files: number; readonly location: string };
    }
  /** GitHub has a comment or a review of the run's. */
  | { readonly kind: 'posted'; readonly url: string | undefined; readonly isReview: boolean }
  /** A part of the publications is on GitHub. */
  | ({ readonly kind: 'published' } & Pick<PublicationResult, 'posts' | 'counts' | 'url'>);
