import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { INIT_HELP } from '../../src/cli/command-help.js';
import { main } from '../../src/cli/main.js';
import { MEMORY_PLACES } from '../../src/commands/init/compose.js';
import { JOB_IDS, JOBS } from '../../src/commands/init/jobs.js';
import { tempDir, writeFiles } from '../helpers/temp.js';
import { createFakeTerminal } from '../helpers/terminal-fake.js';

let cwd: string;

beforeEach(() => {
  cwd = tempDir('repository');
  writeFiles(cwd, { '.git/HEAD': 'ref: refs/heads/main\n' });
});

/** Runs `init`; with answers as somebody at a terminal. */
async function init(
  words: readonly string[],
  answers?: readonly string[],
  { from = cwd, programFolder }: { readonly from?: string; readonly programFolder?: string } = {},
) {
  const fake = createFakeTerminal({
    env: { HOME: tempDir('home') },
    cwd: from,
    isTTY: answers !== undefined,
    ...(programFolder === undefined ? {} : { programFolder }),
  });
  const stdin = Object.assign(Readable.from((answers ?? []).map((line) => `${line}\n`)), {
    isTTY: answers !== undefined,
  });
  const exitCode = await main(['init', ...words], { ...fake, stdin });
  return { exitCode, output: fake.output(), talk: fake.talk() };
}

function read(path: string): string {
  return readFileSync(join(cwd, path), 'utf8');
}

function files(): readonly string[] {
  const all = readdirSync(cwd, { recursive: true, encoding: 'utf8' });
  return all.filter((path) => statSync(join(cwd, path)).isFile());
}

const REVIEW = ['.github/workflows/axe-review.yml', 'axe/agents/reviewer.toml', 'axe/skills/review/SKILL.md'];

