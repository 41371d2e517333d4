import { cpSync, existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { parseAgent } from '../../src/agent/inspect.js';
import { main } from '../../src/cli/main.js';
import type { Terminal } from '../../src/cli/terminal.js';
import { ACTION_ADDRESS } from '../../src/lib/product.js';
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

const WORKFLOW = '.github/workflows/axe.yml';
const AGENT = 'axe/agents/billing.toml';
const FIRST = readFileSync('examples/workflows/review.yml', 'utf8');

describe('init', () => {
  it('writes the first workflow with the same bytes, and prints the next steps', async () => {
    const { exitCode, output, talk } = await init([]);
    expect([exitCode, talk, files()]).toEqual([0, '', [WORKFLOW, '.git/HEAD'].sort()]);
    expect(output).toContain(`wrote  ${WORKFLOW}\n`);
    expect(read(WORKFLOW)).toBe(FIRST);
    expect(output).toContain('gh secret set ANTHROPIC_API_KEY');
    expect(output).toContain('The token of the workflow has `contents: write`');
    expect(output).toContain('Merge the files into the default branch');
    expect(output).toContain('`init --example public`');
  });

  it('shows with --print what it would write, and writes nothing', async () => {
    expect(await init(['--print'], { typed: 'openai/gpt-4o\n' })).toEqual({
      exitCode: 0,
      output: FIRST,
      talk: '',
    });
    const { output } = await init(['--print', '--agent', 'billing', '--uses', 'o/a@v1']);
    expect(output).toMatch(/^# \.github\/workflows\/axe\.yml\n[\s\S]*^ {10}agent: billing\n/m);
    expect(output).toMatch(/^# axe\/agents\/billing\.toml\n#:schema .*\nname = "billing"\n/m);
    expect(files()).toEqual(['.git/HEAD']);
  });

  it('with --agent writes a short agent without mistakes', async () => {
    const { exitCode, output } = await init(['--agent', 'billing', '--model', 'openai/gpt-4o']);
    expect(exitCode).toBe(0);
    expect(output).toContain(`wrote  ${AGENT}\n`);
    expect(read(WORKFLOW)).toBe(
      FIRST.replace('builtin/pr-reviewer', 'billing').replaceAll(
        'ANTHROPIC_API_KEY',
        'OPENAI_API_KEY',
      ),
    );
    expect(read(AGENT).trim().split('\n').length).toBeLessThanOrEqual(20);
    const { config, warnings } = parseAgent(read(AGENT), { name: 'billing', file: AGENT });
    expect([config.model, warnings]).toEqual(['openai/gpt-4o', []]);
    expect(config.tools).toEqual(expect.arrayContaining(['submit_review', 'github_file']));
  });

  it('keeps an agent that exists, and reviews with its model or with the given one', async () => {
    const mine = 'name = "billing"\nmodel = "openai/gpt-4o"\nsystem_prompt = "Review."\n';
    writeFiles(cwd, { [AGENT]: mine });
    const { exitCode, output } = await init(['--agent', 'billing']);
    expect([exitCode, read(AGENT)]).toEqual([0, mine]);
    expect(output).toContain(`kept   ${AGENT}, which already exists\n`);
    expect(read(WORKFLOW)).toContain('OPENAI_API_KEY: ${{ secrets.OPENAI_API_KEY }}');
    expect(read(WORKFLOW)).not.toContain('model:');
    const given = await init(['--agent', 'billing', '--model', 'google/gemini-3-pro', '--print']);
    expect(given.output).toContain('          model: google/gemini-3-pro\n');
  });

  it('keeps a workflow of the same bytes, exit status 0', async () => {
    writeFiles(cwd, { [WORKFLOW]: FIRST });
    const { exitCode, output } = await init([]);
    expect([exitCode, output]).toEqual([0, expect.stringContaining(`kept   ${WORKFLOW}, which`)]);
  });

  it.each<[string, Readonly<Record<string, string>>, readonly string[], RegExp]>([
    [
      'other bytes',
      { [WORKFLOW]: '# mine\n' },
      [],
      /^\.github\/workflows\/axe\.yml exists and differs\n {2}`axe-action init --print` shows/,
    ],
    [
      'other bytes, with flags',
      { [WORKFLOW]: '# mine\n' },
      ['--model', 'openai/m'],
      /`axe-action init --print --model openai\/m` shows/,
    ],
    [
      'other bytes, for an agent',
      { [WORKFLOW]: '# mine\n' },
      ['--agent', 'billing'],
      /`axe-action agents init billing --agents-dir axe\/agents` writes the agent alone; /,
    ],
    [
      'another workflow with the action',
      {
        '.github/workflows/ai.yaml':
          'jobs:\n  a:\n    steps:\n      - uses: "octo/axe-action@v1"\n',
      },
      [],
      /^\.github\/workflows\/ai\.yaml already uses the action\n/,
    ],
    [
      'a workflow with mistakes',
      { [WORKFLOW]: FIRST.replace('        env:\n', '        envs:\n') },
      [],
      /axe\.yml exists and differs\n.* shows .*\n\.github\/workflows\/axe\.yml:\d+: error: [\s\S]*Did you mean `env`/,
    ],
    [
      'a fork of another name',
      { '.github/workflows/ai.yml': '      - uses: octo/fork@v2\n' },
      ['--uses', 'octo/fork@v1'],
      /^\.github\/workflows\/ai\.yml already uses the action\n/,
    ],
    [
      'a folder in its place',
      { [`${WORKFLOW}/x`]: '' },
      [],
      /^\.github\/workflows\/axe\.yml is a folder\n {2}Rename/,
    ],
    [
      'an example of other bytes',
      { '.github/workflows/mention.yml': '# mine\n' },
      ['--example', 'mention'],
      /^\.github\/workflows\/mention\.yml exists and differs\n/,
    ],
  ])('changes nothing where there is %s, exit status 2', async (_, there, words, message) => {
    writeFiles(cwd, there);
    const before = files();
    const { exitCode, output, talk } = await init(words);
    expect([exitCode, output, files()]).toEqual([2, '', before]);
    expect(talk).toMatch(message);
    for (const [path, content] of Object.entries(there)) expect(read(path)).toBe(content);
  });

  it.each(['.github', '.github/workflows'])('names a file at %s, with a remedy', async (path) => {
    writeFiles(cwd, { [path]: '' });
    const { exitCode, talk } = await init([]);
    expect(exitCode).toBe(1);
    expect(talk).toMatch(/^failed to create .*\n {2}A file is where a folder is needed/);
  });

  it('shows the problems of an existing agent, exit status 2', async () => {
    writeFiles(cwd, { [AGENT]: 'name = "billing"\nmodel = 7\n' });
    const { exitCode, output } = await init(['--agent', 'billing']);
    expect(exitCode).toBe(2);
    expect(output).toContain(`${AGENT}:2:1: error: `);
    expect(output).not.toContain('Next steps');
  });

  it('writes to the root of the repository and has it checked, wherever the command runs', async () => {
    writeFiles(cwd, { 'src/deep/a.txt': '' });
    const from = join(cwd, 'src/deep');
    const words = ['--agent', 'billing', '--model', 'offline/rules', '--uses', 'o/a@v1'];
    const { output } = await init(words, { from, typed: '\n' });
    expect(output).toMatch(/^In the repository /);
    expect(existsSync(join(cwd, WORKFLOW))).toBe(true);
    expect(output).toContain(`  ok       ${AGENT} is valid\n`);
  });

  it.each([
    ['n', false],
    ['', true],
  ])(
    'offers a check under the name it was started by; the answer %j',
    async (answer, isChecked) => {
      const words = ['--agent', 'billing', '--model', 'offline/rules', '--uses', 'o/a@v1'];
      const { exitCode, output } = await init(words, { typed: `${answer}\n`, started: 'axe' });
      expect(exitCode).toBe(0);
      expect(output).toContain(
        '\n`axe doctor` checks workflows, agents and keys, `axe doctor --online` also ',
      );
      expect(output).toContain('\nCheck it now with `axe doctor`? (y/n) [y] ');
      expect(output.includes(`${AGENT} is valid`)).toBe(isChecked);
    },
  );

  it('writes the address of the clone that it runs from', async () => {
    writeFiles(program, {
      '.git/HEAD': 'ref: refs/heads/main\n',
      '.git/packed-refs': `# pack-refs with: peeled\n${COMMIT} refs/heads/main\n`,
      '.git/config': '[remote "origin"]\n\turl = https://github.com/octo-org/my-axe.git\n',
    });
    await init(['--agent', 'billing']);
    expect(read(WORKFLOW)).toContain(`      - uses: octo-org/my-axe@${COMMIT}\n`);
    expect(read(AGENT)).toContain(`octo-org/my-axe/${COMMIT}/schema/agent.schema.json\n`);
  });

  it.each([
    [
      'git@ghes.example.com:tools/axe.git',
      `tools/axe@${COMMIT}`,
      `${GHES}/tools/axe/raw/${COMMIT}/`,
    ],
    [
      'https://github.com/octo-org/axe',
      ACTION_ADDRESS,
      `${GHES}/${ACTION_ADDRESS.split('@')[0]}/raw/`,
    ],
  ])(
    'of the clone of %s takes the address for a repository on the same server alone',
    async (url, uses, link) => {
      const origin = (remote: string) => `[remote "origin"]\n\turl = ${remote}\n`;
      writeFiles(cwd, { '.git/config': origin(`${GHES}/team/app.git`) });
      writeFiles(program, { '.git/HEAD': COMMIT, '.git/config': origin(url) });
      await init(['--agent', 'billing']);
      expect(read(WORKFLOW)).toContain(`      - uses: ${uses}\n`);
      expect(read(AGENT)).toContain(`#:schema ${link}`);
    },
  );

  it('writes the address that is given, and else a placeholder', async () => {
    await init(['--uses', 'octo-org/axe@v2']);
    expect(read(WORKFLOW)).toBe(FIRST.replace('YOUR_ORG/axe-action@v1', 'octo-org/axe@v2'));
    const cloud = (await init(['--example', 'keyless'])).output;
    expect(cloud).toContain('gh variable set AWS_ROLE_ARN');
    expect(cloud).toContain('The token of the workflow has `contents: write`');
    expect((await init(['--example', 'fleet'])).output).not.toContain('memory on a branch');
    await init(['--example', 'triage']);
    expect(read('.github/workflows/triage.yml')).toContain(`      - uses: ${ACTION_ADDRESS}\n`);
  });

  it('says what is wrong with the workflow that it wrote or kept, or that it is valid', async () => {
    const result = async (...words: readonly string[]) => (await init(words)).output;
    const uses = ['--uses', 'octo-org/axe-action@v2'];
    expect(await result(...uses)).toContain(`\n\n${WORKFLOW} is valid.\n\n`);
    expect(await result(...uses)).toContain(`which already exists\n\n${WORKFLOW} is valid.\n`);
    // An action of another name is not known to be this one.
    const renamed = await result('--example', 'triage', '--uses', 'octo-org/axe@v2');
    expect(renamed).not.toContain('valid.');
    const placeholder = `${'YOUR_ORG'}/axe-action`;
    expect(await result('--example', 'mention', '--uses', `${placeholder}@v1`)).toMatch(
      new RegExp(
        `mention\\.yml:\\d+: error: \`${placeholder}\` is a placeholder\\. Write the owner`,
      ),
    );
  });

  it('writes no workflow without its agent', async () => {
    writeFiles(cwd, { axe: 'a file' });
    const { exitCode, talk } = await init(['--agent', 'billing']);
    expect([exitCode, files().toSorted()]).toEqual([1, ['.git/HEAD', 'axe']]);
    expect(talk).toContain(`rename or remove ${join(cwd, 'axe')}.`);
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
    [
      ['--example', 'mention', '--agent', 'x'],
      /^`--example` and `--agent` cannot be used together/,
    ],
    [['--model', 'gpt-4'], /^invalid model format/],
    [['--agent', '../x'], /^invalid agent name/, 2],
    [['--model', 'bedrock/x'], /^init cannot write a workflow for models of `bedrock`/],
    [['--uses', 'axe'], /^"axe" is not the address of an action\n {2}Write it as in a workflow/],
    [['now'], /^`init` takes no more words\n/],
  ])('refuses %j and writes nothing', async (words, talk, status = 1) => {
    const result = await init(words);
    expect(result.exitCode).toBe(status);
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
    expect(read(WORKFLOW)).not.toContain('secrets.');
    expect(read(WORKFLOW)).toContain('          model: offline/rules\n');
    expect(await workflowErrors({ name: 'axe.yml', content: read(WORKFLOW) })).toEqual([]);
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
