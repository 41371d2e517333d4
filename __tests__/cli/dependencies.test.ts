import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import {
  createTerminalDependencies,
  type TerminalDependenciesOptions,
} from '../../src/cli/dependencies.js';
import { createDeadline } from '../../src/lib/clock.js';
import { AxeError } from '../../src/lib/errors.js';
import type { RunOutcome } from '../../src/lib/outcome.js';
import type { Dependencies } from '../../src/run/dependencies.js';
import { AGENT_WITH_MEMORY } from '../helpers/dependencies-fake.js';
import { completed, exhausted, reportOf, requestOf, STATS } from '../helpers/reports.js';
import { tempDir } from '../helpers/temp.js';
import { createFakeTerminal } from '../helpers/terminal-fake.js';

const QUIET = { json: false, verbose: false };

/** The world of a terminal on a machine with nothing on it. */
async function open(patch: Partial<TerminalDependenciesOptions> = {}) {
  const home = tempDir('home');
  const terminal = createFakeTerminal({ env: { HOME: home }, cwd: home });
  const deps = await createTerminalDependencies({
    terminal,
    trigger: { kind: 'local' },
    deadline: createDeadline(),
    reporter: { event: () => {}, warn: () => {} },
    agentsDir: '',
    output: QUIET,
    ...patch,
  });
  return { deps, terminal, home };
}

/** What a terminal shows of the end of a run. */
async function publish(outcome: RunOutcome, output: TerminalDependenciesOptions['output']) {
  const { deps, terminal } = await open({ output });
  const { plan } = await reportOf('planned');
  const published = await deps.publisher.publish(requestOf(plan, outcome));
  expect(published).toEqual({ posts: [] });
  return { output: terminal.output(), talk: terminal.talk() };
}

const ENDS: readonly (readonly [string, RunOutcome, string, boolean])[] = [
  ['completed', completed('Fine.'), 'Fine.', true],
  ['completed with nothing to say', completed(''), '', true],
  ['was refused', { kind: 'refused', answer: 'I will not.', stats: STATS }, 'I will not.', true],
  ['had no tokens left', exhausted('tokens', 'So far.'), 'So far.', true],
  ['had no money left', exhausted('cost', 'So far.'), 'So far.', true],
  ['had no turns left', exhausted('turns', 'So far.'), '', false],
  ['had no time left', exhausted('time', 'So far.'), '', false],
  ['failed', { kind: 'failed', error: new AxeError('server: boom'), stats: STATS }, '', false],
];

describe('the output at the end of a run in a terminal', () => {
  it.each(ENDS)('that %s is its answer unchanged, if any', async (_, outcome, answer) => {
    expect(await publish(outcome, QUIET)).toEqual({ output: answer, talk: '' });
  });

  it.each(ENDS)('that %s is one line of JSON with --json', async (_, outcome) => {
    const { output, talk } = await publish(outcome, { json: true, verbose: false });
    expect(talk).toBe('');
    expect(output).toMatch(/^\{.*\}\n$/);
    const line: Record<string, unknown> = JSON.parse(output);
    expect(line).toMatchObject({ content: outcome.kind === 'failed' ? '' : outcome.answer });
    expect('error' in line).toBe(outcome.kind !== 'completed');
  });

  it.each(ENDS)('that %s has figures when requested', async (_, outcome, __, isAnswered) => {
    const { output, talk } = await publish(outcome, { json: false, verbose: true });
    expect(output).not.toContain('Duration');
    const duration = 'Duration: 6543ms\n';
    expect(talk).toBe(
      isAnswered
        ? `${duration}Tokens:   1200 input, 34 output\nCache:    560 read, 0 written\nStop:     end_turn\n`
        : duration,
    );
  });
});

const ADDED = '## 2026-02-22T10:01:00Z\n**Task:** Look\n**Result:** Seen.\n\n';

async function append(deps: Dependencies, memoryPath: string, treePath = 'bot.md') {
  const path = memoryPath === '' ? '' : `path = "${memoryPath}"\n`;
  const { plan } = await reportOf('planned', { agents: { bot: `${AGENT_WITH_MEMORY}${path}` } });
  if (plan.memory === undefined) throw new Error('the agent has no memory');
  const store = deps.openMemory(plan.agent, {
    ...plan.memory,
    path: treePath.replace(/^apart\//, ''),
  });
  const change = { kind: 'append', path: treePath, id: '1', text: ADDED } as const;
  return await store.write([change], new AbortController().signal);
}

it.each([
  ['bot.md', 'mem.md'],
  ['apart/bot.md', 'apart/mem.md'],
  ['offline/bot.md', 'offline/mem.md'],
  ['apart/offline/bot.md', 'apart/offline/mem.md'],
])('memory in a terminal for %s is the file %s if the agent names one', async (treePath, file) => {
  const folder = tempDir('memory');
  const { deps, home } = await open();
  expect(await append(deps, join(folder, 'mem.md'), treePath)).toMatchObject({ kind: 'saved' });
  expect(readFileSync(join(folder, file), 'utf8')).toBe(ADDED);
  expect(existsSync(join(home, '.local'))).toBe(false);
});

it('memory in a terminal that has no place is an error of the store, not of the run', async () => {
  const { deps } = await open({
    terminal: createFakeTerminal({ env: { XDG_CONFIG_HOME: '/config' } }),
  });
  expect(await append(deps, '')).toMatchObject({
    kind: 'failed',
    message: expect.stringMatching(/HOME/),
  });
});
