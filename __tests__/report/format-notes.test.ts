import { describe, expect, it } from '@jest/globals';
import { ProviderError } from '../../src/lib/errors.js';
import type { SaveResult } from '../../src/memory/store.js';
import { formatMemory, whatWasAdded } from '../../src/report/format-memory.js';
import type { RunRequest } from '../../src/run/records.js';
import { AGENT_WITH_MEMORY } from '../helpers/dependencies-fake.js';
import { call, createFakeModel, type FakeReply, reply, says } from '../helpers/model-fake.js';
import { outputsOf, reportOf } from '../helpers/reports.js';
import { SCHEDULE } from '../helpers/triggers.js';

const ORIGIN = { runId: '1', attempt: '1', job: 'report', sha: 'c'.repeat(40) };
const DOWN = new ProviderError('auth', 'wrong key', { status: 401 });
const REFUSED = { kind: 'failed', reason: 'denied', message: 'no permission' } as const;
const WRITES = reply([
  call('1', 'memory_write', { target: 'long_term', content: 'Tabs, not spaces.' }),
  call('2', 'memory_write', { target: 'note', name: 'a', content: 'More.' }),
]);

interface Scene {
  readonly replies?: readonly FakeReply[];
  readonly save?: SaveResult;
  readonly request?: Partial<RunRequest>;
}

/** A run that writes two notes. */
async function ran({ replies = [WRITES, says('Done.')], save, request }: Scene = {}) {
  const agents = { bot: `${AGENT_WITH_MEMORY}notes = true\n` };
  const parts = { agents, model: createFakeModel(replies), ...(save === undefined ? {} : { save }) };
  return await reportOf('ran', parts, { trigger: SCHEDULE, origin: ORIGIN, inWorkflow: true, ...request });
}

function shown(report: Awaited<ReturnType<typeof ran>>, isHidden = false): string {
  return formatMemory(report, isHidden, []);
}

describe('notes that a run loaded, in the job summary', () => {
  const FACTS = 'Tabs, not spaces. ``` @octocat';
  const agents = { bot: `${AGENT_WITH_MEMORY}notes = true\n` };

  async function loaded(memory: Readonly<Record<string, string>>) {
    const parts = { agents, memory, model: createFakeModel([says('Done.')]) };
    return await reportOf('ran', parts, { trigger: SCHEDULE, origin: ORIGIN, inWorkflow: true });
  }

  it('are counted, with their place and what the model was given of them', async () => {
    const summary = shown(await loaded({ 'MEMORY.md': `${FACTS}\n`, 'notes/other.md': 'of nobody\n' }));
    expect(summary).toContain('**Notes:** 1 file in `/memory`.');
    const block =
      /<summary>What the model was given from notes<\/summary>\n\n````text\n([\s\S]*?)\n````/.exec(summary);
    expect(block?.[1]).toMatch(/^<memory note="[\s\S]*<\/memory>$/);
    expect(block?.[1]).toContain(FACTS);
    expect(summary).not.toContain('of nobody');
  });

  it('are only counted if they are in another repository', async () => {
    const summary = shown(await loaded({ 'MEMORY.md': `${FACTS}\n` }), true);
    expect(summary).toContain('**Notes:** 1 file in `/memory`.');
    expect(summary).not.toContain('Tabs');
  });
});

describe('notes in the job summary', () => {
  it('are a list of the changes, below the entry', async () => {
    const summary = shown(await ran());
    expect(summary).toMatch(
      /Added to [\s\S]*Done\.[\s\S]*What the agent did to its notes:\n\n- `MEMORY\.md`: added$/m,
    );
    expect(summary).toMatch(/^- `projects\/hello-[0-9a-f]{8}\/notes\/a\.md`: added$/m);
    expect(summary).not.toContain('Tabs');
  });

  it.each<[string, readonly FakeReply[], SaveResult | undefined, RegExp]>([
    ['with an entry', [WRITES, says('Done.')], undefined, /^Added to .*: entry `id\d+`\.$/m],
    ['alone', [WRITES, DOWN], undefined, /^Added to .*: changes to notes\.$/m],
    [
      'that were not saved',
      [WRITES, DOWN],
      REFUSED,
      /^\*\*Not saved:\*\* no permission\. It was changes to notes\.$/m,
    ],
  ])('show only their number if they are in another repository, %s', async (_, replies, save, line) => {
    const report = await ran({ replies, ...(save === undefined ? {} : { save }) });
    const summary = shown(report, true);
    expect(summary).toMatch(line);
    expect(summary).not.toMatch(/Tabs|notes\/a/);
    expect(JSON.stringify(outputsOf(report, true))).not.toMatch(/Tabs|notes\/a/);
  });
});

describe('notes in the outputs', () => {
  it('are shown with their texts if only they could not be saved, and the entry is saved (D54)', async () => {
    const unsaved = [
      { path: 'MEMORY.md', reason: 'denied', message: 'permission denied', remedy: 'Run `chmod`.' },
    ] as const;
    const report = await ran({ save: { kind: 'saved', location: '/memory/bot.md', attempts: 1, unsaved } });
    const summary = shown(report);
    expect(summary).toContain('Added to `/memory/bot.md`:');
    expect(summary).toMatch(
      /\*\*Not saved:\*\* `MEMORY\.md`: permission denied\. Run `chmod`\.[\s\S]*MEMORY\.md, added:\nTabs, not spaces\./,
    );
    expect(summary).not.toContain('a.md, added:');
    const outputs = outputsOf(report, false);
    expect(outputs).toMatchObject({
      'memory-saved': 'false',
      'memory-save-error': 'MEMORY.md: permission denied',
    });
    if (report.remembered === undefined) throw new Error('no entry');
    expect(whatWasAdded(report.remembered, { location: 'x.md' })).toBe(
      '1 entry added to x.md and 1 change to notes',
    );
  });
});
