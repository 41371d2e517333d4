import { propertyOf } from './data.js';

/** A position in a text file of the user; line and column count from 1. */
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

/** Quotes a path with control characters, which could start a new line. */
export function displayFile(file: string): string {
  return /\p{Cc}/u.test(file) ? JSON.stringify(file) : file;
}

/**
 * The exit status of the command line, as in axe: 0 success · 1 usage, model reference, bad
 * request, turn limit · 2 configuration, missing key, unknown tool · 3 unusable key, provider,
 * timeout · 4 budget spent, as in newer versions of axe · 129, 130, 143 ended by SIGHUP, SIGINT,
 * SIGTERM, as in shells.
 */
export type ExitCode = 0 | 1 | 2 | 3 | 4 | 129 | 130 | 143;

interface ErrorDetails {
  readonly exitCode?: ExitCode;
  /** One sentence on how to fix it, with keys and inputs in backticks. */
  readonly remedy?: string;
  /** The position of the error in a file of the user. */
  readonly at?: SourcePosition;
  /** The message in axe's words, which are Go's, for a program that is started as `axe`. */
  readonly axe?: string;
  readonly cause?: unknown;
}

/** The words of an error for people. */
export interface ErrorText extends Pick<ErrorDetails, 'remedy' | 'at'> {
  readonly message: string;
}

/** An error for people, shown unchanged and without a stack. Any other error is a bug of ours. */
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

/** The user's agent, skill, context files or settings are wrong. The default exit status is 2. */
export class ConfigError extends AxeError {
  override readonly name = 'ConfigError';

  constructor(message: string, details: ErrorDetails = {}) {
    super(message, { exitCode: 2, ...details });
  }
}

/** The job was cancelled, or a newer run replaced this one. */
export class CancelledError extends AxeError {
  override readonly name = 'CancelledError';

  constructor() {
    super('the run was cancelled');
  }
}

/**
 * A model wrote a secret, so something has shown it to the model, which could write it in a cipher
 * next: nothing of the run is posted or remembered. The name of the variable is public already.
 */
export class SecretLeakError extends AxeError {
  override readonly name = 'SecretLeakError';

  constructor(variable: string) {
    super(
      `the model wrote the secret in \`${variable}\`, so the run was ended and nothing of it was posted`,
      {
        exitCode: 1,
        remedy:
          'Something showed it to the model: an MCP server, a command, a file. Find out what, and replace the secret.',
      },
    );
  }
}

/** No searched place has the agent or skill. The message is in axe's words. */
export class NotFoundError extends ConfigError {
  readonly kind: 'agent' | 'skill';

  constructor(kind: 'agent' | 'skill', sought: string, details: ErrorDetails = {}) {
    super(`${kind === 'agent' ? 'agent config' : 'skill'} not found: ${sought}`, details);
    this.kind = kind;
  }
}

export function isNotFound(thrown: unknown, kind: NotFoundError['kind']): thrown is NotFoundError {
  return thrown instanceof NotFoundError && thrown.kind === kind;
}

/** axe's six categories of provider errors. */
export type ProviderErrorCategory =
  | 'auth'
  | 'rate_limit'
  | 'timeout'
  | 'overloaded'
  | 'bad_request'
  | 'server';

/** A request had more tokens than fit into the model's window. */
export interface ContextOverflow {
  /** The size of the window, if the provider states it. */
  readonly windowTokens: number | undefined;
}

export interface ProviderErrorDetails extends ErrorDetails {
  /** The HTTP status of the answer, if there was one. */
  readonly status?: number;
  /** The wait that the provider asked for, in milliseconds. */
  readonly retryAfterMs?: number;
  /** Waiting does not help, because a quota is used up; absent: it might. */
  readonly isLasting?: boolean;
  /** The server is loading the model, and answers once it is done; absent: no. */
  readonly isLoading?: boolean;
  /** Nothing answers at the address, or the answer broke off in the middle; absent: neither. */
  readonly connection?: 'refused' | 'broken';
  /** Set if the request was too long for the model. */
  readonly overflow?: ContextOverflow;
}

/**
 * A request to a model failed, or its answer was unusable. The message is axe's `<category>:
 * <text>`; the exit status is 3, or 1 for `bad_request`, as in axe.
 */
export class ProviderError extends AxeError {
  override readonly name = 'ProviderError';
  readonly category: ProviderErrorCategory;
  readonly status: number | undefined;
  readonly retryAfterMs: number | undefined;
  readonly isLasting: boolean;
  readonly isLoading: boolean;
  readonly connection: 'refused' | 'broken' | undefined;
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
    this.isLasting = details.isLasting === true;
    this.isLoading = details.isLoading === true;
    this.connection = details.connection;
    this.overflow = details.overflow;
  }
}

/**
 * An error for people: the message, the position and the remedy, each on a line of its own, so that
 * the first line stays equal to axe's.
 */
