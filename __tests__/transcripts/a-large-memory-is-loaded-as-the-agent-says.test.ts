import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { startModelServer, text } from '../helpers/model-server.js';
import { runMain } from '../helpers/run-action.js';
import { runCli } from '../helpers/run-cli.js';
import { tempDir, writeFiles } from '../helpers/temp.js';
import { countEntries, scheduledStep, titles } from './memory-scene.js';

const ENTRY = (n: number) =>
  `## 2026-01-02T03:04:${String(n).padStart(2, '0')}Z\n**Task:** from ${n} ${'x'.repeat(100_000)} to ${n}\n**Result:** Entry ${n}.\n\n`;
const LOG = Array.from({ length: 10 }, (_, index) => ENTRY(index)).join('');
const GIANT = `## 2026-01-02T03:05:00Z\n**Task:** from here ${'y'.repeat(400_000)} to there\n**Result:** Found two problems:\n- a\n- b\n\n`;

interface Case {
  readonly memory: string;
  readonly log: string;
  readonly loaded: number;
  /** What `-v` says of them. */
  readonly line: string;
  readonly isTold: boolean;
}

const CASES: readonly Case[] = [
  { memory: '', log: LOG, loaded: 2, line: '2 of 10 entries', isTold: true },
  { memory: 'last_n = 10\n', log: LOG, loaded: 10, line: '10 entries', isTold: false },
  { memory: 'last_n = 0\n', log: LOG, loaded: 10, line: '10 entries', isTold: false },
  { memory: 'max_log_bytes = 1000000\n', log: LOG, loaded: 9, line: '9 of 10 entries', isTold: false },
  {
    memory: 'last_n = 5\nmax_log_bytes = 350000\n',
    log: LOG,
    loaded: 3,
    line: '3 of 10 entries',
    isTold: false,
  },
  { memory: '', log: LOG + GIANT, loaded: 1, line: '1 of 11 entries', isTold: true },
];

function agent(memory: string): string {
  return `name = "reporter"\nmodel = "anthropic/claude-sonnet-5-5"\n\n[memory]\nenabled = true\n${memory}`;
}

function expectLoaded(system: string, { loaded, log }: Case): void {
  expect(countEntries(system)).toBe(loaded);
  if (log.endsWith(GIANT)) {
    expect(system).toMatch(
      /\*\*Task:\*\* from here y+ \[\.\.\. [\d,]+ bytes left out \.\.\.\] y+ to there\n/,
    );
    expect(system).toContain('**Result:** Found two problems:\n- a\n- b\n');
  } else expect(system).toContain('**Result:** Entry 9.');
}

describe.each(CASES)('a log of $log.length characters with "$memory"', (scene) => {
  it('is loaded on the command line', async () => {
    const [cwd, data] = [tempDir('project'), tempDir('data')];
    writeFiles(cwd, { 'axe/agents/reporter.toml': agent(scene.memory) });
    writeFiles(data, { 'axe/memory/reporter.md': scene.log });
    const model = await startModelServer([text('It rains.')]);
    const env = { ...model.env, XDG_DATA_HOME: data };
    const { exitCode, stderr } = await runCli(['run', 'reporter', '-v'], { env, cwd, stdin: 'Look.' });
    expect(exitCode).toBe(0);
    expect(stderr).toContain(`Memory:   ${scene.line} loaded from `);
    expect(stderr.includes('Set `last_n`')).toBe(scene.isTold);
    expectLoaded(model.prompts()[0]?.system ?? '', scene);
  });

  it('is loaded in a workflow', async () => {
    const workspace = tempDir('workspace');
    writeFiles(workspace, {
      'axe/agents/reporter.toml': agent(scene.memory),
      '.axe/memory/reporter.md': scene.log,
    });
    const model = await startModelServer([text('It rains.')]);
    const inputs = { agent: 'reporter', 'memory-store': 'file' };
    const step = await runMain(scheduledStep({ model }, { workspace, inputs }));
    expect(step).toMatchObject({ exitCode: 0, stderr: '' });
    expect(step.outputs['memory-loaded']).toBe(String(scene.loaded));
    expect(step.summary).toMatch(new RegExp(`${scene.loaded}( of 1[01])? entries loaded`));
    expect(titles(step)).toEqual(scene.isTold ? ['Memory loaded in part'] : []);
    expectLoaded(model.prompts()[0]?.system ?? '', scene);
  });
});

describe('a long prompt', () => {
  const LONG = `Begin here. ${'z'.repeat(20_000)} End here.`;

  it('is sent whole and remembered with 500 characters', async () => {
    const workspace = tempDir('workspace');
    const model = await startModelServer([text('Done.')]);
    const inputs = { prompt: LONG, 'memory-store': 'file' };
    const step = await runMain(scheduledStep({ model }, { workspace, inputs }));
    expect(step).toMatchObject({ exitCode: 0, stderr: '' });
    expect(model.prompts()[0]?.messages[0]).toContain(LONG);
    expectShort(readFileSync(join(workspace, '.axe/memory/ask.md'), 'utf8'));
  });

  it('is remembered with 500 characters on the command line too, and piped text whole', async () => {
    const data = tempDir('data');
    const model = await startModelServer([text('Done.'), text('Done.')]);
    const env = { ...model.env, XDG_DATA_HOME: data };
    const file = join(data, 'axe/memory/ask.md');
    expect(await runCli(['run', 'builtin/ask', '--prompt', LONG], { env, stdin: '' })).toMatchObject({
      exitCode: 0,
    });
    const first = readFileSync(file, 'utf8');
    expectShort(first);
    expect(await runCli(['run', 'builtin/ask'], { env, stdin: LONG })).toMatchObject({ exitCode: 0 });
    expect(readFileSync(file, 'utf8').slice(first.length)).toContain(`**Task:** ${LONG}\n`);
  });

  function expectShort(log: string): void {
    const task = /^\*\*Task:\*\* (.*)$/m.exec(log)?.[1] ?? '';
    expect(task).toMatch(/^Begin here\. z+ \[\.\.\. [\d,]+ characters left out\]$/);
    expect(task.length).toBeLessThanOrEqual(500);
  }
});
