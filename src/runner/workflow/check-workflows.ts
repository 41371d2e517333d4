import type { AgentConfig } from '../../agent/config.js';
import { closestWord } from '../../agent/suggest.js';
import type { Trigger } from '../../event/trigger.js';
import { INPUT_DEFAULTS, inspectInputs } from '../inputs.js';
import { findUnusedInputs } from '../setup.js';
import {
  type CheckedUse,
  type Level,
  unknownWords,
  WORKFLOW_CHECKS,
  type WorkflowProblem,
} from './workflow-checks.js';
import {
  type ActionUse,
  type BrokenWorkflow,
  isComputed,
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
export type FindAgent = (
  name: string,
) => Promise<{ readonly config: AgentConfig | undefined } | { readonly names: readonly string[] }>;

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
  const checked: readonly CheckedUse[] = lookedUp.map(({ use, agent }) => ({
    ...use,
    agent,
    others: [],
  }));
  for (const workflow of parsed) {
    const problems = [...unknownWords(workflow)];
    for (const [index, use] of checked.entries()) {
      if (use.file !== workflow.file) continue;
      const others = checked.filter((candidate) => candidate !== use);
      problems.push(...(lookedUp[index]?.problems ?? []));
      problems.push(...inputProblems(use));
      problems.push(...WORKFLOW_CHECKS.flatMap((check) => check({ ...use, others })));
    }
    // Jobs of one workflow share its events, so each would report the same line.
    const distinct = problems.map((problem) => {
      const line = lineFor(workflow, problem);
      return [`${line.line} ${line.message}`, line] as const;
    });
    lines.push(...new Map(distinct).values());
  }
  return lines.toSorted((a, b) => (a.file === b.file ? a.line - b.line : 0));
}

function describeBroken({ file, line, reason }: BrokenWorkflow): WorkflowLine {
  const message = `GitHub cannot read this file: ${reason}`;
  return { file, line, level: 'error', message, remedy: 'Nothing runs until it is corrected.' };
}

function lineFor({ file, lineOf }: ParsedWorkflow, problem: WorkflowProblem): WorkflowLine {
  const { path, level, message, remedy } = problem;
  return { file, line: lineOf(path), level, message, remedy };
}

/** Inputs that name the place of agents, which cannot be read here. */
const ELSEWHERE = ['agents-repo', 'agents-dir'];

async function lookUp(use: ActionUse, findAgent: FindAgent) {
  const { inputs, stepAt } = use;
  const name = inputs['agent'] ?? '';
  const isUnknown =
    name === '' || isComputed(name) || ELSEWHERE.some((input) => inputs[input] !== undefined);
  if (isUnknown) return { use, agent: undefined, problems: [] };

  const result = await findAgent(name);
  if ('config' in result) return { use, agent: result.config, problems: [] };
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
  return { use, agent: undefined, problems: [missing] };
}

/** Mistakes of inputs, as their own parsers report them, and inputs without effect. */
function inputProblems({ inputs, agent, stepAt, events }: CheckedUse): readonly WorkflowProblem[] {
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
    isFolderEmpty: false,
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
