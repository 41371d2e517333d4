import { formatModelRef } from '../core/agent/model-ref.js';
import { DEFAULT_TASK } from '../core/defaults.js';
import type { RestoreResult } from '../core/memory/store.js';
import type { Plan } from '../core/plan.js';
import { NO_NOTES, type NotesPrompt, withNotes } from '../core/prompt/system.js';
import { formatParams } from './format-params.js';

/** What `--dry-run` needs beside the plan. */
export interface DryRunView {
  readonly plan: Plan;
  /** Undefined for an agent without memory. */
  readonly restored: RestoreResult | undefined;
  /** The memory text as it goes into the prompt. */
  readonly memory: string;
  /** Undefined for an agent without notes. */
  readonly notes: NotesPrompt | undefined;
}

/** The plan as axe's `--dry-run` prints it (axe-behaviour §15), and the message where it is more than what axe sends. */
export function formatDryRun({ plan, restored, memory, notes }: DryRunView): string {
  const { agent, files } = plan;
  const head = [
    '=== Dry Run ===',
    '',
    `Model:    ${formatModelRef(plan.model)}`,
    `Workdir:  ${plan.workdir}`,
    `Timeout:  ${plan.timeoutSeconds}s`,
    `Params:   ${formatParams(agent.config.params)}`,
    '',
  ].join('\n');
  const parts = [
    section('System Prompt', withNotes(plan.systemPrompt, { runLog: memory, ...(notes ?? NO_NOTES) })),
    section('Skill', orNone(plan.skill.content)),
    section(`Files (${files.length})`, orNone(files.map(({ path }) => path).join('\n'))),
    section('Stdin', orNone(plan.stdin)),
    ...(isStdinOrDefault(plan) ? [] : [section('User Message', plan.task.message)]),
    ...(restored === undefined ? [] : [section('Memory', memoryBody(restored, memory))]),
    ...(notes === undefined ? [] : [section('Notes', orNone(notes.block))]),
    section('Sub-Agents', subAgents(plan)),
  ];
  return [head, ...parts].join('\n');
}

/** axe sends what is piped in, or else its default, and shows neither twice. */
function isStdinOrDefault({ task, stdin }: Plan): boolean {
  return task.message === stdin || task.message === DEFAULT_TASK;
}

function section(title: string, body: string): string {
  return `--- ${title} ---\n${body}\n`;
}

function orNone(text: string): string {
  return text === '' ? '(none)' : text;
}

function memoryBody(restored: RestoreResult, memory: string): string {
  return restored.kind === 'failed' ? `(error: ${restored.message})` : orNone(memory);
}

function subAgents({ agent }: Plan): string {
  const { subAgents: names, subAgentsConfig } = agent.config;
  if (names.length === 0) return '(none)';
  return [
    names.join(', '),
    `Max Depth: ${subAgentsConfig.maxDepth === 0 ? 3 : subAgentsConfig.maxDepth}`,
    `Parallel:  ${subAgentsConfig.parallel === false ? 'no' : 'yes'}`,
    `Timeout:   ${subAgentsConfig.timeoutSeconds}s`,
  ].join('\n');
}
