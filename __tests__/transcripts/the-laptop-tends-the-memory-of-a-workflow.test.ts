import { expect, it } from '@jest/globals';
import { text, toolCall } from '../helpers/model-server.js';
import {
  BRANCH,
  idOf,
  idsOnBranch,
  nameOf,
  onBranch,
  onLaptop,
  onSchedule,
  rememberOnBranch,
  review,
} from './memory-command-scene.js';
import { resultsIn } from './memory-scene.js';
import { blockIn, calmNotes, keeperToml, newResults, notesStage, placesOf } from './notes-scene.js';
import { expectTranscript, type Stage, setStage, steady } from './stage.js';

const AUTH = review(3, {
  id: '01kgk41',
  task: 'Review pull request #41: Fix auth',
  result: 'Ask `octocat`.',
});
const DOOR = review(4, {
  id: '01kgnp2',
  task: 'Review pull request #42',
  result: 'Close the door.',
});
const TABS = review(5, {
  id: '01kgr83',
  task: 'Answer issue #7: Tabs or spaces',
  result: 'They ask for tabs.',
});

/** A repository with a memory on its branch. */
async function withMemory(): Promise<Stage> {
  const stage = await setStage({ event: { name: 'workflow_dispatch' } });
  rememberOnBranch(stage, { 'reviewer.md': AUTH + DOOR, 'apart/reviewer.md': TABS });
  return stage;
}

const COMMANDS: readonly (readonly string[])[] = [
  ['show'],
  ['show', '01kgk41'],
  ['search', 'auth'],
  ['show', '--apart'],
  ['forget', '01kgk41'],
  ['promote', '01kgr83'],
  ['remember', 'We never use floats for money'],
  ['show'],
  ['forget', '01kgzz9'],
];

it('the command line shows, searches, forgets, promotes and remembers, and the next run follows', async () => {
  const stage = await withMemory();
  const told: string[] = [];
  for (const words of COMMANDS) {
    const { exitCode, stdout, stderr } = await onLaptop(stage, words);
    told.push(`$ axe-action memory ${words.join(' ')}\n${stdout}${stderr}[${exitCode}]\n`);
  }
  expectTranscript('the-laptop-tends-the-memory-of-a-workflow', steady(told.join('\n')));
  const fresh = expect.stringMatching(/^0[0-9a-z]{25}$/);
  expect(idsOnBranch(stage)).toEqual([idOf('01kgnp2'), `p-${idOf('01kgr83')}`, fresh]);

  await stage.run(onSchedule(stage));
  const loaded = resultsIn(stage.model.prompts()[0]?.system ?? '');
  expect(loaded).toEqual([
    'Close the door.',
    'They ask for tabs.',
    'We never use floats for money',
  ]);
});

it('--purge leaves one commit in the history, and reports what GitHub still keeps', async () => {
  const stage = await withMemory();
  await onLaptop(stage, ['remember', 'We never use floats for money']);
  const before = stage.github.history(nameOf(stage), BRANCH);
  expect(before).toHaveLength(2);

  const { exitCode, stdout, stderr } = await onLaptop(stage, ['forget', '01kgk41', '--purge']);
  expect([exitCode, stderr]).toEqual([0, '']);
  expectTranscript('the-laptop-purges-the-memory-of-a-workflow', steady(stdout));
  const after = stage.github.history(nameOf(stage), BRANCH);
  expect(after).toHaveLength(1);
  expect(before.map(({ sha }) => sha)).not.toContain(after[0]?.sha);
  expect(onBranch(stage)).not.toContain('Fix auth');
  expect(idsOnBranch(stage)).toHaveLength(2);
  expect(onBranch(stage, 'apart/reviewer.md')).toBe(TABS);

  // What runs remember goes on top of it.
  await stage.run(onSchedule(stage));
  const loaded = resultsIn(stage.model.prompts()[0]?.system ?? '');
  expect(loaded).toEqual(['Close the door.', 'We never use floats for money']);
  expect(stage.github.history(nameOf(stage), BRANCH)).toHaveLength(2);
});

const NAME = 'people-show-search-and-forget-notes';

const WRITTEN = [
  { target: 'long_term', content: 'Tabs, not spaces.\nTokens live for 15 minutes.' },
  { target: 'note', name: 'auth', content: '# Auth\n\nTokens live in Redis.' },
  { target: 'daily', content: 'Read about tokens.' },
];

/** Notes as a run leaves them. */
async function withNotes() {
  const stage = await notesStage({
    toml: keeperToml(),
    model: [
      { kind: 'tools', calls: WRITTEN.map((input) => ({ name: 'memory_write', input })) },
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
  const [auth, none] = [places.note('auth'), places.note('none')];
  const first = ['show', 'show MEMORY.md', `show ${auth}`, 'search tokens live'];
  const commands = [...first, `forget ${auth}`, 'search redis', `show ${none}`];
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