export function formatError(error: ErrorText): string {
  const description = describeError(error);
  return error.remedy === undefined ? description : `${description}\n  ${error.remedy}`;
}

/** The message and the position, without the remedy. */
export function describeError({ message, at }: ErrorText): string {
  return at === undefined ? message : `${message}\n  at ${sourcePosition(at)}`;
}

export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/**
 * A tool call failed. The message is the unchanged answer to the model and never leaves the tool.
 */
export class ToolError extends Error {
  override readonly name = 'ToolError';
}

/** The system's reason for a failed connection. */
export interface NetworkCause {
  readonly code: string | undefined;
  readonly message: string;
  readonly remedy?: string;
  /** The settings are wrong, so a retry cannot help. */
  readonly isMistake?: boolean;
}

const MAX_CAUSES = 5;

/**
 * fetch wraps the system's error once or twice. If it tried several addresses, the wrapper is an
 * AggregateError without a message, and its first error is used. Properties are read without
 * `instanceof`, since the error can come from another realm. An AxeError in the chain has found the
 * cause already.
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

/** All warnings of the program, with the titles of their annotations (`::warning title=…`). */
export const WARNING_TITLES = {
  'agent-unknown-key': 'Unknown key in the agent',
  /** A run ignores it; a check refuses it. */
  'agent-secret': 'Key of a model in the agent',
  'agent-unused-key': 'Key without effect in the agent',
  'agent-changed-in-pull-request': 'The pull request changes the agent',
  'tool-not-available': 'Tool not available',
  /** Commands can change files in the home folder that programs of later steps read. */
  'home-writable': 'Commands write the home folder',
  /** Commands reach more of the network than the workflow says, or not even `localhost`. */
  'commands-network': 'Network of commands',
  'mcp-server': 'MCP server',
  'artifacts-lost': 'Artifacts not kept',
  'context-file-skipped': 'Context file left out',
  'context-truncated': 'Context cut to fit',
  /** The subject of the run was not read, not read completely, or read at another commit. */
  'context-incomplete': 'Context not complete',
  /** The token cannot read something that belongs to the event. */
  'context-unread': 'Context not read',
  'memory-load-failed': 'Memory not loaded',
  'memory-withheld': 'Private memory not loaded',
  'memory-truncated': 'Memory loaded in part',
  'memory-max-entries': 'Memory is long',
  'memory-newer': 'A newer version uses this memory',
  'memory-file-large': 'A file of memory is large',
  'memory-save-failed': 'Memory not saved',
  'memory-store-notice': 'Where memory lives',
  'memory-outdated': 'Notes that may be outdated',
  'memory-damaged': 'A file of memory is damaged',
  'model-warning': 'Model',
  'answer-truncated': 'Answer cut short',
  /** In files that a review leaves out, where no finding says so. */
  'hidden-characters': 'Hidden characters',
  'not-verified': 'Findings without a second check',
  'not-demonstrated': 'No tests of findings',
  /** Mistakes in the file of checks in words. */
  'checks-invalid': 'Checks',
  /** Checks in words that the model gave no answer on that counts. */
  'checks-unanswered': 'Checks',
  'publish-failed': 'Not done on GitHub',
  'input-invalid': 'Input',
  /** An input that changes nothing for this agent and event. */
  'input-unused': 'Input without effect',
};

/**
 * People should know this although the run goes on. The terminal prints `message` to stderr, a
 * workflow shows it as an annotation.
 */
export interface Warning {
  readonly code: keyof typeof WARNING_TITLES;
  readonly message: string;
  /** Whole sentences. */
  readonly remedy?: string;
  readonly at?: SourcePosition;
}

/** Merges warnings by code, a failed save first. */
export function mergeWarnings(warnings: readonly Warning[]): readonly Warning[] {
  const isSame = (a: Warning, b: Warning) =>
    a.code === b.code && a.message === b.message && a.remedy === b.remedy;
  const unique = warnings.filter(
    (warning, index) => warnings.findIndex((earlier) => isSame(warning, earlier)) === index,
  );
  const groups = [...new Set(warnings.map(({ code }) => code))].map((code): Warning => {
    const group = unique.filter((warning) => warning.code === code);
    return { code, message: linesOf(group).join('\n'), at: group[0]?.at };
  });

  const isFailedSave = ({ code }: Warning) => code === 'memory-save-failed';
  const others = groups.filter((group) => !isFailedSave(group));
  return [...groups.filter(isFailedSave), ...others];
}

/** Several warnings can name the same missing permission: a remedy is shown only once. */
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

/** A warning for people. axe's messages have no full stop, but before a remedy they need one. */
export function warningText({ message, remedy }: Pick<Warning, 'message' | 'remedy'>): string {
  return remedy === undefined ? message : `${message.replace(/\.$/, '')}. ${remedy}`;
}
