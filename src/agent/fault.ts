import { ConfigError, type SourcePosition } from '../lib/errors.js';
import { cutToCharacters } from '../lib/text/format.js';
import { chosen } from './choices.js';
import type { KeyPath } from './locate.js';

/** Most characters of a message, and of a remedy: names in them are anybody's. */
const MAX_MESSAGE = 1_000;

/** Something wrong with an agent, found without running it. */
export interface Fault {
  /** An error ends a run, or a call of a sub-agent; with a warning it goes on. */
  readonly severity: 'error' | 'warning';
  readonly message: string;
  /** Empty where the message says it. */
  readonly remedy: string;
  readonly at: SourcePosition;
}

/** What a run would end with, or warn of; `at` is for what does not say where. */
export function faultOf(
  severity: Fault['severity'],
  { message, remedy = '', at: own }: { message: string; remedy?: string; at?: SourcePosition },
  at: SourcePosition,
): Fault {
  const cut = (text: string) => cutToCharacters(text, MAX_MESSAGE);
  return { severity, message: cut(message), remedy: cut(remedy), at: own ?? at };
}

export function inFileOrder<Placed extends { readonly at?: SourcePosition | undefined }>(
  all: readonly Placed[],
): readonly Placed[] {
  return all.toSorted(
    ({ at: a }, { at: b }) => (a?.line ?? 0) - (b?.line ?? 0) || (a?.column ?? 0) - (b?.column ?? 0),
  );
}

/** Something wrong with the values of an agent file. */
export interface AgentProblem {
  /** axe's message where axe has one, and it is exact (D3). */
  readonly message: string;
  readonly remedy: string;
  /** The key at fault; its nearest table is shown where it is missing. */
  readonly path: KeyPath;
}

/** A word that is none of the choices. */
export function* notOneOf(word: string, choices: readonly string[], path: KeyPath): Generator<AgentProblem> {
  if (chosen(choices, word) === undefined) {
    yield {
      message: `${path.join('.')} must be one of: ${choices.join(', ')}`,
      remedy: 'Write one of these words, in quotes.',
      path,
    };
  }
}

export interface TomlSource {
  /** The name it was asked for by. */
  readonly name: string;
  /** Path, URL or `built-in`, for people. */
  readonly file: string;
}

/** An agent file that cannot be read as one: axe's prefix, then what is wrong (D3). */
export function parseError(
  { name, file }: TomlSource,
  message: string,
  remedy: string,
  position?: { readonly line: number; readonly column: number },
): ConfigError {
  return new ConfigError(`failed to parse agent config "${name}": ${message}`, {
    remedy,
    at: { file, ...position },
  });
}
