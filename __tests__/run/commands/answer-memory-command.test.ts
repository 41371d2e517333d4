import { describe, expect, it } from '@jest/globals';
import { parseProvenance } from '../../../src/memory/run-log.js';
import { parseLog } from '../../../src/memory/units.js';
import type { RunRequest } from '../../../src/run/records.js';
import { runPipeline } from '../../../src/run/run.js';
import {
  AGENT,
  AGENT_WITH_MEMORY,
  createFakeDependencies,
  type FakeDependencies,
  type FakeDependenciesParts,
  makeRequest,
} from '../../helpers/dependencies-fake.js';
import { WRITER } from '../../helpers/reports.js';
import { comment } from '../../helpers/triggers.js';
import { entry } from '../memory-commands/logs.js';

const SECRET_WORDS = 'the cellar door is open';
const SAID = { task: `Review ${SECRET_WORDS}`, result: SECRET_WORDS };
const A = entry(1, { id: 'aaaaaa-1', ...SAID, actor: 'octocat' });
const B = entry(2, { id: 'bbbbbb-1' });
const LOG = { 'bot.md': A + B };
const ORIGIN = { runId: '7', attempt: '1', sha: 'c'.repeat(40) };

/** Runs the pipeline on a comment. */
async function say(body: string, deps: FakeDependencies, patch: Partial<RunRequest> = {}) {
  const request = makeRequest({
    trigger: comment({ body }),
    origin: ORIGIN,
    inWorkflow: true,
    ...patch,
  });
  const report = await runPipeline(request, deps);
  if (report.kind !== 'memory-command') throw new Error(`the run was ${report.kind}`);
  return report;
}

function depsWith(parts: FakeDependenciesParts = {}): FakeDependencies {
  return createFakeDependencies({ memory: LOG, permissions: WRITER, ...parts });
}

describe('a comment by a writer', () => {
  it.each([
    'forget aaaaaa-1',
    'forget aaaaaa',
    'forget zzzzzz',
    'promote dddddd-1',
    'remember x',
    'show',
  ])('gets no word of what memory says: %s', async (command) => {
    const memory = {
      'bot.md': A + B + entry(3, { id: 'aaaaaa-2', result: SECRET_WORDS }),
      'apart/bot.md': entry(4, { id: 'dddddd-1', result: SECRET_WORDS }),
    };
    const deps = depsWith({ memory });
    await say(`/axe ${command}`, deps);
    expect(deps.replies).toHaveLength(1);
    expect(JSON.stringify(deps.replies)).not.toMatch(/cellar|door|open/);
  });

  it('records who remembered what, and where, and only what no model wrote (D8); no secret (D11)', async () => {
    const deps = depsWith({ secrets: ['hunter2-hunter2'] });
    const { result } = await say('/axe remember The key is hunter2-hunter2', deps);
    expect(result).toMatchObject({ text: expect.stringContaining('What looked like a secret') });
    const [unit] = parseLog(deps.memory.get('bot.md') ?? '').units.slice(-1);
    const text = unit?.text ?? '';
    expect(text).toContain('\n**Result:** The key is ***\n');
    const origin = { run: '7/1', on: '#7', sha: undefined };
    expect(text.split('\n').flatMap((line) => parseProvenance(line) ?? [])).toMatchObject([
      { ...origin, actor: 'octocat' },
    ]);
  });

  it.each([
    ['of another agent', LOG, AGENT_WITH_MEMORY],
    ['while the agent has no memory', LOG, AGENT],
  ])('about an entry %s is answered unless somebody else has answered', async (_, memory, toml) => {
    const world = depsWith({ memory, agents: { bot: toml } });
    const report = await say('/axe forget cccccc-1', world);
    expect(report.result).toMatchObject({ kind: 'failed', reason: 'not-found' });
    expect(world.replies).toMatchObject([
      { text: expect.stringMatching(/^Nothing was done: /), among: 'unless-answered' },
    ]);
  });

  it('is answered that an agent without memory cannot remember', async () => {
    const deps = depsWith({ agents: { bot: AGENT } });
    await say('/axe remember x', deps);
    expect(deps.replies).toMatchObject([
      { text: expect.stringContaining('Nothing was done: the agent "bot" has no memory.') },
    ]);
  });

  it.each(['forget aaaaaa-1', 'remember x', 'promote dddddd-1'])(
    'is answered that memory must not change: %s',
    async (command) => {
      const deps = depsWith();
      await say(`/axe ${command}`, deps, { isMemoryReadOnly: true });
      expect(deps.replies).toMatchObject([
        { text: expect.stringContaining('`memory-readonly: true`') },
      ]);
      expect(deps.steps).not.toContain('write memory');
    },
  );
});
