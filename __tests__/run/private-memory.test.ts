import { expect, it } from '@jest/globals';
import type { Trigger } from '../../src/event/trigger.js';
import { DEFAULT_ADMISSION_POLICY } from '../../src/event/trust.js';
import { withFacts } from '../../src/memory/state.js';
import { runPipeline } from '../../src/run/run.js';
import {
  AGENT_WITH_MEMORY,
  createFakeDependencies,
  type FakeDependenciesParts,
  makeRequest,
} from '../helpers/dependencies-fake.js';
import { call, createFakeModel, type FakeReply, reply, says } from '../helpers/model-fake.js';
import { WRITER } from '../helpers/reports.js';
import { issue, pullRequest, STRANGER } from '../helpers/triggers.js';
import { plainEntry } from '../memory/stores/entries.js';

const SECRET = 'The keeper is Ada.';
const LOG = plainEntry('old', SECRET);
const STRANGERS_ISSUE = issue({ action: 'labeled', author: STRANGER });

type Run = FakeDependenciesParts & { readonly replies?: readonly FakeReply[] };

/** Runs an agent whose memory is in another repository. */
async function run(trigger: Trigger, { replies = [says('done')], ...parts }: Run = {}) {
  const model = createFakeModel(replies);
  const deps = createFakeDependencies({
    model,
    agents: { bot: AGENT_WITH_MEMORY },
    permissions: WRITER,
    ...parts,
    memory: { 'bot.md': LOG, ...parts.memory },
  });
  const admissionPolicy = { ...DEFAULT_ADMISSION_POLICY, minPermission: 'none' } as const;
  const request = makeRequest({ trigger, admissionPolicy, inWorkflow: true, isMemoryHidden: true });
  const report = await runPipeline(request, deps);
  return { report, deps, asked: JSON.stringify(model.asked) };
}

it('a run with a stranger’s words does not even read the log, and says why once', async () => {
  const { report, deps, asked } = await run(STRANGERS_ISSUE);
  expect(report).toMatchObject({ kind: 'ran', memory: { text: '' } });
  expect(deps.reads).toEqual([]);
  expect(asked).not.toContain(SECRET);
  expect(deps.warnings).toEqual([
    {
      code: 'memory-withheld',
      message: expect.stringMatching(
        /^the memory of "bot" in another repository was not loaded, because it reads text by /,
      ),
    },
  ]);
});

it('a run without any reads it once, with no warning', async () => {
  const { deps, asked } = await run(issue());
  expect(deps.reads).toHaveLength(1);
  expect(asked).toContain(SECRET);
  expect(deps.warnings).toEqual([]);
});

it.each<[string, Trigger]>([
  ['writer', pullRequest({ action: 'synchronize' })],
  ['stranger', pullRequest({ action: 'synchronize', actor: STRANGER, author: STRANGER })],
])('what people have paused is paused for the push of a %s, too', async (_, trigger) => {
  const fact = { kind: 'paused', pull: 42, by: 'octocat', at: 0 } as const;
  const { report, asked } = await run(trigger, {
    memory: { 'bot.state.md': withFacts('', [fact]) },
  });
  expect(report).toMatchObject({ kind: 'skipped', decision: { reason: 'paused' } });
  expect(asked).toBe('[]');
});

it('no warning names a note (D14)', async () => {
  // More than a megabyte in all, and a note gets no line twice.
  const writes = Array.from({ length: 18 }, (_, index) => {
    const content = `${index} ${'x'.repeat(60_000)}`;
    return reply([call(`c${index}`, 'memory_write', { target: 'note', name: 'doors', content })]);
  });
  const { deps } = await run(issue(), {
    agents: { bot: `${AGENT_WITH_MEMORY}notes = true\n` },
    memory: { 'MEMORY.md': '<<<<<<< ours\n' },
    replies: [...writes, says('done')],
  });
  const codes = ['memory-damaged', 'memory-file-large'];
  expect(deps.warnings.map(({ code }) => code)).toEqual(codes);
  expect(JSON.stringify(deps.warnings)).not.toMatch(/doors|MEMORY\.md/);
});
