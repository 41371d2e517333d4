import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { AGENTS_COMMANDS } from '../../src/cli/agents.js';
import { formatCompletion } from '../../src/cli/completion.js';
import { main } from '../../src/cli/main.js';
import { MEMORY_COMMANDS } from '../../src/cli/memory-help.js';
import { RUN_HELP } from '../../src/cli/run.js';
import { tempDir, writeFiles } from '../helpers/temp.js';
import { createFakeTerminal } from '../helpers/terminal-fake.js';
import { COMMAND_NAMES } from './command-names.js';

/** The script as the program prints it. */
async function script(shell: string): Promise<string> {
  const terminal = createFakeTerminal();
  expect(await main(['completion', shell], terminal)).toBe(0);
  return terminal.output();
}

/** Whether a program of this name is on the machine. */
function has(program: string): boolean {
  return spawnSync(program, ['--version']).status === 0;
}

/** Checks the syntax of a script without running it. */
function syntax(shell: string, text: string): { readonly status: number | null; readonly stderr: string } {
  const folder = tempDir('completion');
  writeFiles(folder, { script: text });
  const { status, stderr } = spawnSync(shell, ['-n', join(folder, 'script')], { encoding: 'utf8' });
  return { status, stderr };
}

const SHELLS = ['bash', 'zsh', 'fish'];

describe.each(SHELLS)('the completion of %s', (shell) => {
  it('contains every command and every flag', async () => {
    const text = await script(shell);
    for (const name of COMMAND_NAMES) expect(text).toMatch(new RegExp(`\\b${name}\\b`));
    for (const { usage, flags } of [RUN_HELP, ...MEMORY_COMMANDS, ...AGENTS_COMMANDS]) {
      expect(text).toContain(usage.split(/ [<[]/)[0]);
      for (const { name } of flags) expect(text).toMatch(new RegExp(`(?:--|-l )${name}\\b`));
    }
  });

  (shell === 'bash' || has(shell) ? it : it.skip)('is a script that the shell takes', async () => {
    expect(syntax(shell, await script(shell))).toEqual({ status: 0, stderr: '' });
  });

  it('quotes the special characters of descriptions', () => {
    const flag = { name: 'odd', kind: 'string', about: "It's [odd]: $x `y` \\" } as const;
    const help = { usage: 'odd', short: "it's odd", long: '', flags: [flag] };
    const text = formatCompletion(shell === 'zsh' ? 'zsh' : shell === 'fish' ? 'fish' : 'bash', [
      { help, commands: [] },
    ]);
    if (has(shell)) expect(syntax(shell, text)).toEqual({ status: 0, stderr: '' });
    else expect(text).toMatch(/odd/);
  });
});

it('an unknown shell is refused, and the existing ones are named', async () => {
  const terminal = createFakeTerminal();
  expect(await main(['completion', 'tcsh'], terminal)).toBe(1);
  expect(terminal.talk()).toBe(
    'there is no completion for the shell "tcsh"\n  Name one of `bash`, `zsh`, `fish`.\n',
  );
});

/** What bash offers for a line whose last word is being typed. */
async function offers(line: string): Promise<readonly string[]> {
  const folder = tempDir('completion');
  const agents =
    "#!/bin/sh\n[ \"$*\" = 'agents list' ] && printf 'reviewer - Reviews\\nbuiltin/ask - Answers\\n'\n";
  writeFiles(folder, {
    'axe-action': agents,
    'complete.bash': await script('bash'),
    'event.json': '{}',
    'axe/a': '',
  });
  const ask = `
    chmod +x axe-action; PATH="$PWD:$PATH"; source ./complete.bash
    COMP_WORDS=("$@"); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); _axe_action
    printf '%s\\n' "\${COMPREPLY[@]}"`;
  const words = line
    .split(' ')
    .flatMap((word) => word.split(/(=)/))
    .filter((word, index, all) => word !== '' || index === all.length - 1);
  const { stdout, stderr } = spawnSync('bash', ['-c', ask, 'bash', ...words], {
    cwd: folder,
    encoding: 'utf8',
  });
  expect(stderr).toBe('');
  return stdout.trim().split('\n');
}

(has('bash') ? describe : describe.skip)('bash offers', () => {
  it.each([
    ['axe-action in', ['init']],
    ['axe-action co', ['config', 'completion']],
    ['axe-action memory s', ['show', 'search', 'stats', 'sign']],
    ['axe-action run --mod', ['--model']],
    ['axe-action memory show bot --la', ['--lane', '--last']],
    ['axe-action run ', ['reviewer', 'builtin/ask']],
    ['axe-action memory show rev', ['reviewer']],
    ['axe-action run bot --review-depth ', ['quick', 'standard', 'thorough']],
    ['axe-action run bot --review-depth=th', ['thorough']],
    ['axe-action run bot --event ev', ['event.json']],
    ['axe-action run bot --agents-dir ax', ['axe']],
    ['axe-action run bot --prompt ', ['']],
    ['axe-action completion ', ['bash', 'zsh', 'fish']],
    ['axe-action help mem', ['memory']],
    ['axe-action demo ', ['']],
    ['axe-action doctor --event ev', ['event.json']],
    ['axe-action doctor re', ['reviewer']],
  ])('completion offers for `%s` %j', async (line, expected) => {
    expect(await offers(line)).toEqual(expected);
  });
});

(has('fish') ? it : it.skip)('fish offers values of a flag and no files beside them', async () => {
  const folder = tempDir('completion');
  writeFiles(folder, { 'complete.fish': await script('fish'), 'a-file': '' });
  const ask = "source complete.fish; complete -C'axe-action run bot --review-scope '";
  const { stdout } = spawnSync('fish', ['--no-config', '-c', ask], { cwd: folder, encoding: 'utf8' });
  expect(
    stdout
      .trim()
      .split('\n')
      .map((line) => line.split('\t')[0]),
  ).toEqual(['auto', 'full']);
});
