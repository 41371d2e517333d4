import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { BUILT_IN_AGENTS } from '../../../src/agent/built-in.js';
import { checkWorkflows } from '../../../src/runner/workflow/check-workflows.js';
import {
  EVENTS,
  JOB_KEYS,
  SCOPES,
  STEP_KEYS,
  WORKFLOW_KEYS,
} from '../../../src/runner/workflow/words.js';
import { agentOf } from '../../examples/needed-permissions.js';
import { exampleWorkflows } from '../../helpers/workflow-files.js';

/** A workflow as a person has it, who named an owner. */
const owned = (workflow: string) =>
  workflow.replaceAll(/(?<=uses: )[^/\s]+(?=\/axe-action@)/g, 'acme');

const FIRST = owned(readFileSync('examples/workflows/review.yml', 'utf8'));

/** The lines for workflows, as `name:line: level: message. Remedy.`, with the agents of the examples. */
async function linesFor(files: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const lines = await checkWorkflows(
    Object.entries(files).map(([path, text]) => ({ path, text })),
    async (name, agentsDir) => {
      try {
        return { config: agentOf(name), isFolderEmpty: agentsDir === 'gone' };
      } catch {
        return { names: BUILT_IN_AGENTS.map((agent) => agent.name) };
      }
    },
  );
  return lines.map(
    ({ file, line, level, message, remedy }) => `${file}:${line}: ${level}: ${message}. ${remedy}`,
  );
}

type Change = readonly [search: string | RegExp, replacement: string];

const INPUT = 'trigger-phrase: /axe';
const added = (line: string): Change => [INPUT, `${INPUT}\n          ${line}`];

