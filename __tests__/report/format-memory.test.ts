import { describe, expect, it } from '@jest/globals';
import { ProviderError } from '../../src/lib/errors.js';
import type { RestoreResult, SaveResult, StoreKind } from '../../src/memory/store.js';
import { createNoneStore } from '../../src/memory/stores/guard.js';
import { formatMemory, memoryNotes, whatWasAdded } from '../../src/report/format-memory.js';
import type { RunRequest } from '../../src/run/records.js';
import { sanitize } from '../../src/safety/sanitize.js';
import { AGENT_WITH_MEMORY } from '../helpers/dependencies-fake.js';
import { call, createFakeModel, type FakeReply, reply, says } from '../helpers/model-fake.js';
import { outputsOf, type Report, reportOf } from '../helpers/reports.js';
import { issue, SCHEDULE, STRANGER } from '../helpers/triggers.js';

const LOG = '## 2026-02-21T10:01:00Z\n**Task:** Review\n**Result:** Fine.\n\n';
const ORIGIN = { runId: '1', attempt: '1', job: 'report', sha: 'c'.repeat(40) };

const FILE = {
  location: 'octocat/hello@axe-memory:bot.md',
  url: 'https://github.com/octocat/hello/blob/axe-memory/bot.md',
} as const;
const LINK = `[\`${FILE.location}\`](${FILE.url})`;

const RESTORED = { kind: 'restored', text: LOG, truncated: undefined, warnings: [] } as const;
const SAVED = { kind: 'saved', attempts: 1, ...FILE } as const;
const REFUSED = {
  kind: 'failed',
  reason: 'denied',
  message: 'saving to octocat/hello@axe-memory failed: Resource not accessible by integration',
  remedy: 'Add `contents: write` under `permissions:` of the job.',
} as const;

