import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { data, Evaluator, Lexer, Parser } from '@actions/expressions';
import {
  convertWorkflowTemplate,
  NoOperationTraceWriter,
  parseWorkflow,
} from '@actions/workflow-parser';
import { convertActionTemplate, parseAction } from '@actions/workflow-parser/actions/index';
import { expect } from '@jest/globals';
import { parse } from 'yaml';
import { readInputs } from '../../src/runner/inputs.js';
import { ACTION_INPUTS, ACTION_OUTPUTS } from './action-yml.js';

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
 * A block of YAML in a page as a workflow: whole ones as they are; jobs, steps, and permissions or
 * triggers alone with the least around them that GitHub accepts.
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

/** The steps of a job that run this action; in this repository it is `./`. */
export function ownSteps({ steps = [] }: Job): readonly Step[] {
  return steps.filter(({ uses }) => uses === './' || uses?.startsWith('YOUR_ORG/axe-action@'));
}

/**
 * Asserts that a workflow gives this action inputs that it has and takes, and reads outputs that it
 * has.
 */
export function expectValidUse({ content, workflow }: Omit<WorkflowFile, 'name'>): void {
  const jobs = Object.values(workflow.jobs);
  const ours = jobs.flatMap(ownSteps);
  for (const given of ours.map((step) => inputsOf(step, workflow))) {
    for (const name of Object.keys(given)) expect(Object.keys(ACTION_INPUTS)).toContain(name);
    const env = Object.entries(given).map(([name, value]) => [
      `INPUT_${name.toUpperCase()}`,
      value,
    ]);
    expect(readInputs(Object.fromEntries(env)).agent).toBe(given['agent'] ?? '');
  }
  const others = jobs.flatMap(({ steps = [] }) => steps.filter((step) => !ours.includes(step)));
  for (const [, id, name] of content.matchAll(/steps\.([\w-]+)\.outputs\.([\w-]+)/g))
    if (ours.some((step) => step.id === id) || !others.some((step) => step.id === id))
      expect(Object.keys(ACTION_OUTPUTS)).toContain(name);
}

/**
 * What a step gives the action; what a person or a calling workflow fills in as it is filled in
 * before. Other expressions stay as they are written.
 */
export function inputsOf(
  { with: given = {} }: Step,
  workflow: Workflow,
): Readonly<Record<string, string>> {
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

/**
 * What GitHub's own parser has against a workflow: keys, events, permissions, expressions and the
 * contexts they may read, and inputs and secrets of workflows it calls, by `owner/name/path@ref`.
 * Nothing for a workflow that GitHub would take.
 */
export async function workflowErrors(
  file: Pick<WorkflowFile, 'name' | 'content'>,
  called: Readonly<Record<string, string>> = {},
): Promise<readonly string[]> {
  const { context, value } = parseWorkflow(file, new NoOperationTraceWriter());
  if (value !== undefined) {
    const files = {
      async getFileContent(ref: object) {
        const address =
          'owner' in ref && 'repository' in ref && 'path' in ref && 'version' in ref
            ? `${ref.owner}/${ref.repository}/${ref.path}@${ref.version}`
            : '';
        const content = called[address];
        if (content === undefined) throw new Error(`there is no workflow ${address}`);
        return { name: address, content };
      },
    };
    await convertWorkflowTemplate(context, value, files, { fetchReusableWorkflowDepth: 1 });
  }
  return context.errors.getErrors().map(({ message }) => message);
}

/**
 * What the runner has against an `action.yml` when it loads the action: keys and values that its
 * schema does not know, and expressions outside of the defaults of inputs. It evaluates
 * descriptions too, but with no context, so that any expression in one refuses the action. GitHub's
 * own parser takes a description for text, so that is looked for here.
 */
export function actionErrors(file: Pick<WorkflowFile, 'name' | 'content'>): readonly string[] {
  const { context, value } = parseAction(file, new NoOperationTraceWriter());
  if (value !== undefined) convertActionTemplate(context, value);
  const expressions = file.content.split('\n').flatMap((line, index) => {
    const isAllowed = !line.includes('${{') || /^\s+default:\s/.test(line);
    return isAllowed ? [] : [`${file.name}:${index + 1}: an expression outside of \`default:\``];
  });
  return [...context.errors.getErrors().map(({ message }) => message), ...expressions];
}

/**
 * What GitHub makes of a condition (`if:`), with the contexts given. Throws for one that is not an
 * expression.
 */
export function isMet(condition: string, contexts: Readonly<Record<string, unknown>>): boolean {
  const names = Object.keys(contexts);
  const expression = new Parser(new Lexer(condition).lex().tokens, names, []).parse();
  const values: unknown = JSON.parse(JSON.stringify(contexts), data.reviver);
  if (!(values instanceof data.Dictionary)) throw new Error('the contexts are no object');
  return new Evaluator(expression, values).evaluate().coerceString() === 'true';
}
