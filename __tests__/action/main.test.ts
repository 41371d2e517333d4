import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { stringify } from 'yaml';
import { withWorkflowWarnings } from '../../src/action/dependencies.js';
import { post } from '../../src/action/post.js';
import { main as cliMain } from '../../src/cli/main.js';
import { readInputs } from '../../src/runner/inputs.js';
import { createFakeDependencies } from '../helpers/dependencies-fake.js';
import { runMainHere } from '../helpers/run-main.js';
import { parseWorkflowCommands } from '../helpers/runner-files.js';
import { tempDir, writeFiles } from '../helpers/temp.js';
import { createFakeTerminal } from '../helpers/terminal-fake.js';
import { pullRequest } from '../helpers/triggers.js';
import { loadWebhook, schedulePayload } from '../helpers/webhooks.js';

/** What a main step leaves that was killed before it asked a model. */
const KILLED = { run: JSON.stringify({ posted: [], found: '' }) };

const event = { name: 'pull_request', payload: loadWebhook('pull_request', 'opened') };

/** GitHub, the cache and the model cannot be reached. */
async function run(inputs: Readonly<Record<string, string>>) {
  return await runMainHere({ event, inputs: { agent: 'builtin/ask', ...inputs } });
}

describe('a mistake in an input', () => {
  const MISTAKES: readonly (readonly [string, Readonly<Record<string, string>>, string])[] = [
    [
      'a word that is not known',
      { comment: 'sometimes' },
      'the input `comment` cannot be "sometimes"',
    ],
    ['inputs that refuse each other', { 'report-to': 'pull-request' }, 'is for `mode: gc` only'],
    ['a file outside of the workspace', { 'agents-dir': '../agents' }, '`agents-dir` leads out'],
    ['a schema that is not JSON', { 'output-schema': '{' }, '`output-schema`'],
    [
      'an invalid schema',
      { 'output-schema': '{"type":"nothing"}' },
      '`output-schema` cannot be used',
    ],
  ];

  it.each(MISTAKES)('is reported before anything runs: %s', async (_, inputs, message) => {
    expect(await run(inputs)).toMatchObject({
      exitCode: 1,
      outputs: { conclusion: 'failure', 'memory-saved': '' },
      annotations: [{ level: 'error', message: expect.stringContaining(message) }],
      log: '',
    });
  });

  it('fails the step by default if the mistake is in `fail-on` itself', async () => {
    expect(await run({ 'fail-on': 'warnings', comment: 'sometimes' })).toMatchObject({
      exitCode: 1,
      annotations: [
        { level: 'error', message: expect.stringContaining('`fail-on` cannot be "warnings"') },
      ],
    });
  });
});