/** A break of the first workflow, the line that names it, its level, and words of what it says. */
const BROKEN: readonly (readonly [string, readonly Change[], string, string, string])[] = [
  [
    'the placeholder',
    [['acme/', 'YOUR_ORG/']],
    'uses: YOUR_ORG',
    'error',
    'is a placeholder. Write the owner',
  ],
  ['a branch of the action', [['@v1', '@main']], '@main', 'warning', '`@main` is a branch'],
  [
    'a misspelt key',
    [['permissions:', 'permission:']],
    'permission:',
    'error',
    'Did you mean `permissions`?',
  ],
  [
    'a misspelt key of a job',
    [['runs-on:', 'run-on:']],
    'run-on:',
    'error',
    'Did you mean `runs-on`?',
  ],
  [
    'a misspelt key of a step',
    [['        env:', '        envs:']],
    'envs:',
    'error',
    'Did you mean `env`?',
  ],
  [
    'a misspelt event',
    [['  issue_comment:', '  issue_comments:']],
    'issue_comments:',
    'error',
    'Did you mean `issue_comment`?',
  ],
  [
    'a misspelt scope',
    [['pull-requests:', 'pull_requests:']],
    'pull_requests:',
    'error',
    'Did you mean `pull-requests`?',
  ],
  [
    'a level that there is not',
    [['checks: read', 'checks: readonly']],
    'checks: readonly',
    'error',
    '`readonly` is not a level',
  ],
  [
    'an input that there is not',
    [['agent: builtin', 'agents: builtin']],
    'agents:',
    'error',
    'Did you mean `agent`?',
  ],
  [
    'a value that an input does not take',
    [added('min-severity: high')],
    'min-severity',
    'error',
    'Choose one of',
  ],
  ['no agent', [[/ {10}agent: .*\n/, '']], 'with:', 'error', 'the input `agent` is missing'],
  [
    'an agent without its folder',
    [['builtin/pr-reviewer', 'pr-reviewer']],
    'agent: pr',
    'error',
    'Did you mean `builtin/pr-reviewer`?',
  ],
  [
    'another variable for the key',
    [['          ANTHROPIC_API_KEY: $', '          ANTHROPIC_KEY: $']],
    '- uses:',
    'error',
    'does not get `ANTHROPIC_API_KEY`',
  ],
  [
    'a model of another provider',
    [added('model: openai/gpt-5')],
    '- uses:',
    'error',
    'does not get `OPENAI_API_KEY`',
  ],
  [
    'a key in the file',
    [['${{ secrets.ANTHROPIC_API_KEY }}', 'sk-ant-api03-x']],
    'sk-ant',
    'error',
    'Revoke it',
  ],
  [
    'a secret of another name',
    [['secrets.ANTHROPIC_API_KEY', 'secrets.ANTHROPIC_KEY']],
    'secrets.ANTHROPIC_KEY',
    'note',
    'gh secret list',
  ],
  [
    'no permissions',
    [[/permissions:\n(?: {2}.*\n)+/, '']],
    'review:',
    'warning',
    '`permissions:` is missing',
  ],
  [
    'no right to review',
    [['pull-requests: write', 'pull-requests: read']],
    'pull-requests:',
    'warning',
    '`pull-requests: write` is missing',
  ],
  [
    'no right to read',
    [['  contents: write', '  packages: read']],
    'permissions:',
    'error',
    '`contents: write` is missing',
  ],
  [
    'no comments',
    [[/ {2}issue_comment.*\n {2}pull_request_review_comment.*\n/, '']],
    'on:',
    'warning',
    'comments do not start',
  ],
  [
    'no phrase',
    [[/ {10}trigger-phrase.*\n/, '']],
    'with:',
    'warning',
    'Add `trigger-phrase: /axe`',
  ],
  [
    'no condition',
    [[/ {4}if: >-[\s\S]*?(?= {4}# A newer)/, '']],
    'review:',
    'note',
    'each comment starts a runner',
  ],
  [
    'a condition for another phrase',
    [[INPUT, "trigger-phrase: '@bot'"]],
    'if:',
    'warning',
    '`if:` looks for `/axe`',
  ],
  [
    'no pushes',
    [['  pull_request:\n', '  pull_request: { types: [opened] }\n']],
    'pull_request: {',
    'warning',
    'Add `synchronize`',
  ],
  [
    'no label for forks',
    [
      ['  pull_request:\n  issue_comment: { types: [created] }\n', '  pull_request_target:\n'],
      [/ {4}if: >-[\s\S]*?(?= {4}# A newer)/, ''],
    ],
    'pull_request_target:',
    'warning',
    'Add `labeled`',
  ],
  [
    'a checkout of the head',
    [
      ['  pull_request:\n', '  pull_request_target: { types: [labeled] }\n'],
      [
        '    steps:\n',
        '    steps:\n      - uses: actions/checkout@v5\n        with: { ref: "${{ github.event.pull_request.head.sha }}" }\n',
      ],
    ],
    'actions/checkout',
    'error',
    'Remove the checkout',
  ],
  [
    'runs that are cancelled',
    [['    concurrency:\n', '    concurrency:\n      cancel-in-progress: true\n']],
    'cancel-in',
    'warning',
    'Remove the line',
  ],
  [
    'one group for all comments',
    [['github.event.comment.id || ', '']],
    'concurrency:',
    'warning',
    'a second command replaces',
  ],
  [
    'no condition for forks',
    [['github.event.pull_request.head.repo.full_name == github.repository && ', '']],
    'pull_request:',
    'note',
    'Add the `if:` of the first workflow',
  ],
  ['no group', [[/ {4}concurrency:\n.*\n/, '']], 'review:', 'note', 'two pushes in a row'],
  [
    'a memory that is not kept',
    [added('memory-store: cache')],
    'memory-store',
    'warning',
    'Write `memory-store: branch`',
  ],
  [
    'paths as a list of YAML',
    [added('paths: |\n            - src/**')],
    'paths:',
    'error',
    '`paths`',
  ],
  [
    'a misspelt tool',
    [added('tools-allowed: run_comand')],
    'tools-allowed',
    'note',
    '(did you mean `run_command`?). Correct',
  ],
  [
    'a folder of agents that is not there',
    [
      added('agents-dir: gone'),
      ['    steps:\n', '    steps:\n      - uses: actions/checkout@v5\n'],
    ],
    'agents-dir',
    'note',
    'The folder "gone" is not there',
  ],
  [
    'a permission without a level',
    [['checks: read', 'checks: [read]']],
    'checks: [',
    'error',
    '`checks` has no level',
  ],
  [
    'a second document',
    [[/$/, '--- x\n']],
    '--- x',
    'error',
    'a second document begins, after `---`',
  ],
  ['a tab', [['jobs:\n', 'jobs:\n\tx: 1\n']], '\tx: 1', 'error', 'GitHub cannot read this file'],
];

/** The first workflow with these changes, each of which it has. */
function withChanges(changes: readonly Change[]): string {
  return changes.reduce((text, [search, replacement]) => {
    const changed = text.replace(search, () => replacement);
    if (changed === text) throw new Error(`the first workflow has no ${search}`);
    return changed;
  }, FIRST);
}

describe('the check of workflows', () => {
  it.each(BROKEN)(
    'names %s on its line, with a remedy',
    async (_, ...[changes, content, level, words]) => {
      const text = withChanges(changes);
      const line = text.split('\n').findIndex((row) => row.includes(content)) + 1;
      const lines = await linesFor({ 'axe.yml': text });
      const named = lines.filter((each) => each.includes(words));
      expect(named.map((each) => each.split(':').slice(0, 3).join(':'))).toEqual([
        `axe.yml:${line}: ${level}`,
      ]);
    },
  );

  it.each(exampleWorkflows())('says nothing of the example $name', async ({ name, content }) => {
    expect(await linesFor({ [name]: owned(content) })).toEqual([]);
  });

  it('says nothing of the first workflow and the one for issues together', async () => {
    const mention = readFileSync('examples/workflows/mention.yml', 'utf8');
    const files = { 'axe.yml': FIRST, 'mention.yml': owned(mention) };
    expect(await linesFor(files)).toEqual([]);
    const everywhere = {
      ...files,
      'mention.yml': files['mention.yml'].replace('!github.event.issue.pull_request && ', ''),
    };
    const both = await linesFor(everywhere);
    const rivals = (lines: readonly string[]) =>
      lines.filter((line) => line.includes('answers the same comments'));
    expect(rivals(both)).toHaveLength(1);

    // Two jobs share the events of their workflow, and so its line.
    const [, job = ''] = everywhere['mention.yml'].split(/^jobs:\n/m);
    const second = job.replace(/^ {2}[\w-]+:/, '  second:');
    const twice = await linesFor({
      ...everywhere,
      'mention.yml': everywhere['mention.yml'] + second,
    });
    expect(new Set(twice).size).toBe(twice.length);
    expect(rivals(twice)).not.toEqual([]);
  });

  const STEP =
    'steps:\n      - uses: acme/axe-action@v1\n        with:\n          agent: ${{ matrix.agent }}\n';
  it.each([
    [
      'anchors',
      withChanges([
        ['  issue_comment: { types: [created] }', '  issue_comment: &created { types: [created] }'],
        ['review_comment: { types: [created] }', 'review_comment: *created'],
      ]),
    ],
    [
      'events in a list',
      `on: [push, workflow_dispatch]\npermissions: write-all\njobs:\n  a:\n    runs-on: x\n    strategy: { matrix: { agent: [a, b] } }\n    ${STEP}`,
    ],
    [
      'a matrix of agents',
      `on: push\npermissions: { contents: read }\njobs:\n  a:\n    runs-on: x\n    strategy: { matrix: { agent: [a, b] } }\n    ${STEP}`,
    ],
    [
      'a workflow that is called',
      `on: workflow_call\njobs:\n  a:\n    runs-on: x\n    ${STEP.replace('matrix', 'inputs')}`,
    ],
    [
      'a caller',
      'on: pull_request\njobs:\n  a:\n    uses: octo/axe-action/.github/workflows/x.yml@main\n',
    ],
    [
      'computed values',
      withChanges([
        [INPUT, 'trigger-phrase: ${{ vars.PHRASE }}'],
        ['builtin/pr-reviewer', '${{ vars.AGENT }}'],
        ['${{ secrets.ANTHROPIC_API_KEY }}', "${{ secrets[format('{0}_KEY', 'A')] }}"],
      ]),
    ],
    [
      'a computed prompt without an agent',
      FIRST.replace('agent: builtin/pr-reviewer', 'prompt: ${{ vars.PROMPT }}').replace(
        INPUT,
        `${INPUT}\n          model: anthropic/claude-sonnet-5-5`,
      ),
    ],
    [
      'a report of a computed mode',
      FIRST.replace(
        INPUT,
        `${INPUT}\n          mode: \${{ vars.MODE }}\n          report-to: pull-request`,
      ),
    ],
    [
      'a workflow that a bomb of aliases hides',
      `${FIRST}\nx: &a [1, 1]\ny: &b [*a, *a]\nz: [*b, *b]\n`,
    ],
    ...['run: make bots', 'uses: actions/checkout@v5\n        with: { path: gone }'].map((step) => [
      `a folder of agents that a step can make: ${step}`,
      withChanges([added('agents-dir: gone'), ['    steps:\n', `    steps:\n      - ${step}\n`]]),
    ]),
    ['another action', 'on: push\njobs:\n  a:\n    steps:\n      - uses: acme/other@main\n'],
    ['5,000 lines', `${FIRST}${'# a line\n'.repeat(5000)}`],
    ['Windows line ends', FIRST.replaceAll('\n', '\r\n')],
  ])('says nothing of %s', async (_, text) => {
    expect(await linesFor({ 'axe.yml': text })).toEqual([]);
  });
});

it('the words of workflows are those of GitHub’s schema', () => {
  const schema: {
    readonly definitions: Readonly<
      Record<string, { readonly mapping: { readonly properties: object } }>
    >;
  } = JSON.parse(
    readFileSync('node_modules/@actions/workflow-parser/dist/workflow-v1.0.min.json', 'utf8'),
  );
  const keys = (...names: readonly string[]) =>
    [
      ...new Set(
        names.flatMap((name) => Object.keys(schema.definitions[name]?.mapping.properties ?? {})),
      ),
    ].sort();
  expect([...WORKFLOW_KEYS].sort()).toEqual(keys('workflow-root'));
  expect([...JOB_KEYS].sort()).toEqual(keys('job-factory', 'workflow-job'));
  expect([...STEP_KEYS].sort()).toEqual(keys('run-step', 'regular-step'));
  expect([...SCOPES].sort()).toEqual(keys('permissions-mapping'));
  expect([...EVENTS].sort()).toEqual(keys('on-mapping-strict'));
});
