import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { parseAgent } from '../../../src/axe/agent/parse.js';
import { scaffoldAgent } from '../../../src/axe/agent/scaffold.js';

const FRESH = new URL('../../golden/axe/20-agents-commands/agents/fresh.toml', import.meta.url);

describe('scaffoldAgent', () => {
  it('has the keys and values of the file that axe writes, in its order (golden 20, step 02)', () => {
    expect(settings(scaffoldAgent('fresh'))).toEqual(settings(readFileSync(fileURLToPath(FRESH), 'utf8')));
  });

  it.each([
    ['TestScaffold_IncludesMemoryLastN', '# last_n = 10'],
    ['TestScaffold_IncludesMemoryMaxEntries', '# max_entries = 100'],
    [
      'source document 000, requirement 2.4',
      '# [memory]\n# enabled = false\n# path = ""\n# last_n = 10\n# max_entries = 100\n',
    ],
  ])('%s: contains %j', (_test, text) => {
    expect(scaffoldAgent('a')).toContain(text);
  });

  it.each(['fresh', 'q"x', 'back\\slash', 'line\nbreak', 'tab\t\u007f', 'ß漢🎉'])(
    'gives a file that can be read for the name %j',
    (name) => {
      const { config, warnings } = parseAgent(scaffoldAgent(name), { name, file: 'x.toml' });
      expect(config.name).toBe(name);
      expect(warnings).toEqual([]);
    },
  );

  it('has no key in its comments that we would not read', () => {
    const text = scaffoldAgent('a').replaceAll(/^# (?=\[|\w+ = )/gm, '');
    expect(parseAgent(text, { name: 'a', file: 'a.toml' })).toMatchObject({
      warnings: [],
      config: { memory: { lastN: 10, maxEntries: 100 }, params: { temperature: 0.3, maxTokens: 4096 } },
    });
  });
});

/** The lines that set something or open a table, comment or not. */
function settings(toml: string): string[] {
  return toml.split('\n').filter((line) => /^(?:# )?(?:\w+ = |\[)/.test(line));
}
