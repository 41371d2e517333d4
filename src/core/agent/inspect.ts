import { parse } from 'smol-toml';
import { safeParse } from 'valibot';
import { MAX_AGENT_BYTES } from '../defaults.js';
import { ConfigError } from '../errors.js';
import { defaultLogPath, unusableLogPath } from '../memory/log-path.js';
import type { Warning } from '../warning.js';
import { createLocator, type Locator } from './locate.js';
import { type MatchedKeys, matchKeys } from './match-keys.js';
import { parseError, type SourceText, tooLarge } from './parse-error.js';
import type { AgentProblem } from './problem.js';
import { AGENT_SCHEMA, isTable, type RawAgent, type TomlTable } from './schema.js';
import { showKey } from './show-key.js';
import { tomlProblem } from './toml-error.js';
import type { KeyPath } from './toml-keys.js';
import { issueProblem, typeProblem } from './type-problem.js';
import { unknownKeyWarnings } from './unknown-keys.js';
import { agentProblems } from './validate.js';
import { isTakenPath, notesWithoutMemory } from './validate-notes.js';
import { withoutValues } from './without-values.js';

/** An agent file with all that is wrong with it. */
export interface InspectedAgent {
  /** Its values, with those left out that have the wrong type; undefined for a file that cannot be taken apart. */
  readonly raw: RawAgent | undefined;
  /** Types before values; the first is the one that a run ends with. */
  readonly errors: readonly ConfigError[];
  /** Keys nobody reads, or that have no effect. */
  readonly warnings: readonly Warning[];
  /** What of it only a workflow cannot use. */
  readonly workflowWarnings: readonly Warning[];
  /** Finds its keys. */
  readonly locator: Locator;
}

/** Deepest nesting of tables and lists in an agent file. */
const MAX_NESTING = 32;

/** A file with more errors than this, of a kind, is no agent: nobody reads them, and they cost time. */
const MAX_ERRORS = 50;

/** Reads an agent file to its end, whatever is wrong with it; behind an error of TOML itself nothing can be read. */
export function inspectAgent(text: string, source: SourceText): InspectedAgent {
  const toml = text.startsWith('\uFEFF') ? text.slice(1) : text;
  const locator = createLocator(toml);
  try {
    return inspectDocument(parseDocument(toml, source, locator), source, locator);
  } catch (thrown) {
    if (!(thrown instanceof ConfigError)) throw thrown;
    return { raw: undefined, errors: [thrown], warnings: [], workflowWarnings: [], locator };
  }
}

function parseDocument(toml: string, source: SourceText, locator: Locator): TomlTable {
  if (toml.length > MAX_AGENT_BYTES) throw parseError(source, tooLarge(`${toml.length} characters`));
  try {
    const document = parse(toml, { integersAsBigInt: true, maxDepth: MAX_NESTING });
    refuseBombs(document, source, locator);
    return document;
  } catch (thrown) {
    const problem = tomlProblem(thrown, toml);
    if (problem === undefined) throw thrown;
    const { line, column } = problem;
    throw parseError(source, problem, { line, column });
  }
}

/** Dotted keys and table names can nest without the parser's limit; nothing after this walks without one. */
function refuseBombs(document: TomlTable, source: SourceText, locator: Locator): void {
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

function inspectDocument(document: TomlTable, source: SourceText, locator: Locator): InspectedAgent {
  const matched = matchKeys(AGENT_SCHEMA, document);
  const { raw, problems } = checkTypes(matched, locator);
  const typed = inOrder(problems, locator)
    .slice(0, MAX_ERRORS)
    .map((problem) => parseError(source, problem, locator.findNearest(problem.path)));
  const told = new Set(problems.map(({ path }) => showKey(path).toLowerCase()));
  const valued = (raw === undefined ? [] : agentProblems(raw))
    .filter(({ path }) => !isTold(path, told))
    .slice(0, MAX_ERRORS)
    .map(({ message, remedy, path }) => {
      const at = { file: source.file, ...locator.findNearest(path) };
      return new ConfigError(message, { remedy, at });
    });
  const warnings = [
    ...unknownKeyWarnings(matched.unknown, source.file, locator),
    ...(raw === undefined ? [] : unusedKeyWarnings(raw, source.file, locator)),
  ];
  const workflowWarnings = raw === undefined ? [] : unusedPathWarnings(raw, source, locator);
  return { raw, errors: [...typed, ...valued], warnings, workflowWarnings, locator };
}

/** What is wrong with the types, and the document as far as they are right. */
function checkTypes(
  matched: MatchedKeys,
  locator: Locator,
): { readonly raw: RawAgent | undefined; readonly problems: readonly AgentProblem[] } {
  const result = safeParse(AGENT_SCHEMA, matched.value);
  const issues = (result.issues ?? []).map(issueProblem);
  const problems = [
    ...matched.repeated.map((repeated) => repeatedProblem(repeated, locator)),
    ...matched.notTables.map(({ path, value }) => typeProblem(path, 'a table', value)),
    ...issues,
  ];
  if (result.success) return { raw: result.output, problems };
  if (issues.length > MAX_ERRORS) return { raw: undefined, problems };
  const paths = issues.map(({ path }) => path);
  const rest = safeParse(AGENT_SCHEMA, withoutValues(matched.value, paths));
  return { raw: rest.success ? rest.output : undefined, problems };
}

function repeatedProblem({ path, first }: MatchedKeys['repeated'][number], locator: Locator): AgentProblem {
  return {
    message: `Key '${showKey(path)}' has already been defined, as '${showKey(first)}'`,
    remedy: `Case does not count in keys: the first stands on line ${locator.findNearest(first).line}. Leave one of the two out.`,
    path,
  };
}

/** As they stand in the file: of several errors axe tells the first. */
function inOrder(problems: readonly AgentProblem[], locator: Locator): readonly AgentProblem[] {
  return problems
    .map((problem) => ({ problem, position: locator.findNearest(problem.path) }))
    .sort((a, b) => a.position.line - b.position.line || a.position.column - b.position.column)
    .map(({ problem }) => problem);
}

/** A value of the wrong type was left out, so that it seems to be missing. */
function isTold(path: KeyPath, told: ReadonlySet<string>): boolean {
  return path.some((_, index) => told.has(showKey(path.slice(0, index + 1)).toLowerCase()));
}

function unusedKeyWarnings(raw: RawAgent, file: string, locator: Locator): readonly Warning[] {
  const message = notesWithoutMemory(raw.memory);
  if (message === undefined) return [];
  return [{ code: 'agent-unused-key', message, at: { file, ...locator.findNearest(['memory', 'notes']) } }];
}

/** In a workflow memory is a store, and a run log has a place in it (D54). */
function unusedPathWarnings(
  { memory }: RawAgent,
  { name, file }: SourceText,
  locator: Locator,
): readonly Warning[] {
  const { enabled, path } = memory;
  const why = enabled && path !== '' && !isTakenPath(memory) ? unusableLogPath(path) : undefined;
  if (why === undefined) return [];
  const message = `\`memory.path\` cannot be ${JSON.stringify(path)} in a workflow: ${why}. \`${defaultLogPath(name)}\` in the memory store is used instead. Set a relative path such as \`team/log.md\`, or remove \`path\`.`;
  return [{ code: 'agent-unused-key', message, at: { file, ...locator.findNearest(['memory', 'path']) } }];
}
