import { describe, expect, it } from '@jest/globals';
import type { PullRequestTrigger } from '../../src/event/trigger.js';
import { withFacts } from '../../src/memory/state.js';
import { markFacts, type ReviewFact } from '../../src/review/state-facts.js';
import type { SaidAnswer } from '../../src/run/github.js';
import type { RunRequest } from '../../src/run/records.js';
import { runPipeline } from '../../src/run/run.js';
import {
  AGENT_WITH_MEMORY,
  createFakeDependencies,
  type FakeDependenciesParts,
  makeRequest,
} from '../helpers/dependencies-fake.js';
import { raised } from '../helpers/marks.js';
import { createFakeModel } from '../helpers/model-fake.js';
import { seen, thread } from '../helpers/seen.js';
import { OCTOCAT, pullRequest, STRANGER } from '../helpers/triggers.js';

const STATE = 'bot.state.md';
const REVIEWER = AGENT_WITH_MEMORY.replace('[memory]', 'tools = ["add_review_comment"]\n[memory]');
const FILE = { path: 'src/a.ts', status: 'modified', additions: 1, deletions: 1 };
const DIFF = 'diff --git a/src/a.ts b/src/a.ts\n--- a/src/a.ts\n+++ b/src/a.ts\n@@ -1 +1 @@\n-old\n+new\n';
const HEAD = pullRequest().head.sha;
const at = Date.parse('2026-11-20T10:00:00Z');
const REVIEWED: ReviewFact = {
  kind: 'reviewed',
  pull: 42,
  head: HEAD,
  base: 'b'.repeat(40),
  into: 'main',
  at,
};
const OPEN: SaidAnswer = { kind: 'read', seen: seen({ threads: [thread()] }) };

async function skip(
  facts: readonly ReviewFact[],
  {
    trigger,
    said = OPEN,
    request,
    ...parts
  }: Omit<FakeDependenciesParts, 'said'> & {
    readonly trigger?: Partial<PullRequestTrigger>;
    readonly said?: SaidAnswer;
    readonly request?: Partial<RunRequest>;
  } = {},
) {
  const model = createFakeModel([]);
  const deps = createFakeDependencies({
    model,
    agents: { bot: REVIEWER },
    permissions: { [OCTOCAT.login]: { kind: 'known', permission: 'write' } },
    context: { kind: 'pull_request', diff: DIFF, files: [FILE], filesTotal: 1, warnings: [] },
    change: { kind: 'read', head: HEAD, base: 'b'.repeat(40), diff: DIFF, isFork: false },
    memory: { [STATE]: withFacts('', facts) },
    ...parts,
    ...{ said: { 42: said } },
  });
  const event = pullRequest({ action: 'synchronize', ...trigger });
  const report = await runPipeline(makeRequest({ trigger: event, inWorkflow: true, ...request }), deps);
  if (report.kind !== 'skipped') throw new Error(`the run was ${report.kind}`);
  expect(model.asked).toEqual([]);
  return { report, deps, findings: report.reviewResult?.report.findings };
}

describe('a run that is skipped', () => {
  it.each<[string, Parameters<typeof skip>[1]]>([
    ['of somebody who may start none', { trigger: { actor: STRANGER, author: STRANGER, isFork: true } }],
    ['of a pull request that is closed', { trigger: { action: 'synchronize', isClosed: true } }],
  ])('%s reads nothing', async (_, scene) => {
    const { report, deps } = await skip([REVIEWED], scene);
    expect([report.reviewResult, deps.told]).toEqual([undefined, []]);
    expect(deps.steps.filter((step) => step.startsWith('read #') || step === 'read change')).toEqual([]);
  });

  it('counts what memory has where the conversations cannot be read, and says so', async () => {
    const facts = [REVIEWED, ...markFacts([raised({ severity: 'critical' })], 42)];
    const { deps, findings } = await skip(facts, { said: { kind: 'unread', message: 'no right.' } });
    expect(findings).toMatchObject([{ state: 'open', severity: 'critical' }]);
    expect(deps.warnings).toMatchObject([
      {
        code: 'context-incomplete',
        message: 'what is open on #42 could not be read: no right. What memory has of it is counted.',
      },
    ]);
  });
});
