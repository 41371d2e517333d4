import { execFileSync } from 'node:child_process';
import { linkSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { startModelServer, text } from '../helpers/model-server.js';
import { runMain } from '../helpers/run-action.js';
import { tempDir, writeFiles } from '../helpers/temp.js';
import { expectNotSavedReported, scheduledStep, titles } from './memory-scene.js';

const OUTSIDE = '## 2026-01-02T03:04:05Z\n**Task:** x\n**Result:** The secret of somebody else.\n\n';

/** What is in place of the memory file, and what is reported about it. */
const STRANGE: readonly (readonly [string, (file: string, outside: string) => void, RegExp])[] = [
  ['a folder', (file) => mkdirSync(file, { recursive: true }), /is a directory/],
  [
    'a link to a file of the machine',
    (file) => {
      mkdirSync(join(file, '..'), { recursive: true });
      symlinkSync('/etc/passwd', file);
    },
    /must be a regular file/,
  ],
  [
    'a link to a file outside',
    (file, outside) => {
      mkdirSync(join(file, '..'), { recursive: true });
      symlinkSync(join(outside, 'ask.md'), file);
    },
    /must be a regular file/,
  ],
  [
    'a second name of a file outside',
    (file, outside) => {
      mkdirSync(join(file, '..'), { recursive: true });
      linkSync(join(outside, 'ask.md'), file);
    },
    /has more than one name \(hard links\)/,
  ],
  [
    'a pipe that nobody reads',
    (file) => {
      mkdirSync(join(file, '..'), { recursive: true });
      execFileSync('mkfifo', [file]);
    },
    /not a regular file/,
  ],
  [
    'a file in a linked folder',
    (file, outside) => {
      mkdirSync(join(file, '../..'), { recursive: true });
      symlinkSync(outside, join(file, '..'));
    },
    /is a symbolic link/,
  ],
];

describe('C2 30: in place of the memory file', () => {
  it.each(STRANGE)('%s is neither read nor written, and the run continues', async (_, put, told) => {
    const workspace = tempDir('workspace');
    const outside = tempDir('outside');
    writeFiles(outside, { 'ask.md': OUTSIDE });
    const passwd = readFileSync('/etc/passwd', 'utf8');
    put(join(workspace, '.axe/memory/ask.md'), outside);

    const model = await startModelServer([text('It rains.')]);
    const step = await runMain(scheduledStep({ model }, { workspace, inputs: { 'memory-store': 'file' } }));

    expect(expectNotSavedReported(step, 'It rains.')).toMatch(told);
    expect(titles(step)).toEqual(['Memory not saved']);
    expect(model.prompts()[0]?.system).not.toMatch(/secret of somebody else|root:|## Memory/);
    expect(readFileSync('/etc/passwd', 'utf8')).toBe(passwd);
    expect(readFileSync(join(outside, 'ask.md'), 'utf8')).toBe(OUTSIDE);
    expect(readdirSync(outside)).toEqual(['ask.md']);
  });
});
