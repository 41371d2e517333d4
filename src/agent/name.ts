import { ConfigError } from '../lib/errors.js';
import { BUILT_IN_AGENTS } from './built-in.js';
import { nearest } from './suggest.js';

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
const DATE = /^\d{4}-\d{2}-\d{2}$/;
const RESERVED = new Set(['memory', 'untrusted', 'projects', 'scratchpad']);

const RULE =
  'A name starts with a letter or digit of ASCII and holds at most 64 of them, dots, underscores and hyphens.';

/**
 * Checks an agent's name: it becomes a file name and part of cache keys, so it can never leave its folder (D5).
 * Throws a ConfigError.
 */
export function checkAgentName(name: string): string {
  if (!NAME.test(name)) {
    throw new ConfigError(`invalid agent name ${JSON.stringify(name)}`, {
      remedy: builtInMeant(name) ?? `${RULE}${renaming(name)}`,
    });
  }
  if (RESERVED.has(name.toLowerCase()) || DATE.test(name) || /\.state$/i.test(name)) {
    throw new ConfigError(`agent name "${name}" is reserved`, {
      remedy: 'Memory keeps files of its own under that name; rename the agent file.',
    });
  }
  return name;
}

/** The names of built-in agents alone have a slash, so a name with one may be a mistyped one. */
function builtInMeant(name: string): string | undefined {
  const names = BUILT_IN_AGENTS.map((agent) => agent.name);
  const meant = name.includes('/') ? nearest(name, names) : undefined;
  return meant === undefined ? undefined : `Did you mean \`${meant}\`? ${RULE}`;
}

/** axe takes such names (axe-behaviour §1), so that there may be a memory under the old one. */
function renaming(name: string): string {
  const usable = name
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/^[^A-Za-z0-9]+|-+$/g, '');
  if (!NAME.test(usable)) return '';
  return ` Rename the file to \`${usable}.toml\`, and its memory, if there is any, to \`${usable}.md\`.`;
}
