import { execFileSync } from 'node:child_process';
import {
  closeSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmdirSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { startModelServer, text, toolCall } from '../helpers/model-server.js';
import { runCli } from '../helpers/run-cli.js';
import { runMainHere } from '../helpers/run-main.js';
import { tempDir, writeFiles } from '../helpers/temp.js';
import { lineScene } from './cli-scene.js';
import { nameOf } from './memory-command-scene.js';
import {
  countEntries,
  expectNotSavedReported,
  resultsIn,
  runInWorkspace,
  scheduledStep,
  titles,
} from './memory-scene.js';
import { keeperToml, laptop, newResults, notesStage, placesOf } from './notes-scene.js';
import { troubles } from './stage.js';

describe('its size', () => {
  const ENTRY = (n: number) =>
    `## 2026-01-02T03:04:${String(n).padStart(2, '0')}Z\n**Task:** from ${n} ${'x'.repeat(100_000)} to ${n}\n**Result:** Entry ${n}.\n\n`;
  const LOG_FILE = '.axe/memory/reporter.md';
  const LOG = Array.from({ length: 10 }, (_, index) => ENTRY(index)).join('');
  const GIANT = `## 2026-01-02T03:05:00Z\n**Task:** from here ${'y'.repeat(400_000)} to there\n**Result:** Found two problems:\n- a\n- b\n\n`;

  function agent(memory: string): string {
    return `name = "reporter"\nmodel = "anthropic/claude-sonnet-5-5"\n\n[memory]\nenabled = true\n${memory}`;
  }

  it.each([
    { memory: '', log: LOG, loaded: 2, isTold: true },
    { memory: 'last_n = 0\n', log: LOG, loaded: 10, isTold: false },
    { memory: 'last_n = 5\nmax_log_bytes = 350000\n', log: LOG, loaded: 3, isTold: false },
    { memory: '', log: LOG + GIANT, loaded: 1, isTold: true },
  ])(
    'a log of $log.length characters with "$memory" is loaded',
    async ({ memory, log, loaded, isTold }) => {
      const files = { 'axe/agents/reporter.toml': agent(memory), [LOG_FILE]: log };
      const { model, step } = await runInWorkspace(files, [text('It rains.')], {
        agent: 'reporter',
      });
      expect(step).toMatchObject({ exitCode: 0, outputs: { 'memory-loaded': String(loaded) } });
      expect(step.summary).toMatch(new RegExp(`${loaded}( of 1[01])? entr(y|ies) loaded`));
      expect(titles(step)).toEqual(isTold ? ['Memory loaded in part'] : []);
      const { system = '' } = model.prompts()[0] ?? {};
      expect(countEntries(system)).toBe(loaded);
      if (log.endsWith(GIANT)) {
        expect(system).toMatch(
          /\*\*Task:\*\* from here y+ \[\.\.\. [\d,]+ bytes left out \.\.\.\] y+ to there\n/,
        );
        expect(system).toContain('**Result:** Found two problems:\n- a\n- b\n');
      } else expect(system).toContain('**Result:** Entry 9.');
    },
  );

  it('C2 19: of a memory file of 100 MB the last entries are loaded, and only the new entry is written', async () => {
    const workspace = tempDir('workspace');
    writeFiles(workspace, {
      'axe/agents/reporter.toml': agent('last_n = 3\n'),
      [LOG_FILE]: ENTRY(0).repeat(10),
    });
    const file = join(workspace, LOG_FILE);
    const handle = openSync(file, 'r+');
    const block = Buffer.from(ENTRY(0).repeat(10));
    const size = 100 * block.length;
    for (let at = block.length; at < size; at += block.length)
      writeSync(handle, block, 0, block.length, at);
    writeSync(handle, ENTRY(1) + ENTRY(2) + ENTRY(3), size);
    closeSync(handle);
    const before = statSync(file).size;
    const model = await startModelServer([text('It rains.')]);
    const inputs = { agent: 'reporter', 'memory-store': 'file' };
    const step = await runMainHere(scheduledStep({ model }, { workspace, inputs }));
    expect(step).toMatchObject({ exitCode: 0, annotations: [], outputs: { 'memory-loaded': '3' } });
    expect(resultsIn(model.prompts()[0]?.system ?? '')).toEqual([
      'Entry 1.',
      'Entry 2.',
      'Entry 3.',
    ]);
    const added = Buffer.alloc(statSync(file).size - before);
    const again = openSync(file, 'r');
    readSync(again, added, 0, added.length, before);
    closeSync(again);
    expect(added.toString()).toBe(step.outputs['memory-entry']);
  });

  it('a large log is loaded on the command line, which says how to choose', async () => {
    const [cwd, data] = [tempDir('project'), tempDir('data')];
    writeFiles(cwd, { 'axe/agents/reporter.toml': agent('') });
    writeFiles(data, { 'axe/memory/reporter.md': LOG });
    const { env } = await lineScene({ model: [text('It rains.')], env: { XDG_DATA_HOME: data } });
    const { exitCode, stderr } = await runCli(['run', 'reporter', '-v'], {
      env,
      cwd,
      stdin: 'Look.',
    });
    expect(exitCode).toBe(0);
    expect(stderr).toContain('Memory:   2 of 10 entries loaded from ');
    expect(stderr).toContain('Set `last_n`');
  });

  it('a long prompt is sent whole and remembered with 500 characters', async () => {
    const long = `Begin here. ${'z'.repeat(20_000)} End here.`;
    const { workspace, model, step } = await runInWorkspace({}, [text('Done.')], { prompt: long });
    expect(step.exitCode).toBe(0);
    expect(model.prompts()[0]?.messages[0]).toContain(long);
    const log = readFileSync(join(workspace, '.axe/memory/ask.md'), 'utf8');
    const task = /^\*\*Task:\*\* (.*)$/m.exec(log)?.[1] ?? '';
    expect(task).toMatch(/^Begin here\. z+ \[\.\.\. [\d,]+ characters left out\]$/);
    expect(task.length).toBeLessThanOrEqual(500);
  });
});

const OUTSIDE =
  '## 2026-01-02T03:04:05Z\n**Task:** x\n**Result:** The secret of somebody else.\n\n';

/** What is in place of the memory file, whose folder there is, and what is reported about it. */
it.each<[string, (file: string, outside: string) => void, RegExp]>([
  ['a folder', (file) => mkdirSync(file), /is a directory/],
  [
    'a link to a file of the machine',
    (file) => symlinkSync('/etc/passwd', file),
    /must be a regular file/,
  ],
  [
    'a link to a file outside',
    (file, outside) => symlinkSync(outside, file),
    /must be a regular file/,
  ],
  [
    'a second name of a file',
    (file, outside) => linkSync(outside, file),
    /has more than one name \(hard links\)/,
  ],
  ['a pipe that nobody reads', (file) => void execFileSync('mkfifo', [file]), /not a regular file/],
  [
    'a file in a linked folder',
    (file, outside) => {
      rmdirSync(dirname(file));
      symlinkSync(dirname(outside), dirname(file));
    },
    /is a symbolic link/,
  ],
])('C2 30: %s is neither read nor written, and the run goes on', async (_, put, told) => {
  const workspace = tempDir('workspace');
  const outside = tempDir('outside');
  writeFiles(outside, { 'ask.md': OUTSIDE });
  const passwd = readFileSync('/etc/passwd', 'utf8');
  const folder = join(workspace, '.axe/memory');
  mkdirSync(folder, { recursive: true });
  put(join(folder, 'ask.md'), join(outside, 'ask.md'));

  const model = await startModelServer([text('It rains.')]);
  const step = await runMainHere(
    scheduledStep({ model }, { workspace, inputs: { 'memory-store': 'file' } }),
  );

  expect(expectNotSavedReported(step, 'It rains.')).toMatch(told);
  expect(titles(step)).toEqual(['Memory not saved']);
  expect(model.prompts()[0]?.system).not.toMatch(/secret of somebody else|root:|## Memory/);
  expect(readFileSync('/etc/passwd', 'utf8')).toBe(passwd);
  expect(readFileSync(join(outside, 'ask.md'), 'utf8')).toBe(OUTSIDE);
  expect(readdirSync(outside)).toEqual(['ask.md']);
});

describe('notes', () => {
  type Places = ReturnType<typeof placesOf>;

  /** Something that somebody has put into a folder of memory, and what people are warned of. */
  interface Trap {
    readonly what: string;
    readonly path: (places: Places) => string;
    readonly lay: (file: string, outside: string) => void;
    readonly warning: RegExp;
    /** Whether it is where it was, byte by byte. */
    readonly isUntouched: (file: string, outside: string) => boolean;
  }

  const SECRET = 'the lighthouse keeper is called Ada\n';
  const HUGE_BYTES = 100 * 1024 * 1024;
  const MANY = 10_000;

  const TRAPS: readonly Trap[] = [
    {
      what: 'a link to a file outside in place of MEMORY.md',
      path: () => 'MEMORY.md',
      lay: (file, outside) => symlinkSync(outside, file),
      warning: /MEMORY\.md/,
      isUntouched: (file, outside) => lstatSync(file).isSymbolicLink() && isSame(outside),
    },
    {
      what: 'a hard link to a file outside',
      path: ({ note }) => note('keeper'),
      lay: (file, outside) => linkSync(outside, file),
      warning: /notes\/keeper\.md/,
      isUntouched: (_file, outside) => isSame(outside),
    },
    {
      what: 'a link to a folder outside in place of the notes',
      path: ({ note }) => dirname(note('x')),
      lay: (folder, outside) => symlinkSync(dirname(outside), folder),
      warning: /notes/,
      isUntouched: (folder, outside) => lstatSync(folder).isSymbolicLink() && isSame(outside),
    },
    {
      what: 'a folder in place of MEMORY.md',
      path: () => 'MEMORY.md',
      lay: (folder) => mkdirSync(join(folder, 'deeper'), { recursive: true }),
      warning: /MEMORY\.md/,
      isUntouched: (folder) => lstatSync(join(folder, 'deeper')).isDirectory(),
    },
    {
      what: 'a pipe among the notes, which nobody ever writes to',
      path: ({ note }) => note('pipe'),
      lay: (file) => void execFileSync('mkfifo', [file]),
      warning: /notes\/pipe\.md/,
      isUntouched: (file) => lstatSync(file).isFIFO(),
    },
    {
      what: 'a scratchpad of 100 MB',
      path: ({ scratchpad }) => scratchpad,
      lay(file) {
        writeFileSync(file, '- [ ] Ask why\n');
        truncateSync(file, HUGE_BYTES);
      },
      warning: /SCRATCHPAD\.md/,
      isUntouched: (file) => statSync(file).size === HUGE_BYTES,
    },
    {
      what: '10,000 notes',
      path: ({ note }) => dirname(note('x')),
      lay(folder) {
        mkdirSync(folder, { recursive: true });
        for (let index = 0; index < MANY; index += 1)
          writeFileSync(join(folder, `n${index}.md`), 'x\n');
      },
      warning: /10000|10,000|more than \d+ files|files/,
      isUntouched: (folder) => isSame(join(folder, `n${MANY - 1}.md`), 'x\n'),
    },
  ];

  /** The run looks for the secret, adds to today, and answers. */
  const REPLIES = [
    toolCall('memory_search', { query: 'lighthouse' }),
    toolCall('memory_write', { target: 'daily', content: 'Looked.' }),
    text('Twelve hours.'),
  ];

  /** A folder of memory with the trap and one good fact, and what is to be so in the end. */
  function lay({ path, lay: put, isUntouched }: Trap, root: string, places: Places): () => void {
    const outside = join(tempDir('outside'), 'ada.md');
    writeFileSync(outside, SECRET);
    const file = join(root, path(places));
    mkdirSync(dirname(file), { recursive: true });
    put(file, outside);
    writeFiles(root, { [places.today]: 'Good morning.\n' });
    return () => {
      expect(readFileSync(join(root, places.today), 'utf8')).toBe('Good morning.\nLooked.\n');
      expect(isUntouched(file, outside)).toBe(true);
    };
  }

  it.each(TRAPS)(
    '$what is left out with one warning, and the run saves what it writes',
    async (trap) => {
      const stage = await notesStage({ model: REPLIES });
      const expectSafe = lay(trap, join(stage.workspace, '.axe/memory'), placesOf(nameOf(stage)));
      const step = await stage.runOn('file');
      expect(step).toMatchObject({ exitCode: 0, stderr: '', outputs: { 'memory-saved': 'true' } });
      const warnings = troubles(step);
      expect(warnings.map(({ level }) => level)).toEqual(['warning']);
      expect(warnings[0]?.message).toMatch(trap.warning);
      expect(step.log).toMatch(/^ {2}Note added to: projects\/.*\.md, 7 bytes$/m);
      expect(step.log).toMatch(
        /^Memory: 1 entry added to \.axe\/memory\/keeper\.md and 1 change to notes$/m,
      );
      expectRead(stage.model.requests(), stage.model.prompts()[0]?.system ?? '');
      expectSafe();
    },
  );

  it('a link is left out on the command line, too', async () => {
    const [trap] = TRAPS;
    if (trap === undefined) throw new Error('there are no traps');
    const model = await startModelServer([
      toolCall('write_memory', { content: 'Tabs.' }),
      ...REPLIES,
    ]);
    const tools = 'tools = ["write_memory", "memory_write", "memory_search"]\n';
    const { env, cwd, root } = laptop(model.env, keeperToml({ memory: tools }));
    const expectSafe = lay(trap, root, placesOf(cwd));
    const { exitCode, stderr } = await runCli(['run', 'keeper'], { env, cwd, stdin: 'How long?' });
    expect(exitCode).toBe(0);
    expect(stderr).toMatch(trap.warning);
    const [, refused, ...later] = model.requests();
    expect(newResults(refused)).toEqual([
      expect.stringMatching(
        /^Permission denied for tool 'write_memory': `MEMORY\.md` is not a regular file\. Put /,
      ),
    ]);
    expectRead([refused, ...later], model.prompts()[0]?.system ?? '');
    expectSafe();
  });

  function expectRead(requests: readonly Parameters<typeof newResults>[0][], system: string): void {
    expect(newResults(requests[1])).toEqual(["No matches for 'lighthouse'."]);
    expect(newResults(requests[2])).toEqual([expect.stringMatching(/^Wrote 7 bytes to /)]);
    expect(system).toContain('Good morning.');
    expect(system).not.toContain('Ada');
  }

  function isSame(file: string, content = SECRET): boolean {
    return readFileSync(file, 'utf8') === content;
  }
});
