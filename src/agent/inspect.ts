import { parse, TomlError } from 'smol-toml';
import { type BaseIssue, safeParse } from 'valibot';
import { MAX_AGENT_BYTES } from '../lib/defaults.js';
import { ConfigError, type Warning } from '../lib/errors.js';
import { grouped } from '../lib/text/format.js';
import { defaultLogPath, unusableLogPath } from '../memory/log-path.js';
import type { LoadedAgent } from './agent-source.js';
import { AGENT_SCHEMA, type AgentConfig, isTakenPath } from './config.js';
import { type AgentProblem, inFileOrder, parseError, type TomlSource } from './fault.js';
import { isTable, keysIn, problemsOf, type TomlTable } from './keys.js';
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
  readonly locate: Locator;
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

/** Deepest nesting of tables and lists in an agent file. */
const MAX_NESTING = 32;

/** A file with more errors or unknown keys than this is not an agent: nobody reads them, and they cost time. */
const MAX_TOLD = 50;

/** Reads an agent file to its end, whatever is wrong with it; behind an error of TOML itself nothing can be read. */
export function inspectAgent(text: string, source: TomlSource): InspectedAgent {
  const toml = text.startsWith('\uFEFF') ? text.slice(1) : text;
  const locate = createLocator(toml);
  try {
    return inspectDocument(parseDocument(toml, source, locate), source, locate);
  } catch (thrown) {
    if (!(thrown instanceof ConfigError)) throw thrown;
    return { config: undefined, errors: [thrown], warnings: [], workflowWarnings: [], locate };
  }
}

function parseDocument(toml: string, source: TomlSource, locate: Locator): TomlTable {
  if (toml.length > MAX_AGENT_BYTES) {
    const message = `the file has ${grouped(toml.length)} characters; the limit is ${grouped(MAX_AGENT_BYTES)} bytes`;
    throw parseError(source, message, 'Move long texts to a skill (`skill`) or to context files (`files`).');
  }
  try {
    const document = parse(toml, { integersAsBigInt: true, maxDepth: MAX_NESTING });
    refuseBombs(document, source, locate);
    return document;
  } catch (thrown) {
    if (!(thrown instanceof TomlError)) throw thrown;
    // Without the lines of the file, which may hold a secret.
    const message = thrown.message.replace(/^Invalid TOML document: /, '').replace(/\n[\s\S]*$/, '');
    throw parseError(source, message, TOML_REMEDY, { line: thrown.line, column: thrown.column });
  }
}

const TOML_REMEDY =
  'An agent file is TOML: `key = value` lines under `[table]` names. Strings are in double quotes, or in single quotes, which keep a backslash; over several lines in three of them.';

/** Dotted keys and table names can nest without the parser's limit; nothing after this walks without one. */
function refuseBombs(document: TomlTable, source: TomlSource, locate: Locator): void {
  const pending: { value: unknown; path: KeyPath }[] = [{ value: document, path: [] }];
  for (let item = pending.pop(); item !== undefined; item = pending.pop()) {
    const { value, path } = item;
    if (path.length > MAX_NESTING) {
      const remedy = 'An agent needs no more than a few levels.';
      throw parseError(source, 'tables are nested too deeply', remedy, locate(path));
    }
    if (path.at(-1) === '__proto__')
      throw parseError(source, '`__proto__` is not a key', 'Leave it out.', locate(path));
    if (!Array.isArray(value) && !isTable(value)) continue;
    const isList = Array.isArray(value);
    for (const [key, inner] of Object.entries(value))
      pending.push({ value: inner, path: [...path, isList ? Number(key) : key] });
  }
}

function inspectDocument(document: TomlTable, source: TomlSource, locate: Locator): InspectedAgent {
  const { value, unknown, problems } = matchKeys(document);
  const result = safeParse(AGENT_SCHEMA, value);
  const wrongTypes = [...problems, ...(result.issues ?? []).map(issueProblem)];
  const config = result.success && wrongTypes.length === 0 ? result.output : undefined;
  const wrongValues = config === undefined ? [] : [...problemsOf(AGENT_SCHEMA, value, config)];
  const at = (path: KeyPath) => ({ file: source.file, ...locate(path) });
  const typeErrors = wrongTypes.map(({ message, remedy, path }) =>
    parseError(source, message, remedy, locate(path)),
  );
  const valueErrors = wrongValues.map(
    ({ message, remedy, path }) => new ConfigError(message, { remedy, at: at(path) }),
  );
  const unknownKeys = unknown.map((key): Warning => {
    const message = `unknown key \`${showKey(key.path)}\` is ignored. ${advice(key)}`;
    return { code: 'agent-unknown-key', message, at: at(key.path) };
  });
  return {
    config,
    // As they are in the file: of several errors of types axe tells the first.
    errors: [...inFileOrder(typeErrors), ...valueErrors].slice(0, MAX_TOLD),
    warnings: [
      ...unknownKeys.slice(0, MAX_TOLD),
      ...(config === undefined ? [] : unusedKeyWarnings(config, at)),
    ],
    workflowWarnings: config === undefined ? [] : unusedPathWarnings(config, source.name, at),
    locate,
  };
}

