import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { BUILT_IN_AGENTS } from '../../src/agent/built-in.js';
import {
  ACTION_MAX_TOKENS,
  ACTION_TIMEOUT_MINUTES,
  CLI_TIMEOUT_SECONDS,
  DEFAULT_MODEL,
  MAX_CALLS_PER_TURN,
  MAX_PARALLEL_CALLS,
  MAX_TURNS,
} from '../../src/lib/defaults.js';
import { findProvider, PROVIDER_IDS } from '../../src/model/catalog.js';
import { findFacts, findPrice } from '../../src/model/model-facts.js';
import type { ToolParts } from '../../src/run/built-in-tools.js';
import { createTools } from '../../src/run/tools.js';
import { ACTION_INPUTS } from '../helpers/action-yml.js';
import { cellsOf, DOCS, markedTable, readDocument } from '../helpers/documents.js';

const ROOT = join(import.meta.dirname, '../..');

/** Whose models the columns of the table of costs are. */
const PROVIDERS: Readonly<Record<string, string>> = {
  'claude-sonnet-5-5': 'anthropic',
  'claude-haiku-4-5': 'anthropic',
  'gpt-4.1': 'openai',
  'gemini-2.5-flash': 'google',
};

describe('the table of costs', () => {
  const [head = [], ...rows] = markedTable('docs/cost-and-limits.md', 'costs');
  const models = head.slice(3);

  it.each(rows)('has list prices for a run that %s', (_, input = '', output = '', ...costs) => {
    const tokens = [input, output].map((cell) => Number(cell.replaceAll(',', '')));
    const [sent = Number.NaN, received = Number.NaN] = tokens;
    expect(costs).toEqual(
      models.map((model) => {
        const price = findPrice({ provider: PROVIDERS[model] ?? '', model });
        return `$${((sent * (price?.input ?? 0) + received * (price?.output ?? 0)) / 1_000_000).toFixed(3)}`;
      }),
    );
    expect(Math.min(...costs.map((cost) => Number(cost.slice(1))))).toBeGreaterThan(0);
  });

  it('has the figure that the README names', () => {
    const [, lines, dollars] =
      /a review of (\d+) changed lines costs about (\$[\d.]+) with the default model/.exec(
        readDocument('README.md'),
      ) ?? [];
    const cost = rows.find(([run]) => run?.startsWith(`reviews ${lines} changed lines`))?.[3];
    expect(models[0]).toBe(DEFAULT_MODEL.replace(/^.*\//, ''));
    expect(dollars).toBe(`$${Number(cost?.slice(1)).toFixed(2)}`);
  });

  it('names models whose price is known', () => {
    expect(models).toEqual(Object.keys(PROVIDERS));
    expect(rows.length).toBeGreaterThan(0);
  });
});

it('the table of models in the code has every model that the README, the docs, the examples and the built-in agents name', () => {
  const examples = readdirSync(join(ROOT, 'examples'), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.\w+$/.test(file))
    .map((file) => `examples/${file}`);
  const texts = [
    ...['README.md', 'action.yml', ...DOCS, ...examples].map(
      (file) => [file, readDocument(file)] as const,
    ),
    ...BUILT_IN_AGENTS.map(({ name, toml }) => [name, toml] as const),
  ];
  const named = texts.flatMap(([place, text]) =>
    (text.match(/\b(?:claude|gpt|gemini|grok|deepseek|minimax)-[\w.@:-]*\w/gi) ?? [])
      .filter((name) => /\d/.test(name))
      .map((model) => ({ place, model })),
  );
  expect(named.length).toBeGreaterThan(30);
  expect(
    named.filter(({ model }) => findFacts({ provider: 'openrouter', model }) === undefined),
  ).toEqual([]);
});

it.each([
  ['Turns', 2, `\`max-turns\`: ${ACTION_INPUTS['max-turns']?.default}`],
  ['Turns', 3, String(MAX_TURNS)],
  ['Tokens', 2, `\`max-tokens\`: ${ACTION_MAX_TOKENS.toLocaleString('en')};`],
  ['Cost', 2, `\`max-cost-usd\`: ${ACTION_INPUTS['max-cost-usd']?.default === '0' ? 'none' : ''}`],
  ['Time', 2, `\`timeout-minutes\`: ${ACTION_TIMEOUT_MINUTES};`],
  ['Time', 3, `else ${CLI_TIMEOUT_SECONDS} s`],
  [
    'Tool calls of one turn',
    2,
    `${MAX_CALLS_PER_TURN} run: reading ones ${MAX_PARALLEL_CALLS} at a time, others in order`,
  ],
])(
  'the table of limits states that of %s (column %i) as the code has it',
  (limit, column, text) => {
    const row =
      readDocument('docs/cost-and-limits.md')
        .split('\n')
        .find((line) => line.startsWith(`| ${limit} |`)) ?? '';
    expect(cellsOf(row)[column - 1]).toContain(text);
  },
);

it('the table of reasons to skip has each reason of the code', () => {
  const code = readDocument('src/event/admission.ts');
  const [, union = ''] = /^type SkipReason =([\s\S]*?);$/m.exec(code) ?? [];
  const reasons = [...union.matchAll(/\| '([\w-]+)'/g)].map(([, reason]) => `\`${reason}\``);
  const [, ...rows] = markedTable('docs/events.md', 'skip-reasons');
  expect(reasons.length).toBeGreaterThan(10);
  expect(rows.map(([reason]) => reason).toSorted()).toEqual(reasons.toSorted());
});

it.each(PROVIDER_IDS)(
  'the table of models lists %s with the variables of its key and its address',
  (id) => {
    const rows = readDocument('docs/models.md').split('\n');
    const row = rows.find((one) => one.startsWith('|') && one.includes(`\`${id}/`)) ?? '';
    const [, model = '', key = '', address = ''] = cellsOf(row);
    expect(model).toContain(`\`${id}/`);
    const { keyVariable, baseUrlVariable } = findProvider({ provider: id, model: '' });
    expect(key).toContain(keyVariable);
    expect(address).toContain(baseUrlVariable);
  },
);

it('the example of `fail-on` adds to the default conclusions and leaves none out', () => {
  const [, words = ''] = /^ {10}fail-on: (.*)$/m.exec(readDocument('docs/reviews.md')) ?? [];
  expect(words).toBe(`${ACTION_INPUTS['fail-on']?.default}, findings:major`);
});

it('the table of tools has the effects of the code', async () => {
  const cells = readDocument('docs/tools.md').split('\n').map(cellsOf);
  const rows = cells.filter(
    ([name = '', effect = '']) => /^`\w+`$/.test(name) && /^\w+$/.test(effect),
  );
  const written = new Map(rows.map(([name = '', effect]) => [name.replaceAll('`', ''), effect]));
  // Only names and effects are read; no tool is run.
  const parts = { env: {}, allowedHosts: [] } as unknown as ToolParts;
  const { tools } = await createTools([...written.keys()], parts);
  expect(tools.length).toBeGreaterThan(5);
  expect(tools.filter(({ name, effect }) => (written.get(name) ?? effect) !== effect)).toEqual([]);
});

it('ARCHITECTURE.md names files that exist', () => {
  const places = [...readDocument('ARCHITECTURE.md').matchAll(/`((?:[\w-]+\/)+[\w-]+\.ts)`/g)].map(
    ([, place = '']) => place,
  );
  const isMissing = (place: string) =>
    ['src', '.'].every((folder) => !existsSync(join(ROOT, folder, place)));
  expect(places.length).toBeGreaterThan(20);
  expect(places.filter(isMissing)).toEqual([]);
});

it('the program names no host but those of models, GitHub, the search and pages for people', () => {
  const src = join(ROOT, 'src');
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' })
    // The providers and their clouds have their own table.
    .filter((file) => file.endsWith('.ts') && !/^model[\\/]/.test(file));
  const hosts = files.flatMap((file) =>
    [...readFileSync(join(src, file), 'utf8').matchAll(/https?:\/\/([\w-]+(?:\.[\w-]+)+)/g)].map(
      ([, host = '']) => host,
    ),
  );
  const asked = ['api.github.com', 'github.com', 'raw.githubusercontent.com', 'api.tavily.com'];
  const shown =
    /^(?:(?:git-lfs|redirect)\.github\.com|www\.githubstatus\.com|docs\.tavily\.com|nodejs\.org|pkg\.go\.dev|json\.schemastore\.org|json-schema\.org|(?:proxy|mcp)\.example(?:\.com)?)$/;
  expect(hosts.length).toBeGreaterThan(10);
  expect(hosts.filter((host) => !asked.includes(host) && !shown.test(host))).toEqual([]);
});
