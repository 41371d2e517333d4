import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { stringify } from 'smol-toml';
import { parseAgent } from '../../src/agent/inspect.js';
import type { KeyPath } from '../../src/agent/keys.js';
import { createLocator } from '../../src/agent/positions.js';
import { ConfigError } from '../../src/lib/errors.js';

const AGENT = `name = "v" # comment
model = 'anthropic/m'
system_prompt = """
[not.a.table]
x = 1
"""
files = ["a", "b",
  "c"]
[memory]
enabled = true
last_n = 0x1F
[params]
temperature = 1e-1
response_format = { type = "json_schema", schema = { a.b = [ { c = 1 } ] } }
[[mcp_servers]]
name = "w"
url = "https://example.com"
transport = "sse"
[mcp_servers.headers]
"X-Key" = "x"
`;

const MARKS =
  '" \' """ \'\'\' [ ] [[ ]] { } = . , \\ # -1 __proto__ constructor nan 1979-05-27 1e400'.split(
    ' ',
  );
const SNIPPET = fc.oneof(
  fc.constantFrom(...MARKS, '\n', '\r\n', '\u0000', '\ud800', '\ufeff', 'NAME = 1\n'),
  fc.string({ unit: 'binary', maxLength: 5 }),
);

it('parseAgent reads any text, or refuses it with a ConfigError that has a place', () => {
  const edit = fc.record({ at: fc.nat(AGENT.length), cut: fc.nat(20), insert: SNIPPET });
  fc.assert(
    fc.property(fc.array(edit, { minLength: 1, maxLength: 4 }), (edits) => {
      const text = edits.reduce(
        (t, { at, cut, insert }) => t.slice(0, at) + insert + t.slice(at + cut),
        AGENT,
      );
      try {
        const { warnings } = parseAgent(text, { name: 'v', file: 'v.toml' });
        for (const warning of warnings) expect(warning.at?.line).toBeGreaterThan(0);
      } catch (thrown) {
        if (!(thrown instanceof ConfigError)) throw thrown;
        expect(thrown.at?.file).toBe('v.toml');
        expect(thrown.at?.line).toBeLessThanOrEqual(text.split('\n').length);
        expect(thrown.remedy).toBeTruthy();
      }
    }),
    { numRuns: 3000 },
  );
});

it('createLocator finds every key of any document the TOML library writes, at the key', () => {
  const key = fc.oneof(
    fc.constantFrom('a', 'b', 'c-d', 'E'),
    fc.string({ minLength: 1, maxLength: 4 }),
  );
  const leaf = fc.oneof(
    fc.string(),
    fc.constantFrom('a = 1\n[b]\n', "'''", '"""', '# c'),
    fc.integer(),
    fc.boolean(),
  );
  const { table } = fc.letrec<{ value: unknown; table: Record<string, unknown> }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 2 },
      leaf,
      fc.array(leaf),
      fc.array(tie('table'), { maxLength: 3 }),
      tie('table'),
    ),
    table: fc.dictionary(key, tie('value'), { maxKeys: 4, noNullPrototype: true }),
  }));
  fc.assert(
    fc.property(table, (document) => {
      fc.pre(!JSON.stringify(document).includes('__proto__'));
      const text = stringify(document);
      const lines = text.split('\n');
      const locator = createLocator(text);
      for (const path of pathsOf(document, [])) {
        const position = locator(path);
        expect({ path, text, position }).toMatchObject({ position: { line: expect.any(Number) } });
        const rest = lines[(position?.line ?? 0) - 1]?.slice((position?.column ?? 0) - 1) ?? '';
        const name = String(path.findLast((part) => typeof part === 'string'));
        expect([name, JSON.stringify(name)].some((written) => rest.includes(written))).toBe(true);
      }
    }),
    { numRuns: 500 },
  );
});

/** Paths of the keys in a document; tables that hold only tables have no line of their own. */
function pathsOf(value: unknown, path: KeyPath): readonly KeyPath[] {
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.flatMap((item, index) => pathsOf(item, [...path, index]));
  return Object.entries(value).flatMap(([key, inner]) => [
    [...path, key],
    ...pathsOf(inner, [...path, key]),
  ]);
}
