import { closeSync, openSync, readSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { startModelServer, text } from '../helpers/model-server.js';
import { runMain } from '../helpers/run-action.js';
import { tempDir, writeFiles } from '../helpers/temp.js';
import { countEntries, resultsIn, scheduledStep, titles } from './memory-scene.js';

const MB = 1024 * 1024;
const ENTRY = (n: number) =>
  `## 2026-01-02T03:04:05Z\n**Task:** Say what is new.\n**Result:** Entry ${String(n).padStart(7, '0')}. ${'x'.repeat(900)}\n\n`;
const PER_BLOCK = 1000;

let workspace: string;
let file: string;
let size: number;
let newest: number;

/** More than 100 MB of entries, numbered; the same block over and over but for its last one. */
beforeEach(() => {
  workspace = tempDir('workspace');
  file = join(workspace, '.axe/memory/reporter.md');
  writeFiles(workspace, { '.axe/memory/reporter.md': '' });
  const block = Buffer.from(Array.from({ length: PER_BLOCK }, () => ENTRY(0)).join(''));
  const handle = openSync(file, 'w');
  newest = 0;
  for (size = 0; size < 100 * MB; size += block.length) writeSync(handle, block);
  for (newest = 1; newest <= 20; newest += 1) size += writeSync(handle, ENTRY(newest));
  newest -= 1;
  closeSync(handle);
});

function agent(memory: string): string {
  return `name = "reporter"\nmodel = "anthropic/claude-sonnet-4-5"\n\n[memory]\nenabled = true\n${memory}`;
}

/** The bytes of the file from a place on. */
function bytesFrom(position: number): string {
  const buffer = Buffer.alloc(statSync(file).size - position);
  const handle = openSync(file, 'r');
  readSync(handle, buffer, 0, buffer.length, position);
  closeSync(handle);
  return buffer.toString();
}

async function run(memory: string) {
  writeFiles(workspace, { 'axe/agents/reporter.toml': agent(memory) });
  const before = bytesFrom(size - 2 * MB);
  const model = await startModelServer([text('It rains.')]);
  const inputs = { agent: 'reporter', 'memory-store': 'file' };
  const step = await runMain(scheduledStep({ model }, { workspace, inputs }));
  expect({ exitCode: step.exitCode, stderr: step.stderr }).toEqual({ exitCode: 0, stderr: '' });
  expect(step.outputs['memory-saved']).toBe('true');
  expect(bytesFrom(size - 2 * MB)).toBe(before + step.outputs['memory-entry']);
  return { step, system: model.prompts()[0]?.system ?? '' };
}

describe('C2 19: a memory file of 100 MB', () => {
  it('returns the last entries requested and reports nothing', async () => {
    const { step, system } = await run('last_n = 3\n');
    expect(step.annotations).toEqual([]);
    expect(step.outputs['memory-loaded']).toBe('3');
    expect(resultsIn(system).map((result) => result.slice(0, 14))).toEqual([
      'Entry 0000018.',
      'Entry 0000019.',
      'Entry 0000020.',
    ]);
  });

  it('is loaded in part if no number is given, with a warning that names the key', async () => {
    const { step, system } = await run('');
    expect(titles(step)).toEqual(['Memory loaded in part']);
    expect(step.annotations[0]?.message).toMatch(/holds \d{3},\d{3},\d{3} bytes.*`last_n`/);
    expect(system.length).toBeLessThan(260 * 1024);
    expect(countEntries(system)).toBe(Number(step.outputs['memory-loaded']));
    expect(countEntries(system)).toBeGreaterThan(200);
    expect(resultsIn(system).at(-1)).toContain(`Entry 00000${newest}.`);
  });
});

describe('C2 19: a memory file with', () => {
  it.each<readonly [string, string, number, string]>([
    ['a million entries', '## 2026-01-02T03:04:05Z\n**Task:** x\n**Result:** ok.\n\n', 1_000_000, ''],
    ['one line of 50 MB', 'x'.repeat(MB), 50, '\n'],
  ])('%s is read from its end, and only the new entry is written', async (_, part, times, end) => {
    const handle = openSync(file, 'w');
    const block = Buffer.from(part.repeat(Math.max(1, Math.floor(MB / part.length))));
    const blocks = Math.ceil((times * part.length) / block.length);
    for (let written = 0; written < blocks; written += 1) writeSync(handle, block);
    writeSync(handle, `${end}${ENTRY(1)}`);
    closeSync(handle);
    size = statSync(file).size;
    const { step, system } = await run('last_n = 1\n');
    expect(step.annotations).toEqual([]);
    expect(resultsIn(system).map((result) => result.slice(0, 14))).toEqual(['Entry 0000001.']);
  });
});
