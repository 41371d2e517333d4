import { describe, expect, it } from '@jest/globals';
import { checkWorkflow } from '../../../src/commands/doctor/check-workflows.js';
import { composeWorkflow } from '../../../src/commands/init/compose.js';
import { JOBS } from '../../../src/commands/init/jobs.js';
import { exampleWorkflows } from '../../helpers/workflow-files.js';

const check = (text: string, agents: readonly string[] = ['reviewer']) =>
  checkWorkflow({ file: 'w.yml', text, agents }).map(({ status, message }) => `${status}: ${message}`);

function step(...lines: readonly string[]): string {
  return `permissions:\n  contents: read\njobs:\n  a:\n    steps:\n      - uses: octo-org/axe-action@v1\n${lines.map((line) => `          ${line}\n`).join('')}`;
}

describe('a workflow', () => {
  it('that does not run the action is ignored', () => {
    expect(
      check(
        'jobs:\n  a:\n    steps:\n      # - uses: YOUR_ORG/axe-action@v1\n      - uses: actions/checkout@v5\n',
      ),
    ).toEqual([]);
  });

  it('without a mistake is shown with the secrets that it needs', () => {
    expect(check(step('agent: reviewer', 'ANTHROPIC_API_KEY: ${{ secrets.ANTHROPIC_API_KEY }}'))).toEqual([
      'ok: w.yml runs the action; it needs `ANTHROPIC_API_KEY`',
    ]);
    expect(check(step('agent: builtin/ask'))).toEqual(['ok: w.yml runs the action; it needs no secret']);
  });

  it.each([
    [['agent: reviwer'], 'warning: w.yml names the agent `reviwer`, which is not here'],
    [
      ['agent: reviewer', 'memory-store: repo'],
      'warning: w.yml keeps memory on a branch, and its token cannot write',
    ],
  ])('with %j is reported', (lines, message) => {
    expect(check(step(...lines))).toEqual([message]);
  });

  it('with the placeholder of examples cannot run', () => {
    expect(check(step('agent: reviewer').replace('octo-org', 'YOUR_ORG'))).toEqual([
      'error: w.yml uses `YOUR_ORG/axe-action@v1`, which is a placeholder for the address of the action',
    ]);
  });

  it('with expressions is not checked inside them', () => {
    expect(check(step('agent: ${{ matrix.agent }}'))).toHaveLength(1);
    expect(check(step('agent: ${{ matrix.agent }}'))[0]).toMatch(/^ok: /);
  });

  it.each(JOBS)('that `init` writes for $id has no problems', (job) => {
    const text = composeWorkflow({
      job,
      model: 'openai/gpt-4o',
      access: { kind: 'key', variable: 'OPENAI_API_KEY' },
      memory: 'branch',
      uses: 'octo-org/axe-action@v1',
      namesModel: false,
    });
    expect(check(text, [job.agent])).toEqual(['ok: w.yml runs the action; it needs `OPENAI_API_KEY`']);
  });

  it.each(exampleWorkflows())(
    'that is the example $name has no problems except the placeholder and its agents',
    ({ content }) => {
      const told = check(content.replaceAll('YOUR_ORG/axe-action@', 'octo-org/axe-action@'));
      expect(told.filter((line) => !/^ok: |which is not here$/.test(line))).toEqual([]);
    },
  );
});
