import { isAbsolute } from 'node:path';
import type { AgentConfig } from '../../agent/config.js';
import { closestWord } from '../../agent/suggest.js';
import type { Trigger } from '../../event/trigger.js';
import type { AxeError } from '../../lib/errors.js';
import { INPUT_DEFAULTS, inspectInputs } from '../inputs.js';
import { findUnusedInputs } from '../setup.js';
import {
  type CheckedUse,
  type Level,
  missingPermissions,
  unknownWords,
  WORKFLOW_CHECKS,
  type WorkflowProblem,
} from './workflow-checks.js';
import {
  type ActionUse,
  asMapping,
  asSteps,
  asText,
  type BrokenWorkflow,
  isComputed,
  isOwnAction,
  type ParsedWorkflow,
  parseWorkflow,
  type WorkflowFile,
} from './workflow-file.js';

/** A line for people: where, how bad, what, and what to do. */
export interface WorkflowLine {
  readonly file: string;
  readonly line: number;
  readonly level: Level;
  /** A sentence without its full stop. */
  readonly message: string;
  readonly remedy: string;
}

/** An agent by the name in a workflow; the names that exist if there is no such agent. */
type FoundAgent =
  | { readonly config: AgentConfig | undefined; readonly isFolderEmpty?: boolean }
  | { readonly names: readonly string[] }
  | { readonly folderMistake: AxeError };

/** Finds agents as the inputs `agent` and `agents-dir` name them; the folder is empty for none. */
export type FindAgent = (name: string, agentsDir: string) => Promise<FoundAgent>;

/**
 * Reads the workflows with this action as GitHub will. A value that a job computes is not judged:
 * no line is better than a wrong one.
 */
export async function checkWorkflows(
  files: readonly WorkflowFile[],
  findAgent: FindAgent,
): Promise<readonly WorkflowLine[]> {
  const lines: WorkflowLine[] = [];
  const parsed: ParsedWorkflow[] = [];
  for (const file of files) {
    const workflow = parseWorkflow(file);
    if (workflow === undefined) continue;
    if ('uses' in workflow) parsed.push(workflow);
    else lines.push(describeBroken(workflow));
  }

  const lookedUp = await Promise.all(
    parsed.flatMap(({ uses }) => uses).map(async (use) => await lookUp(use, findAgent)),
  );
  const checked = lookedUp.map(({ use }) => use);
  for (const workflow of parsed) {
    const problems = [...unknownWords(workflow)];
    for (const [index, use] of checked.entries()) {
      if (use.file !== workflow.file) continue;
      const others = checked.filter((candidate) => candidate !== use);
      problems.push(...(lookedUp[index]?.problems ?? []));
      problems.push(...inputProblems(use, lookedUp[index]?.isFolderEmpty === true));
      problems.push(...WORKFLOW_CHECKS.flatMap((check) => check({ ...use, others })));
    }
    lines.push(...linesFor(workflow, problems));
  }
  return lines.toSorted((a, b) => (a.file === b.file ? a.line - b.line : 0));
}

/**
 * The permissions that a job visibly lacks, which a run of it can name. GitHub does not say what it
 * granted.
 */
export async function checkPermissions(
  file: WorkflowFile,
  job: string,
  findAgent: FindAgent,
): Promise<readonly WorkflowLine[]> {
  const workflow = parseWorkflow(file);
  if (workflow === undefined || !('uses' in workflow)) return [];
  const uses = workflow.uses.filter(({ jobAt }) => jobAt.at(-1) === job);
  const lookedUp = await Promise.all(uses.map(async (use) => await lookUp(use, findAgent)));
  return linesFor(
    workflow,
    lookedUp.flatMap(({ use }) => missingPermissions(use)),
  );
}

/** Jobs of one workflow share its events, so each would report the same line. */
function linesFor(
  workflow: ParsedWorkflow,
  problems: readonly WorkflowProblem[],
): readonly WorkflowLine[] {
  const distinct = problems.map((problem) => {
    const line = lineFor(workflow, problem);
    return [`${line.line} ${line.message}`, line] as const;
  });
  return [...new Map(distinct).values()];
}

function describeBroken({ file, line, reason }: BrokenWorkflow): WorkflowLine {
  const message = `GitHub cannot read this file: ${reason}`;
  return { file, line, level: 'error', message, remedy: 'Nothing runs until it is corrected.' };
}

function lineFor({ file, lineOf }: ParsedWorkflow, problem: WorkflowProblem): WorkflowLine {
  const { path, level, message, remedy } = problem;
  return { file, line: lineOf(path), level, message, remedy };
}

/** A step with its agent, and the problems of finding it. */
interface LookedUp {
  readonly use: CheckedUse;
  readonly problems: readonly WorkflowProblem[];
  readonly isFolderEmpty?: boolean;
}

