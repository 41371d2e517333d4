import { propertyOf } from './data.js';

/** A place in a text file of the user's; line and column count from 1. */
export interface SourcePosition {
  readonly file: string;
  readonly line?: number;
  readonly column?: number;
}

/** `file:line:column`, as editors and GitHub understand it. */
export function sourcePosition({ file, line, column }: SourcePosition): string {
  if (line === undefined) return file;
  return column === undefined ? `${file}:${line}` : `${file}:${line}:${column}`;
}

/**
 * A path on one line: with control characters, which could begin a line of their own, it is in
 * quotes.
 */
export function displayFile(file: string): string {
  return /\p{Cc}/u.test(file) ? JSON.stringify(file) : file;
}

/**
 * Exit status of the command line, as axe's: 0 success · 1 usage, model reference, bad request,
 * turn limit · 2 configuration, missing key, unknown tool · 3 unusable key, provider, timeout · 4
 * spent budget (D1, D2, D27) · 129, 130, 143 ended by SIGHUP, SIGINT, SIGTERM, as shells report it.
 */
export type ExitCode = 0 | 1 | 2 | 3 | 4 | 129 | 130 | 143;

interface ErrorDetails {
  readonly exitCode?: ExitCode;
  /** What the reader can do about it: one sentence, keys and inputs in backticks. */
  readonly remedy?: string;
  /** Where in a file of the user's it went wrong. */
  readonly at?: SourcePosition;
  /**
   * What a program that is started as `axe` says instead: the words of axe, which is written in Go.
   */
  readonly axe?: string;
  readonly cause?: unknown;
}

/**
 * Trouble that is told to a person: the message unchanged, no stack. Any other error is a bug of
 * ours.
 */
export class AxeError extends Error {
  override readonly name: string = 'AxeError';
  readonly exitCode: ExitCode;
  readonly remedy: string | undefined;
  readonly at: SourcePosition | undefined;
  readonly axe: string | undefined;

  constructor(message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.exitCode = details.exitCode ?? 1;
    this.remedy = details.remedy;
    this.at = details.at;
    this.axe = details.axe;
  }
}

/**
 * The user's agent, skill, context files or settings are wrong: exit status 2 unless said
 * otherwise.
 */
export class ConfigError extends AxeError {
  override readonly name = 'ConfigError';

  constructor(message: string, details: ErrorDetails = {}) {
    super(message, { exitCode: 2, ...details });
  }
}

/** Somebody ended the run: the job was cancelled, or a newer run took its place. */
export class CancelledError extends AxeError {
  override readonly name = 'CancelledError';

  constructor() {
    super('the run was cancelled');
  }
}

/** An agent or a skill that is in none of the places that were searched; message in axe's words. */
export class NotFoundError extends ConfigError {
  readonly what: 'agent' | 'skill';

  constructor(what: 'agent' | 'skill', sought: string, details: ErrorDetails = {}) {
    super(`${what === 'agent' ? 'agent config' : 'skill'} not found: ${sought}`, details);
    this.what = what;
  }
}

/** Whether that is why something failed. */
export function isNotFound(thrown: unknown, what: NotFoundError['what']): thrown is NotFoundError {
  return thrown instanceof NotFoundError && thrown.what === what;
}

/** axe's six categories of provider trouble (axe-behaviour §12). */
export type ProviderErrorCategory =
  | 'auth'
  | 'rate_limit'
  | 'timeout'
  | 'overloaded'
  | 'bad_request'
  | 'server';

/** A request that has more tokens than fit into the model's window. */
export interface ContextOverflow {
  /** The window, where the provider says how large it is. */
  readonly windowTokens: number | undefined;
}

/** What a {@link ProviderError} carries besides category and text. */
export interface ProviderErrorDetails extends ErrorDetails {
  /** HTTP status of the answer, where there was one. */
  readonly status?: number;
  /** What the provider asked us to wait, in milliseconds. */
  readonly retryAfterMs?: number;
  /** Set where the request was too long for the model. */
  readonly overflow?: ContextOverflow;
}

/**
 * A model could not be asked or did not answer properly. The message is axe's `<category>: <text>`;
 * exit status 3, or 1 for `bad_request` (axe-behaviour §12).
 */
export class ProviderError extends AxeError {
  override readonly name = 'ProviderError';
  readonly category: ProviderErrorCategory;
  readonly status: number | undefined;
  readonly retryAfterMs: number | undefined;
  readonly overflow: ContextOverflow | undefined;

  constructor(category: ProviderErrorCategory, text: string, details: ProviderErrorDetails = {}) {
    const axe = details.axe && `${category}: ${details.axe}`;
    super(`${category}: ${text}`, {
      exitCode: category === 'bad_request' ? 1 : 3,
      ...details,
      axe,
    });
    this.category = category;
    this.status = details.status;
    this.retryAfterMs = details.retryAfterMs;
    this.overflow = details.overflow;
  }
}

/**
 * Text of an error for a person: the message, then where and what to do, each on a line of its own
 * (so the first line stays axe's where axe has one, D3).
 */
export function formatError(error: AxeError): string {
  const what = describeError(error);
  return error.remedy === undefined ? what : `${what}\n  ${error.remedy}`;
}

