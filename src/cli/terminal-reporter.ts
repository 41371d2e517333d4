import { formatModelRef } from '../axe/agent/model-ref.js';
import type { RunEvent } from '../axe/loop/events.js';
import type { RunStats } from '../axe/loop/outcome.js';
import type { Plan } from '../axe/plan.js';
import type { Reporter, RestoreResult } from '../axe/ports.js';
import { sourcePosition } from '../axe/position.js';
import type { Warning } from '../axe/warning.js';
import { formatParams } from './format-params.js';

/** How the terminal tells what goes on. */
export interface TerminalReporterOptions {
  readonly write: (line: string) => void;
  readonly verbose: boolean;
}

/** Warnings always, axe's verbose lines when asked for (axe-behaviour §17); all of it on stderr. */
export function createTerminalReporter({ write, verbose }: TerminalReporterOptions): Reporter {
  return {
    warn: (warning) => write(formatWarning(warning)),
    event(event) {
      if (!verbose) return;
      for (const line of formatEvent(event)) write(line);
    },
  };
}

function formatWarning({ message, at }: Warning): string {
  return at === undefined ? `Warning: ${message}` : `Warning: ${message}\n  at ${sourcePosition(at)}`;
}

function formatEvent(event: RunEvent): readonly string[] {
  switch (event.kind) {
    case 'run-started':
      return [...planLines(event.plan), ...memoryLine(event.restored)];
    case 'model-request': {
      const { turn, messages, toolResults, tools } = event;
      if (tools === 0) return [];
      return [`[turn ${turn}] Sending request (${messages} messages, ${toolResults} tool calls pending)`];
    }
    case 'model-reply':
      if (event.tools === 0) return [];
      return [`[turn ${event.turn}] Received response: ${event.stopReason} (${event.toolCalls} tool calls)`];
    case 'tool-call':
      return [];
  }
}

function planLines({ agent, model, workdir, skill, files, stdin, timeoutSeconds }: Plan): readonly string[] {
  return [
    `Model:    ${formatModelRef(model)}`,
    `Workdir:  ${workdir}`,
    `Skill:    ${skill.path === '' ? '(none)' : skill.path}`,
    `Files:    ${files.length} file(s)`,
    `Stdin:    ${stdin === '' ? 'no' : 'yes'}`,
    `Timeout:  ${timeoutSeconds}s`,
    `Params:   ${formatParams(agent.config.params)}`,
  ];
}

/** axe prints the count of the whole file, not of what was loaded; so do we where it was counted. */
function memoryLine(restored: RestoreResult | undefined): readonly string[] {
  if (restored === undefined) return [];
  if (restored.kind !== 'restored') return ['Memory:   0 entries (no memory file)'];
  const count = restored.total ?? restored.loaded;
  if (count === 0) return ['Memory:   0 entries (no memory file)'];
  return [`Memory:   ${count} entries loaded from ${restored.location}`];
}

/** The lines after a run: duration, tokens and stop reason; only the duration if it failed. */
export function formatStats(stats: RunStats, completed: boolean): readonly string[] {
  const duration = `Duration: ${stats.durationMs}ms`;
  if (!completed) return [duration];
  const cumulative = stats.toolCalls > 0 ? ' (cumulative)' : '';
  return [
    duration,
    `Tokens:   ${stats.inputTokens} input, ${stats.outputTokens} output${cumulative}`,
    `Stop:     ${stats.stopReason}`,
  ];
}
