import { describe, expect, it } from '@jest/globals';
import type { FileTree } from '../helpers/github-state.js';
import { promptOf, text, toolCall } from '../helpers/model-server.js';
import { NO_CACHE } from './branch-scene.js';
import { BRANCH, nameOf } from './memory-command-scene.js';
import { blockIn, type Memory, type NotesStage, notesStage, placesOf } from './notes-scene.js';
import { told, troubles } from './stage.js';

type Places = ReturnType<typeof placesOf>;

interface Meeting {
  readonly what: string;
  /** The call of this run. */
  readonly call: Readonly<Record<string, unknown>>;
  /** What the branch holds before, and what somebody else puts there while the model thinks. */
  readonly before: (places: Places) => FileTree;
  readonly meanwhile: (places: Places) => FileTree;
  readonly after: (places: Places) => Memory;
}

/** Where the one version before is kept. */
function former(path: string): string {
  return path.replace(/\.md$/, '.bak');
}

const MEETINGS: readonly Meeting[] = [
  {
    what: 'a fact of another run comes before the one of this run',
    call: { target: 'long_term', content: 'Tabs.' },
    before: () => ({ 'MEMORY.md': 'Old.\n' }),
    meanwhile: () => ({ 'MEMORY.md': 'Old.\nBy another.\n' }),
    after: () => ({ 'MEMORY.md': 'Old.\nBy another.\nTabs.\n' }),
  },
  {
    what: 'a fact that another run has written as well exists once',
    call: { target: 'long_term', content: 'Tabs.' },
    before: () => ({ 'MEMORY.md': 'Old.\n' }),
    meanwhile: () => ({ 'MEMORY.md': 'Old.\nTabs.\n' }),
    after: () => ({ 'MEMORY.md': 'Old.\nTabs.\n' }),
  },
  {
    what: 'a checklist that both overwrite keeps the other version next to it',
    call: { target: 'scratchpad', content: '- [ ] Mine\n', mode: 'overwrite' },
    before: ({ scratchpad }) => ({ [scratchpad]: '- [ ] Old\n' }),
    meanwhile: ({ scratchpad }) => ({ [scratchpad]: '- [ ] By another\n' }),
    after: ({ scratchpad }) => ({
      [scratchpad]: '- [ ] Mine\n',
      [former(scratchpad)]: '- [ ] By another\n',
    }),
  },
  {
    what: 'a note that both overwrite keeps the other version next to it',
    call: { target: 'note', name: 'auth', content: 'Mine.\n', mode: 'overwrite' },
    before: ({ note }) => ({ [note('auth')]: 'Old.\n' }),
    meanwhile: ({ note }) => ({ [note('auth')]: 'By another.\n' }),
    after: ({ note }) => ({ [note('auth')]: 'Mine.\n', [former(note('auth'))]: 'By another.\n' }),
  },
];

describe('while the model works,', () => {
  it.each(MEETINGS)('$what', async ({ call, before, meanwhile, after }) => {
    const places = placesOf('octo-org/octo-repo');
    const stage: NotesStage = await notesStage({
      branch: before(places),
      model(request) {
        const turns = promptOf(request).messages.filter((message) => message.startsWith('assistant:')).length;
        if (turns === 0) return toolCall('memory_write', call);
        stage.github.commit(nameOf(stage), meanwhile(places), { branch: BRANCH });
        return text('Done.');
      },
    });
    const step = await stage.runOn('branch');
    expect(step).toMatchObject({ exitCode: 0, stderr: '', outputs: { 'memory-saved': 'true' } });
    expect(stage.memoryOf('branch')).toMatchObject(after(places));
    expect(told(step)).toEqual([]);
  });
});

const FACT = 'The build needs two gigabytes.';
const WRITE = toolCall('memory_write', { target: 'long_term', content: FACT });

describe('where the token cannot write the branch', () => {
  it('notes are in the summary, with one warning', async () => {
    const stage = await notesStage({ model: [WRITE, text('Two.')] });
    stage.repo.contents = 'read';
    const step = await stage.runOn('branch', { env: NO_CACHE });
    expect(step).toMatchObject({ exitCode: 0, stderr: '', outputs: { 'memory-saved': 'false' } });
    expect(troubles(step)).toHaveLength(1);
    expect(troubles(step)[0]?.message).toContain('`contents: write`');
    expect(step.summary).toContain(`MEMORY.md, added:\n${FACT}`);
  });
});

describe('notes that must not be kept', () => {
  it('are not written: secrets are masked first, in main and in the shown text', async () => {
    const key = 'sk-ant-api03-test-0123456789abcdef';
    const stage = await notesStage({
      model: [
        toolCall('memory_write', { target: 'long_term', content: `The key is ${key}.` }),
        text('Noted.'),
      ],
    });
    const step = await stage.runOn('branch');
    expect(step).toMatchObject({ exitCode: 0, outputs: { 'memory-saved': 'true' } });
    expect(stage.memoryOf('branch')['MEMORY.md']).toBe('The key is ***.\n');
    expect(JSON.stringify([stage.memoryOf('branch'), step.outputs, step.summary, step.log])).not.toContain(
      key,
    );
  });

  it('are none at all if memory is read-only: the tools that write are withheld', async () => {
    const stage = await notesStage({
      model: [WRITE, text('Two.')],
      branch: { 'MEMORY.md': 'Old.\n' },
    });
    const step = await stage.runOn('branch', { inputs: { 'memory-readonly': 'true' } });
    expect(step).toMatchObject({ exitCode: 0, stderr: '', outputs: { 'memory-saved': 'false' } });
    expect(stage.model.prompts()[0]?.tools).toEqual(['memory_read', 'memory_search']);
    expect(blockIn(stage.model.prompts()[0]?.system ?? '')).toContain('Old.');
    expect(troubles(step).map(({ message }) => message)).toEqual([expect.stringContaining('memory_write')]);
    expect(stage.memoryOf('branch')).toEqual({ 'MEMORY.md': 'Old.\n' });
  });
});

const OBSTACLES: readonly (readonly [string, FileTree])[] = [
  ['a link', { 'MEMORY.md': { link: 'README.md' } }],
  ['a submodule', { 'MEMORY.md': { submodule: '0123456789abcdef0123456789abcdef01234567' } }],
  ['a folder', { 'MEMORY.md/deeper.md': 'Old.\n' }],
];

it.each(OBSTACLES)('%s in place of MEMORY.md is neither read nor written', async (_what, files) => {
  const stage = await notesStage({
    model: [toolCall('memory_write', { target: 'daily', content: 'Looked.' }), text('Two.')],
    branch: { ...files, 'README.md': 'Not for you.\n' },
  });
  const step = await stage.runOn('branch');
  expect(step).toMatchObject({ exitCode: 0, stderr: '', outputs: { 'memory-saved': 'true' } });
  expect(troubles(step).map(({ level }) => level)).toEqual(['warning']);
  expect(stage.model.prompts()[0]?.system).not.toContain('Not for you.');
  expect(stage.memoryOf('branch')[placesOf(nameOf(stage)).today]).toBe('Looked.\n');
});
