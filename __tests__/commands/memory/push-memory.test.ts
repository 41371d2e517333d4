import { expect, it } from '@jest/globals';
import { createNoneStore } from '../../../src/adapters/stores/none-store.js';
import { parsePushCommand, pushMemory } from '../../../src/commands/memory/push-memory.js';
import type { MemoryStore, SaveResult } from '../../../src/core/memory/store.js';
import { noAbort } from '../../helpers/github-client-fake.js';

const CHANGED = new Map([['bot.md', { before: 'one\n', now: 'two\n' }]]);

function push(saved: SaveResult, changed: typeof CHANGED = CHANGED) {
  const store: MemoryStore = { ...createNoneStore(), write: async () => saved };
  return pushMemory({ folder: '.axe/memory', branch: 'main', changed, store }, noAbort());
}

it.each<[string, SaveResult, object]>([
  [
    'that it was pushed',
    { kind: 'saved', location: 'main', attempts: 1 },
    { kind: 'done', changed: true, text: 'Pushed to `main`:\n\n- `.axe/memory/bot.md`' },
  ],
  [
    'that it was merged with what others pushed',
    { kind: 'saved', location: 'main', attempts: 3 },
    {
      kind: 'done',
      changed: true,
      text: expect.stringMatching(/Others pushed at the same time; both .*3 attempts/),
    },
  ],
  [
    'that the branch has it already',
    { kind: 'saved', location: 'main', attempts: 0 },
    { kind: 'done', changed: false, text: '`main` already has what `.axe/memory` holds.' },
  ],
  [
    'why it was not pushed',
    { kind: 'failed', reason: 'denied', message: 'git push: no', remedy: 'Ask.' },
    {
      kind: 'failed',
      reason: 'not-saved',
      message: 'the memory was not pushed: git push: no',
      remedy: 'Ask.',
    },
  ],
])('a push reports %s', async (_, saved, told) => {
  expect(await push(saved)).toMatchObject(told);
});

it('a push lists ten files, and how many more there are', async () => {
  const many = new Map([...Array(12).keys()].map((n) => [`notes/${n}.md`, { before: '', now: 'x\n' }]));
  const result = await push({ kind: 'saved', location: 'main', attempts: 1 }, many);
  expect(result.kind === 'done' && result.text.split('\n').slice(-2)).toEqual([
    '- `.axe/memory/notes/9.md`',
    '- and 2 more',
  ]);
});

it.each([
  [['push'], { branch: '' }],
  [['push', '--branch', 'main'], { branch: 'main' }],
  [['push', '--branch=main'], { branch: 'main' }],
  [['show'], undefined],
])('the push command accepts %j', (words, command) => {
  expect(parsePushCommand(words)).toEqual(command);
});

it.each([[['push', 'main']], [['push', '--branch']], [['push', '--branch', '--force']]])(
  'the push command refuses %j',
  (words) => {
    expect(() => parsePushCommand(words)).toThrow('is not understood');
  },
);
