import { parse, TomlError } from 'smol-toml';
import { type BaseIssue, safeParse } from 'valibot';
import { ConfigError, type SourcePosition, type Warning } from '../lib/errors.js';
import { defaultLogPath, unusableLogPath } from '../memory/paths.js';
import { AGENT_SCHEMA, type AgentConfig, isTakenPath } from './config.js';
import {
  type AgentProblem,
  isTable,
  type KeyPath,
  keysIn,
  problemsOf,
  type TomlTable,
} from './keys.js';
import { MCP_SERVERS } from './model-keys.js';
import { createLocator } from './positions.js';
import { closestWord } from './suggest.js';
import { explainToml } from './toml-mistakes.js';

/** The position of a key, of the nearest table around it, or of the first line. */
type Locate = (path: KeyPath) => SourcePosition;

interface InspectedAgent {
  /** Undefined for a file that cannot be parsed, or has values of a wrong type. */
  readonly config: AgentConfig | undefined;
  /** Wrong types, or if there are none, wrong values; a run ends with the first. */
  readonly errors: readonly ConfigError[];
  /** Keys that are unknown or have no effect. */
  readonly warnings: readonly Warning[];
  /** Keys that have no effect in workflows only. */
  readonly workflowWarnings: readonly Warning[];
  readonly locate: Locate;
}

/**
 * Reads an agent from its TOML text. Unknown keys are warnings. Throws the first error, a
 * ConfigError with file, line and remedy: TOML and type errors begin with axe's `failed to parse
 * agent config "<name>": `, wrong values have axe's messages.
 */
export function parseAgent(text: string, source: TomlSource) {
  const { config, errors, warnings, workflowWarnings } = inspectAgent(text, source);
  const [first] = errors;
  if (first !== undefined) throw first;
  if (config === undefined) throw new Error('the schema refused a document without saying why');
  return { config, warnings, workflowWarnings };
}

const AGENT_SCHEMA_KEYS = keysIn(AGENT_SCHEMA) ?? {};

/** Levels of tables and lists. */
const MAX_NESTING = 32;

/** Maximum errors and unknown keys that are reported: nobody reads more, and they take time. */
const MAX_REPORTED = 50;

/** Collects all errors of an agent file. After an error of TOML itself nothing can be read. */
export function inspectAgent(text: string, source: TomlSource): InspectedAgent {
  const toml = text.startsWith('\uFEFF') ? text.slice(1) : text;
  const find = createLocator(toml);
  const locate: Locate = (path) => ({ file: source.file, ...find(path) });
  try {
    return inspectDocument(parseDocument(toml, source, locate), source, locate);
  } catch (thrown) {
    if (!(thrown instanceof ConfigError)) throw thrown;
    return { config: undefined, errors: [thrown], warnings: [], workflowWarnings: [], locate };
  }
}

function parseDocument(toml: string, source: TomlSource, locate: Locate): TomlTable {
  try {
    const document = parse(toml, { integersAsBigInt: true, maxDepth: MAX_NESTING });
    refuseBombs(document, source, locate);
    return document;
  } catch (thrown) {
    if (!(thrown instanceof TomlError)) throw thrown;
    // The parser's message shows lines of the file, which can contain a secret.
    const reason = thrown.message.replace(/^Invalid TOML document: /, '').replace(/\n[\s\S]*$/, '');
    const { message, remedy } = explainToml(toml, thrown.line, reason);
    throw parseError(source, message, remedy, { line: thrown.line, column: thrown.column });
  }
}

