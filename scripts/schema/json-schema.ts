import { AGENT_SCHEMA, isTable } from '../../src/agent/schema.js';
import { ACTION_ADDRESS, agentSchemaUrl } from '../../src/lib/action-address.js';
import { KEY_DESCRIPTIONS, type KeyDescription } from './describe-keys.js';

/** A JSON schema as it is written to a file. */
type Json = Readonly<Record<string, unknown>>;

/** Keys without which a table is refused, by its path. */
const REQUIRED: Readonly<Record<string, readonly string[]>> = {
  '': ['name', 'model'],
  mcp_servers: ['name', 'transport'],
};

/**
 * The form of an agent file for editors, made from the schema by which it is read; `scripts/schema.js` writes it to
 * `schema/agent.schema.json`. Stricter than a run in two ways: keys are lower-case, and unknown ones are refused.
 */
export function agentJsonSchema(tools: readonly string[]): Json {
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    $id: agentSchemaUrl(ACTION_ADDRESS),
    title: 'axe agent',
    description: 'An agent of axe and axe-action: a TOML file in `axe/agents/`.',
    ...jsonOf(AGENT_SCHEMA, { path: '', tools }),
  };
}

/** Where in the file a schema stands. */
interface At {
  readonly path: string;
  readonly tools: readonly string[];
}

/** The form of one value. Throws for a schema of a kind that is not known here, so that no key is passed over. */
function jsonOf(schema: unknown, at: At): Json {
  const type = field(schema, 'type');
  switch (type) {
    case 'optional':
      return jsonOf(field(schema, 'wrapped'), at);
    case 'lazy':
      return { anyOf: ['', {}].map((sample) => jsonOf(call(field(schema, 'getter'), sample), at)) };
    case 'object':
      return tableOf(field(schema, 'entries'), at);
    case 'array':
      return { type: 'array', items: elementOf(field(schema, 'item'), at) };
    case 'string':
      return { type: 'string', ...offered(at) };
    case 'boolean':
      return { type: 'boolean' };
    case 'bigint':
      return { type: 'integer', minimum: 0, ...most(at) };
    case 'custom':
      return customOf(field(schema, 'message'));
    default:
      throw new Error(`no JSON schema is known for ${String(type)} at ${at.path}`);
  }
}

function tableOf(entries: unknown, at: At): Json {
  const required = REQUIRED[at.path];
  const keys = isTable(entries) ? Object.entries(entries) : [];
  return {
    type: 'object',
    ...(required === undefined ? {} : { required }),
    properties: Object.fromEntries(
      keys.map(([key, entry]) => {
        const path = at.path === '' ? key : `${at.path}.${key}`;
        const { about, default: usual } = describe(path);
        const found = jsonOf(entry, { ...at, path });
        return [key, { description: about, ...found, ...(usual === undefined ? {} : { default: usual }) }];
      }),
    ),
    additionalProperties: false,
  };
}

function elementOf(item: unknown, at: At): Json {
  if (at.path !== 'tools') return jsonOf(item, at);
  // A run goes on without a tool that it does not know.
  return { anyOf: [{ enum: at.tools }, { type: 'string' }] };
}

function customOf(message: unknown): Json {
  switch (message) {
    case 'a number':
      return { type: 'number' };
    case 'a table of strings':
      return { type: 'object', additionalProperties: { type: 'string' } };
    case 'a table':
      return { type: 'object' };
    default:
      throw new Error(`no JSON schema is known for ${String(message)}`);
  }
}

function offered({ path }: At): Json {
  const { choices, examples } = describe(path);
  if (choices !== undefined) return { enum: choices };
  if (path === 'name' || path === 'model') return { minLength: 1, ...(examples && { examples }) };
  return examples === undefined ? {} : { examples };
}

function most({ path }: At): Json {
  const { max } = describe(path);
  return max === undefined ? {} : { maximum: max };
}

function describe(path: string): KeyDescription {
  const found = KEY_DESCRIPTIONS[path];
  if (found === undefined) throw new Error(`the key ${path} has no description`);
  return found;
}

function field(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
}

function call(getter: unknown, argument: unknown): unknown {
  if (typeof getter !== 'function') throw new Error('a lazy schema has no getter');
  return getter(argument);
}
