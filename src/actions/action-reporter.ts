import { formatModelRef } from '../axe/agent/model-ref.js';
import type { RunEvent } from '../axe/loop/events.js';
import { outbound } from '../axe/outbound/outbound.js';
import type { Plan } from '../axe/plan.js';
import type { Reporter, RestoreResult } from '../axe/ports.js';
import type { Warning } from '../axe/warning.js';
import { NOWHERE } from '../memory-stores/none-store.js';

/** The log of a workflow run, and the warnings collected for annotations and summary. */
export interface ActionReporter extends Reporter {
  readonly warnings: readonly Warning[];
}

/** What the log needs. */
export interface ActionReporterOptions {
  /** Writes a line to the job log. */
  readonly write: (line: string) => void;
  readonly secrets: readonly string[];
  /** Called when a request is on its way: the time to load what is needed later. */
  readonly onRequest: () => void;
}

/** Tells the job log what goes on, a line each; warnings become annotations when the run is over (D35). */
export function createActionReporter({ write, secrets, onRequest }: ActionReporterOptions): ActionReporter {
  const warnings: Warning[] = [];
  return {
    warnings,
    warn(warning) {
      warnings.push(warning);
    },
    event(event) {
      for (const line of formatEvent(event)) write(outbound(line, 'log', secrets));
      if (event.kind === 'model-request') onRequest();
    },
  };
}

function formatEvent(event: RunEvent): readonly string[] {
  switch (event.kind) {
    case 'run-started':
      return describePlan(event.plan, event.restored);
    case 'model-request':
      return [`Turn ${event.turn}: asking the model`];
    case 'model-reply': {
      const calls = event.toolCalls === 0 ? '' : `, ${event.toolCalls} tool calls`;
      return [`Turn ${event.turn}: answered (${event.stopReason}${calls})`];
    }
    case 'tool-call':
      return [`  ${event.tool} ${event.isError ? 'failed' : 'done'} in ${event.durationMs} ms`];
  }
}

/** What is going to happen, for the job log: a line each. */
export function describePlan(
  { agent, model, task, trust }: Plan,
  restored: RestoreResult | undefined,
): readonly string[] {
  return [
    `Agent:  ${agent.name} (${agent.source})`,
    `Model:  ${formatModelRef(model)}`,
    `Task:   ${task.sentence}`,
    `Trust:  ${trust.level}, because ${trust.reason}`,
    `Memory: ${restored === undefined ? 'off' : describeRestored(restored)}`,
  ];
}

/** What was loaded, in a few words; `format` makes the place stand out where that can be done. */
export function describeRestored(
  restored: RestoreResult,
  format: (location: string) => string = (location) => location,
): string {
  switch (restored.kind) {
    case 'restored': {
      const { loaded, total, location } = restored;
      const count = total === undefined || total === loaded ? `${loaded}` : `the last ${loaded} of ${total}`;
      return `${count} ${(total ?? loaded) === 1 ? 'entry' : 'entries'} loaded from ${format(location)}`;
    }
    case 'empty':
      if (restored.location === NOWHERE) return 'nothing is kept (`memory-store: none`)';
      return `nothing yet in ${format(restored.location)}`;
    case 'failed':
      return `not loaded: ${restored.message}`;
  }
}
