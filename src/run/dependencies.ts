import type { AgentLibrary, LoadedAgent } from '../agent/agent-source.js';
import type { Trigger } from '../event/trigger.js';
import type { Trust } from '../event/trust.js';
import type { PublishRules } from '../findings/buffered-publications.js';
import type { FindingChanges, Ledger } from '../findings/decide/ledger.js';
import type { CheckProgress } from '../findings/post/check-progress.js';
import type { ReviewOutcome } from '../findings/post/post-review.js';
import type { FindingMark } from '../findings/state-facts.js';
import type { Clock, Deadline } from '../lib/clock.js';
import type { Warning } from '../lib/errors.js';
import type { Models } from '../loop/asker.js';
import type { LoopEvent } from '../loop/events.js';
import type { MemoryChange } from '../memory/change.js';
import type { ReadBase } from '../memory/citations.js';
import type { MemoryStore, RestoreResult } from '../memory/store.js';
import type { MarkLane } from '../safety/mark.js';
import type { Tool, ToolEffect } from '../tools/tool.js';
import type { Artifacts } from '../tools/workspace/artifact-folders.js';
import type { Changes } from '../tools/workspace/changes.js';
import type { GitHub } from './github.js';
import type { Conversed, MemoryPlan, Plan, PublicationResult } from './records.js';

export interface ToolRequest {
  readonly agent: LoadedAgent;
  readonly workdir: string;
  readonly trust: Trust;
  /** Effects of the agent that calls this one; undefined for the agent of the run. */
  readonly callerEffects: ReadonlySet<ToolEffect> | undefined;
  /** The agents that this one can call, and those that they can. */
  callable(): Promise<readonly LoadedAgent[]>;
  readonly signal: AbortSignal;
  /**
   * Told of each tool that was asked for and is not there, and of what is lost in the middle of the
   * run.
   */
  warn(warning: Warning): void;
}

export interface ToolBox {
  readonly tools: readonly Tool[];
  close(): Promise<void>;
}

/** Listeners of a run. Must not throw. */
export interface Reporter {
  event(event: RunEvent): void;
  warn(warning: Warning): void;
}

/** The findings of a pull request, with what is to be said of them. */
export interface FindingsToTell {
  readonly pull: number;
  readonly ledger: Ledger;
  readonly news: FindingChanges;
}

/** A run whose conversation is over, with what is to be said of findings. */
export interface PublishRequest extends Conversed {
  /** Of the run's own pull request; undefined where it is about none, or does not review. */
  readonly findings: FindingsToTell | undefined;
  /** The review's state without what this run did. */
  readonly reviewEnd: ReviewOutcome | undefined;
  /** Of others on which people have answered. */
  readonly others: readonly FindingsToTell[];
  /**
   * Of what the run says; one that read text of people without write access must not refer to other
   * threads.
   */
  readonly lane: MarkLane;
  /**
   * Why what the run has changed becomes no commit, in half a sentence; undefined if it may become
   * one.
   */
  readonly onlyPatch?: string;
}

export interface Reply {
  readonly trigger: Trigger;
  /**
   * Undefined where the answer is about no agent; it is then shared with all of them, see `among`.
   */
  readonly agent: string | undefined;
  readonly text: string;
  /**
   * Of several agents that hear the comment, one answers: `unless-answered` leaves an answer that
   * is there, `for-all` takes its place. Left out, each agent answers for itself.
   */
  readonly among?: 'unless-answered' | 'for-all';
  readonly marks?: readonly FindingMark[];
}

/** What no model had a part in: what people did, told by a command or a run that is skipped. */
export interface ToldFindings extends FindingsToTell {
  readonly trigger: Exclude<Trigger, { readonly kind: 'local' }>;
  readonly agent: string;
  readonly head: string;
  readonly answered: ReadonlySet<string>;
  /**
   * Why the run was skipped, for its check; undefined for a command, which has a check only where
   * findings changed.
   */
  readonly skipped: { readonly message: string; readonly since: string | undefined } | undefined;
}

/**
 * Where the answer goes: standard output, or summary and comment. Must not throw: trouble is a
 * warning.
 */
export interface Publisher {
  publish(run: PublishRequest): Promise<PublicationResult>;
  /**
   * Tells what became of findings; the marks of what it said, and the findings for other programs.
   */
  tellFindings(told: ToldFindings): Promise<Pick<PublicationResult, 'marks' | 'reviewResult'>>;
  reply(answer: Reply): Promise<PublicationResult>;
}

/** Lets the requester of a run see that it is at work. Must not throw. */
export interface Acknowledgement {
  /** The event is admitted, and starts a run or is a command; nothing is waited for. */
  start(): void;
  /**
   * The run or command is over; does nothing where none was started. `failure` is the line that the
   * sender is told where nothing else answers the comment.
   */
  end(failure?: string): Promise<void>;
}

/**
 * Keeps what a killed run would lose: `pending` is called with the changes before they are saved,
 * `done` after. The action's `post` saves what was left pending.
 */
export interface Journal {
  pending(changes: readonly MemoryChange[]): Promise<void>;
  done(changes: readonly MemoryChange[]): Promise<void>;
}

/** `axe` where the command line is started under that name, in the place of axe. */
export type ProgramName = 'axe' | 'axe-action';

/** What the outside offers a run: the only container. */
export interface Dependencies {
  readonly agents: AgentLibrary;
  /** The pull request's own agents: only looked at, never run (D21). */
  readonly headAgents?: AgentLibrary;
  readonly models: Models;
  /**
   * Throws an AxeError for a tool that does not exist, or a folder of artifacts of no use; other
   * trouble is a warning.
   */
  openTools(request: ToolRequest): Promise<ToolBox>;
  /**
   * Ends what tools keep for the whole run; what is left of the agent's artifacts, if it has a
   * folder for them.
   */
  closeTools(warn: (warning: Warning) => void): Promise<Artifacts | undefined>;
  /**
   * What the file tools change in the repository; left out where the workflow lets them change
   * nothing.
   */
  readonly changes?: Changes;
  /** The store for an agent's memory; trouble in opening it is a store that fails. */
  openMemory(agent: LoadedAgent, memory: MemoryPlan): MemoryStore;
  /** Absent without a token, and on the command line without an event. */
  readonly github?: GitHub;
  /** Reads the code that notes rest on; absent where nobody can. */
  readonly readBase?: ReadBase;
  readonly publisher: Publisher;
  readonly publishRules: PublishRules;
  readonly acknowledgement?: Acknowledgement;
  /** Absent where nobody asked to see it. */
  readonly progress?: CheckProgress;
  readonly journal?: Journal;
  readonly reporter: Reporter;
  readonly clock: Clock;
  readonly deadline: Deadline;
  /**
   * The folder that an agent names: in a workflow its absolute path, or a ConfigError unless it
   * lies inside the workspace; on somebody's own machine with `~` and variables replaced.
   */
  readonly resolveWorkdir?: (path: string, what: string) => Promise<string>;
  /** Folder that a relative workdir counts from. */
  readonly cwd: string;
  readonly program: ProgramName;
  /** Values that must never leave (D11); grows when tools are opened. */
  readonly secrets: readonly string[];
}

/** What a run reports while it goes on; listeners make log lines of it. */
export type RunEvent =
  | LoopEvent
  /**
   * The plan is complete and the model is ready; `restored` is undefined for an agent without
   * memory.
   */
  | {
      readonly kind: 'run-started';
      readonly plan: Plan;
      readonly restored: RestoreResult | undefined;
      /** How many notes were found and where; absent for an agent without notes. */
      readonly notes?: { readonly files: number; readonly location: string };
    };
