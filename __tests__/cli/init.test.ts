import { cpSync, existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { main } from '../../src/cli/main.js';
import type { Terminal } from '../../src/cli/terminal.js';
import { tempDir, writeFiles } from '../helpers/temp.js';
import { createFakeTerminal } from '../helpers/terminal-fake.js';
import { exampleWorkflows, type Workflow, workflowErrors } from '../helpers/workflow-files.js';

let cwd: string;
/** The action, as it lies on somebody's machine: outside of a clone. */
let program: string;

beforeEach(() => {
  cwd = tempDir('repository');
  writeFiles(cwd, { '.git/HEAD': 'ref: refs/heads/main\n' });
  program = tempDir('program');
  cpSync('examples', join(program, 'examples'), { recursive: true });
});

const COMMIT = '0123456789abcdef0123456789abcdef01234567';
const GHES = 'https://ghes.example.com';

interface Place {
  readonly from?: string;
  readonly started?: Terminal['program'];
  /** What a person types at a terminal; without it nobody is there. */
  readonly typed?: string;
}

async function init(words: readonly string[], { from = cwd, started, typed }: Place = {}) {
  const programFolder = join(program, 'dist/cli');
  const isTTY = typed !== undefined;
  const terminal = createFakeTerminal({
    env: { HOME: tempDir('home') },
    cwd: from,
    isTTY,
    programFolder,
  });
  const stdin = Object.assign(Readable.from([typed ?? '']), { isTTY });
  const exitCode = await main(['init', ...words], {
    ...terminal,
    stdin,
    program: started ?? 'axe-action',
  });
  return { exitCode, output: terminal.output(), talk: terminal.talk() };
}

function read(path: string): string {
  return readFileSync(join(cwd, path), 'utf8');
}

function files(): readonly string[] {
  const all = readdirSync(cwd, { recursive: true, encoding: 'utf8' });
  return all.filter((path) => statSync(join(cwd, path)).isFile());
}

const REVIEW = [
  '.github/workflows/axe-review.yml',
  'axe/agents/reviewer.toml',
  'axe/skills/review/SKILL.md',
];

describe('init', () => {
  it('writes workflow, agent and skill with the defaults, and prints the next steps', async () => {
    const { exitCode, output, talk } = await init([]);
    expect([exitCode, talk]).toEqual([0, '']);
    for (const path of REVIEW) expect(output).toContain(`wrote  ${path}\n`);
    expect(read(REVIEW[0] ?? '')).toContain('ANTHROPIC_API_KEY: ${{ secrets.ANTHROPIC_API_KEY }}');
    expect(read(REVIEW[1] ?? '')).toContain('model = "anthropic/claude-sonnet-5-5"\n');
    expect(output).toContain('gh secret set ANTHROPIC_API_KEY');
    expect(output).toContain('The token of the workflow has `contents: write`');
    expect(await workflowErrors({ name: 'axe.yml', content: read(REVIEW[0] ?? '') })).toEqual([]);
    expect(read(REVIEW[0] ?? '')).not.toContain('OPENAI');
    expect(read(REVIEW[1] ?? '')).toMatch(/^#:schema https:.*\n[\s\S]*^skill = "review"$/m);
  });

  it('changes no existing file, and reports it', async () => {
    const mine = 'name = "reviewer"\nmodel = "openai/gpt-4o"\n';
    writeFiles(cwd, { [REVIEW[0] ?? '']: '# mine\n', [REVIEW[1] ?? '']: mine });
    const { exitCode, output } = await init([]);
    expect(exitCode).toBe(0);
    expect(output).toContain('kept   .github/workflows/axe-review.yml, which already exists\n');
    expect(output).toContain('kept   axe/agents/reviewer.toml, which already exists\n');
    expect([read(REVIEW[0] ?? ''), read(REVIEW[1] ?? '')]).toEqual(['# mine\n', mine]);
    expect(existsSync(join(cwd, REVIEW[2] ?? ''))).toBe(false);
  });

  it('shows the problems of an existing agent, exit status 2', async () => {
    writeFiles(cwd, { [REVIEW[1] ?? '']: 'name = "reviewer"\nmodel = 7\n' });
    const { exitCode, output } = await init([]);
    expect(exitCode).toBe(2);
    expect(output).toContain('axe/agents/reviewer.toml:2:1: error: ');
    expect(output).not.toContain('Next steps');
  });

  it('writes to the root of the repository and has it checked, wherever the command runs', async () => {
    writeFiles(cwd, { 'src/deep/a.txt': '' });
    const from = join(cwd, 'src/deep');
    const { output } = await init(['--model', 'offline/rules', '--uses', 'o/a@v1'], {
      from,
      typed: '\n',
    });
    expect(output).toMatch(/^In the repository /);
    expect(existsSync(join(cwd, REVIEW[1] ?? ''))).toBe(true);
    expect(output).toContain('  ok       axe/agents/reviewer.toml is valid\n');
  });

  it.each([
    ['n', false],
    ['', true],
  ])(
    'offers a check under the name it was started by; the answer %j',
    async (answer, isChecked) => {
      const words = ['--model', 'offline/rules', '--uses', 'o/a@v1'];
      const { exitCode, output } = await init(words, { typed: `${answer}\n`, started: 'axe' });
      expect(exitCode).toBe(0);
      expect(output).toContain(
        '\n`axe doctor` checks agents and keys, `axe doctor --online` also ',
      );
      expect(output).toContain('\nCheck it now with `axe doctor`? (y/n) [y] ');
      expect(output.includes('axe/agents/reviewer.toml is valid')).toBe(isChecked);
    },
  );

  it('writes the address of the clone that it runs from', async () => {
    writeFiles(program, {
      '.git/HEAD': 'ref: refs/heads/main\n',
      '.git/packed-refs': `# pack-refs with: peeled\n${COMMIT} refs/heads/main\n`,
      '.git/config': '[remote "origin"]\n\turl = https://github.com/octo-org/my-axe.git\n',
    });
    await init([]);
    expect(read(REVIEW[0] ?? '')).toContain(`      - uses: octo-org/my-axe@${COMMIT}\n`);
    expect(read(REVIEW[1] ?? '')).toContain(`octo-org/my-axe/${COMMIT}/schema/agent.schema.json\n`);
  });

  it.each([
    [
      'git@ghes.example.com:tools/axe.git',
      `tools/axe@${COMMIT}`,
      `${GHES}/tools/axe/raw/${COMMIT}/`,
    ],
    ['https://github.com/octo-org/axe', 'YOUR_ORG/axe-action@v1', `${GHES}/YOUR_ORG/`],
  ])(
    'of the clone of %s takes the address for a repository on the same server alone',
    async (url, uses, link) => {
      const origin = (remote: string) => `[remote "origin"]\n\turl = ${remote}\n`;
      writeFiles(cwd, { '.git/config': origin(`${GHES}/team/app.git`) });
      writeFiles(program, { '.git/HEAD': COMMIT, '.git/config': origin(url) });
      await init([]);
      expect(read(REVIEW[0] ?? '')).toContain(`      - uses: ${uses}\n`);
      expect(read(REVIEW[1] ?? '')).toContain(`#:schema ${link}`);
    },
  );

  it('writes the address that is given, and else a placeholder that is to be replaced', async () => {
    await init(['--uses', 'octo-org/axe@v2']);
    expect(read(REVIEW[0] ?? '')).toContain('      - uses: octo-org/axe@v2\n');
    const cloud = (await init(['--example', 'keyless'])).output;
    expect(cloud).toContain('gh variable set AWS_ROLE_ARN');
    expect(cloud).toContain('The token of the workflow has `contents: write`');
    expect((await init(['--example', 'fleet'])).output).not.toContain('memory on a branch');
    const { output } = await init(['--example', 'mention']);
    expect(read('.github/workflows/mention.yml')).toContain(
      '      - uses: YOUR_ORG/axe-action@v1\n',
    );
    expect(output).toContain(
      '1. Replace `YOUR_ORG/axe-action@v1` in the workflow with the address of the action',
    );
  });

  it.each([
    ['shared-review', true],
    ['shared-caller', false],
  ])('writes the agents that %s runs from its own repository: %s', async (example, isWritten) => {
    await init(['--example', example]);
    expect(existsSync(join(cwd, 'axe/agents/reviewer.toml'))).toBe(isWritten);
  });

  it.each([
    [['--example', 'mentoin'], /^there is no example "mentoin"\n {2}Did you mean `mention`\?/],
    [['--example', '../x'], /^there is no example "\.\.\/x"\n {2}There are change, ci-doctor, /],
    [
      ['--example', 'mention', '--model', 'ollama/m'],
      /^`--example` and `--model` cannot be used together/,
    ],
    [['--model', 'gpt-4'], /^invalid model format/],
    [['--model', 'bedrock/x'], /^init cannot write a workflow for models of `bedrock`/],
    [['--uses', 'axe'], /^"axe" is not the address of an action\n {2}Write it as in a workflow/],
    [['now'], /^`init` takes no more words\n/],
  ])('refuses %j and writes nothing', async (words, talk) => {
    const result = await init(words);
    expect(result.exitCode).toBe(1);
    expect(result.talk).toMatch(talk);
    expect(files()).toEqual(['.git/HEAD']);
  });

  it('says what it misses where the examples are not next to it', async () => {
    program = tempDir('program');
    expect(await init([])).toMatchObject({
      exitCode: 1,
      talk: expect.stringMatching(
        /^the example workflows\/review\.yml is not next to this program\n/,
      ),
    });
  });

  it('asks for no key of a model that needs none', async () => {
    const { output } = await init(['--model', 'offline/rules']);
    expect(read(REVIEW[0] ?? '')).not.toContain('secrets.');
    expect(read(REVIEW[1] ?? '')).toContain('model = "offline/rules"\n');
    expect(output).not.toContain('Create the secret');
  });
});

describe.each(exampleWorkflows())('the example $name', ({ name, content }) => {
  const example = name.replace(/\.yml$/, '');

  it('is copied with its agents and their skills', async () => {
    const { exitCode, output, talk } = await init([
      '--example',
      example,
      '--uses',
      'octo-org/my-axe@v2',
    ]);
    expect([exitCode, talk]).toEqual([0, '']);
    expect(read(`.github/workflows/${name}`)).toBe(
      content.replaceAll('YOUR_ORG/axe-action@v1', 'octo-org/my-axe@v2'),
    );
    expect(output).not.toContain('YOUR_ORG');
    const jobs = Object.values((parse(content) as Workflow).jobs);
    const named = jobs.flatMap(({ steps = [] }) =>
      steps.map((step) => String(step.with?.['agent'] ?? '')),
    );
    const own = named.filter((agent) => /^[\w-]+$/.test(agent));
    for (const agent of own) expect(files()).toContain(`axe/agents/${agent}.toml`);
  });
});
