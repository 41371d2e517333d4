import { formatModelRef } from '../agent/config.js';
import { sourcePosition, warningText } from '../lib/errors.js';
import type { RunOutcome, RunStats } from '../lib/outcome.js';
import { cleanLine, count, formatDuration, formatUsd } from '../lib/text/format.js';
import { callTarget } from '../loop/tool-calls.js';
import type { RestoreResult } from '../memory/store.js';
import type { Reporter, RunEvent } from '../run/dependencies.js';
import type { Plan } from '../run/records.js';
import { formatEvent } from '../runner/action-reporter.js';
import { formatParams } from './format-json.js';
import { colorsFor, type Terminal } from './terminal.js';

/**
 * Each warning once, axe's verbose lines when asked for (axe-behaviour §17); all of it on stderr.
 */
export function createTerminalReporter(
  { stderr, env }: Pick<Terminal, 'stderr' | 'env'>,
  verbose = false,
  status?: StatusLine,
): Reporter {
  const { yellow } = colorsFor(stderr, env);
  const write = (line: string) => {
    status?.clear();
    stderr.write(`${line}\n`);
  };
  const warned = new Set<string>();
  return {
    warn(warning) {
      const place = warning.at === undefined ? '' : `\n  at ${sourcePosition(warning.at)}`;
      const line = `${yellow('Warning:')} ${warningText(warning)}${place}`;
      if (!warned.has(line)) write(line);
      warned.add(line);
    },
    event(event) {
      if (verbose) for (const line of verboseLines(event)) write(line);
      status?.event(event);
    },
  };
}

function verboseLines(event: RunEvent): readonly string[] {
  switch (event.kind) {
    case 'run-started': {
      const { plan, restored, notes } = event;
      const found =
        notes === undefined ? [] : [`Notes:    ${notes.files} file(s) in ${notes.location}`];
      return [...planLines(plan), ...memoryLine(restored), ...found];
    }
    case 'model-request': {
      const { turn, messages, toolResults, tools } = event;
      if (tools === 0) return [];
      return [
        `[turn ${turn}] Sending request (${messages} messages, ${toolResults} tool calls pending)`,
      ];
    }
    case 'model-reply':
      if (event.tools === 0) return [];
      return [
        `[turn ${event.turn}] Received response: ${event.stopReason} (${event.called.length} tool calls)`,
      ];
    case 'retry': {
      const { attempt, maxRetries, error, delayMs } = event;
      return [
        `[retry] Attempt ${attempt}/${maxRetries} after ${error.category}, waiting ${delayMs}ms`,
      ];
    }
    case 'sub-agent-called':
      return [
        `[sub-agent] Calling "${event.agent}" (depth ${event.depth}) with task: ${preview(event.task)}`,
      ];
    case 'sub-agent-ended': {
      const { agent, durationMs, result } = event;
      if (result.kind === 'failure') return [`[sub-agent] "${agent}" failed: ${result.detail}`];
      const part = result.kind === 'part' ? `, incomplete: ${result.detail}` : '';
      const returned = `${result.text.length} chars returned${part}`;
      return [`[sub-agent] "${agent}" completed in ${durationMs}ms (${returned})`];
    }
    case 'tool-call':
      return [];
    // What axe does not know is told as in a workflow.
    default:
      return formatEvent(event);
  }
}

/** The beginning of a task, 80 characters as axe shows it; none is split. */
function preview(task: string): string {
  const points = Array.from(task);
  return points.length <= PREVIEW_LENGTH ? task : `${points.slice(0, PREVIEW_LENGTH).join('')}...`;
}

const PREVIEW_LENGTH = 80;

function planLines(plan: Plan): readonly string[] {
  return [
    `Model:    ${formatModelRef(plan.model)}`,
    `Workdir:  ${plan.workdir}`,
    `Skill:    ${plan.skill.path === '' ? '(none)' : plan.skill.path}`,
    `Files:    ${plan.files.length} file(s)`,
    `Prompt:   ${plan.promptFrom}`,
    `Timeout:  ${plan.timeoutSeconds}s`,
    `Params:   ${formatParams(plan.agent.config.params)}`,
  ];
}

