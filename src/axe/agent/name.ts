import { ConfigError } from '../errors.js';

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
const DATE = /^\d{4}-\d{2}-\d{2}$/;
const RESERVED = new Set(['memory', 'untrusted', 'projects', 'scratchpad']);

/**
 * Checks an agent's name: it becomes a file name and part of cache keys, so it can never leave its folder (D5).
 * Throws a ConfigError.
 */
export function checkAgentName(name: string): string {
  if (!NAME.test(name)) {
    throw new ConfigError(`invalid agent name ${JSON.stringify(name)}`, {
      remedy:
        'A name starts with a letter or digit and holds at most 64 letters, digits, dots, underscores and hyphens.',
    });
  }
  if (RESERVED.has(name.toLowerCase()) || DATE.test(name) || /\.state$/i.test(name)) {
    throw new ConfigError(`agent name "${name}" is reserved`, {
      remedy: 'Memory keeps files of its own under that name; rename the agent file.',
    });
  }
  return name;
}
