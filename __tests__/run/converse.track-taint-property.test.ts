import type { LanguageModelV4CallOptions } from '@ai-sdk/provider';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ToolError } from '../../src/lib/errors.js';
import { runPipeline } from '../../src/run/run.js';
import type { Tool, ToolEffect } from '../../src/tools/tool.js';
import { createFakeDependencies, fakeTool, makeRequest } from '../helpers/dependencies-fake.js';
import { call, createFakeModel, reply, says } from '../helpers/model-fake.js';
import { SCHEDULE } from '../helpers/triggers.js';

/** One call of an agent, in a turn of its own: a tool, or the sub-agent with what that calls. */
type Step =
  | { readonly kind: 'tool'; readonly effect: ToolEffect; readonly hasStrangers: boolean }
  | { readonly kind: 'sub-agent'; readonly steps: readonly Extract<Step, { kind: 'tool' }>[] };

const EFFECTS: readonly ToolEffect[] = ['read', 'write', 'execute', 'network', 'publish'];
const toolStep = fc.record({
  kind: fc.constant('tool' as const),
  effect: fc.constantFrom(...EFFECTS),
  hasStrangers: fc.boolean(),
});
const step: fc.Arbitrary<Step> = fc.oneof(
  toolStep,
  fc.record({
    kind: fc.constant('sub-agent' as const),
    steps: fc.array(toolStep, { maxLength: 3 }),
  }),
);

/**
 * The lanes that the entries should be in, in the order in which they are written: sub-agents'
 * first.
 */
function expectedLanes(steps: readonly Step[]) {
  let hasStrangers = false;
  const helpers: boolean[] = [];
  for (const one of steps) {
    for (const used of one.kind === 'tool' ? [one] : one.steps)
      hasStrangers ||= used.effect === 'network' || used.effect === 'execute' || used.hasStrangers;
    if (one.kind === 'sub-agent') helpers.push(hasStrangers);
  }
  return { helpers, bot: hasStrangers };
}

function toolName({ effect, hasStrangers }: Extract<Step, { kind: 'tool' }>): string {
  return `${effect}_${hasStrangers ? 'theirs' : 'ours'}`;
}

const TOOLS: readonly Tool[] = EFFECTS.flatMap((effect) =>
  [true, false].map((hasStrangers) =>
    fakeTool(
      toolName({ kind: 'tool', effect, hasStrangers }),
      effect,
      hasStrangers ? { strangers: 'issue #12 by eve' } : {},
    ),
  ),
);

/** Makes one call a turn, then answers; the task of a sub-agent says what to do. */
function scripted(steps: readonly Step[]) {
  const orders = new Map(steps.map((one, index) => [`order-${index}`, one]));
  async function play({ prompt }: LanguageModelV4CallOptions) {
    const said = JSON.stringify(prompt.filter(({ role }) => role === 'user').slice(0, 1));
    const order = orders.get(/order-\d+/.exec(said)?.[0] ?? '');
    const mine: readonly Step[] = order?.kind === 'sub-agent' ? order.steps : steps;
    const turn = prompt.filter(({ role }) => role === 'assistant').length;
    const next = mine[turn];
    if (next === undefined) return says('STRANGE WORDS');
    if (next.kind === 'tool') return reply([call(`c${turn}`, toolName(next), {})]);
    return reply([call(`c${turn}`, 'call_agent', { agent: 'helper', task: `order-${turn}` })]);
  }
  return createFakeModel(Array(200).fill(play), 'scripted');
}

const agent = (name: string, more = '') =>
  `name = "${name}"\nmodel = "p/${name}"\nsystem_prompt = "I am ${name}."\n${more}\n[memory]\nenabled = true\n`;

describe('a run with sub-agents, whatever they read and in whatever order,', () => {
  it('keeps every entry apart that was written after something tainted the run, and no others', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 6 }), async (steps) => {
        const deps = createFakeDependencies({
          model: scripted(steps),
          agents: { bot: agent('bot', 'sub_agents = ["helper"]'), helper: agent('helper') },
          boxes: { bot: { tools: TOOLS }, helper: { tools: TOOLS } },
        });
        const origin = { runId: '1', attempt: '1', sha: 'c'.repeat(40) };
        const report = await runPipeline(
          makeRequest({ trigger: SCHEDULE, origin, inWorkflow: true }),
          deps,
        );
        const results = (path: string) =>
          (deps.memory.get(path) ?? '').match(/^\*\*Result:\*\* .*$/gm) ?? [];
        const { helpers, bot } = expectedLanes(steps);
        const isApart = (path: string) =>
          results(path).map((text) => !text.includes('STRANGE WORDS'));
        expect(isApart('helper.md')).toEqual(helpers);
        expect(isApart('bot.md')).toEqual([bot]);
        expect(results('apart/helper.md')).toHaveLength(helpers.filter(Boolean).length);
        expect(results('apart/bot.md')).toHaveLength(bot ? 1 : 0);
        expect(report).toMatchObject({ kind: 'ran' });
        expect(report.kind === 'ran' && report.plan.reading.strangers.length > 0).toBe(bot);
      }),
      { numRuns: 100 },
    );
  });

  it('is tainted by the call itself, whatever comes of it', async () => {
    const execute = () => Promise.reject(new ToolError('no answer'));
    const broken: Tool = { ...fakeTool('ask', 'network'), execute };
    const deps = createFakeDependencies({
      model: createFakeModel([reply([call('c', 'ask', {})]), says('done')]),
      boxes: { bot: { tools: [broken] } },
    });
    const report = await runPipeline(makeRequest({ trigger: SCHEDULE, inWorkflow: true }), deps);
    expect(report.kind === 'ran' && report.plan.reading.strangers).toEqual([
      expect.stringContaining('`ask`'),
    ]);
  });
});
