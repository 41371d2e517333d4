import { describe, expect, it } from '@jest/globals';
import { DEFAULT_ADMISSION_POLICY } from '../../src/event/trust.js';
import { ProviderError } from '../../src/lib/errors.js';
import {
  createNoneStore,
  type RestoreResult,
  type SaveResult,
  type StoreKind,
} from '../../src/memory/store.js';
import { annotationsOf } from '../../src/report/views/annotations.js';
import { formatMemory, whatWasAdded } from '../../src/report/views/memory.js';
import type { RunRequest } from '../../src/run/records.js';
import { sanitize } from '../../src/safety/sanitize.js';
import { AGENT_WITH_MEMORY } from '../helpers/dependencies-fake.js';
import { call, createFakeModel, type FakeReply, reply, says } from '../helpers/model-fake.js';
import { outputsOf, type Report, ranRecordOf, reportOf } from '../helpers/reports.js';
import { issue, pullRequest, SCHEDULE, STRANGER } from '../helpers/triggers.js';

const LOG = '## 2026-02-21T10:01:00Z\n**Task:** Review\n**Result:** Fine.\n\n';
const ORIGIN = { runId: '1', attempt: '1', sha: 'c'.repeat(40) };

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
const UNDO = `Undo: delete this entry in ${LINK}.`;
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
}

async function ran({
  kind = 'branch',
  restore,
  save = SAVED,
  patch,
}: Scene): Promise<Report<'ran'>> {
  const request = { trigger: SCHEDULE, origin: ORIGIN, prompt: 'Report.', ...patch };
  const report = await reportOf('ran', { save, ...(restore && { restore }) }, request);
  if (report.memory === undefined) throw new Error('the agent has no memory');
  return { ...report, memory: { ...report.memory, store: { ...report.memory.store, kind } } };
}

/** What a person sees: the text as it leaves. */
async function show({ isHidden = false, ...scene }: Scene): Promise<string> {
  const report = await ran(scene);
  const { trigger } = report.plan;
  if (trigger.kind === 'local') throw new Error('there is no repository');
  // A public one has a remark of its own.
  const repository = { ...trigger.repository, isPrivate: true };
  const record = ranRecordOf(report, { isHidden, trigger: { ...trigger, repository } });
  return sanitize(formatMemory(record), 'summary', []);
}

/** Without the part about what was loaded. */
const added = async (scene: Scene) => (await show(scene)).split('\n\n').slice(1).join('\n\n');

const NO = 'reading octocat/hello@axe-memory failed: no';

it.each<[string, RestoreResult, string]>([
  [
    'some of what a branch holds',
    { ...RESTORED, ...FILE, loaded: 5, total: 20 },
    `the last 5 of 20 entries loaded from ${LINK}.\n\n${LOADED}`,
  ],
  [
    'all of it',
    { ...RESTORED, ...FILE, loaded: 1, total: 1 },
    `1 entry loaded from ${LINK}.\n\n${LOADED}`,
  ],
  [
    'nothing, since there is nothing',
    { kind: 'empty', location: FILE.location, warnings: [] },
    `nothing yet in \`${FILE.location}\`.`,
  ],
  [
    'nothing, as it failed',
    { kind: 'failed', location: FILE.location, message: NO },
    `not loaded: ${NO}.`,
  ],
])('a run loaded %s', async (_, restore, expected) => {
  const text = formatMemory(ranRecordOf({ ...(await ran({ restore })), remembered: undefined }));
  expect(sanitize(text, 'summary', [])).toBe(`**Memory** (memory branch): ${expected}`);
});

const NOTICES = ['The branch was created to keep memory.', 'The repository is\npublic.'];
const FROM_STRANGER = { trigger: issue({ author: STRANGER }) };
const IN_CACHE = 'cache axe-memory/bot/3';

