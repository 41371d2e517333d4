import { AGENT_SCHEMA } from '../../src/agent/config.js';
import { keyOf, keysIn } from '../../src/agent/keys.js';
import { ACTION_ADDRESS, agentSchemaUrl } from '../../src/lib/product.js';

/** A JSON schema as it is written to a file. */
type Json = Readonly<Record<string, unknown>>;

/** Keys without which a table is refused, by its path. */
const REQUIRED: Readonly<Record<string, readonly string[]>> = {
  '': ['name', 'model'],
  mcp_servers: ['name', 'transport'],
};

/**
 * The form of an agent file for editors, made from the schema by which it is read;
 * `scripts/schema.js` writes it to `schema/agent.schema.json`. Stricter than a run in two ways:
 * keys are lower-case, and unknown ones are refused.
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
  /** What is said of the key. */
  readonly key?: ReturnType<typeof keyOf>;
}

/**
 * The form of one value. Throws for a schema of a kind that is not known here, so that no key is
 * passed over.
 */
function jsonOf(schema: object, at: At): Json {
  const type = field(schema, 'type');
  switch (type) {
    case 'optional':
      return jsonOf(inner(schema, 'wrapped'), at);
    case 'lazy':
      return { anyOf: ['', {}].map((sample) => jsonOf(call(field(schema, 'getter'), sample), at)) };
    case 'object':
      return tableOf(schema, at);
    case 'array':
      return { type: 'array', items: elementOf(inner(schema, 'item'), at) };
    case 'string':
      return { type: 'string', ...offered(at) };
    case 'boolean':
      return { type: 'boolean' };
    case 'bigint':
      return {
        type: 'integer',
        minimum: 0,
        ...(at.key?.max === undefined ? {} : { maximum: at.key.max }),
      };
    case 'custom':
      return customOf(field(schema, 'message'));
    default:
      throw new Error(`no JSON schema is known for ${String(type)} at ${at.path}`);
  }
}

function tableOf(schema: object, { path: parent, tools }: At): Json {
  const required = REQUIRED[parent];
  return {
    type: 'object',
    ...(required === undefined ? {} : { required }),
    properties: Object.fromEntries(
      Object.entries(keysIn(schema) ?? {}).map(([name, entry]) => {
        const path = parent === '' ? name : `${parent}.${name}`;
        const key = keyOf(entry);
        if (key === undefined) throw new Error(`the key ${path} has no description`);
        const found = jsonOf(entry, { path, tools, key });
        return [
          name,
          {
            description: key.description,
            ...found,
            ...(key.default === undefined ? {} : { default: key.default }),
          },
        ];
      }),
    ),
    additionalProperties: false,
  };
}

function elementOf(item: object, at: At): Json {
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

function offered({ path, key: { choices, examples } = { description: '' } }: At): Json {
  if (choices !== undefined) return { enum: choices };
  if (path === 'name' || path === 'model') return { minLength: 1, ...(examples && { examples }) };
  return examples === undefined ? {} : { examples };
}

function field(value: object, key: string): unknown {
  return Reflect.get(value, key);
}

function inner(schema: object, key: string): object {
  return Object(field(schema, key));
}

function call(getter: unknown, argument: unknown): object {
  if (typeof getter !== 'function') throw new Error('a lazy schema has no getter');
  return Object(getter(argument));
}
