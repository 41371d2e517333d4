import { ConfigError, NotFoundError } from '../lib/errors.js';
import { BUILT_IN_AGENTS } from './built-in.js';
import { byNearness, nearest } from './suggest.js';

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

/** Where something was looked for in vain. */
interface Search {
  /** Half sentences: `axe/agents` of octocat/hello@main. */
  readonly places: readonly string[];
  /** The agents or skills that are there, as one asks for them. */
  readonly known: readonly string[];
}

/** Agents that a message names; the nearest come first. */
const MAX_NAMED = 20;

/** The error for an agent that is nowhere: it names those that exist, the built-in ones too. */
export function agentNotFound(name: string, search: Search): NotFoundError {
  const all = [...new Set([...search.known, ...BUILT_IN_AGENTS.map((agent) => agent.name)])];
  const known = byNearness(name, all).slice(0, MAX_NAMED);
  const left = all.length - known.length;
  const sentences = [
    ...guess(nearestAgent(name, all)),
    `There are: ${known.map((other) => `\`${other}\``).join(', ')}${left === 0 ? '' : ` and ${left} more`}.`,
    ...(search.places.length === 0 ? [] : [`Searched in ${search.places.join(' and in ')}.`]),
  ];
  return new NotFoundError('agent', name, { remedy: sentences.join(' ') });
}

/** The error for a skill that is at none of the paths that were searched; `shown` is what the message names. */
export function skillNotFound(path: string, search: Search, shown = path): NotFoundError {
  const names = search.known.map(skillName);
  const meant = nearest(skillName(path), names);
  const found = meant === undefined ? undefined : search.known[names.indexOf(meant)];
  const sentences = [
    ...guess(found === path ? undefined : found),
    ...(search.places.length === 0 ? [] : [`Searched for ${search.places.join(', ')}.`]),
  ];
  return new NotFoundError('skill', shown, { remedy: sentences.join(' ') });
}

function guess(meant: string | undefined): readonly string[] {
  return meant === undefined ? [] : [`Did you mean \`${meant}\`?`];
}

/** The agent that was probably meant: people write the name of a built-in one without `builtin/`, as its memory has it. */
function nearestAgent(name: string, all: readonly string[]): string | undefined {
  const meant = nearest(name, [...all, ...all.map(bareName)]);
  return all.find((one) => one === meant) ?? all.find((one) => bareName(one) === meant);
}

/** `builtin/ask` is known as `ask`. */
function bareName(agent: string): string {
  return agent.replace(/^builtin\//, '');
}

/** `skills/review/SKILL.md` is known as `review`. */
function skillName(path: string): string {
  return path.replace(/^.*skills\/|\/[^/]+\.md$/g, '');
}
