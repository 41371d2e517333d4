import { readdirSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { runCommandLine } from '../../src/cli/main.js';
import { tempDir } from '../helpers/temp.js';
import { createFakeTerminal } from '../helpers/terminal-fake.js';

/** The text below each heading, and the headings. */
async function run() {
  const home = tempDir('home');
  const terminal = createFakeTerminal({ env: { PATH: process.env['PATH'], HOME: home } });
  const exitCode = await runCommandLine(['demo'], terminal);
  const parts = terminal.output().split(/^── .*$/m);
  return { exitCode, home, talk: terminal.talk(), text: terminal.output(), parts };
}

describe('the demo', () => {
  it('shows the whole life of a finding', async () => {
    const { exitCode, talk, text, parts, home } = await run();
    expect({ exitCode, talk }).toEqual({ exitCode: 0, talk: '' });
    const [, first = '', second = '', third = '', memory = '', end = ''] = parts;
    expect(first).toMatch(/A promise is no longer awaited · src\/checkout\.ts:3\n {3}raised as major/);
    expect(first).toMatch(/Debug output outside of tests · src\/checkout\.ts:2\n {3}raised as minor/);
    expect(first).toContain('@you answers the comment on console.log: “By design: ');
    expect(second).toMatch(
      /Debug output outside of tests · src\/checkout\.ts:2\n {3}dismissed by the answer/,
    );
    expect(second).toMatch(/A promise is no longer awaited · src\/checkout\.ts:3\n {3}settled: /);
    expect(third).toMatch(/A promise is no longer awaited · src\/checkout\.ts:3\n {3}back: /);
    expect(third).toMatch(
      /Debug output outside of tests · src\/checkout\.ts:2\n {3}found again, and not raised: it was dismissed/,
    );
    expect(memory).toContain('- Posted 2 comments on #1: src/checkout.ts:3, src/checkout.ts:2.');
    expect(memory).toContain('- Settled 1 earlier finding.');
    expect(memory).toContain('- 1 earlier finding came back. Not repeated: 1 dismissed before.');
    expect(memory).toContain('- dismissed by @you: other, src/checkout.ts');
    expect(end).toContain('Raised once, dismissed by an answer, fixed by a push');
    expect(text.split('\n').every((line) => line.length <= 110)).toBe(true);
    expect(readdirSync(home)).toEqual([]);
  });

  it('reports that it needs git if git is missing', async () => {
    const terminal = createFakeTerminal({ env: { PATH: tempDir('empty'), HOME: tempDir('home') } });
    await expect(runCommandLine(['demo'], terminal)).rejects.toMatchObject({
      message: expect.stringContaining('could not make its temporary repository'),
      remedy: 'The demo needs `git` on the PATH.',
    });
  });
});
