import { describe, expect, it } from '@jest/globals';
import { parseDocument } from 'yaml';
import { readInputs } from '../../src/runner/inputs.js';
import {
  exampleWorkflows,
  expectValidUse,
  inputsOf,
  isMet,
  ownSteps,
  workflowErrors,
  workflowsIn,
} from '../helpers/workflow-files.js';
import { agentOf } from './needed-permissions.js';

const EXAMPLES = exampleWorkflows();
const OTHERS = workflowsIn('.github/workflows');

/**
 * The workflow that an example calls, under its address in the repository it is said to live in.
 */
const CALLED = {
  'octocat/agents/.github/workflows/shared-review.yml@main':
    EXAMPLES.find(({ name }) => name === 'shared-review.yml')?.content ?? '',
};

const step = 'runs-on: ubuntu-latest\n    steps:\n      - run: echo';
it.each([
  ['an invalid key', `on: push\njobs:\n  a:\n    runs_on: x\n    ${step}`, 'Unexpected value'],
  ['an invalid event', `on: pushed\njobs:\n  a:\n    ${step}`, 'Unexpected value'],
  [
    'an invalid scope',
    `on: push\npermissions:\n  pulls: read\njobs:\n  a:\n    ${step}`,
    'Unexpected value',
  ],
  [
    'a condition that is no expression',
    `on: push\njobs:\n  a:\n    if: (github.actor\n    ${step}`,
    'expression',
  ],
  [
    'a context that a condition has not',
    `on: push\njobs:\n  a:\n    if: secrets.A\n    ${step}`,
    'secrets',
  ],
  [
    'an input that the called workflow has not',
    'on: pull_request\njobs:\n  a:\n    uses: octocat/agents/.github/workflows/shared-review.yml@main\n    with: { agents: x }\n    secrets: inherit',
    'agents',
  ],
])('GitHub’s parser in these tests refuses %s', async (_, content, word) => {
  expect((await workflowErrors({ name: 'x.yml', content }, CALLED)).join('\n')).toContain(word);
});

it('GitHub’s parser in these tests evaluates as GitHub does: letters in any case, missing values as empty', () => {
  const github = { event: { sender: { type: 'bot' } } };
  expect(isMet("github.event.sender.type == 'Bot'", { github })).toBe(true);
  expect(isMet("github.event.label.name == 'review'", { github })).toBe(false);
  expect(isMet("contains(github.event.sender.type, 'O') && !github.event.issue", { github })).toBe(
    true,
  );
});

describe.each([...EXAMPLES, ...OTHERS])('the workflow $name', (file) => {
  const jobs = Object.values(file.workflow.jobs);

  it('is unambiguous YAML that GitHub’s parser accepts', async () => {
    const { errors, warnings } = parseDocument(file.content);
    expect([...errors, ...warnings]).toEqual([]);
    expect(await workflowErrors(file, CALLED)).toEqual([]);
  });

  it('limits the time of each job', () => {
    for (const { uses, 'timeout-minutes': minutes } of jobs)
      if (uses === undefined) expect(minutes).toBeGreaterThan(0);
  });

  it('C8 103: has valid inputs, reads existing outputs, and puts no third-party text into a script', () => {
    expectValidUse(file);
    for (const { run = '' } of jobs.flatMap(({ steps = [] }) => steps))
      expect(run).not.toContain('${{');
  });
});

describe.each(EXAMPLES)('the example $name', ({ content, workflow }) => {
  const jobs = Object.values(workflow.jobs);
  const steps = jobs.flatMap((job) => job.steps ?? []);
  const ours = jobs.flatMap(ownSteps);

  it('states which runs wait for each other', () => {
    for (const job of jobs.filter(({ uses }) => uses === undefined)) {
      const concurrency = job.concurrency ?? workflow.concurrency;
      expect(concurrency?.group).toMatch(/./);
      // A run that is cancelled may be in the middle of a save, or of a review.
      expect(concurrency?.['cancel-in-progress'] ?? false).toBe(false);
      // A workflow's group is entered before a condition is looked at: what is skipped would push
      // out what waits.
      if (job.if !== undefined) expect(workflow.concurrency).toBeUndefined();
    }
  });

  it('uses this action, and others by their commit', () => {
    expect(ours.length + jobs.filter(({ uses }) => uses !== undefined).length).toBeGreaterThan(0);
    for (const { uses } of steps) {
      if (uses !== undefined && !uses.startsWith('YOUR_ORG/axe-action@'))
        expect(uses).toMatch(/@[0-9a-f]{40}$/);
    }
    for (const { uses, with: given } of steps) {
      if (uses?.startsWith('actions/checkout@'))
        expect(given).toEqual({ 'persist-credentials': false });
    }
  });

  it('names existing agents and allows only tools that they list', () => {
    const runs = ours.map((step) => inputsOf(step, workflow));
    for (const given of runs.filter(({ mode }) => mode !== 'validate')) {
      const { tools, mcpServers } = agentOf(given['agent'] ?? '');
      const asked = [...tools, ...mcpServers.map(({ name }) => name)];
      const { toolsAllowed } = readInputs({
        INPUT_AGENT: 'x',
        'INPUT_TOOLS-ALLOWED': given['tools-allowed'] ?? '',
      });
      for (const tool of toolsAllowed) expect(asked).toContain(tool);
      if (given['labels-allowed'] !== undefined) expect(asked).toContain('set_labels');
      if (given['assignees-allowed'] !== undefined) expect(asked).toContain('assign');
    }
  });

  it('reads outputs of steps that it has', () => {
    for (const [, id] of content.matchAll(/steps\.([\w-]+)\.outputs\./g))
      expect(steps.map((step) => step.id)).toContain(id);
  });
});

it.each(EXAMPLES.filter(({ content }) => content.includes('pull_request_target')))(
  'the example $name checks out nothing, since it has secrets and anybody might have written the head',
  ({ workflow }) => {
    for (const { steps = [] } of Object.values(workflow.jobs))
      for (const { uses = '' } of steps) expect(uses).not.toContain('checkout');
  },
);