/** The agents of the step cannot be known from the checkout alone. */
function hasAgentsElsewhere({ inputs, job }: ActionUse): boolean {
  const { 'agents-repo': repository, 'agents-dir': folder = '' } = inputs;
  if (repository !== undefined || isComputed(folder) || isAbsolute(folder)) return true;
  return folder !== '' && asSteps(job).some(canMakeFolders);
}

/** All steps but those of the action, and of the plain checkout. */
function canMakeFolders(step: Readonly<Record<string, unknown>>): boolean {
  const name = asText(step['uses']);
  const inputs = asMapping(step['with']);
  const isPlainCheckout =
    name.startsWith('actions/checkout@') &&
    ['path', 'ref', 'repository'].every((input) => inputs[input] === undefined);
  return !isPlainCheckout && !isOwnAction(name);
}

async function lookUp(step: ActionUse, findAgent: FindAgent): Promise<LookedUp> {
  const { inputs, stepAt } = step;
  const use: CheckedUse = { ...step, agent: undefined, others: [] };
  const { agent: name = '', 'agents-dir': agentsDir = '' } = inputs;
  if (name === '' || isComputed(name) || hasAgentsElsewhere(step)) return { use, problems: [] };

  const result = await findAgent(name, agentsDir);
  if ('config' in result) {
    const { config, isFolderEmpty } = result;
    return { use: { ...use, agent: config }, problems: [], isFolderEmpty };
  }
  if ('folderMistake' in result) {
    const { message, remedy = '' } = result.folderMistake;
    const path = [...stepAt, 'with', 'agents-dir'];
    return { use, problems: [{ level: 'error', path, message, remedy }] };
  }
  const nearest =
    result.names.find((known) => known.endsWith(`/${name}`)) ?? closestWord(name, result.names);
  const remedy =
    nearest === undefined
      ? 'Name an agent of this repository, or `builtin/pr-reviewer`.'
      : `Did you mean \`${nearest}\`?`;
  const message = `there is no agent \`${name}\` in this repository`;
  const missing: WorkflowProblem = {
    level: 'error',
    path: [...stepAt, 'with', 'agent'],
    message,
    remedy,
  };
  return { use, problems: [missing] };
}

/** Mistakes of inputs, as their own parsers report them, and inputs without effect. */
function inputProblems(
  { inputs, agent, stepAt, events }: CheckedUse,
  isFolderEmpty: boolean,
): readonly WorkflowProblem[] {
  const names = Object.keys(INPUT_DEFAULTS);
  const path = [...stepAt, 'with'];
  const unknown = Object.keys(inputs).filter((name) => !names.includes(name.toLowerCase()));
  const problems = unknown.map((name): WorkflowProblem => {
    const nearest = closestWord(name, names);
    const remedy =
      nearest === undefined ? 'See docs/reference/inputs.md.' : `Did you mean \`${nearest}\`?`;
    return {
      level: 'error',
      path: [...path, name],
      message: `\`${name}\` is not an input`,
      remedy,
    };
  });

  const known = Object.entries(inputs).filter(([name]) => !unknown.includes(name));
  const env = Object.fromEntries(
    known
      .filter(([, value]) => !isComputed(value))
      .map(([name, value]) => [`INPUT_${name.toUpperCase()}`, value]),
  );
  const computed = known
    .filter(([, value]) => isComputed(value))
    .map(([name]) => name.toLowerCase());
  const inspected = inspectInputs(env, computed);
  for (const { input, error } of inspected.mistakes) {
    const isMisspelt = input === 'agent' && unknown.length > 0;
    if (isMisspelt) continue;
    const { message, remedy = '' } = error;
    problems.push({ level: 'error', path: [...path, input], message, remedy });
  }
  const isUnknown = agent === undefined || computed.includes('mode');
  if (isUnknown || inspected.mistakes.length > 0) return problems;
  const facts = {
    inputs: inspected.inputs,
    agent: { name: inputs['agent'] ?? '', config: agent },
    kinds: kindsOf(events),
    isFolderEmpty,
  };
  const unused = findUnusedInputs(facts).map((problem): WorkflowProblem => {
    const message = problem.message.replace(/\.$/, '');
    return { level: 'note', path: [...path, problem.input], message, remedy: problem.remedy };
  });
  return [...problems, ...unused];
}

/** The kinds of a workflow's events; undefined if one of them is not known, as for a called one. */
function kindsOf(events: CheckedUse['events']): readonly Trigger['kind'][] | undefined {
  const kinds = [...events.keys()].map((event) => KINDS.get(event));
  return kinds.includes(undefined) ? undefined : kinds.filter((kind) => kind !== undefined);
}

const KINDS: ReadonlyMap<string, Trigger['kind']> = new Map([
  ['pull_request', 'pull_request'],
  ['pull_request_target', 'pull_request'],
  ['pull_request_review', 'comment'],
  ['pull_request_review_comment', 'comment'],
  ['issue_comment', 'comment'],
  ['issues', 'issue'],
  ['push', 'push'],
  ['release', 'release'],
  ['schedule', 'schedule'],
  ['workflow_dispatch', 'dispatch'],
]);