describe('several mistakes of a set-up', () => {
  const workspace = () => {
    const folder = tempDir('checkout');
    const a = 'name = "a"\nmodel = "openai/gpt-4o"\ntools = ["read_fil"]\nskill = "gone"\n';
    writeFiles(folder, { 'axe/agents/a.toml': a });
    return folder;
  };
  const push = { name: 'push', payload: loadWebhook('push') };

  it('are one error: inputs, the agent’s file and its key', async () => {
    const inputs = { agent: 'a', comment: 'sometimes', 'output-schema': '{' };
    const step = await runMainHere({ event: push, inputs, workspace: workspace() });
    expect(step).toMatchObject({ exitCode: 1, outputs: { conclusion: 'failure' } });
    const [{ message } = { message: '' }, ...others] = step.annotations;
    expect(others).toEqual([]);
    expect(message.split('\n')).toEqual([
      '5 mistakes in the set-up:',
      expect.stringMatching(/^- the input `comment` cannot be "sometimes"\. Choose one of /),
      expect.stringMatching(/^- .*`output-schema`/),
      expect.stringMatching(
        /^- axe\/agents\/a\.toml:3:1: .*unknown tool "read_fil"\. Did you mean/,
      ),
      expect.stringMatching(/^- axe\/agents\/a\.toml:4:1: skill not found/),
      expect.stringMatching(/^- API key for provider "openai" is not configured/),
    ]);
  });

  it('are one error if the agent’s file ends the run', async () => {
    const inputs = { agent: 'a' };
    const { annotations } = await runMainHere({ event: push, inputs, workspace: workspace() });
    expect(annotations).toHaveLength(1);
    expect(annotations[0]?.message).toMatch(
      /^3 mistakes in the set-up:\n- skill not found.*\n.*read_fil.*\n.*API key/s,
    );
  });

  it('are listed by `mode: validate`, which needs no key', async () => {
    const inputs = { mode: 'validate', agent: 'a', comment: 'sometimes', 'block-on': 'major' };
    const { outputs, annotations } = await runMainHere({
      event: push,
      inputs,
      workspace: workspace(),
    });
    expect(outputs).toMatchObject({
      conclusion: 'failure',
      response: expect.stringMatching(
        /^error: the input `comment`.*1 agent: 3 errors, 1 warning$/s,
      ),
    });
    expect(annotations).toMatchObject([
      { level: 'error', title: 'Input' },
      { level: 'error', title: 'Agent' },
      { level: 'error', title: 'Agent' },
      { level: 'warning', message: expect.stringContaining('posts no reviews') },
    ]);
  });

  it('`mode: validate` reports the mistakes of workflows in the checkout at their lines', async () => {
    const path = '.github/workflows/axe.yml';
    const folder = workspace();
    const text =
      'on: pull_request\njobs:\n  a:\n    steps:\n      - uses: acme/axe-action@main\n        with:\n          agents: a\n';
    writeFiles(folder, { [path]: text });
    const { annotations } = await runMainHere({
      event: push,
      inputs: { mode: 'validate' },
      workspace: folder,
    });
    const ofWorkflow = annotations.filter(({ title }) => title === 'Workflow');
    expect(ofWorkflow).toContainEqual(
      expect.objectContaining({
        level: 'error',
        file: path,
        line: 7,
        message: expect.stringContaining('Did you mean `agent`?'),
      }),
    );
  });
});

