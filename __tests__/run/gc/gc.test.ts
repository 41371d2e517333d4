import { expect, it } from '@jest/globals';
import { ProviderError } from '../../../src/lib/errors.js';
import { estimateText } from '../../../src/lib/text/bytes.js';
import { formatEntry } from '../../../src/memory/run-log.js';
import { parseLog } from '../../../src/memory/units.js';
import { collectGarbage, type GcRequest } from '../../../src/run/gc/gc.js';
import type { GcFindings } from '../../../src/run/gc-result.js';
import {
  createFakeDependencies,
  type FakeDependenciesParts,
} from '../../helpers/dependencies-fake.js';
import { createFakeModel, type FakeReply, says } from '../../helpers/model-fake.js';

const TOML = `name = "bot"
model = "anthropic/m"
[memory]
enabled = true
last_n = 2
`;

function log(entries: number, words = 1): string {
  return Array.from({ length: entries }, (_, index) =>
    formatEntry({
      timestamp: new Date(Date.UTC(2026, 0, 1, 0, 0, index)),
      task: `task ${index}`,
      result: 'word '.repeat(words),
    }),
  ).join('');
}

async function scene(
  replies: readonly FakeReply[],
  parts: FakeDependenciesParts = {},
  toml = TOML,
) {
  const model = createFakeModel(replies);
  const deps = createFakeDependencies({
    agents: { bot: toml },
    memory: { 'bot.md': log(5) },
    model,
    ...parts,
  });
  const told: GcFindings[] = [];
  const request: GcRequest = {
    agent: await deps.agents.loadAgent('bot'),
    model: '',
    fallbackModels: [],
    store: deps.openMemory(await deps.agents.loadAgent('bot'), {} as never),
    path: 'bot.md',
    trigger: { kind: 'local' },
    limits: () => ({ maxTokens: 0, maxCostUsd: 0 }),
    dryRun: false,
    tell: (findings) => told.push(findings),
  };
  const found = (): GcFindings => Object.assign({}, ...told);
  return { model, deps, request, found };
}

const THINKS = { thinks: 'by default', maxOutputTokens: 128_000 } as const;

it('garbage collection never falls back on the offline rules', async () => {
  const toml = `${TOML}[retry]\nmax_retries = 0\n`;
  const { model, deps, request } = await scene([new ProviderError('overloaded', 'busy')], {}, toml);
  const fallbackModels = ['offline/rules'];
  await expect(collectGarbage({ ...request, fallbackModels }, deps)).rejects.toThrow('busy');
  expect(model.asked).toHaveLength(1);
  expect(deps.memory.get('bot.md')).toBe(log(5));
});

it.each([
  ['axe’s for a model that does not think', '', {}, 4096],
  ['none for a model that thinks', '', { thinking: THINKS }, undefined],
  ['the agent’s, where it is larger', '[params]\nmax_tokens = 9000', { thinking: THINKS }, 9000],
  ['axe’s, where the agent’s is smaller', '[params]\nmax_tokens = 900', {}, 4096],
])('garbage collection asks with a limit of output: %s', async (_what, params, facts, expected) => {
  const parts = { facts: { 'anthropic/m': facts } };
  const { model, deps, request } = await scene([says('Found it.')], parts, `${TOML}\n${params}`);
  await collectGarbage(request, deps);
  expect(model.asked.map(({ maxOutputTokens }) => maxOutputTokens)).toEqual([expected]);
});

it.each([
  ['the window', { windowTokens: 16_000 }, { maxTokens: 0, maxCostUsd: 0 }],
  ['the tokens it may use', {}, { maxTokens: 16_000, maxCostUsd: 0 }],
  [
    'what it may cost',
    { price: { input: 2, output: 8, cacheRead: 0, cacheWrite: 0 } },
    { maxTokens: 0, maxCostUsd: 0.032 },
  ],
])(
  'garbage collection asks once about the newest entries that fit into half of %s, and trims the others too',
  async (_what, facts, limits) => {
    const text = log(200, 150);
    const parts = { memory: { 'bot.md': text }, facts: { 'anthropic/m': facts } };
    const { model, deps, request, found } = await scene([says('Found it.')], parts);
    expect((await collectGarbage({ ...request, limits: () => limits }, deps)).end).toMatchObject({
      removed: 198,
    });
    const message = model.asked[0]?.prompt[1];
    const [part] = message?.role === 'user' ? message.content : [];
    const asked = part?.type === 'text' ? part.text : '';
    expect(text.endsWith(asked)).toBe(true);
    expect(estimateText(asked)).toBeLessThanOrEqual(8000);
    expect(estimateText(asked)).toBeGreaterThan(6000);
    expect(found().analysis?.unread).toBe(200 - parseLog(asked).units.length);
  },
);
