import { formatModelRef } from '../../core/agent/model-ref.js';
import type { Reporter } from '../../core/dependencies.js';
import type { RestoreResult } from '../../core/memory/store.js';
import type { Plan } from '../../core/plan.js';
import type { RunEvent } from '../../core/run-event.js';
import { sanitize } from '../../core/sanitize/sanitize.js';
import { count } from '../../core/text/count.js';
import { cleanLine } from '../../core/text/cut.js';
import type { Warning } from '../../core/warning.js';

/** The log of a workflow run, and the warnings collected for annotations and summary. */
export interface ActionReporter extends Reporter {
  readonly warnings: readonly Warning[];
  /** From here on the log names no note, since memory is kept in another repository (D14). */
  hideNotes(): void;
}

/** What the log needs. */
export interface ActionReporterOptions {
  /** Writes a line to the job log. */
  readonly write: (line: string) => void;
  readonly secrets: readonly string[];
}

/** Tells the job log what goes on, a line each; warnings become annotations when the run is over (D35). */
export function createActionReporter({ write, secrets }: ActionReporterOptions): ActionReporter {
  const warnings: Warning[] = [];
  let hidesNotes = false;
  return {
    warnings,
    hideNotes() {
      hidesNotes = true;
    },
    warn(warning) {
      warnings.push(warning);
    },
    event(event) {
      const shown = event.kind === 'note-written' && hidesNotes ? { ...event, path: 'a note' } : event;
      for (const line of formatEvent(shown)) write(sanitize(line, 'log', secrets));
    },
  };
}

function formatEvent(event: RunEvent): readonly string[] {
  switch (event.kind) {
    case 'run-started':
      return [...describePlan(event.plan, event.restored), ...describeNotes(event.notes)];
    case 'commands-allowed':
      return [event.areJailed ? 'Commands run in a process jail' : 'Commands run without a process jail'];
    case 'model-request':
      return [`Turn ${event.turn}: asking the model`];
    case 'model-reply': {
      const { toolCalls } = event;
      const calls = toolCalls === 0 ? '' : `, ${count(toolCalls, 'tool call')}`;
      return [`Turn ${event.turn}: answered (${event.stopReason}${calls})`];
    }
    case 'retry':
      return [
        `  ${event.error.message}; trying again in ${event.delayMs} ms (${event.attempt} of ${event.maxRetries})`,
      ];
    case 'fallback':
      return [`  ${event.from} is out of reach; asking ${event.to}`];
    case 'too-long':
      return [`  ${event.model} takes about ${event.windowTokens} tokens; leaving out earlier turns`];
    case 'sub-agent-called':
      return [`  Sub-agent ${event.agent}: ${cleanLine(event.task, TASK_LENGTH)}`];
    case 'sub-agent-ended': {
      const { agent, durationMs, result } = event;
      if (result.kind === 'answer') return [`  Sub-agent ${agent} answered after ${durationMs} ms`];
      const end = result.kind === 'part' ? 'answered only in part' : 'failed';
      return [`  Sub-agent ${agent} ${end} after ${durationMs} ms: ${result.detail}`];
    }
    case 'passes-joined':
      return [
        `Joined ${event.passes} passes: ${count(event.findings, 'finding')}, ${event.agreed} of them raised more than once`,
      ];
    case 'verified': {
      const { looks, confirmed, refuted, unverified } = event;
      const left = unverified === 0 ? '' : `, ${unverified} not verified`;
      return [`Second look at ${count(looks, 'finding')}: ${confirmed} confirmed, ${refuted} refuted${left}`];
    }
    case 'note-written':
      return [`  Memory: ${event.action} ${event.path}, ${event.bytes} bytes`];
    case 'tokens-used':
    case 'tool-started':
      return [];
    case 'tool-call':
      return [`  ${event.tool} ${event.isError ? 'failed' : 'done'} in ${event.durationMs} ms`];
  }
}

const TASK_LENGTH = 120;

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

function describeNotes(notes: Extract<RunEvent, { kind: 'run-started' }>['notes']): readonly string[] {
  return notes === undefined ? [] : [`Notes:  ${notes.files} ${notes.files === 1 ? 'file' : 'files'}`];
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
      if (restored.nowhere === 'not-wanted') return 'nothing is kept (`memory-store: none`)';
      if (restored.nowhere === 'no-store') return 'no store is in reach';
      return `nothing yet in ${format(restored.location)}`;
    case 'failed':
      return `not loaded: ${restored.message}`;
  }
}