describe('a mistake of a set-up is told by a start, by `mode: validate` and by `doctor`', () => {
  const FILE = '.github/workflows/axe.yml';
  const BROKEN_KEY = 'sk-canary-a\nsk-canary-b';

  interface SetupScene {
    readonly inputs?: Readonly<Record<string, string>>;
    readonly env?: Readonly<Record<string, string>>;
    readonly tools?: string;
    /** The path and the text of the workflow, instead of its own. */
    readonly file?: string;
    readonly workflow?: string;
  }

  /** The checkout of a workflow that runs on a schedule, with an agent of its own. */
  const checkout = ({ inputs, tools = 'read_file', file = FILE, workflow: text }: SetupScene) => {
    const given = Object.entries({ agent: 'a', ...inputs });
    const workflow = {
      on: { schedule: [{ cron: '0 4 * * 1' }] },
      permissions: { contents: 'read' },
      jobs: {
        report: {
          'runs-on': 'ubuntu-24.04',
          steps: [
            { uses: 'actions/checkout@v4' },
            { uses: 'acme/axe-action@v1', with: Object.fromEntries(given) },
          ],
        },
      },
    };
    const folder = tempDir('checkout');
    const agent = `name = "a"\nmodel = "openai/gpt-4o"\nsystem_prompt = "Help."\ntools = ["${tools}"]\n`;
    writeFiles(folder, {
      '.git/HEAD': 'ref: refs/heads/master\n',
      [file]: text ?? stringify(workflow),
      'axe/agents/a.toml': agent,
    });
    return folder;
  };

  /** As the runner passes them on, misspelt ones too. */
  const inputVariables = (inputs: Readonly<Record<string, string>>) =>
    Object.fromEntries(
      Object.entries(inputs).map(([name, value]) => [`INPUT_${name.toUpperCase()}`, value]),
    );

  /** The lines of the action's step. */
  const stepLines = async (scene: SetupScene, mode: string) => {
    const { annotations, stdout } = await runMainHere({
      event: { name: 'schedule', payload: schedulePayload('0 4 * * 1') },
      job: 'report',
      inputs: {},
      env: {
        GITHUB_WORKFLOW_REF: `octo-org/octo-repo/${FILE}@refs/heads/master`,
        ...inputVariables({ 'github-token': '', agent: 'a', ...scene.inputs, mode }),
        ...scene.env,
      },
      workspace: checkout(scene),
    });
    expect(stdout).not.toContain('sk-canary-b');
    return annotations.flatMap(({ message }) => message.split('\n'));
  };

  const doctorLines = async (scene: SetupScene) => {
    const env = { HOME: tempDir('home'), ...scene.env };
    const terminal = createFakeTerminal({ env, cwd: checkout(scene) });
    await cliMain(['doctor', '--json'], terminal);
    const { checks } = JSON.parse(terminal.output()) as {
      readonly checks: readonly Record<'message' | 'remedy', string>[];
    };
    return checks.map(({ message, remedy }) => `${message}. ${remedy}`);
  };

  const LINE_BREAK = 'holds a line break';

  it.each<[string, SetupScene, string, string?]>([
    [
      'a tool that there is not',
      { inputs: { 'tools-allowed': 'run_comand' } },
      'did you mean `run_command`?',
    ],
    [
      'labels that no tool sets',
      { inputs: { 'labels-allowed': 'bug' } },
      'lists neither `set_labels` nor',
    ],
    ['`block-on` without reviews', { inputs: { 'block-on': 'major' } }, 'posts no reviews'],
    [
      '`block-on` without a pull request',
      { inputs: { 'block-on': 'major' }, tools: 'submit_review' },
      'The event has no pull request',
    ],
    ['`check-run` without a commit', { inputs: { 'check-run': 'true' } }, 'has no commit to check'],
    [
      'a folder of agents that is not there',
      { inputs: { 'agents-dir': 'bots' } },
      'The folder "bots" is not there',
      'there are no agents in `bots`',
    ],
    ['a folder outside', { inputs: { 'agents-dir': '../bots' } }, '`agents-dir` leads out'],
    ['`True`', { inputs: { 'changes-allowed': 'True' } }, 'Write `true` in small letters'],
    ['a YAML list', { inputs: { paths: '- src/**\n- lib/**' } }, 'without `- ` before it'],
    ['quotes in a list', { inputs: { 'changes-allowed': '"src/**"' } }, 'Leave out the quotes'],
    [
      'an input that there is not',
      { inputs: { 'max-cost-us': '1' } },
      'Did you mean `max-cost-usd`?',
    ],
    ['a tool of the agent', { tools: 'read_fil' }, 'unknown tool "read_fil"'],
    ['a key that is not set', {}, 'API key for provider "openai"', 'does not get `OPENAI_API_KEY`'],
    ['a key with a line break', { env: { OPENAI_API_KEY: BROKEN_KEY } }, LINE_BREAK],
    [
      'a token with a line break',
      { inputs: { 'github-token': BROKEN_KEY }, env: { GITHUB_TOKEN: BROKEN_KEY } },
      LINE_BREAK,
    ],
    [
      'a permission that the workflow does not grant',
      { inputs: { 'report-to': 'issue' } },
      '`issues: write` is missing',
    ],
  ])('%s', async (_, scene, atStart, inValidate = atStart) => {
    expect(await stepLines(scene, 'run')).toContainEqual(expect.stringContaining(atStart));
    const validated = await stepLines(scene, 'validate');
    expect(validated).toContainEqual(expect.stringContaining(inValidate));
    expect(await doctorLines(scene)).toContainEqual(expect.stringContaining(atStart));
  });

  it('seven of them are one error with seven lines', async () => {
    const inputs = {
      comment: 'sometimes',
      paths: '- src/**',
      'changes-allowed': 'True',
      'max-cost-us': '1',
      'report-to': 'issue',
    };
    const lines = await stepLines({ inputs, tools: 'read_fil' }, 'run');
    expect(lines).toEqual([
      '7 mistakes in the set-up:',
      expect.stringContaining('max-cost-usd'),
      expect.stringContaining('`paths`'),
      expect.stringContaining('`comment`'),
      expect.stringContaining('`changes-allowed`'),
      expect.stringContaining('axe/agents/a.toml:4:1: '),
      expect.stringContaining('OPENAI_API_KEY'),
      expect.stringMatching(
        /^- \.github\/workflows\/axe\.yml:4: `issues: write` is missing, .* Add `issues: write` to `permissions:`\.$/,
      ),
    ]);
  });

  const REPORTING = { inputs: { 'report-to': 'issue' } };
  const MISSING = expect.stringContaining('is missing');

  it.each<[string, SetupScene]>([
    ['of another repository', { env: { GITHUB_WORKFLOW_REF: `acme/rules/${FILE}@main` } }],
    ['that is not checked out', { env: { GITHUB_WORKFLOW_REF: 'octo-org/octo-repo/a.yml@main' } }],
    ['of another job', { env: { GITHUB_JOB: 'other' } }],
    ['of a run that goes on', { inputs: { ...REPORTING.inputs, 'dry-run': 'true' } }],
    ['that nobody can read', { workflow: `axe-action ${'? '.repeat(20_000)}` }],
  ])('no permission is missed in a workflow %s', async (_, scene) => {
    const lines = await stepLines({ ...REPORTING, ...scene }, 'run');
    expect(lines).not.toContainEqual(MISSING);
    const isWell = scene.inputs?.['dry-run'] === 'true';
    expect(lines).toEqual(
      isWell ? [] : [expect.stringContaining('OPENAI_API_KEY'), expect.anything()],
    );
  });

  it('the name of a workflow that a stranger chose stays in its line', async () => {
    const file = '.github/workflows/a\n::warning::evil.yml';
    const env = {
      GITHUB_WORKFLOW_REF: `octo-org/octo-repo/${file}@main`,
      OPENAI_API_KEY: BROKEN_KEY,
    };
    const lines = await stepLines({ ...REPORTING, file, env }, 'run');
    expect(lines).toEqual([
      '2 mistakes in the set-up:',
      expect.stringContaining(LINE_BREAK),
      MISSING,
    ]);
  });
});