/** A switch that is on and does nothing. */
function unusedKeyWarnings(
  { memory }: AgentConfig,
  at: (path: KeyPath) => Warning['at'],
): readonly Warning[] {
  if (memory.enabled || !memory.notes) return [];
  const message = '`memory.notes` has no effect without `enabled = true` in `[memory]`.';
  return [{ code: 'agent-unused-key', message, at: at(['memory', 'notes']) }];
}

/** In a workflow memory is a store, and a run log has a place in it (D54). */
function unusedPathWarnings(
  { memory }: AgentConfig,
  name: string,
  at: (path: KeyPath) => Warning['at'],
): readonly Warning[] {
  const { enabled, path } = memory;
  const why = enabled && path !== '' && !isTakenPath(memory) ? unusableLogPath(path) : undefined;
  if (why === undefined) return [];
  const message = `\`memory.path\` cannot be ${JSON.stringify(path)} in a workflow: ${why}. \`${defaultLogPath(name)}\` in the memory store is used instead. Set a relative path such as \`team/log.md\`, or remove \`path\`.`;
  return [{ code: 'agent-unused-key', message, at: at(['memory', 'path']) }];
}

/** The key that may have been meant, or where it belongs (D3). */
function advice({ path, known }: UnknownKey): string {
  const written = String(path.at(-1));
  const meant = nearest(written, known);
  if (meant !== undefined) return `Did you mean \`${showKey([...path.slice(0, -1), meant])}\`?`;
  if (path.length > 1 && Object.hasOwn(keysIn(AGENT_SCHEMA) ?? {}, written.toLowerCase())) {
    return `\`${written}\` belongs above the first \`[table]\` of the file.`;
  }
  return 'Remove it, or check its name.';
}

/** The right-hand side of a line that would be accepted, by the schema's word for the type. */
const EXAMPLES = new Map([
  ['a string', '"text"'],
  ['an integer', '10'],
  ['a number', '0.5'],
  ['true or false', 'true'],
  ['a list of strings', '["one", "two"]'],
  ['a table', '{ }'],
  ['a list of tables', '[{ }]'],
  ['a table of strings', '{ Authorization = "Bearer …" }'],
  ['a string or a table', '"json_object"'],
]);

/** A value of the wrong type, which is not repeated: it may be a secret. `expected` is the schema's word for the right one. */
function typeProblem(path: KeyPath, expected: string, value: unknown): AgentProblem {
  const list = expected === 'a table' ? 'a list of tables' : 'a list of strings';
  const example = EXAMPLES.get(typeof path.at(-1) === 'number' ? list : expected);
  const key = path.filter((part) => typeof part === 'string').slice(-1);
  return {
    message: `${showKey(path)} must be ${expected}, but is ${describe(value)}`,
    remedy: `Write it like this: \`${showKey(key)} = ${example}\`.`,
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
  const parts = path.map((part) => {
    if (typeof part === 'number') return `[${part}]`;
    return `.${BARE.test(part) ? part : JSON.stringify(part.slice(0, MAX_SHOWN))}`;
  });
  const shown = parts.join('').replace(/^\./, '');
  return shown.length > MAX_SHOWN ? `${shown.slice(0, MAX_SHOWN)}…` : shown;
}

interface UnknownKey {
  readonly path: KeyPath;
  /** The keys that may be in the same table. */
  readonly known: readonly string[];
}

/** What of a schema says which keys are below a value. */
interface KeySchema {
  readonly wrapped?: KeySchema;
  readonly getter?: (value: unknown) => KeySchema;
  readonly item?: KeySchema;
  readonly entries?: Readonly<Record<string, KeySchema>>;
}

/**
 * Renames the keys of a TOML document to the schema's, whatever their case (D3), and drops unknown ones. Tables whose
 * keys are the user's own (`headers`, a JSON schema) are left as they are.
 */
function matchKeys(document: TomlTable) {
  const unknown: UnknownKey[] = [];
  const problems: AgentProblem[] = [];

  function match(schema: KeySchema, value: unknown, path: KeyPath): unknown {
    if (schema.wrapped !== undefined) return match(schema.wrapped, value, path);
    if (schema.getter !== undefined) return match(schema.getter(value), value, path);
    const { item, entries } = schema;
    if (item !== undefined && Array.isArray(value))
      return value.map((one, index) => match(item, one, [...path, index]));
    if (entries === undefined) return value;
    if (isTable(value)) return matchTable(entries, value, path);
    problems.push(typeProblem(path, 'a table', value));
    return {};
  }

  function matchTable(entries: NonNullable<KeySchema['entries']>, table: TomlTable, path: KeyPath) {
    const matched = new Map<string, unknown>();
    const written = new Map<string, KeyPath>();
    for (const [key, value] of Object.entries(table)) {
      const name = key.toLowerCase();
      const own = [...path, key];
      const first = written.get(name);
      const schema = Object.hasOwn(entries, name) ? entries[name] : undefined;
      if (schema === undefined) unknown.push({ path: own, known: Object.keys(entries) });
      else if (first !== undefined) {
        const message = `Key '${showKey(own)}' has already been defined, as '${showKey(first)}'`;
        problems.push({ message, remedy: 'Case is ignored in keys. Leave one of the two out.', path: own });
      } else {
        written.set(name, own);
        matched.set(name, match(schema, value, own));
      }
    }
    return Object.fromEntries(matched);
  }

  // The door: valibot's schemas have these fields, each kind its own.
  return { value: match(AGENT_SCHEMA as KeySchema, document, []), unknown, problems };
}
