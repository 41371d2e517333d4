import type { Facts, Rights, Word } from '../event/trust.js';
import type { Refused, TestedFinding } from '../findings/buffered-publications.js';
import type { Coverage, ReadScope } from '../findings/change/scope.js';
import type { CheckRow } from '../findings/check-rows.js';
import type { FindingRecord, FindingsReport, MetGate } from '../findings/post/record.js';
import type { Posted } from '../github/posting/posted.js';
import type { ErrorText, Warning } from '../lib/errors.js';
import type { Conclusion, Limit, RunOutcome, RunStats } from '../lib/outcome.js';
import type { Spend } from '../loop/budget.js';
import type { AgentUsage } from '../loop/reply.js';
import type { CheckedNotes, StaleNoteLine } from '../memory/citations.js';
import type { NoteEdit } from '../memory/note-edit.js';
import type { SaveFailure } from '../memory/store.js';
import type { CountedLog, GcEnd, Suggestion, TrimPlan } from '../run/gc-result.js';
import type { MemoryRefusal } from '../run/memory-commands/command-session.js';
import type { PublicationResult, Validation } from '../run/records.js';
import type { LoadedMemory } from '../run/views/loaded.js';
import type { NoteWrite } from '../runner/action-reporter.js';

/** The version of the form; a program that reads it need not know a later one. */
export const RUN_RECORD_VERSION = 1;

/** The ways in which a run can end. @internal */
export const RUN_ENDS = [
  'ran',
  'planned',
  'skipped',
  'memory-command',
  'gc',
  'validated',
  'failed',
] as const satisfies readonly RunRecord['end'][];

/**
 * The end of a run as plain data: all that a view shows of it. Facts have no sentences; a `text` has
 * the words that somebody wrote or a step said, and the transcript's last line leaves it out.
 * Nothing in it is cleaned yet.
 */
export type RunRecord =
  | RanRecord
  | PlannedRecord
  | SkippedRecord
  | CommandRecord
  | GcRecord
  | ValidatedRecord
  | FailedRecord;

export type RecordOf<K extends RunRecord['end']> = Extract<RunRecord, { readonly end: K }>;

/** The parts that the record of every end can have. */
export interface CommonRecord {
  readonly version: typeof RUN_RECORD_VERSION;
  readonly program: string;
  readonly conclusion: Conclusion | 'findings';
  /** The reason as a code; left out for a success. */
  readonly reason?: string;
  /** The words of `fail-on` that fail the step. */
  readonly failedBy: readonly string[];
  /** The event; left out if it was not read. */
  readonly event?: EventRecord;
  /** Findings of a review, and of its pull request; left out if the run knows none. */
  readonly findings?: FindingsRecord;
  /** Publications on GitHub. */
  readonly posted: readonly Posted[];
  /** Calls that were refused. */
  readonly refused: Refused;
  readonly warnings: readonly Warning['code'][];
  /** Number of requests to GitHub; left out if nobody counts. */
  readonly requests?: number;
  readonly text: CommonTexts;
}

export interface CommonTexts {
  readonly warnings: readonly Warning[];
  /** The words of `fail-on` about findings that were met, with the reasons. */
  readonly gates: readonly MetGate[];
}

/** A run that asked a model. */
interface RanRecord extends CommonRecord {
  readonly end: 'ran';
  readonly plan: PlanRecord;
  readonly read: ReadRecord;
  readonly work: WorkRecord;
  readonly published: PublishedRecord;
  /** The result of saving memory; left out if nothing was to be saved. */
  readonly saved?: SavedRecord;
  /** Memory of sub-agents that could not be saved. */
  readonly lost: readonly SavedRecord[];
  /** Writes of notes, oldest first. */
  readonly noteWrites: readonly NoteWrite[];
}

/** A dry run. */
interface PlannedRecord extends CommonRecord {
  readonly end: 'planned';
  readonly plan: PlanRecord;
  readonly read: ReadRecord;
  readonly text: CommonTexts & { readonly system: string; readonly message: string };
}

interface SkippedRecord extends CommonRecord {
  readonly end: 'skipped';
  readonly text: CommonTexts & { readonly message: string; readonly remedy?: string };
}

