import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from '@jest/globals';
import { Ajv } from 'ajv';
import { parse } from 'smol-toml';
import { agentJsonSchema } from '../../scripts/schema/json-schema.js';
import { BUILT_IN_AGENTS } from '../../src/agent/built-in.js';
import { inspectAgent } from '../../src/agent/inspect.js';
import { scaffoldAgent } from '../../src/agent/scaffold.js';
import { ACTION_ADDRESS, agentSchemaUrl } from '../../src/lib/product.js';
import { AGENT_TOOLS } from '../../src/run/tools.js';

const ROOT = resolve(import.meta.dirname, '../..');
const SCHEMA: unknown = JSON.parse(readFileSync(join(ROOT, 'schema/agent.schema.json'), 'utf8'));
const validate = new Ajv({ allErrors: true }).compile(SCHEMA as object);
const EXAMPLES = join(ROOT, 'examples/agents');

/** What the schema has against an agent file. */
function faults(toml: string): readonly string[] {
  validate(parse(toml));
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

/** The keys of a table of the schema and of the tables in it, as paths. */
function pathsOf(
  schema: unknown,
  path = '',
): readonly { readonly path: string; readonly about: unknown }[] {
  const {
    properties = {},
    items,
    anyOf = [],
  } = schema as {
    readonly properties?: Readonly<Record<string, { readonly description?: unknown }>>;
    readonly items?: unknown;
    readonly anyOf?: readonly unknown[];
  };
  const own = Object.entries(properties).flatMap(([key, value]) => {
    const at = path === '' ? key : `${path}.${key}`;
    return [{ path: at, about: value.description }, ...pathsOf(value, at)];
  });
  const inside = items === undefined ? anyOf : [items, ...anyOf];
  return [...own, ...inside.flatMap((inner) => pathsOf(inner, path))];
}

it('schema/agent.schema.json is the output of `node scripts/schema.js`', () => {
  expect(SCHEMA).toEqual(JSON.parse(JSON.stringify(agentJsonSchema(AGENT_TOOLS))));
});

it('schema/agent.schema.json has the address that new agent files name', () => {
  expect(SCHEMA).toMatchObject({ $id: agentSchemaUrl(ACTION_ADDRESS) });
});

it('schema/agent.schema.json describes every key', () => {
  const paths = pathsOf(SCHEMA);
  expect(paths.length).toBeGreaterThan(80);
  expect(paths.filter(({ about }) => typeof about !== 'string' || about === '')).toEqual([]);
});

it.each(BUILT_IN_AGENTS)('schema/agent.schema.json accepts $name', ({ toml }) => {
  expect(faults(toml)).toEqual([]);
});

it.each(readdirSync(EXAMPLES))('schema/agent.schema.json accepts examples/agents/%s', (file) => {
  expect(faults(readFileSync(join(EXAMPLES, file), 'utf8'))).toEqual([]);
});

it('schema/agent.schema.json accepts a new agent file, even with every key set to its example', () => {
  const scaffold = scaffoldAgent('helper');
  const whole = scaffold.replace(/^# (?=\[|[a-z_-]+ = )/gm, '');
  expect(Object.keys(parse(whole)).length).toBeGreaterThan(13);
  expect([faults(scaffold), faults(whole)]).toEqual([[], []]);
});

it.each([
  ['no model', 'name = "a"'],
  ['an empty name', 'name = ""\nmodel = "a/b"'],
  ['a mistyped key', 'name = "a"\nmodel = "a/b"\nmodle = "x"'],
  ['a mistyped key of a table', 'name = "a"\nmodel = "a/b"\n[memory]\nenable = true'],
  ['a number in quotes', 'name = "a"\nmodel = "a/b"\ntimeout = "5"'],
  ['a negative number', 'name = "a"\nmodel = "a/b"\ntimeout = -1'],
  ['sub-agents that are too deep', 'name = "a"\nmodel = "a/b"\n[sub_agents_config]\nmax_depth = 6'],
  ['a word that is not a choice', 'name = "a"\nmodel = "a/b"\n[review]\ndepth = "deep"'],
  ['a form that is not a choice', 'name = "a"\nmodel = "a/b"\n[params]\nresponse_format = "xml"'],
  ['a server without a transport', 'name = "a"\nmodel = "a/b"\n[[mcp_servers]]\nname = "x"'],
])('schema/agent.schema.json refuses %s, for which a run fails or warns', (_, toml) => {
  const { errors, warnings } = inspectAgent(toml, { name: 'a', file: 'a.toml' });
  expect(errors.length + warnings.length).toBeGreaterThan(0);
  expect(faults(toml)).not.toEqual([]);
});

it.each([
  ['a word for the form of the answer', 'response_format = "json_object"'],
  ['a table for it', 'response_format = { type = "json_schema", schema = { type = "object" } }'],
  ['a temperature without a fraction', 'temperature = 1'],
])('schema/agent.schema.json accepts %s', (_, line) => {
  expect(faults(`name = "a"\nmodel = "a/b"\n[params]\n${line}\n`)).toEqual([]);
});
