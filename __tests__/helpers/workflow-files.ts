import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

/** A step of a workflow, as it is written. */
export interface Step {
  readonly id?: string;
  readonly if?: string;
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, string | number>>;
  readonly env?: Readonly<Record<string, string>>;
}

/** A job of a workflow, as it is written; one that calls another workflow has no steps. */
export interface Job {
  readonly if?: string;
  readonly uses?: string;
  readonly permissions?: Permissions;
  readonly concurrency?: Concurrency;
  readonly 'timeout-minutes'?: number;
  readonly steps?: readonly Step[];
}

/** Scopes of the job's token, with `read` or `write`. */
export type Permissions = Readonly<Record<string, string>>;

/** Which runs wait for each other. */
export interface Concurrency {
  readonly group: string;
  readonly queue?: string;
  readonly 'cancel-in-progress'?: boolean;
}

/** An event of `on:` with its settings. */
export interface WorkflowEvent {
  readonly types?: readonly string[];
  readonly inputs?: Readonly<Record<string, { readonly default?: string | number }>>;
}

/** A workflow, as it is written. */
export interface Workflow {
  readonly on?: string | Readonly<Record<string, WorkflowEvent | null>>;
  readonly permissions?: Permissions;
  readonly concurrency?: Concurrency;
  readonly jobs: Readonly<Record<string, Job>>;
}

/** A workflow with its place and its text. */
export interface WorkflowFile {
  readonly name: string;
  readonly content: string;
  readonly workflow: Workflow;
}

const ROOT = join(import.meta.dirname, '../..');

/** All workflows that users are given to copy, in alphabetical order. */
export function exampleWorkflows(): readonly WorkflowFile[] {
  return workflowsIn('examples/workflows');
}

/** All workflows of a folder of this repository. */
export function workflowsIn(folder: string): readonly WorkflowFile[] {
  return readdirSync(join(ROOT, folder))
    .filter((name) => name.endsWith('.yml'))
    .sort()
    .map((name) => workflowFile(name, readFileSync(join(ROOT, folder, name), 'utf8')));
}

/**
 * A block of YAML in a page as a workflow: whole ones as they are; jobs, steps, and permissions or triggers alone with the
 * least around them that GitHub accepts.
 */
export function workflowInSnippet(name: string, yaml: string): WorkflowFile {
  const on = /^on:/m.test(yaml) ? '' : 'on: pull_request\n';
  const steps = /^ *- /.test(yaml)
    ? `jobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n${indent(yaml, 6)}`
    : yaml;
  const job = /^jobs:/m.test(steps)
    ? ''
    : 'jobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n      - run: echo\n';
  return workflowFile(name, `${on}${steps}${job}`);
}

function indent(yaml: string, depth: number): string {
  const own = /^ */.exec(yaml)?.[0].length ?? 0;
  return yaml.replaceAll(/^(?=.)/gm, ' '.repeat(Math.max(0, depth - own)));
}

/** The events a workflow runs on, with their settings. */
export function eventsOf({ on = {} }: Workflow): readonly (readonly [string, WorkflowEvent])[] {
  if (typeof on === 'string') return [[on, {}]];
  return Object.entries(on).map(([name, settings]) => [name, settings ?? {}] as const);
}

/** The steps of a job that run this action. */
export function ownSteps({ steps = [] }: Job): readonly Step[] {
  return steps.filter(({ uses }) => uses?.startsWith('YOUR_ORG/axe-action@'));
}

/**
 * What a step gives the action; what a person or a calling workflow fills in as it is filled in before. Other
 * expressions stay as they are written.
 */
export function inputsOf({ with: given = {} }: Step, workflow: Workflow): Readonly<Record<string, string>> {
  const typed = Object.assign({}, ...eventsOf(workflow).map(([, { inputs = {} }]) => inputs));
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => {
      const [, input = ''] = /^\$\{\{ inputs\.([\w-]+) \}\}$/.exec(String(value)) ?? [];
      return [name, String(typed[input]?.default ?? value)];
    }),
  );
}

function workflowFile(name: string, content: string): WorkflowFile {
  return { name, content, workflow: parse(content) as Workflow };
}