/** A command in a comment, carried out without a model. */
interface CommandRecord extends CommonRecord {
  readonly end: 'memory-command';
  readonly agent: string;
  /** Left out: it was done. */
  readonly refusal?: MemoryRefusal['reason'];
  /** The memory was changed. */
  readonly isChanged: boolean;
  readonly published: PublishedRecord;
  readonly text: CommonTexts & {
    readonly command: string;
    readonly reply: string;
    /** Why it was not done. */
    readonly refusal?: string;
  };
}

interface GcRecord extends CommonRecord {
  readonly end: 'gc';
  readonly agent: string;
  /** Left out: they were not counted. */
  readonly entries?: number;
  readonly result: GcResultRecord;
  readonly isTrimming?: true;
  readonly suggestion?: SuggestionRecord;
  /** Left out if no model was asked. */
  readonly work?: UsageRecord;
  /** The number of entries that were not analysed; left out if there is no analysis. */
  readonly unread?: number;
  /** Memory is in another repository, so there are none of its texts, and of figures only counts. */
  readonly isHidden: boolean;
  readonly text: CommonTexts & {
    readonly analysis: string;
    readonly gone: readonly StaleNoteLine[];
    readonly worth: string;
    readonly days: readonly (readonly [date: string, runs: number])[];
    readonly words: CountedLog['words'];
    readonly error?: ErrorText;
  };
}

export type PlannedTrim =
  | Exclude<TrimPlan, { readonly kind: 'trim' }>
  | { readonly kind: 'trim'; readonly removed: number; readonly kept: number };

/** The end of a collection; the error of one that failed is among the texts. */
export type GcResultRecord =
  | Exclude<GcEnd, { readonly kind: 'dry-run' | 'trimmed' }>
  | { readonly kind: 'dry-run'; readonly plan?: PlannedTrim }
  | { readonly kind: 'trimmed'; readonly removed: number; readonly kept: number }
  | { readonly kind: 'failed' };

interface SuggestionRecord {
  readonly kind: Suggestion['kind'];
  readonly url?: string;
  readonly isCreated?: boolean;
  /** Why it failed. */
  readonly text?: string;
}

interface ValidatedRecord extends CommonRecord {
  readonly end: 'validated';
  readonly text: CommonTexts & { readonly validation: Validation };
}

/** A run that an error ended before there was a report. */
interface FailedRecord extends CommonRecord {
  readonly end: 'failed';
  readonly text: CommonTexts & {
    readonly error: ErrorText;
    /** The stack of a bug. */
    readonly stack?: string;
  };
}

export interface EventRecord {
  /** GitHub's name; `local` for none. */
  readonly name: string;
  readonly action?: string;
  readonly repository?: string;
  readonly isPublic?: true;
  /** The issue or pull request. */
  readonly number?: number;
  readonly actor?: string;
}

/** The decisions before the model was asked. */
export interface PlanRecord {
  readonly agent: { readonly name: string; readonly source: string };
  readonly model: string;
  /** The word of trust at the end, with what it follows from. */
  readonly trust: { readonly word: Word; readonly facts: Facts; readonly rights: Rights };
  readonly limits: { readonly turns: number; readonly seconds: number };
  /** The agent's memory, as it is to be used; left out: it has none. */
  readonly memory?: { readonly path: string; readonly isReadOnly: boolean };
  /** The answer has to be JSON. */
  readonly isStructured?: true;
  /** Comments start the workflow. */
  readonly offersCommands?: true;
  /** The task in a sentence. */
  readonly text: string;
}

/** The context of the model. */
export interface ReadRecord {
  readonly scope?: ReadScope;
  readonly coverage?: Coverage;
  /** Left out: the agent has none. */
  readonly memory?: MemoryRecord;
  /** Paths of the project's files. */
  readonly guidance: readonly string[];
}

export interface MemoryRecord extends LoadedMemory {
  /** It is in another repository, so the record has no more of it than its place, ids and numbers. */
  readonly isHidden: boolean;
  /** The chosen entries, and the terms that each shares with the subject: none for the newest. */
  readonly entries: readonly RecalledRecord[];
  /** Number of entries that were not chosen. */
  readonly leftOut: number;
  readonly notes?: NotesRecord;
  readonly text: LoadedMemory['text'] & {
    /** The entries and the notes that the model was given. */
    readonly entries: string;
    readonly notes: string;
    readonly gone: readonly StaleNoteLine[];
    /** The outcomes of findings and the cost of runs, as markdown; empty for none. */
    readonly worth: string;
  };
}

