import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/**
 * Recorded text: a line or none as it is, several lines as an array joined by line feeds, bytes that are not
 * UTF-8 as base64, and, where the wording is not ours to repeat, the words that must be in it.
 * `$ROOT` stands for the scenario's folder, `$SERVER` for the address of the model server, `$CLOSED` for a host and
 * port where nobody listens, `$5000T` for 5000 times `T`, `$600X` for 600 times `x`.
 */
export type RecordedText =
  | string
  | readonly string[]
  | { readonly base64: string }
  | { readonly mentions: readonly string[] };

/** Files by path below the scenario's folder. */
export type RecordedFiles = Readonly<Record<string, RecordedText>>;

/** One request axe made: the path of the URL, the API key sent along, and the parsed body. */
export interface RecordedRequest {
  readonly path: string;
  readonly key?: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** So many requests that axe made here and of which no record was kept. */
export interface UnrecordedRequests {
  readonly unrecorded: number;
}

/** What the model server answers. */
export interface RecordedResponse {
  /** The answer is given once for each of these numbers, which `$N` in it stands for. */
  readonly numbered?: { readonly from: number; readonly to: number };
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: unknown;
  /** Seconds before the answer, longer than the run waits: the server never answers. */
  readonly delay?: number;
  /** Seconds between headers and body, longer than the run waits: the server never sends the body. */
  readonly stall?: number;
}

/** One command: what it was given, and what axe did. */
export interface Step {
  readonly n: string;
  /** A sentence about what axe does here; the name of the test. */
  readonly what: string;
  readonly args: readonly string[];
  /** The user the command runs as, where that is not the user of the tests. */
  readonly uid?: number;
  /** What differs from the common environment; null takes a variable away. */
  readonly env?: Readonly<Record<string, string | null>>;
  /** `null` for /dev/null. */
  readonly stdin: 'null' | { readonly text: RecordedText } | { readonly base64: string };
  /** Files that somebody wrote between the last step and this one. */
  readonly before?: RecordedFiles;
  readonly stdout: RecordedText;
  readonly stderr: RecordedText;
  readonly exit: number;
  readonly requests?: readonly (RecordedRequest | UnrecordedRequests)[];
  /**
   * Requests made at the same time, by their numbers from 1: their order is left to chance, and none is answered
   * before all have come.
   */
  readonly together?: readonly (readonly number[])[];
  readonly responses?: readonly RecordedResponse[];
  /** What the step added to each file; a file that was not there counts as empty. */
  readonly writes?: RecordedFiles;
  /** Files that the step put anew, whole; a link among them became a file. */
  readonly rewrites?: RecordedFiles;
}

/** A series of commands over one set of files, as the real axe ran them. */
export interface Scenario {
  readonly about: string;
  /** Steps that are not replayed yet. */
  readonly later?: readonly {
    readonly n: string;
    readonly what: string;
    readonly because: string;
  }[];
  /** Empty folders. */
  readonly folders?: readonly string[];
  readonly files: RecordedFiles;
  /** Symbolic links: what each points at, by path. */
  readonly links?: Readonly<Record<string, string>>;
  /** Octal permissions by path. */
  readonly modes?: Readonly<Record<string, string>>;
  readonly steps: readonly Step[];
}

const FOLDER = new URL('axe/', import.meta.url);

/** Names of all recorded scenarios, in order. */
export function scenarioNames(): readonly string[] {
  return readdirSync(FOLDER)
    .filter((file) => file.endsWith('.json'))
    .map((file) => file.slice(0, -'.json'.length))
    .sort();
}

/** Reads a recorded scenario. */
export function loadScenario(name: string): Scenario {
  const text = readFileSync(fileURLToPath(new URL(`${name}.json`, FOLDER)), 'utf8');
  return JSON.parse(
    text.replaceAll('$5000T', 'T'.repeat(5000)).replaceAll('$600X', 'x'.repeat(600)),
  ) as Scenario;
}

/**
 * The files as axe found them before a step: those of the scenario, with what every earlier step and everybody
 * between the steps wrote. So a step never depends on how an earlier one turned out here.
 */
export function filesBefore(scenario: Scenario, step: Step): ReadonlyMap<string, Buffer> {
  const files = new Map<string, Buffer>();
  put(files, scenario.files);
  for (const earlier of scenario.steps) {
    put(files, earlier.before ?? {});
    if (earlier.n === step.n) break;
    for (const [path, text] of Object.entries(earlier.writes ?? {})) {
      if (!hasMentionsOnly(text))
        files.set(path, Buffer.concat([files.get(path) ?? EMPTY, bytesOf(text)]));
    }
    put(files, earlier.rewrites ?? {});
  }
  return files;
}

/** The bytes of a recorded text, with the places in it as they are. */
export function bytesOf(text: RecordedText): Buffer {
  if (typeof text === 'string') return Buffer.from(text);
  if ('base64' in text) return Buffer.from(text.base64, 'base64');
  if ('mentions' in text) throw new Error('only some words of this text were recorded');
  return Buffer.from(text.join('\n'));
}

/** Whether only some words of a text were recorded. */
export function hasMentionsOnly(
  text: RecordedText,
): text is { readonly mentions: readonly string[] } {
  return typeof text === 'object' && 'mentions' in text;
}

const EMPTY = Buffer.alloc(0);

function put(files: Map<string, Buffer>, recorded: RecordedFiles): void {
  for (const [path, text] of Object.entries(recorded)) files.set(path, bytesOf(text));
}
