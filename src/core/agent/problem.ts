import { chosen } from './choices.js';
import type { KeyPath } from './toml-keys.js';

/** Something wrong with the values of an agent file. */
export interface AgentProblem {
  /** axe's message where axe has one, and it is exact (D3). */
  readonly message: string;
  readonly remedy: string;
  /** The key at fault; its nearest table is shown where it is missing. */
  readonly path: KeyPath;
}

/** A number below zero; `zero` says what 0 means. */
export function* negative(value: number, path: KeyPath, zero: string): Generator<AgentProblem> {
  if (value < 0) {
    yield {
      message: `${path.join('.')} must be non-negative`,
      remedy: `Give a whole number from 0 upwards; ${zero}`,
      path,
    };
  }
}

/** A word that is none of the choices; the remedy shows the first of them. */
export function* notOneOf(word: string, choices: readonly string[], path: KeyPath): Generator<AgentProblem> {
  if (chosen(choices, word) === undefined) {
    yield {
      message: `${path.join('.')} must be one of: ${choices.join(', ')}`,
      remedy: `Write it like this: \`${path.at(-1)} = "${choices[0]}"\`.`,
      path,
    };
  }
}
