import { findTokens } from '../safety/token-shapes.js';
import type { ProviderTable } from './choices.js';
import type { AgentProblem } from './fault.js';
import type { KeyPath } from './locate.js';

/** Options for a provider's package, by provider; `null` and dates do not occur. */
export type ProviderTables = Partial<Readonly<Record<ProviderTable, Readonly<Record<string, unknown>>>>>;

/**
 * Words of option names that would give a model what no limit of the run sees: tools and files of the provider, servers,
 * containers, storage and earlier conversations pass by `tools-allowed` and by what is known to be read; another model
 * has another price. Keys and addresses belong into the environment, where they are known to be secret.
 */
const REFUSED =
  /^(?:tools?|functions?|mcp|servers?|containers?|stor(?:e|ed|age)|files?|plugins?|skills?|connectors?|conversation|previous|threads?|sessions?|assistants?|memory|cached|search|web|retrieval|grounding|code|execution|computer|agents?|fallbacks?|key|apikey|token|secret|password|auth|authorization|credentials?|headers?|urls?|uri|endpoint|host|address|webhook|callback)$/;

/** `params.<table>`: below it stand names of the request itself, deeper ones are a provider's own. */
const TABLE_DEPTH = 2;

/** What the request is made of. */
const OWN = /^(?:models?|messages|input|prompt|system|instructions|stream)$/;

/** Names that hold a refused word and do no harm. */
const HARMLESS = /^(?:prompt_?cache_?key|(?:disable_?)?parallel_?tool_?(?:calls|use))$/i;

/** Options that are not sent, each with its place. */
export function* refusedOptions(value: unknown, path: KeyPath): Generator<AgentProblem> {
  if (typeof value === 'string') {
    if (!/:\/\//.test(value) && findTokens(value).length === 0) return;
    const what = 'looks like a key or an address';
    yield problem(path, what, 'Give keys and addresses as variables of the environment.');
  }
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    const place = [...path, Array.isArray(value) ? Number(key) : key];
    const isOwn = path.length === TABLE_DEPTH && OWN.test(key.toLowerCase());
    if (isOwn || isRefused(key)) yield problem(place, 'is not allowed', REMEDY);
    else yield* refusedOptions(inner, place);
  }
}

const REMEDY =
  'Options may not add tools, servers, files, storage, other models, keys or addresses: no limit of a run would hold for them.';

function isRefused(name: string): boolean {
  if (HARMLESS.test(name)) return false;
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/);
  return words.some((word) => REFUSED.test(word));
}

function problem(path: KeyPath, what: string, remedy: string): AgentProblem {
  return { message: `${path.join('.')} ${what}`, remedy, path };
}