it.each<[string, Scene, string]>([
  [
    'with a link to the file on the branch, and with notices',
    { save: { ...SAVED, notices: NOTICES } },
    `Added to ${LINK}:\n\n${ADDED}\n\n- ${NOTICES[0]}\n- The repository is public.`,
  ],
  [
    'which the store does not keep, so that nothing is lost (C3 53)',
    { save: REFUSED },
    `**Not saved:** ${REFUSED.message}. ${REFUSED.remedy} Here is the entry, so that nothing is lost:\n\n${ENTRY}`,
  ],
  [
    'not at all if the run adds nothing',
    { patch: { isMemoryReadOnly: true } },
    '`memory-readonly: true`: this run adds nothing to memory.',
  ],
  [
    'in a cache, where its newest version is deleted to take it back',
    { kind: 'cache', save: { ...SAVED, location: IN_CACHE } },
    `Added to [\`${IN_CACHE}\`](${FILE.url}):\n\n${BLOCK}\n\nUndo, until the next run: delete \`${IN_CACHE}\` on the page “Caches” of “Actions”.`,
  ],
  [
    'in a file, with its folder',
    { kind: 'file', save: { ...SAVED, location: 'docs/memory/bot.md', prefix: 'docs/memory/' } },
    `Added to [\`docs/memory/bot.md\`](${FILE.url}):\n\n${BLOCK}\n\nIt is kept only if a later step commits and pushes it. Undo: \`axe-action memory forget bot id1 --dir docs/memory\` in a checkout.`,
  ],
])('the entry of a run is shown %s', async (_, scene, expected) => {
  expect(await added(scene)).toBe(expected);
});

it('a command takes an entry back where comments start the workflow, and a link where none do', async () => {
  const heard = { ...DEFAULT_ADMISSION_POLICY, triggerPhrase: '/axe' };
  const patch = { trigger: pullRequest(), admissionPolicy: heard };
  expect(await added({ patch })).toContain('Undo: `/axe forget id1` in a comment.');
  expect(await added({ patch: { ...patch, admissionPolicy: DEFAULT_ADMISSION_POLICY } })).toContain(
    UNDO,
  );
  expect(await added({ patch: { admissionPolicy: heard } })).toContain(UNDO);
});

it('two entries that were not saved are shown, each with its file', async () => {
  expect(await added({ patch: FROM_STRANGER, save: REFUSED })).toContain(
    ' Here are the entries, so that nothing is lost:\n\n`bot.md`:\n\n```text\n',
  );
});

it.each([{}, FROM_STRANGER])('nothing is shown of what goes to no store: %j', async (patch) => {
  const save = await createNoneStore().write([], new AbortController().signal);
  expect(await added({ kind: 'none', save, patch })).toBe('');
});

it('an entry cannot break out of its block, whatever it contains', async () => {
  const prompt = 'Look: ```` </details> @octocat';
  const text = await added({ patch: { prompt } });
  expect(text).toContain(
    `Added to ${LINK}:\n\n\`\`\`\`\`diff\n+## 2026-02-03T04:05:06Z\n+**Task:** ${prompt}\n`,
  );
  expect(text.endsWith(`\n\`\`\`\`\`\n\n${UNDO}`)).toBe(true);
});

it('a memory in another repository is shown only by its place and the id of the entry (D14)', async () => {
  const location = 'octocat/memory@axe-memory:octocat/hello/bot.md';
  const there = {
    location,
    url: 'https://github.com/octocat/memory/blob/axe-memory/octocat/hello/bot.md',
  };
  const link = `[\`${location}\`](${there.url})`;
  const scene = { restore: { ...RESTORED, ...there, loaded: 1, total: 3 }, isHidden: true };
  const head = `**Memory** (memory branch): the last 1 of 3 entries loaded from ${link}.

What it says is not shown here, because it belongs to another repository.`;
  expect(await show({ ...scene, save: { ...SAVED, ...there } })).toBe(
    `${head}\n\nAdded to ${link}: entry \`id1\`.`,
  );
  expect(await show({ ...scene, save: REFUSED })).toBe(
    `${head}\n\n**Not saved:** ${REFUSED.message}. ${REFUSED.remedy} It was entry \`id1\`.`,
  );
});

