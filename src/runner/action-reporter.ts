import { isDeepStrictEqual } from 'node:util';
import { formatModelRef } from '../agent/config.js';
import { groupBy } from '../lib/data.js';
import type { Warning } from '../lib/errors.js';
import { cleanLine, count, grouped, stepDuration, usd } from '../lib/text/format.js';
import { callTarget } from '../loop/tool-calls.js';
import type { RestoreResult } from '../memory/store.js';
import type { Reporter, RunEvent } from '../run/dependencies.js';
import type { Plan } from '../run/records.js';
import { sanitize } from '../safety/sanitize.js';

/** The log of a workflow run, and the warnings collected for annotations and summary, each once. */
export interface ActionReporter extends Reporter {
  readonly warnings: readonly Warning[];
  /** From here on the log names no note and nothing that tools are called for, since memory is in another repository (D14). */
  hideNotes(): void;
  /** Closes the group of a turn that did not come to its end: what is written from here on belongs to no turn. */
  endTurn(): void;
}

/**
 * Tells the job log what goes on: one line a turn, which unfolds to a line for each call. Warnings become annotations when
 * the run is over (D35).
 */
export function createActionReporter({
  write,
  secrets,
}: {
  readonly write: (line: string) => void;
  readonly secrets: readonly string[];
}): ActionReporter {
  const warnings: Warning[] = [];
  const writeClean = (line: string) => write(sanitize(line, 'log', secrets));
  let hidesNotes = false;
  /** Calls of the last reply that are not answered yet. */
  let pending = 0;
  let used: Extract<RunEvent, { kind: 'tokens-used' }> | undefined;
  function endTurn(): void {
    if (pending > 0) write('::endgroup::');
    pending = 0;
  }
  return {
    warnings,
    endTurn,
    hideNotes() {
      hidesNotes = true;
    },
    warn(warning) {
      if (!warnings.some((one) => isDeepStrictEqual(one, warning))) warnings.push(warning);
    },
    event(event) {
      if (!IN_A_TURN.has(event.kind)) endTurn();
      switch (event.kind) {
        case 'tokens-used':
          used = event;
          return;
        case 'model-reply': {
          const line = sanitize(turnLine(event, used), 'log', secrets);
          pending = event.called.length;
          write(pending > 0 ? `::group::${line.replaceAll('%', '%25')}` : line);
          return;
        }
        default:
          for (const line of formatEvent(hidesNotes ? withoutNotes(event) : event)) writeClean(line);
      }
      if (event.kind !== 'tool-call') return;
      if (pending === 1) endTurn();
      else pending = Math.max(0, pending - 1);
    },
  };
}

/** Events that belong to the turn whose reply was last; all others end its group. */
const IN_A_TURN: ReadonlySet<RunEvent['kind']> = new Set([
  'tool-started',
  'tool-call',
  'sub-agent-called',
  'sub-agent-ended',
  'note-written',
]);

/** The event without what it tells of memory. */
export function withoutNotes(event: RunEvent): RunEvent {
  if (event.kind === 'note-written') return { ...event, path: 'a note' };
  return event.kind === 'tool-call' ? { ...event, input: undefined } : event;
}

/** `Turn 1: read_file × 2, submit_review · 438 tokens · $0.0032 so far`; the title of a group is one line. */
function turnLine(
  { turn, called, stopReason }: Extract<RunEvent, { kind: 'model-reply' }>,
  used: Extract<RunEvent, { kind: 'tokens-used' }> | undefined,
): string {
  const does = called.length === 0 ? `answered (${cleanLine(stopReason, NAME_LENGTH)})` : namesOf(called);
  const tokens = used === undefined ? [] : [count(used.use.input + used.use.output, 'token')];
  const cost = used?.costUsd === undefined || used.costUsd === 0 ? [] : [`${usd(used.costUsd)} so far`];
  return [`Turn ${turn}: ${does}`, ...tokens, ...cost].join(' · ');
}

/** The model made up the names, so they may be of any length. */
function namesOf(called: readonly string[]): string {
  const names = [...groupBy(called, (tool) => cleanLine(tool, NAME_LENGTH) || '(no name)')];
  return names.map(([name, { length }]) => (length === 1 ? name : `${name} × ${grouped(length)}`)).join(', ');
}

/** Providers allow no more than this in the name of a tool. */
const NAME_LENGTH = 64;

/** An event in the job log. */
export function formatEvent(event: RunEvent): readonly string[] {
  switch (event.kind) {
    case 'run-started':
      return [
        ...describePlan(event.plan, event.restored),
        ...(event.notes === undefined ? [] : [`Notes:  ${count(event.notes.files, 'file')}`]),
      ];
    case 'retry': {
      const { error, delayMs, attempt, maxRetries } = event;
      return [
        `${error.message}; trying again in ${stepDuration(delayMs)} (attempt ${attempt} of ${maxRetries})`,
      ];
    }
    case 'fallback':
      return [`${event.from} cannot be reached; asking ${event.to}`];
    case 'too-long':
      return [`${event.model} takes about ${count(event.windowTokens, 'token')}; leaving out earlier turns`];
    case 'sub-agent-called':
      return [`  Sub-agent ${event.agent}: ${cleanLine(event.task, TASK_LENGTH)}`];
    case 'sub-agent-ended': {
      const { agent, durationMs, result } = event;
      const after = stepDuration(durationMs);
      if (result.kind === 'answer') return [`  Sub-agent ${agent} answered after ${after}`];
      const end = result.kind === 'part' ? 'answered only in part' : 'failed';
      return [`  Sub-agent ${agent} ${end} after ${after}: ${result.detail}`];
    }
    case 'passes-joined':
      return [`Joined ${event.passes} parts: ${count(event.findings, 'finding')}`];
    case 'verified': {
      const { looks, confirmed, refuted, unverified } = event;
      const left = unverified === 0 ? '' : `, ${unverified} not verified`;
      return [`Second look at ${count(looks, 'finding')}: ${confirmed} confirmed, ${refuted} refuted${left}`];
    }
    case 'note-written':
      return [
        `  Note ${event.action === 'append' ? 'added to' : 'rewritten'}: ${event.path}, ${count(event.bytes, 'byte')}`,
      ];
    case 'tool-call': {
      // How it went is told with the sub-agent.
      if (event.tool === 'call_agent' && !event.isError) return [];
      const what = `${event.tool} ${callTarget(event.input)}`.trim();
      return [`  ${what}: ${event.isError ? 'failed after ' : ''}${stepDuration(event.durationMs)}`];
    }
    case 'model-request':
    case 'tool-started':
    case 'model-reply':
    case 'tokens-used':
      return [];
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
    `Task:   ${cleanLine(task.sentence, TASK_LENGTH)}`,
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
      const entries = count(total ?? loaded, 'entry');
      const isWhole = total === undefined || total === loaded;
      return `${isWhole ? '' : `the last ${grouped(loaded)} of `}${entries} loaded from ${format(location)}`;
    }
    case 'empty':
      if (restored.isNowhere === true) return 'nothing is kept (`memory-store: none`)';
      return `nothing yet in ${format(restored.location)}`;
    case 'failed':
      return `not loaded: ${restored.message}`;
  }
}
