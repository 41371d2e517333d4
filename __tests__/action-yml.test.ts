import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { VERSION } from '../src/lib/product.js';
import { OUTPUT_NAMES } from '../src/report/views/outputs.js';
import { INPUT_DEFAULTS, readInputs } from '../src/runner/inputs.js';
import { actionErrors } from './helpers/workflow-files.js';

interface ActionYml {
  readonly inputs: Record<string, { readonly description: string; readonly default: string }>;
  readonly outputs: Record<string, { readonly description: string }>;
  readonly runs: { readonly using: string; readonly main: string; readonly post: string };
}

const ROOT = join(import.meta.dirname, '..');
const TEXT = readFileSync(join(ROOT, 'action.yml'), 'utf8');
const ACTION: ActionYml = parse(TEXT);

/**
 * Who asks for each input and output. One more is a decision of its own: it gets a row, and the row
 * says whom it serves.
 */
const ASKED_BY = {
  inputs: {
    agent: 'everybody: what runs',
    prompt: 'a workflow with one task and no agent file',
    model: 'everybody: which model runs it, and which steps in',
    effort: 'the user of a built-in agent who wants it cheaper or more thorough',
    'api-key': 'a first workflow with one provider',
    'github-token': 'an app token, or none at all',
    mode: 'the schedule that trims memory, and the pull request that checks agent files',
    'dry-run': 'whoever writes a workflow and pays for no model yet',
    'memory-store': 'a repository where no branch can be written',
    'memory-branch': 'a protected or shared memory branch',
    'memory-path': 'a job matrix, a monorepo',
    'memory-repo': 'a public repository with private memory, an organisation with one memory',
    'memory-readonly': 'a run that is to learn nothing, such as one on a fork',
    paths: 'a monorepo, generated files',
    'max-diff-tokens': 'a model with a small window, a large pull request',
    'agents-dir': 'agents in another folder',
    'agents-repo': 'an organisation with one set of agents',
    'repositories-token': 'a private agents-repo or memory-repo',
    comment: 'a workflow that posts the answer itself',
    language: 'a team that does not write English',
    'min-severity': 'a team that wants fewer findings',
    'max-comments': 'a team that wants fewer comments',
    'block-on': 'a team whose review is required',
    'check-run': 'a branch rule that requires a check',
    'report-to': 'a schedule whose answer has no pull request',
    'labels-allowed': 'triage',
    'output-schema': 'a later step that reads the answer',
    'trigger-phrase': 'a repository with another bot on the same phrase',
    'min-permission': 'a repository whose contributors may ask',
    'allow-users': 'a contributor without write access',
    'allow-bots': 'pull requests of Dependabot or Renovate',
    'tools-allowed': 'an agent that runs commands, writes or reaches the network',
    'changes-allowed': 'an agent that commits',
    redact: 'a secret under a name that does not look like one',
    'fail-on': 'a job that must be red, or must not be',
    'timeout-minutes': 'a job with a limit of its own',
    'max-turns': 'a slow or a very long task',
    'max-tokens': 'a budget where the price is unknown',
    'max-cost-usd': 'a budget for one run',
    'max-cost-usd-per-pr': 'a budget for one pull request',
    'max-cost-usd-per-day': 'a budget for the repository',
    price: 'a budget for a model that is newer than our list, or for a server of one’s own',
  },
  outputs: {
    conclusion: 'a step that runs only after a success',
    reason: 'a step that tells people why nothing ran',
    response: 'a step that uses a short answer',
    'response-file': 'a step that uses a long answer',
    'structured-output': 'a step that reads the answer as JSON',
    'artifact-dir': 'a step that uploads what the agent wrote',
    'memory-saved': 'a step that alarms when memory is not saved',
    'memory-save-error': 'the text of that alarm',
    'memory-entry': 'a step that posts what was remembered',
    'memory-entry-id': 'a link to the entry, or a later command that forgets it',
    'memory-loaded': 'a figure of how much was remembered',
    'input-tokens': 'a budget kept elsewhere',
    'output-tokens': 'a budget kept elsewhere',
    'cost-usd': 'a budget kept elsewhere',
    'comment-url': 'a message with a link to the answer',
    'pull-request-url': 'a message with a link to the change',
    'findings-file': 'a program that reads findings',
    'findings-open': 'a gate that counts findings',
    'findings-worst': 'a gate on severity',
    coverage: 'a gate on how much was read',
    'sarif-file': 'code scanning',
    'transcript-file': 'somebody who asks what the model did',
  },
} as const;

describe('action.yml', () => {
  it('is loaded by the runner', () => {
    expect(actionErrors({ name: 'action.yml', content: TEXT })).toEqual([]);
  });

  it.each([
    [
      'an expression in a description',
      'description: Say `${{ matrix.package }}`',
      'outside of `default:`',
    ],
    [
      'an expression in the text of a long description',
      'description: >-\n  Say ${{ x }}',
      'outside of `default:`',
    ],
    [
      'a key that the runner does not know',
      'runs: { using: node24, main: a.js, mains: b.js }',
      'Unexpected value',
    ],
    ['a runtime that the runner does not have', 'runs: { using: node99, main: a.js }', 'node99'],
  ])('would be refused by the runner for %s', (_, text, message) => {
    const input = text.startsWith('runs:') ? '' : `\n    ${text.replace('\n', '\n    ')}`;
    const runs = text.startsWith('runs:') ? text : 'runs: { using: node24, main: a.js }';
    const content = `name: a\ndescription: b\ninputs:\n  one:${input || ' {}'}\n${runs}\n`;
    expect(actionErrors({ name: 'action.yml', content }).join('\n')).toContain(message);
  });

  it('has the inputs and defaults of the code', () => {
    const declared = Object.entries(ACTION.inputs).map(([name, input]) => [name, input.default]);
    expect(Object.fromEntries(declared)).toEqual(INPUT_DEFAULTS);
  });

  it('has the outputs of the code', () => {
    expect(Object.keys(ACTION.outputs)).toEqual([...OUTPUT_NAMES]);
  });

  it('runs on Node 24 with a main and a post step', () => {
    expect(ACTION.runs).toMatchObject({
      using: 'node24',
      main: 'dist/index.js',
      post: 'dist/post.js',
    });
  });

  it.each(['inputs', 'outputs'] as const)(
    'has these %s, each for somebody who asks for it',
    (kind) => {
      expect(Object.keys(ACTION[kind])).toEqual(Object.keys(ASKED_BY[kind]));
    },
  );

  it('has defaults that the code accepts', () => {
    const env = Object.fromEntries(
      Object.entries(ACTION.inputs).map(([name, input]) => [
        `INPUT_${name.toUpperCase()}`,
        input.default,
      ]),
    );
    expect(readInputs({ ...env, INPUT_AGENT: 'reviewer' })).toMatchObject({
      agent: 'reviewer',
      mode: 'run',
      memory: { store: 'branch', branch: 'axe-memory', path: undefined, isReadOnly: false },
    });
  });
});

it('the version is the version in package.json', () => {
  const manifest: { version: string } = JSON.parse(
    readFileSync(join(ROOT, 'package.json'), 'utf8'),
  );
  expect(VERSION).toBe(manifest.version);
});

/** What a person reads who gave a mistaken command. */
