import { MAX_AGENT_BYTES } from '../defaults.js';
import { ConfigError } from '../errors.js';
import type { SourcePosition } from '../position.js';
import { grouped } from '../text/number.js';
import type { KeyPosition } from './locate.js';

/** Where an agent's text comes from. */
export interface TomlSource {
  /** The name it was asked for by. */
  readonly name: string;
  /** Path, URL or `built-in`, for people. */
  readonly file: string;
}

/** An agent file that cannot be read as one: axe's prefix, then what is wrong (D3). */
export function parseError(
  { name, file }: TomlSource,
  { message, remedy }: { readonly message: string; readonly remedy: string },
  position: Partial<KeyPosition> = {},
): ConfigError {
  const at: SourcePosition = { file, ...position };
  return new ConfigError(`failed to parse agent config "${name}": ${message}`, { remedy, at });
}

/** The problem of a file that is larger than any agent. */
export function tooLarge(size: string): { readonly message: string; readonly remedy: string } {
  return {
    message: `the file has ${size}; the most is ${grouped(MAX_AGENT_BYTES)} bytes`,
    remedy: 'Move long texts to a skill (`skill`) or to context files (`files`).',
  };
}
