import { describe, expect, it } from '@jest/globals';
import { SUMMARY_REQUEST } from '../../src/loop/compact.js';
import {
  type ModelReply,
  promptOf,
  startModelServer,
  text,
  toolCall,
} from '../helpers/model-server.js';
import { runCli } from '../helpers/run-cli.js';
import { BRANCH, nameOf } from './memory-command-scene.js';
import {
  blockIn,
  keeperToml,
  laptop,
  type Memory,
  type NotesStage,
  newResults,
  notesStage,
  placesOf,
} from './notes-scene.js';
import { told, troubles } from './stage.js';

type Places = ReturnType<typeof placesOf>;

interface Meeting {
  readonly what: string;
  /** The call of this run. */
  readonly call: Readonly<Record<string, unknown>>;
  /** What the branch holds before, and what somebody else puts there while the model thinks. */
  readonly before: (places: Places) => Memory;
  readonly meanwhile: (places: Places) => Memory;
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
    what: 'a note that both overwrite keeps the other version next to it',
    call: { target: 'note', name: 'auth', content: 'Mine.\n', mode: 'overwrite' },
    before: ({ note }) => ({ [note('auth')]: 'Old.\n' }),
    meanwhile: ({ note }) => ({ [note('auth')]: 'By another.\n' }),
    after: ({ note }) => ({ [note('auth')]: 'Mine.\n', [former(note('auth'))]: 'By another.\n' }),
  },
];

it.each(MEETINGS)('while the model works, $what', async ({ call, before, meanwhile, after }) => {
  const places = placesOf('octo-org/octo-repo');
  const stage: NotesStage = await notesStage({
    branch: before(places),
    model(request) {
      const turns = promptOf(request).messages.filter((message) =>
        message.startsWith('assistant:'),
      ).length;
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

describe('at the end of a run', () => {
  const FACT = 'The build needs two gigabytes.';
  const WRITE = toolCall('memory_write', { target: 'long_term', content: FACT });
  const error = { type: 'invalid_request_error', message: 'no' };
  const REFUSED: ModelReply = { kind: 'raw', status: 400, body: { type: 'error', error } };

  const ENDS: readonly [string, readonly ModelReply[], Readonly<Record<string, string>>, string][] =
    [
      ['the model refuses the next request', [WRITE, REFUSED], {}, 'failure'],
      ['it answers nothing', [WRITE, text('')], {}, 'failure'],
      ['its turns are spent', [WRITE, WRITE], { 'max-turns': '2' }, 'max-turns'],
    ];

  it.each(ENDS)(
    'a run that fails keeps its note (D16): %s',
    async (_, replies, inputs, conclusion) => {
      const stage = await notesStage({ model: [...replies, text('Two gigabytes.')] });
      const step = await stage.runOn('branch', { inputs });
      expect(step).toMatchObject({ exitCode: 1, stderr: '', outputs: { conclusion } });
      expect(troubles(step).map(({ level }) => level)).toEqual(['error']);
      expect(step.outputs['memory-entry']).toBeUndefined();
      expect(stage.memoryOf('branch')['MEMORY.md']).toBe(`${FACT}\n`);
      expect(stage.memoryOf('branch')['keeper.md'] ?? '').not.toMatch(/^## /m);

      const next = await stage.runOn('branch');
      expect(next).toMatchObject({ exitCode: 0, outputs: { 'memory-saved': 'true' } });
      expect(blockIn(stage.model.prompts().at(-1)?.system ?? '')).toContain(FACT);
    },
  );

  it('a run that wrote a note and then fails keeps the note (D16) on the command line', async () => {
    const model = await startModelServer([WRITE, REFUSED]);
    const { env, cwd, memory } = laptop(model.env, keeperToml());
    const { exitCode } = await runCli(['run', 'keeper'], {
      env,
      cwd,
      stdin: 'What does the build need?',
    });
    expect(exitCode).toBe(1);
    expect(Object.entries(memory()).filter(([path]) => !path.endsWith('.state.md'))).toEqual([
      ['MEMORY.md', `${FACT}\n`],
    ]);
  });
});

it('a summary of a long conversation is stored even if the run fails afterwards', async () => {
  const summary = 'Read src/auth.ts: sessions last 12 hours.\nStill open: why.';
  let turns = 0;
  const stage = await notesStage({
    toml: keeperToml({}),
    model(request) {
      const { messages } = promptOf(request);
      if (messages.some((message) => message.includes(SUMMARY_REQUEST.slice(0, 60))))
        return text(summary);
      turns += 1;
      if (turns > 8) return { kind: 'raw', status: 400, body: {} };
      // What this is said to cost is nearly the whole window.
      return {
        kind: 'tools',
        text: 'I look further. '.repeat(200),
        calls: [{ name: 'memory_search', input: { query: 'session' } }],
        usage: { inputTokens: 195_000, outputTokens: 900 },
      };
    },
  });
  const step = await stage.runOn('branch');
  expect(step.exitCode).toBe(1);
  expect(stage.memoryOf('branch')[placesOf(nameOf(stage)).today]).toMatch(
    /^\n### \d\d:\d\d — compaction summary \(\d+ msgs\)\nRead src\/auth\.ts: sessions last 12 hours\.\nStill open: why\.\n/,
  );
});

const FACT = 'Sessions last 12 hours.';

it('a sub-agent finds what its parent has just written, and has no tool that writes', async () => {
  const asked: string[][] = [];
  const found: string[] = [];
  const stage = await notesStage({
    branch: { 'README.md': 'Memory.\n' },
    toml: keeperToml({ subAgents: ['north'] }),
    base: { 'axe/agents/north.toml': keeperToml({ name: 'north' }) },
    model(request) {
      const { system, messages, tools } = promptOf(request);
      const turn = messages.filter((message) => message.startsWith('assistant:')).length;
      if (system.startsWith('You are north.')) {
        asked.push([...tools]);
        found.push(...newResults(request));
        if (turn === 0) return toolCall('memory_search', { query: 'sessions' });
        if (turn === 1)
          return toolCall('memory_write', { target: 'long_term', content: 'I was here.' });
        return text('Twelve.');
      }
      if (turn === 0) return toolCall('memory_write', { target: 'long_term', content: FACT });
      if (turn === 1) return toolCall('call_agent', { agent: 'north', task: 'How long?' });
      return text('Twelve hours.');
    },
  });
  const step = await stage.runOn('branch');
  expect(step).toMatchObject({ exitCode: 0, stderr: '', outputs: { 'memory-saved': 'true' } });
  expect(troubles(step)).toEqual([]);
  expect(asked).toEqual([1, 2, 3].map(() => ['memory_read', 'memory_search']));
  expect(found).toEqual([
    expect.stringContaining(FACT),
    'Unknown tool: "memory_write". There are these: memory_read, memory_search',
  ]);
  expect(stage.memoryOf('branch')['MEMORY.md']).toBe(`${FACT}\n`);
});
