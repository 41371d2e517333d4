import { expect, it } from '@jest/globals';
import { DEFAULT_ADMISSION_POLICY, rightsOf } from '../../src/event/trust.js';
import type { ReviewFact } from '../../src/findings/state-facts.js';
import { withFacts } from '../../src/memory/state.js';
import type { RunReport } from '../../src/run/records.js';
import { runPipeline } from '../../src/run/run.js';
import { known } from '../findings/threads.js';
import {
  AGENT_WITH_MEMORY,
  createFakeDependencies,
  makeRequest,
} from '../helpers/dependencies-fake.js';
import { call, createFakeModel, reply, says } from '../helpers/model-fake.js';
import { PERMISSIONS, SITUATIONS, type Situation } from './situations.js';

/** Carries a situation out; with `isMemoryHidden` the memory is in another repository. */
async function runOf(situation: Situation, isMemoryHidden: boolean): Promise<RunReport> {
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
  return await runPipeline(
    makeRequest({ trigger, admissionPolicy, inWorkflow: true, isMemoryHidden, ...fixes }),
    deps,
  );
}

/** What the product makes of a situation, in the words of its table. */
async function outcomeOf(situation: Situation): Promise<string> {
  const report = await runOf(situation, false);
  if (report.kind === 'skipped') return `skipped: ${report.decision.reason}`;
  if (report.kind !== 'ran') throw new Error(`the run was ${report.kind}`);

  const { word, begun, rights } = report.plan.reading;
  const { remembers, ends, changes } = rights;
  const isPrivateShown = await isGivenPrivateMemory(situation);
  const shown = [
    `${word}:`,
    remembers,
    ends,
    changes,
    rightsOf(begun).tools,
    ...(isPrivateShown ? ['private'] : []),
  ];
  return shown.join(' ');
}

/** Whatever it reads afterwards, a run that knows private memory stays \`own\`. */
async function isGivenPrivateMemory(situation: Situation): Promise<boolean> {
  const report = await runOf(situation, true);
  if (report.kind !== 'ran') throw new Error(`the run was ${report.kind}`);
  const { knowsPrivateMemory, word } = report.plan.reading;
  expect(knowsPrivateMemory && word !== 'own').toBe(false);
  return knowsPrivateMemory;
}

it.each(SITUATIONS)('$name is decided as the table says: $expected', async (situation) => {
  expect(await outcomeOf(situation)).toBe(situation.expected);
});

it('has every situation of the table once', () => {
  expect(new Set(SITUATIONS.map(({ name }) => name)).size).toBe(55);
});
