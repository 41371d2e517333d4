import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from '@jest/globals';
import { parseAgent } from '../../src/agent/inspect.js';
import { scaffoldAgent } from '../../src/agent/scaffold.js';

const FRESH = new URL('../golden/axe/20-agents-commands/agents/fresh.toml', import.meta.url);

it('scaffoldAgent has the keys and values of axe’s file, in its order (golden 20, step 02)', () => {
  const axes = settings(readFileSync(fileURLToPath(FRESH), 'utf8'));
  expect(inOrder(axes, settings(scaffoldAgent('fresh')))).toEqual(axes);
});

it.each(['fresh', 'q"x', 'back\\slash', 'line\nbreak', 'tab\t\u007f', 'ß漢🎉'])(
  'scaffoldAgent creates a readable file for the name %j',
  (name) => {
    const { config, warnings } = parseAgent(scaffoldAgent(name), { name, file: 'x.toml' });
    expect(config.name).toBe(name);
    expect(warnings).toEqual([]);
  },
);

it('scaffoldAgent has no key in its comments that would not be read', () => {
  const uncommented = scaffoldAgent('a').replaceAll(/^# (?=\[|\w+ = )/gm, '');
  expect(parseAgent(uncommented, { name: 'a', file: 'a.toml' })).toMatchObject({
    warnings: [],
    config: {
      memory: { lastN: 10, maxEntries: 100 },
      params: { temperature: 0.3, maxTokens: 4096 },
    },
  });
});

/** Of some lines those that follow each other in the order of the wanted ones. */
function inOrder(wanted: readonly string[], lines: readonly string[]): string[] {
  const found: string[] = [];
  for (const line of lines) if (line === wanted[found.length]) found.push(line);
  return found;
}

/** The lines that set something or open a table, comment or not. */
function settings(toml: string): string[] {
  return toml.split('\n').filter((line) => /^(?:# )?(?:\w+ = |\[)/.test(line));
}