describe('init', () => {
  it('writes workflow, agent and skill with the defaults if nobody can be asked, and prints the next steps', async () => {
    const { exitCode, output, talk } = await init([]);
    expect([exitCode, talk]).toEqual([0, '']);
    for (const path of REVIEW) expect(output).toContain(`wrote  ${path}\n`);
    expect(read(REVIEW[0] ?? '')).toContain('ANTHROPIC_API_KEY: ${{ secrets.ANTHROPIC_API_KEY }}');
    expect(read(REVIEW[1] ?? '')).toContain('model = "anthropic/claude-sonnet-5-5"\n');
    expect(output).toContain('gh secret set ANTHROPIC_API_KEY');
    expect(output).toContain('contents: write, issues: read, pull-requests: write');
  });

  it('changes no existing file, and reports it', async () => {
    const mine = 'name = "reviewer"\nmodel = "openai/gpt-4o"\n';
    writeFiles(cwd, { [REVIEW[0] ?? '']: '# mine\n', [REVIEW[1] ?? '']: mine });
    const { exitCode, output } = await init([]);
    expect(exitCode).toBe(0);
    expect(output).toContain('kept   .github/workflows/axe-review.yml, which exists already\n');
    expect(output).toContain('kept   axe/agents/reviewer.toml, which exists already\n');
    expect([read(REVIEW[0] ?? ''), read(REVIEW[1] ?? '')]).toEqual(['# mine\n', mine]);
    expect(existsSync(join(cwd, REVIEW[2] ?? ''))).toBe(false);
  });

  it('names the model in the workflow if an existing agent has another one', async () => {
    writeFiles(cwd, { '.axe/agents/reviewer.toml': 'name = "reviewer"\nmodel = "openai/gpt-4o"\n' });
    await init(['--model', 'offline/rules']);
    expect(read(REVIEW[0] ?? '')).toContain('          agent: reviewer\n          model: offline/rules\n');
  });

  it('shows the problems of an existing agent, exit status 2', async () => {
    writeFiles(cwd, { [REVIEW[1] ?? '']: 'name = "reviewer"\nmodel = 7\n' });
    const { exitCode, output } = await init([]);
    expect(exitCode).toBe(2);
    expect(output).toContain('axe/agents/reviewer.toml:2:1: error: ');
    expect(output).not.toContain('Next steps');
  });

  it('writes to the root of the repository, wherever the command runs', async () => {
    writeFiles(cwd, { 'src/deep/a.txt': '' });
    const { output } = await init([], undefined, { from: join(cwd, 'src/deep') });
    expect(output).toMatch(/^In the repository /);
    expect(existsSync(join(cwd, REVIEW[1] ?? ''))).toBe(true);
  });

  it('asks in a terminal what no flag answers; an empty line uses the default', async () => {
    const { exitCode, output } = await init([], ['3', 'offline/rules', '', '']);
    expect(exitCode).toBe(0);
    expect(output.match(/\?$/gm)).toHaveLength(4);
    for (const { id, about } of JOBS) expect(output).toMatch(new RegExp(`${id} +${about.slice(0, 20)}`));
    const workflow = read('.github/workflows/axe-mention.yml');
    expect(workflow).toContain('memory-store: repo');
    expect(workflow).not.toContain('secrets.');
  });

  it('repeats a question after an invalid answer, and skips what a flag answers', async () => {
    const { output } = await init(['--job', 'triage', '--memory', 'cache', '--uses', 'a/b@v1'], ['99', '4']);
    expect(output).toContain('Type a number from 1 to 4.');
    expect(output.match(/\?$/gm)).toHaveLength(1);
    expect(read('.github/workflows/axe-triage.yml')).toMatch(/contents: read\n[\s\S]*memory-store: cache/);
  });

  it('repeats the question about the model after one that it cannot use, with the reason', async () => {
    const { exitCode, output, talk } = await init(
      [],
      ['mention', 'gpt5', 'bedrock/x', 'openai/gpt-4.1', '', ''],
    );
    expect([exitCode, talk]).toEqual([0, '']);
    expect(output).toMatch(
      /> invalid model format "gpt5": [^\n]*\n {2}Write the model as `provider\/model-name`/,
    );
    expect(output).toContain('> init cannot write a workflow for models of `bedrock`');
    expect(read('axe/agents/assistant.toml')).toContain('model = "openai/gpt-4.1"\n');
  });

  it('writes the address of the clone that it runs from, without asking', async () => {
    const commit = '0123456789abcdef0123456789abcdef01234567';
    const clone = tempDir('clone');
    writeFiles(clone, {
      '.git/HEAD': 'ref: refs/heads/main\n',
      '.git/packed-refs': `# pack-refs with: peeled\n${commit} refs/heads/main\n`,
      '.git/config': '[remote "origin"]\n\turl = https://github.com/octo-org/my-axe.git\n',
    });
    const { output } = await init([], ['', '', ''], { programFolder: join(clone, 'dist/cli') });
    expect(output.match(/\?$/gm)).toHaveLength(3);
    expect(read(REVIEW[0] ?? '')).toContain(`      - uses: octo-org/my-axe@${commit}\n`);
    expect(read(REVIEW[1] ?? '')).toContain(`octo-org/my-axe/${commit}/schema/agent.schema.json\n`);
  });

  it('asks for the address where it cannot know it, and leaves a placeholder where nobody answers', async () => {
    await init([], ['', '', '', 'axe', 'octo-org/axe@v2']);
    expect(read(REVIEW[0] ?? '')).toContain('      - uses: octo-org/axe@v2\n');
    const { output } = await init(['--job', 'mention', '--yes']);
    expect(read('.github/workflows/axe-mention.yml')).toContain('      - uses: YOUR_ORG/axe-action@v1\n');
    expect(output).toContain(
      '1. Replace `YOUR_ORG/axe-action@v1` in the workflow with the address of the action',
    );
  });

  it('says so if the folder is not in a repository', async () => {
    const alone = await init(['--yes'], undefined, { from: tempDir('alone') });
    expect(alone.output).toMatch(/^This folder is not in a git repository\. .*\n\nwrote {2}/);
    expect((await init(['--yes'])).output).not.toContain('git repository');
  });

  it('shows no questions with --yes', async () => {
    expect((await init(['--yes'], [])).output).not.toContain('?\n');
  });

  it('writes nothing if the questions are not answered', async () => {
    const { exitCode, talk } = await init([], ['1']);
    expect([exitCode, talk]).toEqual([1, 'the question was not answered\n  Nothing was written.\n']);
    expect(files()).toEqual(['.git/HEAD']);
  });

  it.each([
    [['--job', 'revew'], /^invalid argument "revew" for "--job" flag\n {2}Give one of `review`/],
    [['--memory', 'disk'], /^invalid argument "disk" for "--memory" flag\n/],
    [['--model', 'gpt-4'], /^invalid model format/],
    [['--model', 'bedrock/x'], /^init cannot write a workflow for models of `bedrock`/],
    [['--uses', 'axe'], /^"axe" is not the address of an action\n {2}Write it as in a workflow/],
    [['now'], /^accepts 0 arg\(s\), received 1\n/],
  ])('refuses %j and writes nothing', async (words, talk) => {
    const result = await init(words);
    expect(result.exitCode).toBe(1);
    expect(result.talk).toMatch(talk);
    expect(files()).toEqual(['.git/HEAD']);
  });

  it('lists the possible values in its help', () => {
    const choices = Object.fromEntries(INIT_HELP.flags.map(({ name, choices: all }) => [name, all]));
    expect(choices).toMatchObject({ job: [...JOB_IDS], memory: [...MEMORY_PLACES] });
  });
});
