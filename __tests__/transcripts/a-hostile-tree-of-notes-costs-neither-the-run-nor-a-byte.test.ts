import { execFileSync } from 'node:child_process';
import {
  linkSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { startModelServer, text, toolCall } from '../helpers/model-server.js';
import { runCli } from '../helpers/run-cli.js';
import { tempDir } from '../helpers/temp.js';
import { nameOf } from './memory-command-scene.js';
import { keeperToml, laptop, newResults, notesStage, placesOf } from './notes-scene.js';
import { troubles } from './stage.js';

type Places = ReturnType<typeof placesOf>;

/** Something that somebody has put into a folder of memory. */
interface Trap {
  readonly what: string;
  /** Where it is. */
  readonly path: (places: Places) => string;
  readonly lay: (file: string, outside: string) => void;
  /** What people are warned of, if anything. */
  readonly warning: RegExp;
  /** Whether the trap is where it was, byte by byte. */
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
    isUntouched: (file, outside) => lstatSync(file).isSymbolicLink() && isSecret(outside),
  },
  {
    what: 'a hard link to a file outside',
    path: ({ note }) => note('keeper'),
    lay: (file, outside) => linkSync(outside, file),
    warning: /notes\/keeper\.md/,
    isUntouched: (_file, outside) => isSecret(outside),
  },
  {
    what: 'a link to a folder outside in place of the notes',
    path: ({ note }) => dirname(note('x')),
    lay: (folder, outside) => symlinkSync(dirname(outside), folder),
    warning: /notes/,
    isUntouched: (folder, outside) => lstatSync(folder).isSymbolicLink() && isSecret(outside),
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
      for (let index = 0; index < MANY; index += 1) writeFileSync(join(folder, `n${index}.md`), 'x\n');
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

/** A folder of memory with the trap and one good fact. */
function lay({ path, lay: put }: Trap, root: string, places: Places): { file: string; outside: string } {
  const outside = join(tempDir('outside'), 'ada.md');
  writeFileSync(outside, SECRET);
  const file = join(root, path(places));
  mkdirSync(dirname(file), { recursive: true });
  put(file, outside);
  const day = join(root, places.today);
  mkdirSync(dirname(day), { recursive: true });
  writeFileSync(day, 'Good morning.\n');
  return { file, outside };
}

describe.each(TRAPS)('$what', (trap) => {
  it('is left out with one warning in a workflow, and the run saves what it writes', async () => {
    const stage = await notesStage({ model: REPLIES });
    const places = placesOf(nameOf(stage));
    const root = join(stage.workspace, '.axe/memory');
    const { file, outside } = lay(trap, root, places);
    const step = await stage.runOn('file');
    expect(step).toMatchObject({ exitCode: 0, stderr: '', outputs: { 'memory-saved': 'true' } });
    const warnings = troubles(step);
    expect(warnings.map(({ level }) => level)).toEqual(['warning']);
    expect(warnings[0]?.message).toMatch(trap.warning);
    expectRead(stage.model.requests(), stage.model.prompts()[0]?.system ?? '');
    expect(readFileSync(join(root, places.today), 'utf8')).toBe('Good morning.\nLooked.\n');
    expect(trap.isUntouched(file, outside)).toBe(true);
  });

  it('is left out on the command line, too', async () => {
    const model = await startModelServer(REPLIES);
    const { env, cwd, root } = laptop(model.env, keeperToml());
    const places = placesOf(cwd);
    const { file, outside } = lay(trap, root, places);
    const { exitCode, stderr } = await runCli(['run', 'keeper'], { env, cwd, stdin: 'How long?' });
    expect(exitCode).toBe(0);
    expect(stderr).toMatch(trap.warning);
    expectRead(model.requests(), model.prompts()[0]?.system ?? '');
    expect(readFileSync(join(root, places.today), 'utf8')).toBe('Good morning.\nLooked.\n');
    expect(trap.isUntouched(file, outside)).toBe(true);
  });
});

it('a folder in place of MEMORY.md prevents writes there, and nothing else', async () => {
  const stage = await notesStage({
    model: [
      toolCall('memory_write', { target: 'long_term', content: 'Tabs.' }),
      toolCall('memory_write', { target: 'daily', content: 'Looked.' }),
      text('Twelve hours.'),
    ],
  });
  const root = join(stage.workspace, '.axe/memory');
  mkdirSync(join(root, 'MEMORY.md'), { recursive: true });
  const step = await stage.runOn('file');
  expect(step).toMatchObject({ exitCode: 0, stderr: '' });
  expect(step.outputs['response']).toBe('Twelve hours.');
  expect(lstatSync(join(root, 'MEMORY.md')).isDirectory()).toBe(true);
});

function expectRead(requests: readonly Parameters<typeof newResults>[0][], system: string): void {
  expect(newResults(requests[1])).toEqual(["No matches for 'lighthouse'."]);
  expect(newResults(requests[2])).toEqual([expect.stringMatching(/^Wrote 7 bytes to /)]);
  expect(system).toContain('Good morning.');
  expect(system).not.toContain('Ada');
}

function isSecret(file: string): boolean {
  return isSame(file, SECRET);
}

function isSame(file: string, content: string): boolean {
  return readFileSync(file, 'utf8') === content;
}
