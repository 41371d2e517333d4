import { formatModelRef } from '../agent/config.js';
import { sourcePosition, warningText } from '../lib/errors.js';
import type { RunOutcome, RunStats } from '../lib/outcome.js';
import { cleanLine, count, formatDuration, formatUsd } from '../lib/text/format.js';
import { callTarget } from '../loop/tool-calls.js';
import type { Reporter, RunEvent } from '../run/dependencies.js';
import type { Memory, Plan } from '../run/records.js';
import { formatEvent } from '../runner/action-reporter.js';
import { formatParams } from './format-json.js';
import { colorsFor, type Terminal } from './terminal.js';

/** Writes each warning once, and axe's verbose lines, all to stderr. */
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
      const { plan, memory, notes } = event;
      const notesLine =
        notes === undefined ? [] : [`Notes:    ${notes.files} file(s) in ${notes.location}`];
      return [...planLines(plan), ...memoryLine(memory?.restored), ...notesLine];
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
      if (result.kind === 'failure')
        return [`[sub-agent] "${agent}" failed: ${result.axe ?? result.detail}`];
      const part = result.kind === 'part' ? `, incomplete: ${result.detail}` : '';
      const returned = `${result.text.length} chars returned${part}`;
      return [`[sub-agent] "${agent}" completed in ${durationMs}ms (${returned})`];
    }
    case 'tool-call':
      return [];
    // axe has no line for these events, so they have the line of the action's log.
    default:
      return formatEvent(event);
  }
}

/** The first 80 characters of a task, as in axe, without splitting one. */
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
 * axe prints the number of entries in the file, even if `last_n` is smaller. Entries that did not
 * fit are not counted as loaded. Of a file whose end alone was read, only these entries are known.
 */
function memoryLine(restored: Memory['restored'] | undefined): readonly string[] {
  if (restored === undefined) return [];
  if (restored.kind !== 'restored') return ['Memory:   0 entries (no memory file)'];
  const { loaded, total, truncated, location } = restored;
  if (total === 0) return ['Memory:   0 entries (no memory file)'];
  const isComplete = truncated === undefined || loaded === total;
  const loadedOfTotal = total === undefined ? `the newest ${loaded}` : `${loaded} of ${total}`;
  const counted = isComplete && total !== undefined ? total : loadedOfTotal;
  return [`Memory:   ${counted} entries loaded from ${location}`];
}

/**
 * The lines after a run: duration, tokens and stop reason, or only the duration if it failed. As in
 * axe, tokens are sums if tools were called, and a budget is shown with its used part.
 */
export function formatStats(stats: RunStats, completed: boolean): readonly string[] {
  const { durationMs, inputTokens, outputTokens, stopReason, budget, toolCalls } = stats;
  const { cacheReadTokens, cacheWriteTokens } = stats;
  const duration = `Duration: ${durationMs}ms`;
  if (!completed) return [duration];
  let sum = toolCalls > 0 ? ' (cumulative)' : '';
  if (budget !== undefined) sum = ` (cumulative, budget: ${budget.usedTokens}/${budget.maxTokens})`;
  return [
    duration,
    `Tokens:   ${inputTokens} input, ${outputTokens} output${sum}`,
    ...(cacheReadTokens + cacheWriteTokens > 0
      ? [`Cache:    ${cacheReadTokens} read, ${cacheWriteTokens} written`]
      : []),
    `Stop:     ${stopReason}`,
  ];
}

/**
 * One line at the end of standard error that says what a run is doing. It has to be cleared before
 * anything else is written there.
 */
export interface StatusLine {
  event(event: RunEvent): void;
  clear(): void;
  /** Writes a last line with the usage of a completed run. */
  done(outcome: RunOutcome): void;
}

/** Undefined in a pipe, in CI, and on a terminal that cannot clear a line. */
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
      const activity = describe(event);
      if (activity === undefined) return;
      const line = [model, turn, activity].filter((part) => part !== '').join(' · ');
      // A terminal of unknown width has 0 columns. A line of the full width would wrap.
      stderr.write(`${CLEAR}${cleanLine(line, (stderr.columns || 80) - 1)}`);
    },
    clear: () => void stderr.write(CLEAR),
    done({ kind, stats }) {
      stderr.write(kind === 'completed' ? `${CLEAR}✔ ${usedLine(stats)}\n` : CLEAR);
    },
  };
}

/** Moves to the first column and clears the line. */
const CLEAR = '\r\u001b[K';

function describe(event: RunEvent): string | undefined {
  switch (event.kind) {
    case 'run-started':
      return 'starting';
    case 'model-request':
      return 'thinking';
    case 'retry':
      return `waiting to try again (${event.attempt} of ${event.maxRetries})`;
    case 'loading':
      return 'waiting for its server to load it';
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