it('warns of limits over several runs where nothing is kept', async () => {
  const nothing = { 'memory-store': 'none', 'output-schema': '{' };
  const { annotations } = await run({
    ...nothing,
    'max-cost-usd-per-pr': '1',
    'max-cost-usd-per-day': '1',
  });
  const message = '`max-cost-usd-per-pr` and `max-cost-usd-per-day` are not enforced';
  expect(annotations).toMatchObject([
    { level: 'warning', message: expect.stringContaining(message) },
    {},
  ]);
});

describe('`mode: validate` with a limit on the cost', () => {
  const UNKNOWN = 'the price of `openai/gpt-99` is not known, so `max-cost-usd` cannot limit';
  it.each([
    ['refuses a model without a price', {}, '', UNKNOWN],
    ['accepts the price of the workflow', { price: '2 10' }, '', undefined],
    [
      'accepts the price of the agent',
      {},
      '[params]\nprice = { input = 1, output = 2 }\n',
      undefined,
    ],
    ['looks at the model of the workflow', { model: 'openai/gpt-4.1' }, '', undefined],
    [
      'does not take the price for a verifier',
      { price: '2 10', model: 'openai/gpt-4.1' },
      '[review]\nverify_model = "openai/gpt-99"\n',
      UNKNOWN,
    ],
  ])('%s', async (_what, more, toml, message) => {
    const workspace = tempDir('checkout');
    const agent = `name = "a"\nmodel = "openai/gpt-99"\nsystem_prompt = "Help."\n${toml}`;
    writeFiles(workspace, { 'axe/agents/a.toml': agent });
    const inputs = { mode: 'validate', 'max-cost-usd-per-day': '1', ...more };
    const { outputs, annotations } = await runMainHere({ event, inputs, workspace });
    expect(outputs['conclusion']).toBe(message === undefined ? 'success' : 'failure');
    const messages = annotations.map((annotation) => annotation.message).join('\n');
    if (message !== undefined) expect(messages).toContain(message);
  });
});

