import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { AGENT_SCHEMA } from '../../src/agent/config.js';
import { parseAgent } from '../../src/agent/parse.js';

const NOTES = readFileSync(new URL('../../docs/notes.md', import.meta.url), 'utf8');
const HEAD = 'name = "v"\nmodel = "a/m"\n[memory]\nenabled = true\n';

/** Keys and defaults as the table of the page about notes has them. */
function tableOfKeys(): ReadonlyMap<string, string> {
  const [table = ''] = NOTES.slice(NOTES.indexOf('| Key of `[memory]` |')).split('\n\n', 1);
  const rows = table.matchAll(/^\| `(\w+)` \| (?:`(.*?)`|) ?\|/gm);
  return new Map([...rows].map(([, key = '', value = '']) => [key, value]));
}

function parse(lines: string) {
  return parseAgent(HEAD + lines, { name: 'v', file: 'v.toml' });
}

describe('the keys of `[memory]` in docs/notes.md', () => {
  const table = tableOfKeys();

  it('are those in the code, without the keys of the run log', () => {
    const general = ['enabled', 'path', 'last_n', 'max_entries', 'max_log_bytes', 'provenance'];
    const keys = Object.keys(AGENT_SCHEMA.entries.memory.wrapped.entries);
    expect([...table.keys(), ...general].sort()).toEqual(keys.sort());
  });

  it.each([...table].filter(([, value]) => value !== ''))(
    '%s = %s is the value without the key',
    (key, value) => {
      const { config, warnings } = parse(`${key} = ${value}\n`);
      expect(warnings).toEqual([]);
      expect(config).toEqual(parse('').config);
    },
  );
});