export interface RecalledRecord {
  readonly id?: string;
  readonly shares: readonly string[];
  /** In the run log; left out if only its end was read. */
  readonly line?: number;
  /** Left out: the memory is hidden. */
  readonly text?: Readonly<Record<'heading' | 'on', string>>;
}

export interface NotesRecord {
  readonly files: number;
  readonly location: string;
  /** The model was given some of them, or its scratchpad. */
  readonly isGiven: boolean;
  /** The lines of code that they cite. */
  readonly cited: CheckedNotes['counts'];
}

/** The figures of the models. */
export interface UsageRecord extends Omit<RunStats, 'calls' | 'budget' | 'modelId'> {
  readonly model: string;
}

/** The work of the models. */
export interface WorkRecord extends UsageRecord {
  readonly outcome: RunOutcome['kind'];
  /** The run has something to post although it failed. */
  readonly hasFound?: true;
  /** The limit that ended it; left out: none. */
  readonly limit?: Limit;
  /** By agent and model. */
  readonly usage: readonly AgentUsage[];
  /** Limits on several runs, and what was spent before; left out: there are none. */
  readonly spend?: Spend;
  /** The folder of the files that it wrote; left out: none. */
  readonly artifacts?: string;
  /** A line for each turn. */
  readonly tools: readonly string[];
  readonly text: {
    /** Empty for a run that failed. */
    readonly answer: string;
    readonly error?: ErrorText;
    readonly tested: readonly TestedFinding[];
    readonly checks: readonly CheckRow[];
  };
}

export interface FindingsRecord extends Omit<FindingsReport, 'findings'> {
  readonly agent: string;
  readonly open: number;
  /** The number of open findings that no earlier run has said. */
  readonly fresh: number;
  readonly worst: string | null;
  readonly records: readonly FindingRecord[];
  /** Findings that were to have a second look and had none. */
  readonly unverified?: number;
  /** Something was to be posted, and was not. */
  readonly isUnpublished: boolean;
}

export interface PublishedRecord
  extends Pick<PublicationResult, 'url' | 'pullRequestUrl' | 'checkUrl' | 'unplacedCommit'> {
  /** The main result could not be published. */
  readonly isFailed?: true;
  readonly text: Pick<PublicationResult, 'counts' | 'unposted' | 'refused' | 'change'>;
}

export interface SavedRecord {
  readonly isSaved: boolean;
  /** The user wants no memory, so nothing is kept. */
  readonly isNowhere?: true;
  readonly location?: string;
  readonly url?: string;
  /** The part before each file's path. */
  readonly prefix?: string;
  /** The only thing whose runs read it again; left out where other runs do, too. */
  readonly onlyFor?: string;
  /** Why nothing was saved; left out: it was. */
  readonly failure?: SaveFailure;
  readonly entries: readonly SavedEntry[];
  readonly notes: readonly SavedNote[];
  /** Notes that could not be saved. */
  readonly unsaved: readonly { readonly path: string; readonly text: ErrorText }[];
  readonly text: {
    /** Why nothing was saved. */
    readonly failure?: ErrorText;
    /** Whole sentences about the store. */
    readonly notices: readonly string[];
  };
}

interface SavedEntry {
  readonly id: string;
  readonly path: string;
  /** Left out: the memory is hidden. */
  readonly text?: string;
}

/** A change to a note; path and text are left out where the memory is hidden. */
export interface SavedNote {
  readonly kind: NoteEdit['kind'];
  readonly isSaved: boolean;
  readonly path?: string;
  readonly text?: string;
}

/** The run has done what it was for: it did not fail, and was not cut. */
export function isWhole({ end, conclusion }: Pick<RunRecord, 'end' | 'conclusion'>): boolean {
  return end === 'ran' && (conclusion === 'success' || conclusion === 'findings');
}

/** The record without the words that others have written: the last line of a transcript. */
export function withoutTexts(record: RunRecord): object {
  const isKept = (key: string, value: unknown) => (key === 'text' ? undefined : value);
  return JSON.parse(JSON.stringify(record, isKept));
}
