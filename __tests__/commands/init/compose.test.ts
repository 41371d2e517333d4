import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { readInputs } from '../../../src/actions/inputs/inputs.js';
import {
  composeAgent,
  composeWorkflow,
  type InitChoice,
  MEMORY_PLACES,
  permissionsOf,
} from '../../../src/commands/init/compose.js';
import { JOBS, type Job } from '../../../src/commands/init/jobs.js';
import { inspectAgent } from '../../../src/core/agent/inspect.js';
import { neededPermissions } from '../../helpers/needed-permissions.js';
import { type Workflow, workflowsIn } from '../../helpers/workflow-files.js';
import { workflowErrors } from '../../helpers/workflow-syntax.js';

const MODELS = [
  { model: 'openai/gpt-6.1-sol', access: { kind: 'key', variable: 'OPENAI_API_KEY' } },
  { model: 'offline/rules', access: { kind: 'offline' } },
] as const;

const CHOICES: readonly (readonly [string, InitChoice])[] = JOBS.flatMap((job) =>
  MODELS.flatMap(({ model, access }) =>
    MEMORY_PLACES.map((memory) => {
      const choice = { job, model, access, memory, uses: 'octo-org/axe-action@v1', namesModel: true };
      return [`${job.id} with ${model} and memory in ${memory}`, choice] as const;
    }),
  ),
);

function stepOf(choice: InitChoice) {
  const workflow = parse(composeWorkflow(choice)) as Workflow;
  const [job] = Object.values(workflow.jobs);
  const step = job?.steps?.at(-1);
  if (job === undefined || step === undefined) throw new Error('there is no step');
  return { workflow, job, step };
}

describe.each(CHOICES)('%s', (_, choice) => {
  it('is a workflow that GitHub’s parser accepts', async () => {
    expect(await workflowErrors({ name: 'axe.yml', content: composeWorkflow(choice) })).toEqual([]);
  });

  it('runs the new agent with inputs that are accepted, and one key or none', () => {
    const { step } = stepOf(choice);
    expect(step.uses).toBe('octo-org/axe-action@v1');
    const given = Object.entries(step.with ?? {}).map(
      ([name, value]) => [`INPUT_${name.toUpperCase()}`, String(value)] as const,
    );
    const inputs = readInputs(Object.fromEntries(given));
    expect([inputs.agent, inputs.model]).toEqual([choice.job.agent, choice.model]);
    const secrets = choice.access.kind === 'key' ? ['OPENAI_API_KEY'] : [];
    expect([...composeWorkflow(choice).matchAll(/secrets\.(\w+)/g)].map(([, name]) => name)).toEqual(secrets);
    expect(composeWorkflow(choice)).not.toContain('ANTHROPIC');
  });

  it('has the permissions that it needs and no others', () => {
    const { workflow, job } = stepOf(choice);
    const asExample = composeWorkflow(choice)
      .replace('octo-org/axe-action@v1', 'YOUR_ORG/axe-action@v1')
      .replace(/^( +agent:) .*$/m, `$1 ${exampleAgent(choice.job)}`);
    const example = parse(asExample) as Workflow;
    const [own] = Object.values(example.jobs);
    expect(workflow.permissions).toEqual(own && neededPermissions(own, example));
    expect(
      Object.fromEntries(permissionsOf(composeWorkflow(choice)).map(({ scope, level }) => [scope, level])),
    ).toEqual(workflow.permissions);
    expect(job['timeout-minutes']).toBeGreaterThan(0);
  });

  it('has an agent without problems, with its skill and its model', () => {
    const { raw, errors, warnings } = inspectAgent(composeAgent(choice), { name: 'a', file: 'a.toml' });
    expect([errors, warnings]).toEqual([[], []]);
    expect(raw).toMatchObject({ name: choice.job.agent, model: choice.model, skill: choice.job.skill });
    expect(composeAgent(choice).split('\n')[0]).toBe(
      '#:schema https://raw.githubusercontent.com/octo-org/axe-action/v1/schema/agent.schema.json',
    );
  });
});

it.each(JOBS)(
  'the default of $id differs from its example only in the agent, the header and the fallback',
  (job) => {
    const access = { kind: 'key', variable: 'ANTHROPIC_API_KEY' } as const;
    const written = composeWorkflow({
      job,
      access,
      model: 'anthropic/claude-sonnet-5-5',
      memory: 'branch',
      uses: 'YOUR_ORG/axe-action@v1',
      namesModel: false,
    });
    const kept = (text: string) =>
      text.replace(/^(?:#.*\n)+/, '').replace(/^ +(?:agent|fallback-models|OPENAI_API_KEY): .*\n/gm, '');
    const example = workflowsIn('examples/workflows').find(({ content }) => content === job.workflow);
    expect(kept(written)).toBe(kept(example?.content ?? ''));
  },
);

/** The agent of the example that a job comes from. */
function exampleAgent({ workflow }: Job): string {
  return /^ +agent: (.*)$/m.exec(workflow)?.[1] ?? '';
}
