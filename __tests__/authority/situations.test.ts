import { expect, it } from '@jest/globals';
import { DEFAULT_ADMISSION_POLICY, rightsOf } from '../../src/event/trust.js';
import type { ReviewFact } from '../../src/findings/state-facts.js';
import { withFacts } from '../../src/memory/state.js';
import { runPipeline } from '../../src/run/run.js';
import { known } from '../findings/threads.js';
import {
  AGENT_WITH_MEMORY,
  createFakeDependencies,
  makeRequest,
} from '../helpers/dependencies-fake.js';
import { call, createFakeModel, reply, says } from '../helpers/model-fake.js';
import { PERMISSIONS, SITUATIONS, type Situation } from './situations.js';

/** What the product makes of a situation, in the words of its table. */
async function outcomeOf(situation: Situation): Promise<string> {
  const { trigger, policy, context, posted, toFix, tool } = situation;
  const fact: ReviewFact = {
    kind: 'posted',
    id: '1',
    pull: 42,
    ids: [7],
    words: posted ?? 'own',
    at: 0,
  };
  const turns = tool === undefined ? [] : [reply([call('c', tool.name, {})])];
  const deps = createFakeDependencies({
    agents: { bot: AGENT_WITH_MEMORY, 'builtin/fix': AGENT_WITH_MEMORY },
    memory: posted === undefined ? {} : { 'bot.state.md': withFacts('', [fact]) },
    permissions: PERMISSIONS,
    context: context ?? { kind: 'none', warnings: [] },
    model: createFakeModel([...turns, says('done')]),
    boxes: tool === undefined ? {} : { bot: { tools: [tool] } },
  });
  const admissionPolicy = { ...DEFAULT_ADMISSION_POLICY, ...policy };
  const fixes = toFix === undefined ? {} : { toFix: [known({ words: toFix })] };
  const request = makeRequest({ trigger, admissionPolicy, inWorkflow: true, ...fixes });
  const report = await runPipeline(request, deps);
  if (report.kind === 'skipped') return `skipped: ${report.decision.reason}`;
  if (report.kind !== 'ran') throw new Error(`the run was ${report.kind}`);

  const { word, begun, rights } = report.plan.reading;
  const { remembers, ends, changes } = rights;
  const { tools, privateMemory } = rightsOf(begun);
  const shown = [
    `${word}:`,
    remembers,
    ends,
    changes,
    tools,
    ...(privateMemory ? ['private'] : []),
  ];
  return shown.join(' ');
}

it.each(SITUATIONS)('$name is decided as the table says: $expected', async (situation) => {
  expect(await outcomeOf(situation)).toBe(situation.expected);
});

it('has every situation of the table once', () => {
  expect(new Set(SITUATIONS.map(({ name }) => name)).size).toBe(55);
});