describe('notes in the job summary', () => {
  const FACTS = 'Tabs, not spaces. ``` @octocat';
  const DOWN = new ProviderError('auth', 'wrong key', { status: 401 });
  const DENIED = { kind: 'failed', reason: 'denied', message: 'no permission' } as const;
  const WRITES = reply([
    call('1', 'memory_write', { target: 'long_term', content: 'Tabs, not spaces.' }),
    call('2', 'memory_write', { target: 'note', name: 'a', content: 'More.' }),
  ]);

  /** A run of an agent that keeps notes; by default one that writes two. */
  async function kept({
    replies = [WRITES, says('Done.')],
    save,
    memory = {},
  }: {
    readonly replies?: readonly FakeReply[];
    readonly save?: SaveResult;
    readonly memory?: Readonly<Record<string, string>>;
  } = {}) {
    const agents = { bot: `${AGENT_WITH_MEMORY}notes = true\n` };
    const parts = { agents, memory, model: createFakeModel(replies), ...(save && { save }) };
    return await reportOf('ran', parts, { trigger: SCHEDULE, origin: ORIGIN, inWorkflow: true });
  }

  it('are counted, with their place and what the model was given of them', async () => {
    const memory = { 'MEMORY.md': `${FACTS}\n`, 'notes/other.md': 'of nobody\n' };
    const report = await kept({ replies: [says('Done.')], memory });
    const [summary, hidden] = [false, true].map((isHidden) =>
      formatMemory(ranRecordOf(report, { isHidden })),
    );
    expect(summary).toContain('**Notes:** 1 file in `/memory`.');
    const block =
      /<summary>What the model was given from notes<\/summary>\n\n````text\n(<memory note="[\s\S]*<\/memory>)\n````/;
    expect(block.exec(summary ?? '')?.[1]).toContain(FACTS);
    expect(summary).not.toContain('of nobody');
    expect(hidden).toContain('**Notes:** 1 file in `/memory`.');
    expect(hidden).not.toContain('Tabs');
  });

  it('that were written are a list of the changes, below the entry', async () => {
    const summary = formatMemory(ranRecordOf(await kept()));
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
      'not saved',
      [WRITES, DOWN],
      DENIED,
      /^\*\*Not saved:\*\* no permission\. It was changes to notes\.$/m,
    ],
    [
      'but for one saved',
      [WRITES, says('Done.')],
      { ...SAVED, unsaved: [{ path: 'notes/a.md', reason: 'denied', message: 'no permission' }] },
      /^Added to .*: entry `id\d+`\.$/m,
    ],
  ])(
    'that were written in another repository are not shown, %s',
    async (_, replies, save, line) => {
      const report = await kept({ replies, ...(save && { save }) });
      const summary = formatMemory(ranRecordOf(report, { isHidden: true }));
      expect(summary).toMatch(line);
      expect(summary + JSON.stringify(outputsOf(report, true))).not.toMatch(/Tabs|notes\/a/);
    },
  );

  it('are shown with their texts if only they could not be saved, and the entry is saved (D54)', async () => {
    const unsaved = [
      { path: 'MEMORY.md', reason: 'denied', message: 'permission denied', remedy: 'Run `chmod`.' },
    ] as const;
    const report = await kept({
      save: { kind: 'saved', location: '/memory/bot.md', attempts: 1, unsaved },
    });
    const record = ranRecordOf(report);
    const summary = formatMemory(record);
    expect(summary).toContain('Added to `/memory/bot.md`:');
    expect(summary).toMatch(
      /\*\*Not saved:\*\* `MEMORY\.md`: permission denied\. Run `chmod`\.[\s\S]*MEMORY\.md, added:\nTabs, not spaces\./,
    );
    expect(summary).not.toContain('a.md, added:');
    const error = 'MEMORY.md: permission denied';
    expect(outputsOf(report, false)).toMatchObject({
      'memory-saved': 'false',
      'memory-save-error': error,
    });
    expect(record.saved && whatWasAdded(record.saved)).toBe(
      '1 entry added to /memory/bot.md and 1 change to notes',
    );
  });
});

const PUBLIC =
  'The repository is public, and so is the branch: everybody can read what is remembered.';

it.each<[string, boolean, boolean, string[], string[]]>([
  ['a branch of a public repository', false, false, [], [PUBLIC]],
  ['a branch of a private one', true, false, [], []],
  ['a branch of another repository', false, true, [], []],
  ['a branch that was just created', false, false, ['The branch was created.'], []],
])(
  'people are told of %s what they should know',
  async (_, ...[isPrivate, isHidden, notices, remarks]) => {
    const trigger = { ...SCHEDULE, repository: { ...SCHEDULE.repository, isPrivate } };
    const report = await ran({ save: { ...SAVED, notices }, patch: { trigger } });
    const record = ranRecordOf(report, { isHidden });
    const lines = formatMemory(record).split('\n');
    const isRemark = (line: string) => line.startsWith('- ');
    expect(lines.filter(isRemark)).toEqual([...notices, ...remarks].map((note) => `- ${note}`));
    const told = annotationsOf(record).map(({ message }) => message);
    expect(told).toEqual(notices);
  },
);