/**
 * axe prints the count of the whole file, not of what `last_n` wants of it; what did not fit is not
 * called loaded.
 */
function memoryLine(restored: RestoreResult | undefined): readonly string[] {
  if (restored === undefined) return [];
  if (restored.kind !== 'restored') return ['Memory:   0 entries (no memory file)'];
  const { loaded, total, truncated, location } = restored;
  if (total === 0) return ['Memory:   0 entries (no memory file)'];
  const counted = truncated === undefined || loaded === total ? total : `${loaded} of ${total}`;
  return [`Memory:   ${counted} entries loaded from ${location}`];
}

/**
 * The lines after a run: duration, tokens and stop reason; only the duration if it failed. With
 * tools the figures are sums; with a budget axe shows how much of it is used.
 */
export function formatStats(stats: RunStats, completed: boolean): readonly string[] {
  const { durationMs, inputTokens, outputTokens, stopReason, budget, toolCalls } = stats;
  const duration = `Duration: ${durationMs}ms`;
  if (!completed) return [duration];
  let sum = toolCalls > 0 ? ' (cumulative)' : '';
  if (budget !== undefined) sum = ` (cumulative, budget: ${budget.usedTokens}/${budget.maxTokens})`;
  return [
    duration,
    `Tokens:   ${inputTokens} input, ${outputTokens} output${sum}`,
    `Stop:     ${stopReason}`,
  ];
}

/**
 * One line at the end of standard error that says what a run is doing. Whoever writes there clears
 * it first.
 */
export interface StatusLine {
  event(event: RunEvent): void;
  clear(): void;
  /** Leaves a line with what a completed run used. */
  done(outcome: RunOutcome): void;
}

/** Undefined where nobody watches: in a pipe, in CI, and on a terminal that cannot clear a line. */
export function createStatusLine({
  stderr,
  env,
}: Pick<Terminal, 'stderr' | 'env'>): StatusLine | undefined {
  if (stderr.isTTY !== true || env['TERM'] === 'dumb' || env['CI'] !== undefined) return undefined;
  let model = '';
  let turn = '';
  return {
    event(event) {
      if (event.kind === 'run-started') model = event.plan.model.model;
      if (event.kind === 'fallback') model = event.to;
      if (event.kind === 'model-request') turn = `turn ${event.turn}`;
      const doing = describe(event);
      if (doing === undefined) return;
      const line = [model, turn, doing].filter((part) => part !== '').join(' · ');
      // A terminal that does not know its width says 0; a line of the whole width would break.
      stderr.write(`${CLEAR}${cleanLine(line, (stderr.columns || 80) - 1)}`);
    },
    clear: () => void stderr.write(CLEAR),
    done({ kind, stats }) {
      stderr.write(kind === 'completed' ? `${CLEAR}✔ ${usedLine(stats)}\n` : CLEAR);
    },
  };
}

/** To the first column, and away with what stands there. */
const CLEAR = '\r\u001b[K';

function describe(event: RunEvent): string | undefined {
  switch (event.kind) {
    case 'run-started':
      return 'starting';
    case 'model-request':
      return 'thinking';
    case 'retry':
      return `waiting to try again (${event.attempt} of ${event.maxRetries})`;
    case 'tool-started':
      return `${event.tool} ${callTarget(event.input)}`.trim();
    case 'sub-agent-called':
      return `asking ${event.agent}`;
    default:
      return undefined;
  }
}

function usedLine(stats: RunOutcome['stats']): string {
  const { modelId, turns, durationMs, inputTokens, outputTokens, costUsd = 0 } = stats;
  const cost = costUsd === 0 ? [] : [formatUsd(costUsd)];
  const tokens = count(inputTokens + outputTokens, 'token');
  return [modelId, count(turns, 'turn'), formatDuration(durationMs), tokens, ...cost].join(' · ');
}
