import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parse, parseDocument } from 'yaml';
import { readInputs } from '../../src/actions/inputs.js';
import { BUILT_IN_AGENTS } from '../../src/axe/agent/built-in.js';
import { parseAgent } from '../../src/axe/agent/parse.js';
import { grantTools } from '../../src/axe/tools/effects.js';
import type { ToolPorts } from '../../src/axe/tools/ports.js';
import { createTools } from '../../src/axe/tools/registry.js';

interface Step {
  readonly id?: string;
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, string | number>>;
  readonly env?: Readonly<Record<string, string>>;
}

interface Job {
  readonly permissions?: Readonly<Record<string, string>>;
  readonly 'timeout-minutes'?: number;
  readonly steps: readonly Step[];
}

interface Workflow {
  readonly on?: {
    readonly workflow_dispatch?: {
      readonly inputs?: Readonly<Record<string, { readonly default?: string }>>;
    };
  };
  readonly permissions?: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<string, Job>>;
}

const ROOT = join(import.meta.dirname, '../..');
const FOLDER = join(ROOT, 'examples/workflows');
const FILES = readdirSync(FOLDER);
const ACTION: { readonly inputs: object; readonly outputs: object } = parse(
  readFileSync(join(ROOT, 'action.yml'), 'utf8'),
);

describe.each(FILES)('%s', (file) => {
  const text = readFileSync(join(FOLDER, file), 'utf8');
  const workflow: Workflow = parse(text);
  const jobs = Object.values(workflow.jobs);
  const steps = jobs.flatMap((job) => job.steps);
  const ours = steps.filter(({ uses }) => uses?.startsWith('org/axe-action@'));

  it('is YAML without a doubt', () => {
    const { errors, warnings } = parseDocument(text);
    expect([...errors, ...warnings]).toEqual([]);
  });

  it('says what it may do, and how long each job may take', () => {
    expect(workflow.permissions).toBeDefined();
    for (const job of jobs) {
      expect(job['timeout-minutes']).toBeGreaterThan(0);
      const { contents = 'none', ...others } = job.permissions ?? workflow.permissions ?? {};
      expect(['read', 'write']).toContain(contents);
      expect(contents === 'write').toBe(job.steps.some(writesContents));
      for (const name of Object.keys(others)) expect(['pull-requests', 'issues', 'id-token']).toContain(name);
    }
  });

  it('uses this action, and others by their commit', () => {
    expect(ours.length).toBeGreaterThan(0);
    for (const { uses } of steps) {
      if (uses !== undefined && !uses.startsWith('org/axe-action@')) expect(uses).toMatch(/@[0-9a-f]{40}$/);
    }
    for (const { uses, with: given } of steps) {
      if (uses?.startsWith('actions/checkout@')) expect(given).toEqual({ 'persist-credentials': false });
    }
  });

  it('gives inputs that exist and are accepted', () => {
    for (const given of ours.map((step) => inputsOf(step, workflow))) {
      for (const name of Object.keys(given)) expect(Object.keys(ACTION.inputs)).toContain(name);
      const env = Object.entries(given).map(([name, value]) => [
        `INPUT_${name.toUpperCase()}`,
        String(value),
      ]);
      expect(readInputs(Object.fromEntries(env)).agent).toBe(given['agent']);
    }
  });

  it('names agents that exist and allows no tool that they do not ask for', () => {
    for (const given of ours.map((step) => inputsOf(step, workflow))) {
      const { tools, mcpServers } = agentOf(String(given['agent'])).config;
      const asked = [...tools, ...mcpServers.map(({ name }) => name)];
      const { toolsAllowed } = readInputs({
        INPUT_AGENT: 'x',
        'INPUT_TOOLS-ALLOWED': String(given['tools-allowed'] ?? ''),
      });
      for (const tool of toolsAllowed) expect(asked).toContain(tool);
    }
  });

  it('reads outputs that exist, and puts no text of others into a script', () => {
    for (const [, id, name] of text.matchAll(/steps\.([\w-]+)\.outputs\.([\w-]+)/g)) {
      const step = steps.find((one) => one.id === id);
      expect(step).toBeDefined();
      if (step !== undefined && ours.includes(step)) expect(Object.keys(ACTION.outputs)).toContain(name);
    }
    for (const { run = '' } of steps) expect(run).not.toContain('${{');
  });
});

/** What a step is given; what a person types in to start the workflow, as it is filled in before. */
function inputsOf({ with: given = {} }: Step, { on }: Workflow): NonNullable<Step['with']> {
  const typed = on?.workflow_dispatch?.inputs ?? {};
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => {
      const [, input = ''] = /^\$\{\{ inputs\.([\w-]+) \}\}$/.exec(String(value)) ?? [];
      return [name, typed[input]?.default ?? value];
    }),
  );
}

/** A step that pushes, or whose memory is on a branch of the repository. */
function writesContents({ run, with: given }: Step): boolean {
  return (
    run?.includes('git push') === true || given?.['memory-store'] === 'repo' || given?.['mode'] === 'memory'
  );
}

it('lists every workflow and every agent in the README', () => {
  const readme = readFileSync(join(ROOT, 'examples/README.md'), 'utf8');
  const links = [...readme.matchAll(/\]\(((?:agents|workflows)\/[^)]+)\)/g)].map(([, link]) => link);
  const files = ['agents', 'workflows'].flatMap((folder) =>
    readdirSync(join(ROOT, 'examples', folder)).map((file) => `${folder}/${file}`),
  );
  expect([...links].sort()).toEqual([...files].sort());
});

it('names in the README the tools that a workflow has to allow', () => {
  const readme = readFileSync(join(ROOT, 'examples/README.md'), 'utf8');
  const rows = [...readme.matchAll(/^\| \[([\w-]+)\]\(agents\/[^|]*\|[^|]*\| ?(?:`([^`]*)` )?\|$/gm)];
  const listed = rows.map(([, name = '', allowed = '']) => [name, allowed]);
  expect(listed).toEqual(listed.map(([name = '']) => [name, neededBy(name).join(', ')]));
  expect(listed).toHaveLength(readdirSync(join(ROOT, 'examples/agents')).length);
});

function agentOf(name: string) {
  const builtIn = BUILT_IN_AGENTS.find((agent) => agent.name === name);
  const file = join(ROOT, 'examples/agents', `${name}.toml`);
  return parseAgent(builtIn?.toml ?? readFileSync(file, 'utf8'), { name, file });
}

/** What a workflow withholds from the agent as long as nothing is allowed. */
function neededBy(name: string): readonly string[] {
  const { tools, mcpServers } = agentOf(name).config;
  // Only names and effects are looked at; no tool is run.
  const made = createTools(tools, { allowedHosts: [] } as unknown as ToolPorts);
  expect(made.unknown).toEqual([]);
  const servers = mcpServers.map((server) => ({ name: server.name, effect: 'execute' as const }));
  const rules = { where: 'workflow', trust: 'trusted', toolsAllowed: [] } as const;
  const withheld = grantTools([...made.tools, ...servers], rules).withheld.map(({ tool }) => tool);
  return [...tools, ...mcpServers.map((server) => server.name)].filter((tool) => withheld.includes(tool));
}
