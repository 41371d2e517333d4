import { chmodSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { startModelServer, text } from '../helpers/model-server.js';
import { runCli } from '../helpers/run-cli.js';
import { tempDir, writeFiles } from '../helpers/temp.js';

let home: string;
let cwd: string;
const axe = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  runCli(args, { cwd, env: { HOME: home, XDG_CONFIG_HOME: join(home, 'config'), ...env } });

beforeEach(() => {
  home = tempDir('home');
  cwd = tempDir('cwd');
});

describe('config', () => {
  it('path prints the folder and creates nothing', async () => {
    const { stdout, exitCode } = await axe(['config', 'path']);
    expect([stdout, exitCode]).toEqual([`${join(home, 'config/axe')}\n`, 0]);
    expect(readdirSync(home)).toEqual([]);
  });

  it('init creates the folder, keys for the owner only, and overwrites nothing', async () => {
    expect(await axe(['config', 'init'])).toMatchObject({ exitCode: 0, stderr: '' });
    const file = join(home, 'config/axe/config.toml');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(join(home, 'config/axe')).sort()).toEqual([
      'agents',
      'config.toml',
      'skills',
    ]);
    writeFiles(home, { 'config/axe/config.toml': '# mine\n' });
    expect(await axe(['config', 'init'])).toMatchObject({ exitCode: 0 });
    expect(readFileSync(file, 'utf8')).toBe('# mine\n');
  });
});

it('agents init writes a file that run accepts once a model is filled in, and refuses to write it twice', async () => {
  const made = await axe(['agents', 'init', 'helper']);
  const file = join(home, 'config/axe/agents/helper.toml');
  expect(made).toMatchObject({ exitCode: 0, stdout: `${file}\n`, stderr: '' });
  const again = await axe(['agents', 'init', 'helper']);
  expect(again).toMatchObject({
    exitCode: 1,
    stdout: '',
    stderr: `agent config already exists: ${file}\n  Change it with \`axe-action agents edit helper\`, or choose another name.\n`,
  });

  const error =
    /unsupported provider "provider": .*\n {2}`provider\/model-name` is the placeholder of `agents init`\. .*\n/;
  const [validated, untouched] = [
    await axe(['agents', 'validate', 'helper']),
    await axe(['run', 'helper', '-p', 'Hello.']),
  ];
  expect([validated.exitCode, validated.stdout]).toEqual([2, expect.stringMatching(error)]);
  expect([untouched.exitCode, untouched.stderr]).toEqual([1, expect.stringMatching(error)]);

  const model = await startModelServer([text('Hello.')]);
  const run = await axe(
    ['run', 'helper', '-p', 'Hello.', '--model', 'anthropic/claude-sonnet-4-5'],
    model.env,
  );
  expect(run).toMatchObject({ exitCode: 0, stdout: 'Hello.', stderr: '' });
});

it('agents list shows those of the repository and of this machine, and reports what it leaves out', async () => {
  writeFiles(home, {
    'config/axe/agents/helper.toml': 'name = "helper"\nmodel = "ollama/llama3"\n',
  });
  writeFiles(cwd, {
    'axe/agents/reviewer.toml':
      'name = "reviewer"\ndescription = "Reviews"\nmodel = "ollama/llama3"\n',
    'axe/agents/broken.toml': 'name = \n',
  });
  const list = await axe(['agents', 'list']);
  expect(list.exitCode).toBe(0);
  expect(list.stdout).toMatch(/^reviewer - Reviews\nhelper\nbuiltin\/pr-reviewer - /);
  expect(list.stderr).toMatch(
    /^Warning: axe\/agents\/broken\.toml is left out: .*\n {2}at axe\/agents\/broken\.toml:1:\d+\n/,
  );
});

it('agents edit opens the file in $EDITOR, with its flags', async () => {
  writeFiles(cwd, { 'axe/agents/reviewer.toml': 'name = "reviewer"\nmodel = "ollama/llama3"\n' });
  const editor = join(tempDir('bin'), 'editor');
  writeFiles(join(editor, '..'), {
    editor: '#!/bin/sh\nprintf "# edited with %s\\n" "$1" >> "$2"\n',
  });
  chmodSync(editor, 0o755);
  const edited = await axe(['agents', 'edit', 'reviewer'], { EDITOR: `${editor} --wait` });
  expect(edited).toMatchObject({ exitCode: 0, stderr: '' });
  expect(readFileSync(join(cwd, 'axe/agents/reviewer.toml'), 'utf8')).toMatch(
    /# edited with --wait\n$/,
  );
  expect(await axe(['agents', 'edit', 'reviewer'])).toMatchObject({
    exitCode: 1,
    stderr: '$EDITOR environment variable is not set\n  Set it, for example `export EDITOR=vi`.\n',
  });
});