/** The parser does not limit the nesting of dotted keys and table names, so it is limited here. */
function refuseBombs(document: TomlTable, source: TomlSource, locate: Locate): void {
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

function inspectDocument(document: TomlTable, source: TomlSource, locate: Locate): InspectedAgent {
  const { value, unknown, problems } = matchKeys(document);
  const result = safeParse(AGENT_SCHEMA, value);
  const wrongTypes = [...problems, ...(result.issues ?? []).map(issueProblem)];
  const unknownKeys = unknown.slice(0, MAX_REPORTED).map((key): Warning => {
    const message = `unknown key \`${showKey(key.path)}\` is ignored. ${advice(key)}`;
    const code = isKeyOfModel(key) ? 'agent-secret' : 'agent-unknown-key';
    return { code, message, at: locate(key.path) };
  });

  if (!result.success || wrongTypes.length > 0) {
    const typeErrors = wrongTypes.map(({ message, remedy, path }) =>
      parseError(source, message, remedy, locate(path)),
    );
    // axe reports only the first error in the file.
    const errors = inFileOrder(typeErrors).slice(0, MAX_REPORTED);
    return { config: undefined, errors, warnings: unknownKeys, workflowWarnings: [], locate };
  }

  const config = result.output;
  const errors = [...problemsOf(AGENT_SCHEMA, value, config)].map(
    ({ message, remedy, path }) =>
      new ConfigError(message, { remedy: misplaced(path, unknown) ?? remedy, at: locate(path) }),
  );
  return {
    config,
    errors: errors.slice(0, MAX_REPORTED),
    warnings: [...unknownKeys, ...unusedKeyWarnings(config, locate)],
    workflowWarnings: unusedPathWarnings(config, source.name, locate),
    locate,
  };
}

/** A key of the agent that is missing, or wrong in a table that has one of the same name. */
function misplaced(path: KeyPath, unknown: readonly UnknownKey[]): string | undefined {
  const [name = ''] = path;
  const isMissing =
    path.length === 1 && unknown.some((key) => isOfAgent(key.path) && key.path.at(-1) === name);
  if (isMissing) return aboveTables(String(name));
  // `tools` of `[memory]` are those of the notes.
  const isOfMemory = path.join('.') === 'memory.tools';
  return isOfMemory ? `For the agent's own tools: ${aboveTables('tools')}` : undefined;
}

/** Warns of a switch that is on but has no effect. */
function unusedKeyWarnings({ memory }: AgentConfig, locate: Locate): readonly Warning[] {
  if (memory.enabled || !memory.notes) return [];
  const message = '`memory.notes` has no effect without `enabled = true` in `[memory]`.';
  return [{ code: 'agent-unused-key', message, at: locate(['memory', 'notes']) }];
}

/** In a workflow the run log is a file of the memory store, so its path must be relative. */
function unusedPathWarnings(
  { memory }: AgentConfig,
  name: string,
  locate: Locate,
): readonly Warning[] {
  const { enabled, path } = memory;
  if (!enabled || path === '' || isTakenPath(memory)) return [];
  const reason = unusableLogPath(path);
  if (reason === undefined) return [];

  const message = `\`memory.path\` cannot be ${JSON.stringify(path)} in a workflow: ${reason}. \`${defaultLogPath(name)}\` in the memory store is used instead. Set a relative path such as \`team/log.md\`, or remove \`path\`.`;
  return [{ code: 'agent-unused-key', message, at: locate(['memory', 'path']) }];
}

/** Says where the key belongs, or suggests a similar one. */
function advice(key: UnknownKey): string {
  const { path, known } = key;
  const written = String(path.at(-1));
  const name = written.toLowerCase();
  if (isKeyOfModel(key)) return 'Remove it: a key is a secret and belongs in no file.';
  if (isOfAgent(path)) return aboveTables(written);

  const instead = SYNONYMS.get(name);
  if (instead !== undefined && known.includes(instead)) return `Did you mean \`${instead}\`?`;
  const tables = TABLES.filter(([, keys]) => keys.includes(name)).map(
    ([table]) => `\`[${table}]\``,
  );
  if (tables.length > 0) return `\`${written}\` belongs in ${tables.join(' or in ')}.`;
  const similar = closestWord(written, known);
  if (similar !== undefined) return `Did you mean \`${showKey([...path.slice(0, -1), similar])}\`?`;
  return 'Remove it, or check its name.';
}

/** Other programs' words for the system prompt. */
const SYNONYMS = new Map([
  ['prompt', 'system_prompt'],
  ['instructions', 'system_prompt'],
  ['system', 'system_prompt'],
]);

/** The keys of tables that belong to the model or to one thing: `[params]` before all others. */
const TABLES: readonly (readonly [table: string, keys: readonly string[]])[] = (
  ['params', 'budget', 'memory', 'retry', 'review'] as const
).map((table) => [table, Object.keys(keysIn(AGENT_SCHEMA_KEYS[table] ?? {}) ?? {})]);

function isKeyOfModel({ path }: UnknownKey): boolean {
  return /^api[_-]?key$/i.test(String(path.at(-1)));
}

/** A key of the agent itself within a table. */
function isOfAgent(path: KeyPath): boolean {
  return path.length > 1 && Object.hasOwn(AGENT_SCHEMA_KEYS, String(path.at(-1)).toLowerCase());
}

function aboveTables(key: string): string {
  return `\`${key}\` belongs above the first \`[table]\` of the file.`;
}

/** Accepted values, by the schema's word for the type. */
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

/**
 * The message does not repeat the value, which can be a secret. `expected` is the schema's word for
 * the right type.
 */
function typeProblem(path: KeyPath, expected: string, value: unknown): AgentProblem {
  const list = expected === 'a table' ? 'a list of tables' : 'a list of strings';
  const example = EXAMPLES.get(typeof path.at(-1) === 'number' ? list : expected);
  const key = path.filter((part) => typeof part === 'string').slice(-1);
  return {
    message: `${showKey(path)} must be ${expected}, but is ${describe(value)}`,
    remedy: tableRemedy(path, value) ?? `Write it like this: \`${showKey(key)} = ${example}\`.`,
    path,
  };
}

/** The right form of a table of the agent; undefined for any other value. */
function tableRemedy(path: KeyPath, value: unknown): string | undefined {
  const [name = ''] = path;
  const schema = AGENT_SCHEMA_KEYS[String(name).toLowerCase()];
  if (path.length !== 1 || schema === undefined) return undefined;
  if (isTable(value))
    return schema === MCP_SERVERS ? `Write \`[[${name}]]\`, once for each server.` : undefined;
  const keys = keysIn(schema);
  if (keys === undefined) return undefined;
  const line = 'enabled' in keys ? '`enabled = true`' : 'its keys';
  return `Write \`[${name}]\` on a line of its own, and ${line} below it.`;
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
 * A key path for a message: `mcp_servers[0].name`. Names that are not bare are quoted and escaped,
 * so that a hostile one cannot break the line; long ones are shortened.
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
  /** All valid keys of the same table. */
  readonly known: readonly string[];
}

/** The parts of a schema that lead to the keys inside of a value. */
interface KeySchema {
  readonly wrapped?: KeySchema;
  readonly getter?: (value: unknown) => KeySchema;
  readonly item?: KeySchema;
  readonly entries?: Readonly<Record<string, KeySchema>>;
}

/**
 * Renames the keys of a TOML document to the schema's, ignoring case as axe does, and drops unknown
 * ones. Tables with keys of the user (`headers`, a JSON schema) stay as they are.
 */
function matchKeys(document: TomlTable) {
  const unknown: UnknownKey[] = [];
  const problems: AgentProblem[] = [];

  function match(schema: KeySchema, value: unknown, path: KeyPath): unknown {
    if (schema.wrapped !== undefined) return match(schema.wrapped, value, path);
    if (schema.getter !== undefined) return match(schema.getter(value), value, path);

    const { item, entries } = schema;
    if (item !== undefined && Array.isArray(value))
      return value.map((element, index) => match(item, element, [...path, index]));
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
      const keyPath = [...path, key];
      const earlierPath = written.get(name);
      const schema = Object.hasOwn(entries, name) ? entries[name] : undefined;

      if (schema === undefined) unknown.push({ path: keyPath, known: Object.keys(entries) });
      else if (earlierPath !== undefined) {
        const message = `Key '${showKey(keyPath)}' has already been defined, as '${showKey(earlierPath)}'`;
        const remedy = 'Case is ignored in keys. Leave one of the two out.';
        problems.push({ message, remedy, path: keyPath });
      } else {
        written.set(name, keyPath);
        matched.set(name, match(schema, value, keyPath));
      }
    }
    return Object.fromEntries(matched);
  }

  // Each kind of valibot's schemas has some of these fields.
  return { value: match(AGENT_SCHEMA as KeySchema, document, []), unknown, problems };
}

export function inFileOrder<Placed extends { readonly at?: SourcePosition }>(
  all: readonly Placed[],
): readonly Placed[] {
  return all.toSorted(
    ({ at: a }, { at: b }) =>
      (a?.line ?? 0) - (b?.line ?? 0) || (a?.column ?? 0) - (b?.column ?? 0),
  );
}

interface TomlSource {
  /** The requested name. */
  readonly name: string;
  /** Path, URL or `built-in`, for people. */
  readonly file: string;
}

/** The error for an unreadable agent file, with axe's prefix. */
export function parseError(
  { name, file }: TomlSource,
  message: string,
  remedy: string,
  position?: Omit<SourcePosition, 'file'>,
): ConfigError {
  return new ConfigError(`failed to parse agent config "${name}": ${message}`, {
    remedy,
    at: { file, ...position },
  });
}
