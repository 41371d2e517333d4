import { expect, it } from '@jest/globals';
import { text, toolCall } from '../helpers/model-server.js';
import { nameOf, onLaptop } from './memory-command-scene.js';
import { blockIn, calmNotes, keeperToml, newResults, notesStage, placesOf } from './notes-scene.js';
import { expectTranscript, steady } from './stage.js';

const NAME = 'people-show-search-and-forget-notes';

/** Notes as a run leaves them. */
async function withNotes() {
  const stage = await notesStage({
    toml: keeperToml(),
    model: [
      {
        kind: 'tools',
        calls: [
          {
            name: 'memory_write',
            input: { target: 'long_term', content: 'Tabs, not spaces.\nTokens live for 15 minutes.' },
          },
          {
            name: 'memory_write',
            input: { target: 'note', name: 'auth', content: '# Auth\n\nTokens live in Redis.' },
          },
          { name: 'memory_write', input: { target: 'daily', content: 'Read about tokens.' } },
        ],
      },
      text('Fifteen minutes.'),
      toolCall('memory_search', { query: 'redis' }),
      text('Nothing.'),
    ],
  });
  await stage.runOn('branch');
  return { stage, places: placesOf(nameOf(stage)) };
}

it('notes can be shown, searched and forgotten on a laptop', async () => {
  const { stage, places } = await withNotes();
  const told: string[] = [];
  const commands = [
    'show',
    'show MEMORY.md',
    `show ${places.note('auth')}`,
    'search tokens live',
    `forget ${places.note('auth')}`,
    'search redis',
    `show ${places.note('none')}`,
  ];
  for (const command of commands) {
    const { stdout, stderr, exitCode } = await onLaptop(stage, command.split(' '), 'keeper');
    told.push(`$ ${command}\n${steady(stdout)}${stderr}\n[${exitCode}]\n`);
  }
  expectTranscript(NAME, calmNotes(told.join('\n')));
  const files = stage.memoryOf('branch');
  expect(files[places.note('auth')]).toBeUndefined();
  expect(files['MEMORY.md']).toBe('Tabs, not spaces.\nTokens live for 15 minutes.\n');

  await stage.runOn('branch');
  expect(newResults(stage.model.requests().at(-1))).toEqual(["No matches for 'redis'."]);
  expect(blockIn(stage.model.prompts().at(-1)?.system ?? '')).toContain('Tabs, not spaces.');
});