/** The same without what to do. */
export function describeError({ message, at }: AxeError): string {
  return at === undefined ? message : `${message}\n  at ${sourcePosition(at)}`;
}

export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/**
 * A tool could not do what it was asked to: the message is the answer to the model, unchanged. It
 * never leaves the tool.
 */
export class ToolError extends Error {
  override readonly name = 'ToolError';
}

/** What broke a connection, as the system tells it. */
export interface NetworkCause {
  readonly code: string | undefined;
  readonly message: string;
  /** What helps, if it is known where the cause was found. */
  readonly remedy?: string;
  /** The settings are wrong, so that asking again changes nothing. */
  readonly isMistake?: boolean;
}

const MAX_CAUSES = 5;

/**
 * fetch wraps the system's error, once or twice, and in an AggregateError without a message where
 * it tried several addresses; the first of them stands for all. Asked without `instanceof`: the
 * error may come from another realm. An error of ours on the way has found the cause already.
 */
export function networkCause(error: unknown, depth = 0): NetworkCause {
  if (error instanceof AxeError) {
    const { message, remedy } = error;
    return { code: undefined, message, remedy, isMistake: error instanceof ConfigError };
  }
  const errors = propertyOf(error, 'errors');
  const first: unknown = Array.isArray(errors) ? errors[0] : undefined;
  const code = propertyOf(error, 'code');
  const inner = first ?? (typeof code === 'string' ? undefined : propertyOf(error, 'cause'));
  if (inner !== undefined && depth < MAX_CAUSES) return networkCause(inner, depth + 1);
  const message = propertyOf(error, 'message');
  return {
    code: typeof code === 'string' ? code : undefined,
    message: typeof message === 'string' ? message : String(error),
  };
}

/** Everything the program may warn about, with the titles of annotations (`::warning title=…`). */
export const WARNING_TITLES = {
  'agent-unknown-key': 'Unknown key in the agent',
  'agent-unused-key': 'Key without effect in the agent',
  'agent-changed-in-pull-request': 'The pull request changes the agent',
  'tool-not-available': 'Tool not available',
  /** Commands can change what programs of later steps read in the home folder. */
  'home-writable': 'Commands write the home folder',
  'mcp-server': 'MCP server',
  'artifacts-lost': 'Artifacts not kept',
  'context-file-skipped': 'Context file left out',
  'context-truncated': 'Context cut to fit',
  /** What the run is about was not read as it should be: not, not whole, or at another commit. */
  'context-incomplete': 'Context not complete',
  /** Something around the event that the token cannot read. */
  'context-unread': 'Context not read',
  'memory-load-failed': 'Memory not loaded',
  'memory-truncated': 'Memory loaded in part',
  'memory-max-entries': 'Memory is long',
  'memory-file-large': 'A file of memory is large',
  'memory-save-failed': 'Memory not saved',
  'memory-store-notice': 'Where memory lives',
  'memory-outdated': 'Notes that may be outdated',
  'memory-damaged': 'A file of memory is damaged',
  'model-warning': 'Model',
  'answer-truncated': 'Answer cut short',
  'not-verified': 'Findings without a second look',
  'publish-failed': 'Not done on GitHub',
  'input-invalid': 'Input',
};

/**
 * Something a person should know although the run goes on. The terminal prints `message` to stderr,
 * a workflow shows it as an annotation (D35).
 */
export interface Warning {
  readonly code: keyof typeof WARNING_TITLES;
  /** What happened, and where. */
  readonly message: string;
  /** What to do about it, in whole sentences. */
  readonly remedy?: string;
  readonly at?: SourcePosition;
}

const MAX_ANNOTATIONS = 9;

/**
 * Warnings merged by code for the runner, which shows ten annotations of a kind per step: at most
 * nine, and a failed save is never among those left out (D35).
 */
export function mergeWarnings(warnings: readonly Warning[]): readonly Warning[] {
  const isSame = (one: Warning, other: Warning) =>
    one.code === other.code && one.message === other.message && one.remedy === other.remedy;
  const unique = warnings.filter(
    (one, at) => warnings.findIndex((other) => isSame(one, other)) === at,
  );
  const groups = [...new Set(warnings.map(({ code }) => code))].map((code): Warning => {
    const group = unique.filter((warning) => warning.code === code);
    return { code, message: linesOf(group).join('\n'), at: group[0]?.at };
  });
  const isFailedSave = ({ code }: Warning) => code === 'memory-save-failed';
  const others = groups.filter((group) => !isFailedSave(group));
  return [...groups.filter(isFailedSave), ...others].slice(0, MAX_ANNOTATIONS);
}

/**
 * One missing permission fails several things, and each of them names it: a remedy is shown once.
 */
function linesOf(group: readonly Warning[]): readonly string[] {
  const shown = new Set<string>();
  return group.map((warning) => {
    const { message, remedy } = warning;
    if (remedy === undefined) return message;
    const isShown = shown.has(remedy);
    shown.add(remedy);
    return isShown ? `${message.replace(/\.$/, '')}.` : warningText(warning);
  });
}

/**
 * A warning for people. axe ends such a message without a full stop; with a remedy behind it, it
 * needs one.
 */
export function warningText({ message, remedy }: Pick<Warning, 'message' | 'remedy'>): string {
  return remedy === undefined ? message : `${message.replace(/\.$/, '')}. ${remedy}`;
}