it('names what `redact` cannot find in every mode', async () => {
  const workspace = tempDir('checkout');
  writeFiles(workspace, {
    'axe/agents/a.toml': 'name = "a"\nmodel = "openai/m"\nsystem_prompt = "Help."\n',
  });
  const inputs = { mode: 'validate', redact: 'MISTYPED' };
  const { annotations, outputs } = await runMainHere({ event, inputs, workspace });
  expect(outputs).toMatchObject({ conclusion: 'success' });
  expect(annotations).toContainEqual(
    expect.objectContaining({ level: 'warning', message: expect.stringContaining('MISTYPED') }),
  );
});

it('masks the key of the model and the token for other repositories before anything is asked', async () => {
  const secrets = { 'api-key': 'sk-own-key', 'repositories-token': 'own-token' };
  const { stdout } = await run({ agent: 'nobody', 'memory-repo': 'octocat/memory', ...secrets });
  expect(parseWorkflowCommands(stdout).masks).toEqual(Object.values(secrets));
});

it.each([false, true])(
  'the post step warns of a note that it cannot save, unless the main step did: %s',
  async (isTold) => {
    const workspace = tempDir('workspace');
    mkdirSync(join(workspace, '.axe/memory/MEMORY.md'), { recursive: true });
    const edit = { kind: 'append', text: 'A fact.' };
    const note = { kind: 'note', path: 'MEMORY.md', id: 'n1', backup: false, edit };
    const entry = { kind: 'append', path: 'bot.md', id: 'e1', text: '## 2026-02-21T10:01:00Z\n' };
    const state = {
      pending: JSON.stringify([entry, note]),
      ...(isTold ? { told: 'true' } : KILLED),
    };
    const issue = { name: 'issues', payload: loadWebhook('issues') };
    const inputs = { agent: 'bot', 'memory-store': 'file' };
    const { annotations, log, summary } = await runMainHere(
      { event: issue, inputs, workspace, state },
      post,
    );
    expect(log).toContain('Memory: saved to .axe/memory/bot.md as the main step could not.');
    const message = expect.stringMatching(
      /^failed to save memory after the job: MEMORY\.md: .*\S\.$/,
    );
    expect(annotations).toMatchObject(isTold ? [] : [{ level: 'warning', message }]);
    expect(log.includes('still not saved: MEMORY.md')).toBe(isTold);
    expect(summary?.includes('A fact.')).toBe(!isTold);
  },
);

it('the post step says what it saved if only the state of a run was left', async () => {
  const pending = [{ kind: 'facts', path: 'bot.state.md', text: '# State\n' }];
  const issue = { name: 'issues', payload: loadWebhook('issues') };
  const run = {
    event: issue,
    inputs: { agent: 'bot', 'memory-store': 'file' },
    workspace: tempDir('workspace'),
  };
  const { log } = await runMainHere({ ...run, state: { pending: JSON.stringify(pending) } }, post);
  expect(log).toMatch(/^Memory: the run's state saved to \S+ as the main step could not\.$/m);
});

it('warns about options that only the command line uses, after the other warnings of an agent', async () => {
  const bot =
    'nmae = 1\nname = "bot"\nmodel = "a/m"\n[memory]\nenabled = true\npath = "/tmp/abs.md"\n';
  const { agents } = createFakeDependencies({ agents: { bot } });
  const inputs = readInputs({ INPUT_AGENT: 'bot', 'INPUT_BLOCK-ON': 'major' });
  const listed = { ...agents, folders: ['axe/agents'], listFiles: async () => [] };
  const { warnings } = await withWorkflowWarnings(listed, {
    inputs,
    trigger: pullRequest(),
  }).loadAgent('bot');
  expect(warnings.map(({ code }) => code)).toEqual([
    'agent-unknown-key',
    'agent-unused-key',
    'input-unused',
  ]);
});
