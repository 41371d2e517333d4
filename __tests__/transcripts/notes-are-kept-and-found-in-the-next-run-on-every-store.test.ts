import { describe, expect, it } from '@jest/globals';
import { type ModelReply, startModelServer, text, toolCall } from '../helpers/model-server.js';
import { runCli } from '../helpers/run-cli.js';
import { BRANCH, nameOf } from './memory-command-scene.js';
import { countEntries } from './memory-scene.js';
import {
  blockIn,
  blockOf,
  dayAgo,
  laptop,
  type Memory,
  newResults,
  notesStage,
  placesOf,
  STORES,
} from './notes-scene.js';
import { troubles } from './stage.js';

const FACT = 'Sessions last 12 hours: `src/session.ts`.';
const NOTE = '# Import\n\nThe nightly import takes up to nine hours.\n日本語のメモ\n';

/**
 * Two runs: one that writes to every kind of note, and one that searches, reads, ticks off, and
 * empties a note.
 */
const REPLIES: readonly ModelReply[] = [
  {
    kind: 'tools',
    calls: [
      { name: 'memory_write', input: { target: 'long_term', content: FACT } },
      {
        name: 'memory_write',
        input: { target: 'scratchpad', content: '- [ ] Ask why\n- [x] Look' },
      },
      { name: 'memory_write', input: { target: 'daily', content: 'Looked into sessions.' } },
      { name: 'memory_write', input: { target: 'note', name: 'import', content: NOTE } },
    ],
  },
  text('Twelve hours.'),
  {
    kind: 'tools',
    calls: [
      { name: 'memory_search', input: { query: 'NIGHTLY' } },
      { name: 'memory_search', input: { query: 'メモ' } },
      { name: 'memory_read', input: { source: 'list' } },
      { name: 'memory_read', input: { source: 'note', name: 'import' } },
    ],
  },
  toolCall('memory_write', { target: 'scratchpad', mode: 'overwrite', content: '- [x] Ask why\n' }),
  toolCall('memory_write', { target: 'note', name: 'import', mode: 'overwrite', content: '' }),
  text('Because of the import.'),
];

/** The parts of a run that are the same wherever it runs. */
interface Seen {
  readonly afterFirst: Memory;
  readonly afterSecond: Memory;
  /**
   * What the model was told by tools in the second run, one list for each request, and its system
   * prompt.
   */
  readonly results: readonly (readonly string[])[];
  readonly system: string;
  readonly places: ReturnType<typeof placesOf>;
}

function expectNotes({ afterFirst, afterSecond, results, system, places }: Seen): void {
  const { scratchpad, today, note } = places;
  const notesOf = (memory: Memory) =>
    Object.fromEntries(
      Object.entries(memory).filter(
        ([path, content]) => content !== '' && !/^keeper|\.state\.md$|^\.gitignore$/.test(path),
      ),
    );
  expect(notesOf(afterFirst)).toEqual({
    'MEMORY.md': `${FACT}\n`,
    [scratchpad]: '- [ ] Ask why\n- [x] Look\n',
    [today]: 'Looked into sessions.\n',
    [note('import')]: NOTE,
  });
  expect(countEntries(afterFirst['keeper.md'] ?? '')).toBe(1);
  expect(blockIn(system)).toBe(
    blockOf({
      'Long-term memory (MEMORY.md)': FACT,
      'Scratchpad (open items)': '- [ ] Ask why',
      [`Daily log ${dayAgo(0)} (today)`]: 'Looked into sessions.',
    }),
  );
  const [searches = [], ticked = [], emptied = []] = results;
  const [found = '', japanese = '', list = '', read] = searches;
  expect(found).toMatch(
    /^Searched 1 term: NIGHTLY\(1\) across 1 file\. Showing top 1 by relevance\.\n\n.*notes\/import\.md {2}\[matched: NIGHTLY\]\n/,
  );
  expect(found).toContain('The nightly import takes up to nine hours.');
  expect(japanese).toContain('日本語のメモ');
  const listed = list
    .split('\n')
    .map((path) => ['MEMORY.md', today, note('import')].find((one) => path.endsWith(one)));
  expect(listed).toEqual(['MEMORY.md', today, note('import')]);
  expect(read).toBe(NOTE);
  expect(ticked).toEqual([expect.stringMatching(/^Wrote 14 bytes to .*SCRATCHPAD\.md$/)]);
  expect(emptied).toEqual([expect.stringMatching(/^Wrote 0 bytes to .*notes\/import\.md$/)]);
  expect(notesOf(afterSecond)).toEqual({
    'MEMORY.md': `${FACT}\n`,
    [scratchpad]: '- [x] Ask why\n',
    [scratchpad.replace('.md', '.bak')]: '- [ ] Ask why\n- [x] Look\n',
    [today]: 'Looked into sessions.\n',
    [note('import').replace('.md', '.bak')]: NOTE,
  });
  expect(countEntries(afterSecond['keeper.md'] ?? '')).toBe(2);
}

describe('notes of one run are in the prompt, the search and the tools of the next', () => {
  it.each(STORES)('in a workflow, on the store %s', async (store) => {
    const stage = await notesStage({ model: REPLIES });
    const first = await stage.runOn(store);
    const afterFirst = stage.memoryOf(store);
    const second = await stage.runOn(store);
    for (const step of [first, second]) {
      expect(step).toMatchObject({ exitCode: 0, stderr: '' });
      expect(step.outputs).toMatchObject({ 'memory-saved': 'true' });
      expect(troubles(step)).toEqual([]);
    }
    const requests = stage.model.requests();
    expectNotes({
      afterFirst,
      afterSecond: stage.memoryOf(store),
      results: requests.slice(3).map(newResults),
      system: stage.model.prompts()[2]?.system ?? '',
      places: placesOf(nameOf(stage)),
    });
    // Entry and notes of a run are one commit.
    if (store === 'branch') expect(stage.github.history(nameOf(stage), BRANCH)).toHaveLength(2);
    expect(first.summary).toMatch(/^- `[^`]*MEMORY\.md`: added$/m);
    expect(second.summary).toMatch(/^- `[^`]*notes\/import\.md`: rewritten$/m);
  });

  it('on the command line', async () => {
    const model = await startModelServer(REPLIES);
    const { env, cwd, memory } = laptop(model.env);
    const run = () =>
      runCli(['run', 'keeper'], { env, cwd, stdin: 'How long does a session last?' });
    const first = await run();
    const afterFirst = memory();
    const second = await run();
    for (const { exitCode, stderr } of [first, second])
      expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expectNotes({
      afterFirst,
      afterSecond: memory(),
      results: model.requests().slice(3).map(newResults),
      system: model.prompts()[2]?.system ?? '',
      places: placesOf(cwd),
    });
  });
});