/** What the entry of the run looks like. */
const ENTRY = `\`\`\`text
## 2026-02-03T04:05:06Z
**Task:** Report.
**Result:** the answer
\`\`\``;
/** The same once it is saved, with how it is taken back. */
const BLOCK = ENTRY.replace('text', 'diff').replaceAll(/^(?=[#*])/gm, '+');
const UNDO = 'Undo: `/axe forget id1` in a comment, if the workflow runs on comments.';
const ADDED = `${BLOCK}\n\n${UNDO}`;
const LOADED = `<details>
<summary>What the model was given from memory</summary>

\`\`\`text
${LOG.trimEnd()}
\`\`\`

</details>`;

interface Scene {
  readonly kind?: StoreKind;
  readonly restore?: RestoreResult;
  readonly save?: SaveResult;
  readonly patch?: Partial<RunRequest>;
  readonly isHidden?: boolean;
  readonly storeNotes?: readonly string[];
}

async function ran({ kind = 'branch', restore, save = SAVED, patch }: Scene): Promise<Report<'ran'>> {
  const parts = { save, ...(restore === undefined ? {} : { restore }) };
  const request = { trigger: SCHEDULE, origin: ORIGIN, prompt: 'Report.', ...patch };
  const report = await reportOf('ran', parts, request);
  if (report.memory === undefined) throw new Error('the agent has no memory');
  return { ...report, memory: { ...report.memory, store: { ...report.memory.store, kind } } };
}

/** What a person sees: the text as it leaves. */
function seen(
  report: Pick<Report<'ran'>, 'plan' | 'memory' | 'taints' | 'remembered'>,
  { isHidden = false, storeNotes = [] }: Scene = {},
) {
  return sanitize(formatMemory(report, isHidden, storeNotes), 'summary', []);
}

const show = async (scene: Scene) => seen(await ran(scene), scene);

/** Without the part about what was loaded. */
const added = async (scene: Scene) => (await show(scene)).split('\n\n').slice(1).join('\n\n');

describe('the memory that a run loaded', () => {
  const message = 'reading octocat/hello@axe-memory failed: no';
  const EMPTY = { kind: 'empty', location: FILE.location, warnings: [] } as const;
  const UNREAD = { kind: 'failed', location: FILE.location, message } as const;
  const [SOME, ALL] = [
    { loaded: 5, total: 20 },
    { loaded: 1, total: 1 },
  ];
  it.each<[string, RestoreResult, string]>([
    [
      'some of what a branch holds',
      { ...RESTORED, ...FILE, ...SOME },
      `the last 5 of 20 entries loaded from ${LINK}.\n\n${LOADED}`,
    ],
    ['all of it', { ...RESTORED, ...FILE, ...ALL }, `1 entry loaded from ${LINK}.\n\n${LOADED}`],
    ['nothing, since there is nothing', EMPTY, `nothing yet in \`${FILE.location}\`.`],
    ['nothing, since it could not be read', UNREAD, `not loaded: ${message}.`],
  ])('is %s', async (_, restore, expected) => {
    const report = await ran({ restore });
    expect(seen({ ...report, remembered: undefined })).toBe(`**Memory** (memory branch): ${expected}`);
  });
});

describe('the entry that a run added', () => {
  it('is shown with a link to the file on the branch, and with notices', async () => {
    const storeNotes = ['The branch was created to keep memory.', 'The repository is\npublic.'];
    const notes = `- ${storeNotes[0]}\n- The repository is public.`;
    expect(await added({ storeNotes })).toBe(`Added to ${LINK}:\n\n${ADDED}\n\n${notes}`);
  });

  it('and the store does not keep is shown, so that nothing is lost (C3 53)', async () => {
    expect(await added({ save: REFUSED })).toBe(
      `**Not saved:** ${REFUSED.message}. ${REFUSED.remedy} The entry, so that nothing is lost:\n\n${ENTRY}`,
    );
    const { remedy: _, ...blunt } = REFUSED;
    expect(await added({ save: blunt })).toContain(`${REFUSED.message}. The entry, so that nothing`);
  });

  it('after reading text by a stranger is shown as two entries if neither was saved', async () => {
    const unsaved = await added({ patch: { trigger: issue({ author: STRANGER }) }, save: REFUSED });
    expect(unsaved).toContain(' The entries, so that nothing is lost:\n\n`bot.md`:\n\n```text\n');
  });

  it('is replaced by a statement if the run adds nothing', async () => {
    expect(await added({ patch: { isMemoryReadOnly: true } })).toBe(
      '`memory-readonly: true`: this run adds nothing to memory.',
    );
  });

  it('to no store shows nothing, whatever the place', async () => {
    const save = await createNoneStore().write([], new AbortController().signal);
    expect(await added({ kind: 'none', save })).toBe('');
    expect(await added({ kind: 'none', save, patch: { trigger: issue({ author: STRANGER }) } })).toBe('');
  });

  it('in a cache is taken back by deleting its newest version', async () => {
    const save = { ...SAVED, location: 'cache axe-memory/bot/3' };
    expect(await added({ kind: 'cache', save })).toMatch(
      /\n\nUndo, until the next run: delete `cache axe-memory\/bot\/3` on the page “Caches” of “Actions”\.$/,
    );
  });

  it('cannot break out of its block, whatever it contains', async () => {
    const prompt = 'Look: ```` </details> @octocat';
    const text = await added({ patch: { prompt } });
    expect(text).toContain(
      `Added to ${LINK}:\n\n\`\`\`\`\`diff\n+## 2026-02-03T04:05:06Z\n+**Task:** ${prompt}\n`,
    );
    expect(text).toMatch(
      /\n`````\n\nUndo: `\/axe forget id1` in a comment, if the workflow runs on comments\.$/,
    );
  });
});

describe('a memory in another repository (D14)', () => {
  const THERE = {
    location: 'octocat/memory@axe-memory:octocat/hello/bot.md',
    url: 'https://github.com/octocat/memory/blob/axe-memory/octocat/hello/bot.md',
  };
  const link = `[\`${THERE.location}\`](${THERE.url})`;
  const restore = { ...RESTORED, ...THERE, loaded: 1, total: 3 };
  const isHidden = true;
  const head = `**Memory** (memory branch): the last 1 of 3 entries loaded from ${link}.

What it says is not shown here, because it belongs to another repository.`;

  it('is shown only by its place and the id of the entry', async () => {
    expect(await show({ restore, save: { ...SAVED, ...THERE }, isHidden })).toBe(
      `${head}\n\nAdded to ${link}: entry \`id1\`.`,
    );
    expect(await show({ restore, save: REFUSED, isHidden })).toBe(
      `${head}\n\n**Not saved:** ${REFUSED.message}. ${REFUSED.remedy} It was entry \`id1\`.`,
    );
  });
});

const DOWN = new ProviderError('auth', 'wrong key', { status: 401 });
const DENIED = { kind: 'failed', reason: 'denied', message: 'no permission' } as const;
const WRITES = reply([
  call('1', 'memory_write', { target: 'long_term', content: 'Tabs, not spaces.' }),
  call('2', 'memory_write', { target: 'note', name: 'a', content: 'More.' }),
]);

interface Writing {
  readonly replies?: readonly FakeReply[];
  readonly save?: SaveResult;
  readonly request?: Partial<RunRequest>;
}

/** A run that writes two notes. */
async function writes({ replies = [WRITES, says('Done.')], save, request }: Writing = {}) {
  const agents = { bot: `${AGENT_WITH_MEMORY}notes = true\n` };
  const parts = { agents, model: createFakeModel(replies), ...(save === undefined ? {} : { save }) };
  return await reportOf('ran', parts, { trigger: SCHEDULE, origin: ORIGIN, inWorkflow: true, ...request });
}

function shown(report: Awaited<ReturnType<typeof writes>>, isHidden = false): string {
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
    const summary = shown(await writes());
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
      DENIED,
      /^\*\*Not saved:\*\* no permission\. It was changes to notes\.$/m,
    ],
  ])('show only their number if they are in another repository, %s', async (_, replies, save, line) => {
    const report = await writes({ replies, ...(save === undefined ? {} : { save }) });
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
    const report = await writes({
      save: { kind: 'saved', location: '/memory/bot.md', attempts: 1, unsaved },
    });
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

const PUBLIC = 'The repository is public, and so is the branch: everybody can read what is remembered.';
const TOLD = 'The branch `octocat/hello@axe-memory` was created to keep memory.';

it.each([
  ['a branch of a public repository', false, false, [], [PUBLIC]],
  ['a branch of a private one', true, false, [], []],
  ['a branch of another repository', false, true, [], []],
  ['a branch that was just created', false, false, [TOLD], []],
])('people are told of %s what they should know', async (_, isPrivate, isElsewhere, notices, remarks) => {
  const save = { kind: 'saved', location: 'somewhere', attempts: 1, notices } as const;
  const trigger = { ...SCHEDULE, repository: { ...SCHEDULE.repository, isPrivate } };
  const report = await reportOf('ran', { save }, { trigger });
  if (report.memory === undefined) throw new Error('the agent has no memory');
  const memory = { ...report.memory, store: { ...report.memory.store, kind: 'branch' } } as const;
  expect(memoryNotes({ ...report, memory }, isElsewhere)).toEqual({ notices, remarks });
});
