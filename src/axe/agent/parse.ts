import { parse } from 'smol-toml';
import { safeParse } from 'valibot';
import { MAX_AGENT_BYTES } from '../defaults.js';
import { ConfigError } from '../errors.js';
import type { Warning } from '../warning.js';
import type { AgentConfig } from './config.js';
import { createLocator, type Locator } from './locate.js';
import { makeConfig } from './make-config.js';
import { type MatchedKeys, matchKeys } from './match-keys.js';
import { type AgentSource, parseError, tooLarge } from './parse-error.js';
import type { AgentProblem } from './problem.js';
import { AGENT_SCHEMA, isTable, type RawAgent, type TomlTable } from './schema.js';
import { showKey } from './show-key.js';
import { tomlProblem } from './toml-error.js';
import type { KeyPath } from './toml-keys.js';
import { issueProblem, typeProblem } from './type-problem.js';
import { unknownKeyWarnings } from './unknown-keys.js';
import { validateAgent } from './validate.js';
import { notesWithoutMemory } from './validate-notes.js';

/** Deepest nesting of tables and lists in an agent file. */
const MAX_NESTING = 32;

/**
 * Reads an agent from its TOML text (axe-behaviour §2, D1 to D3). Unknown keys are warnings. Throws a ConfigError with
 * file, line and remedy: TOML and type errors begin with axe's `failed to parse agent config "<name>": `, wrong values
 * have axe's messages.
 */
export function parseAgent(
  text: string,
  source: AgentSource,
): { readonly config: AgentConfig; readonly warnings: readonly Warning[] } {
  const toml = text.startsWith('\uFEFF') ? text.slice(1) : text;
  const locator = createLocator(toml);
  const document = parseDocument(toml, source);
  refuseBombs(document, source, locator);
  const matched = matchKeys(AGENT_SCHEMA, document);
  const raw = checkTypes(matched, source, locator);
  const problem = validateAgent(raw);
  if (problem !== undefined) {
    throw new ConfigError(problem.message, {
      remedy: problem.remedy,
      at: { file: source.file, ...locator.findNearest(problem.path) },
    });
  }
  const warnings = [
    ...unknownKeyWarnings(matched.unknown, source.file, locator),
    ...unusedKeyWarnings(raw, source.file, locator),
  ];
  return { config: makeConfig(raw), warnings };
}

function unusedKeyWarnings(raw: RawAgent, file: string, locator: Locator): readonly Warning[] {
  const message = notesWithoutMemory(raw.memory);
  if (message === undefined) return [];
  return [{ code: 'agent-unused-key', message, at: { file, ...locator.findNearest(['memory', 'notes']) } }];
}

function parseDocument(toml: string, source: AgentSource): TomlTable {
  if (toml.length > MAX_AGENT_BYTES) throw parseError(source, tooLarge(`${toml.length} characters`));
  try {
    return parse(toml, { integersAsBigInt: true, maxDepth: MAX_NESTING });
  } catch (thrown) {
    const problem = tomlProblem(thrown, toml);
    if (problem === undefined) throw thrown;
    const { line, column } = problem;
    throw parseError(source, problem, { line, column });
  }
}

/** Dotted keys and table names can nest without the parser's limit; nothing after this walks without one. */
function refuseBombs(document: TomlTable, source: AgentSource, locator: Locator): void {
  const pending: { value: unknown; path: KeyPath }[] = [{ value: document, path: [] }];
  for (let item = pending.pop(); item !== undefined; item = pending.pop()) {
    const { value, path } = item;
    if (path.length > MAX_NESTING) {
      const problem = {
        message: 'tables are nested too deeply',
        remedy: 'An agent needs no more than a few levels.',
      };
      throw parseError(source, problem, locator.findNearest(path));
    }
    if (Array.isArray(value)) {
      for (const [index, element] of value.entries())
        pending.push({ value: element, path: [...path, index] });
    } else if (isTable(value)) {
      for (const [key, inner] of Object.entries(value)) {
        if (key === '__proto__') {
          const problem = { message: '`__proto__` is not a key', remedy: 'Leave it out.' };
          throw parseError(source, problem, locator.findNearest([...path, key]));
        }
        if (typeof inner === 'object') pending.push({ value: inner, path: [...path, key] });
      }
    }
  }
}

/** The document with the types of the schema; of several errors the first in the file is told. */
function checkTypes(matched: MatchedKeys, source: AgentSource, locator: Locator): RawAgent {
  const result = safeParse(AGENT_SCHEMA, matched.value);
  const problems: readonly AgentProblem[] = [
    ...matched.repeated.map((repeated) => repeatedProblem(repeated, locator)),
    ...matched.notTables.map(({ path, value }) => typeProblem(path, 'a table', value)),
    ...(result.issues ?? []).map(issueProblem),
  ];
  const [first] = problems
    .map((problem) => ({ problem, position: locator.findNearest(problem.path) }))
    .sort((a, b) => a.position.line - b.position.line || a.position.column - b.position.column);
  if (first !== undefined) throw parseError(source, first.problem, first.position);
  if (!result.success) throw new Error('the schema refused a document without saying why');
  return result.output;
}

function repeatedProblem({ path, first }: MatchedKeys['repeated'][number], locator: Locator): AgentProblem {
  return {
    message: `Key '${showKey(path)}' has already been defined, as '${showKey(first)}'`,
    remedy: `Case does not count in keys: the first stands on line ${locator.findNearest(first).line}. Leave one of the two out.`,
    path,
  };
}
