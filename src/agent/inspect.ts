import { parse } from 'smol-toml';
import { type BaseIssue, type GenericSchema, safeParse } from 'valibot';
import { MAX_AGENT_BYTES } from '../lib/defaults.js';
import { ConfigError } from '../lib/errors.js';
import { grouped } from '../lib/text/number.js';
import type { Warning } from '../lib/warning.js';
import { defaultLogPath, unusableLogPath } from '../memory/log-path.js';
import type { LoadedAgent } from './agent-source.js';
import { AGENT_SCHEMA, type AgentConfig, isTakenPath } from './config.js';
import { type AgentProblem, parseError, type TomlSource, tomlProblem, tooLarge } from './fault.js';
import { exampleOf, isTable, keysIn, problemsOf, type TomlTable } from './keys.js';
import { createLocator, type KeyPath, type Locator } from './locate.js';
import { nearest } from './suggest.js';

interface InspectedAgent {
  /** Undefined for a file that cannot be taken apart, or has values of a wrong type. */
  readonly config: AgentConfig | undefined;
  /** Those of types, or else of values; the first is the one that a run ends with. */
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

/** A file with more errors than this, of a kind, is not an agent: nobody reads them, and they cost time. */
const MAX_ERRORS = 50;

/** Reads an agent file to its end, whatever is wrong with it; behind an error of TOML itself nothing can be read. */
export function inspectAgent(text: string, source: TomlSource): InspectedAgent {
  const toml = text.startsWith('\uFEFF') ? text.slice(1) : text;
  const locator = createLocator(toml);
  try {
    return inspectDocument(parseDocument(toml, source, locator), source, locator);
  } catch (thrown) {
    if (!(thrown instanceof ConfigError)) throw thrown;
    return { config: undefined, errors: [thrown], warnings: [], workflowWarnings: [], locator };
  }
}

function parseDocument(toml: string, source: TomlSource, locator: Locator): TomlTable {
  if (toml.length > MAX_AGENT_BYTES) throw parseError(source, tooLarge(`${grouped(toml.length)} characters`));
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
function refuseBombs(document: TomlTable, source: TomlSource, locator: Locator): void {
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

function inspectDocument(document: TomlTable, source: TomlSource, locator: Locator): InspectedAgent {
  const matched = matchKeys(AGENT_SCHEMA, document);
  const { config, problems } = checkTypes(matched, locator);
  const typed = inOrder(problems, locator)
    .slice(0, MAX_ERRORS)
    .map((problem) => parseError(source, problem, locator.findNearest(problem.path)));
  const valued = (config === undefined ? [] : [...problemsOf(AGENT_SCHEMA, matched.value, config)])
    .slice(0, MAX_ERRORS)
    .map(({ message, remedy, path }) => {
      const at = { file: source.file, ...locator.findNearest(path) };
      return new ConfigError(message, { remedy, at });
    });
  const warnings = [
    ...unknownKeyWarnings(matched.unknown, source.file, locator),
    ...(config === undefined ? [] : unusedKeyWarnings(config, source.file, locator)),
  ];
  const workflowWarnings = config === undefined ? [] : unusedPathWarnings(config, source, locator);
  return { config, errors: [...typed, ...valued], warnings, workflowWarnings, locator };
}

/** What is wrong with the types, or else the document. */
function checkTypes(
  matched: Findings & { readonly value: unknown },
  locator: Locator,
): { readonly config: AgentConfig | undefined; readonly problems: readonly AgentProblem[] } {
  const result = safeParse(AGENT_SCHEMA, matched.value);
  const problems = [
    ...matched.repeated.map((repeated) => repeatedProblem(repeated, locator)),
    ...matched.notTables.map(({ path, value }) => typeProblem(path, 'a table', value)),
    ...(result.issues ?? []).map(issueProblem),
  ];
  return { config: result.success && problems.length === 0 ? result.output : undefined, problems };
}

function repeatedProblem({ path, first }: Findings['repeated'][number], locator: Locator): AgentProblem {
  return {
    message: `Key '${showKey(path)}' has already been defined, as '${showKey(first)}'`,
    remedy: `Case is ignored in keys: the first is on line ${locator.findNearest(first).line}. Leave one of the two out.`,
    path,
  };
}

/** As they are in the file: of several errors axe tells the first. */
function inOrder(problems: readonly AgentProblem[], locator: Locator): readonly AgentProblem[] {
  return problems
    .map((problem) => ({ problem, position: locator.findNearest(problem.path) }))
    .sort((a, b) => a.position.line - b.position.line || a.position.column - b.position.column)
    .map(({ problem }) => problem);
}

/** A switch that is on and does nothing. */
function unusedKeyWarnings({ memory }: AgentConfig, file: string, locator: Locator): readonly Warning[] {
  if (memory.enabled || !memory.notes) return [];
  const message = '`memory.notes` has no effect without `enabled = true` in `[memory]`.';
  return [{ code: 'agent-unused-key', message, at: { file, ...locator.findNearest(['memory', 'notes']) } }];
}

/** In a workflow memory is a store, and a run log has a place in it (D54). */
function unusedPathWarnings(
  { memory }: AgentConfig,
  { name, file }: TomlSource,
  locator: Locator,
): readonly Warning[] {
  const { enabled, path } = memory;
  const why = enabled && path !== '' && !isTakenPath(memory) ? unusableLogPath(path) : undefined;
  if (why === undefined) return [];
  const message = `\`memory.path\` cannot be ${JSON.stringify(path)} in a workflow: ${why}. \`${defaultLogPath(name)}\` in the memory store is used instead. Set a relative path such as \`team/log.md\`, or remove \`path\`.`;
  return [{ code: 'agent-unused-key', message, at: { file, ...locator.findNearest(['memory', 'path']) } }];
}

/** A file that is not an agent at all has many unknown keys; more than this are only counted. */
const MAX_WARNINGS = 20;

/** One warning for each key nobody reads, at its place, with the key that may have been meant (D3). */
function unknownKeyWarnings(
  unknown: readonly UnknownKey[],
  file: string,
  locator: Locator,
): readonly Warning[] {
  const shown = unknown.slice(0, MAX_WARNINGS).map(
    (key): Warning => ({
      code: 'agent-unknown-key',
      message: `unknown key \`${showKey(key.path)}\` is ignored. ${advice(key)}`,
      at: { file, ...locator.findNearest(key.path) },
    }),
  );
  const left = unknown.length - shown.length;
  if (left === 0) return shown;
  const message = `${left} more unknown keys are ignored. Is this an agent file?`;
  return [...shown, { code: 'agent-unknown-key', message, at: { file } }];
}

function advice({ path, known }: UnknownKey): string {
  const written = String(path.at(-1));
  const meant = nearest(written, known);
  if (meant !== undefined) return `Did you mean \`${showKey([...path.slice(0, -1), meant])}\`?`;
  if (path.length > 1 && Object.hasOwn(keysIn(AGENT_SCHEMA) ?? {}, written.toLowerCase())) {
    return `\`${written}\` belongs above the first \`[table]\` of the file.`;
  }
  return 'Remove it, or check its name.';
}

/** A value of the wrong type: `expected` is the schema's word for the right one. */
function typeProblem(path: KeyPath, expected: string, value: unknown): AgentProblem {
  return {
    message: `${showKey(path)} must be ${expected}, but is ${describe(value)}`,
    remedy: `Write it like this: ${rightForm(path, expected, value)}.`,
    path,
  };
}

function issueProblem(issue: BaseIssue<unknown>): AgentProblem {
  const path = (issue.path ?? []).map(({ key }) => (typeof key === 'number' ? key : String(key)));
  if (issue.kind === 'schema') return typeProblem(path, issue.message, issue.input);
  return {
    message: `${showKey(path)}: ${String(issue.input).slice(0, 40)} is out of range`,
    remedy: `The largest number is ${Number.MAX_SAFE_INTEGER}.`,
    path,
  };
}

/** A line the user can copy. Texts of the file are not repeated: they may be secrets. */
function rightForm(path: KeyPath, expected: string, value: unknown): string {
  const key = path.at(-1);
  if (typeof key === 'number') return rightForm(path.slice(0, -1), listOf(expected), value);
  if (expected === 'a table') return `\`[${showKey(path)}]\`, with its keys on the lines below`;
  if (expected === 'a list of tables') return `\`[[${showKey(path)}]]\`, with its keys on the lines below`;
  return `\`${showKey(path.slice(-1))} = ${meantValue(expected, value) ?? exampleOf(expected) ?? ''}\``;
}

function listOf(expected: string): string {
  return expected === 'a table' ? 'a list of tables' : 'a list of strings';
}

/** The value in the right type, where it is plain what was meant. */
function meantValue(expected: string, value: unknown): string | undefined {
  const isWhole = typeof value === 'number' && Number.isSafeInteger(value);
  if (expected === 'an integer' && isWhole) return String(value);
  if (typeof value !== 'string') return undefined;
  if (expected === 'an integer' && /^-?\d{1,15}$/.test(value)) return String(Number(value));
  if (expected === 'a number' && /^-?\d{1,9}(\.\d{1,9})?$/.test(value)) return value;
  if (expected === 'true or false' && /^(true|false)$/i.test(value)) return value.toLowerCase();
  return undefined;
}

function describe(value: unknown): string {
  if (typeof value === 'string') return 'a string';
  if (typeof value === 'bigint') return 'an integer';
  if (typeof value === 'number') return 'a float';
  if (typeof value === 'boolean') return 'a boolean';
  if (Array.isArray(value)) return 'a list';
  return isTable(value) ? 'a table' : 'a date or time';
}

const BARE = /^[A-Za-z0-9_-]+$/;
const MAX_SHOWN = 80;

/**
 * A key path for a message: `mcp_servers[0].name`. Names that are not bare are quoted and escaped, so that a hostile
 * one cannot break the line; long ones are cut.
 */
function showKey(path: KeyPath): string {
  const shown = path
    .map((part, position) =>
      typeof part === 'number' ? `[${part}]` : `${position === 0 ? '' : '.'}${showName(part)}`,
    )
    .join('');
  return shown.length > MAX_SHOWN ? `${shown.slice(0, MAX_SHOWN)}…` : shown;
}

function showName(name: string): string {
  return BARE.test(name) ? name : JSON.stringify(name.slice(0, MAX_SHOWN));
}

interface UnknownKey {
  readonly path: KeyPath;
  /** The keys that may be in the same table. */
  readonly known: readonly string[];
}

/** What did not fit into the schema. */
interface Findings {
  /** Keys the schema does not know, as they are written. */
  readonly unknown: UnknownKey[];
  /** Tables that hold one key twice, in different case. */
  readonly repeated: { readonly path: KeyPath; readonly first: KeyPath }[];
  /** Where a table should stand and something else does. */
  readonly notTables: { readonly path: KeyPath; readonly value: unknown }[];
}

/**
 * Renames the keys of a TOML document to the schema's, whatever their case (D3), and drops unknown ones. Tables whose
 * keys are the user's own (`headers`, a JSON schema) are left as they are.
 */
function matchKeys(schema: GenericSchema, document: TomlTable): Findings & { readonly value: unknown } {
  const findings: Findings = { unknown: [], repeated: [], notTables: [] };
  const value = matchValue(schema, document, [], findings);
  return { value, ...findings };
}

function matchValue(schema: unknown, value: unknown, path: KeyPath, findings: Findings): unknown {
  const shape = shapeOf(schema, value);
  if (shape === undefined) return value;
  if (shape.kind === 'list') {
    if (!Array.isArray(value)) return value;
    return value.map((item, index) => matchValue(shape.item, item, [...path, index], findings));
  }
  if (isTable(value)) return matchTable(shape.entries, value, path, findings);
  findings.notTables.push({ path, value });
  return {};
}

function matchTable(
  entries: ReadonlyMap<string, unknown>,
  table: TomlTable,
  path: KeyPath,
  findings: Findings,
): TomlTable {
  const matched = new Map<string, unknown>();
  const written = new Map<string, string>();
  for (const [key, value] of Object.entries(table)) {
    const name = key.toLowerCase();
    const first = written.get(name);
    if (!entries.has(name)) {
      findings.unknown.push({ path: [...path, key], known: [...entries.keys()] });
    } else if (first !== undefined) {
      findings.repeated.push({ path: [...path, key], first: [...path, first] });
    } else {
      written.set(name, key);
      matched.set(name, matchValue(entries.get(name), value, [...path, key], findings));
    }
  }
  return Object.fromEntries(matched);
}

type Shape =
  | { readonly kind: 'table'; readonly entries: ReadonlyMap<string, unknown> }
  | { readonly kind: 'list'; readonly item: unknown };

/** What a schema says of the keys below a value; undefined where it says nothing. */
function shapeOf(schema: unknown, value: unknown): Shape | undefined {
  if (typeof schema !== 'object' || schema === null || !('type' in schema)) return undefined;
  if (schema.type === 'optional' && 'wrapped' in schema) return shapeOf(schema.wrapped, value);
  if (schema.type === 'lazy' && 'getter' in schema && typeof schema.getter === 'function') {
    return shapeOf(schema.getter(value), value);
  }
  if (schema.type === 'array' && 'item' in schema) return { kind: 'list', item: schema.item };
  if (schema.type === 'object' && 'entries' in schema && typeof schema.entries === 'object') {
    return { kind: 'table', entries: new Map(Object.entries(schema.entries ?? {})) };
  }
  return undefined;
}

/**
 * Reads an agent from its TOML text (axe-behaviour §2, D1 to D3). Unknown keys are warnings. Throws a ConfigError with
 * file, line and remedy, of several the first: TOML and type errors begin with axe's `failed to parse agent config
 * "<name>": `, wrong values have axe's messages.
 */
export function parseAgent(
  text: string,
  source: TomlSource,
): Pick<LoadedAgent, 'config' | 'warnings' | 'workflowWarnings'> {
  const { config, errors, warnings, workflowWarnings } = inspectAgent(text, source);
  const [first] = errors;
  if (first !== undefined) throw first;
  if (config === undefined) throw new Error('the schema refused a document without saying why');
  return { config, warnings, workflowWarnings };
}
