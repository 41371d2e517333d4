import { isDeepStrictEqual } from 'node:util';
import type { LanguageModelV4CallOptions, LanguageModelV4GenerateResult } from '@ai-sdk/provider';
import { formatModelRef } from '../agent/config.js';
import { groupBy, parseJson } from '../lib/data.js';
import { messageOf, type Warning } from '../lib/errors.js';
import { VERSION } from '../lib/product.js';
import {
  cleanLine,
  count,
  formatInteger,
  formatStepDuration,
  formatUsd,
} from '../lib/text/format.js';
import type { Models } from '../loop/asker.js';
import { isAboutEarlierTurns } from '../loop/compact.js';
import { askedBy, type LanguageModel, type Message, type MessagePart } from '../loop/messages.js';
import { callTarget } from '../loop/tool-calls.js';
import { ALL_NOTES_TOOLS } from '../memory/paths.js';
import type { RestoreResult } from '../memory/store.js';
import type { Reporter, RunEvent } from '../run/dependencies.js';
import type { Plan } from '../run/records.js';
import { sanitize } from '../safety/sanitize.js';

/** The log of a workflow run, and the warnings collected for annotations and summary, each once. */
export interface ActionReporter extends Reporter {
  readonly warnings: readonly Warning[];
  /**
   * From here on the log names no note and nothing that tools are called for, since memory is in
   * another repository (D14).
   */
  hideNotes(): void;
  /**
   * Closes the group of a turn that did not come to its end: what is written from here on belongs
   * to no turn.
   */
  endTurn(): void;
}

/**
 * Tells the job log what goes on: one line a turn, which unfolds to a line for each call. Warnings
 * become annotations when the run is over (D35).
 */
export function createActionReporter(
  write: (line: string) => void,
  secrets: readonly string[],
): ActionReporter {
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
          for (const line of formatEvent(hidesNotes ? withoutNotes(event) : event))
            writeClean(line);
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
function withoutNotes(event: RunEvent): RunEvent {
  if (event.kind === 'note-written') return { ...event, path: 'a note' };
  return event.kind === 'tool-call' ? { ...event, input: undefined } : event;
}

/**
 * `Turn 1: read_file × 2, submit_review · 438 tokens · $0.0032 so far`; the title of a group is one
 * line.
 */
function turnLine(
  { turn, called, stopReason }: Extract<RunEvent, { kind: 'model-reply' }>,
  used: Extract<RunEvent, { kind: 'tokens-used' }> | undefined,
): string {
  const does =
    called.length === 0 ? `answered (${cleanLine(stopReason, NAME_LENGTH)})` : namesOf(called);
  const tokens = used === undefined ? [] : [count(used.use.input + used.use.output, 'token')];
  const cost =
    used?.costUsd === undefined || used.costUsd === 0 ? [] : [`${formatUsd(used.costUsd)} so far`];
  return [`Turn ${turn}: ${does}`, ...tokens, ...cost].join(' · ');
}

/** The model made up the names, so they may be of any length. */
function namesOf(called: readonly string[]): string {
  const names = [...groupBy(called, (tool) => cleanLine(tool, NAME_LENGTH) || '(no name)')];
  return names
    .map(([name, { length }]) => (length === 1 ? name : `${name} × ${formatInteger(length)}`))
    .join(', ');
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
        `${error.message}; trying again in ${formatStepDuration(delayMs)} (attempt ${attempt} of ${maxRetries})`,
      ];
    }
    case 'fallback':
      return [`${event.from} cannot be reached; asking ${event.to}`];
    case 'too-long':
      return [
        `${event.model} takes about ${count(event.windowTokens, 'token')}; leaving out earlier turns`,
      ];
    case 'sub-agent-called':
      return [`  Sub-agent ${event.agent}: ${cleanLine(event.task, TASK_LENGTH)}`];
    case 'sub-agent-ended': {
      const { agent, durationMs, result } = event;
      const after = formatStepDuration(durationMs);
      if (result.kind === 'answer') return [`  Sub-agent ${agent} answered after ${after}`];
      const end = result.kind === 'part' ? 'answered only in part' : 'failed';
      return [`  Sub-agent ${agent} ${end} after ${after}: ${result.detail}`];
    }
    case 'passes-joined':
      return [`Joined ${event.passes} parts: ${count(event.findings, 'finding')}`];
    case 'verified': {
      const { looks, confirmed, refuted, unverified } = event;
      const left = unverified === 0 ? '' : `, ${unverified} not verified`;
      return [
        `Second look at ${count(looks, 'finding')}: ${confirmed} confirmed, ${refuted} refuted${left}`,
      ];
    }
    case 'note-written':
      return [
        `  Note ${event.action === 'append' ? 'added to' : 'rewritten'}: ${event.path}, ${count(event.bytes, 'byte')}`,
      ];
    case 'tool-call': {
      // How it went is told with the sub-agent.
      if (event.tool === 'call_agent' && !event.isError) return [];
      const what = `${event.tool} ${callTarget(event.input)}`.trim();
      return [
        `  ${what}: ${event.isError ? 'failed after ' : ''}${formatStepDuration(event.durationMs)}`,
      ];
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
      const which = total === loaded ? '' : `the last ${formatInteger(loaded)} of `;
      return `${which}${count(total, 'entry')} loaded from ${format(location)}`;
    }
    case 'empty':
      if (restored.isNowhere === true) return 'nothing is kept (`memory-store: none`)';
      return `nothing yet in ${format(restored.location)}`;
    case 'failed':
      return `not loaded: ${restored.message}`;
  }
}

/** Told by the lines of requests and answers, or of no use to a reader. */
const UNTOLD: ReadonlySet<RunEvent['kind']> = new Set([
  'model-request',
  'model-reply',
  'tool-started',
]);

export type Transcript = ReturnType<typeof createTranscript>;

/**
 * A run as lines of JSON: what models were asked and answered, what was called, and what was
 * decided.
 */
export function createTranscript(secrets: readonly string[]) {
  const lines: string[] = [];
  /** Of a message, or of a list of tools, the request that shows it. */
  const shownIn = new WeakMap<object, number>();
  let requests = 0;
  let isHidden = false;

  const lineOf = (type: string, what: object) =>
    JSON.stringify({ time: new Date().toISOString(), type, ...what }, (_, value: unknown) =>
      value instanceof Error ? messageOf(value) : value,
    );
  const add = (type: string, what: object) => void lines.push(lineOf(type, what));

  function addRequest(
    { modelId }: LanguageModel,
    { prompt, tools, maxOutputTokens }: LanguageModelV4CallOptions,
  ) {
    requests += 1;
    const request = requests;
    const continues = prompt
      .map((message) => shownIn.get(message))
      .findLast((one) => one !== undefined);
    // What the model has said is the line of its answer.
    const fresh = prompt.filter((message) => !shownIn.has(message) && message.role !== 'assistant');
    const messages = isHidden ? fresh.map(withoutMemory) : fresh;
    const areNew = tools !== undefined && !shownIn.has(tools);
    add('request', {
      request,
      continues,
      model: modelId,
      maxOutputTokens,
      tools: areNew ? tools : undefined,
      messages,
    });
    for (const shown of [...prompt, ...(tools === undefined ? [] : [tools])])
      shownIn.set(shown, request);
    const last = prompt.at(-1);
    return { request, isAboutMemory: isHidden && last !== undefined && isAboutEarlierTurns(last) };
  }

  function recordModel(model: LanguageModel): LanguageModel {
    return askedBy(model, async (options) => {
      const { request, isAboutMemory } = addRequest(model, options);
      try {
        const reply = await model.doGenerate(options);
        const { content, finishReason, usage } = reply;
        const shown = isHidden ? content.map(withoutMemoryInPart) : content;
        add('answer', { request, content: isAboutMemory ? HIDDEN : shown, finishReason, usage });
        return reply;
      } catch (thrown) {
        add('no-answer', { request, error: messageOf(thrown) });
        throw thrown;
      }
    });
  }

  return {
    /** From here on no line holds what memory says, since that is in another repository (D14). */
    hideMemory(): void {
      isHidden = true;
    },
    /** The models, of which each request and each answer becomes a line. */
    recordModels: (models: Models): Models => ({
      ...models,
      open: async (ref, form) => recordModel(await models.open(ref, form)),
    }),
    /** The reporter, of which each event and each warning becomes a line. */
    recordEvents: (reporter: ActionReporter): ActionReporter => ({
      ...reporter,
      event(event) {
        reporter.event(event);
        if (UNTOLD.has(event.kind)) return;
        const { kind, ...what } = isHidden ? withoutNotes(event) : event;
        add(kind, event.kind === 'run-started' ? describeStart(event) : what);
      },
      warn(warning) {
        reporter.warn(warning);
        add('warning', warning);
      },
    }),
    /** All lines with a last one; empty for a run that did nothing. */
    endWith(end: object): string {
      if (requests === 0) return '';
      return [...lines, lineOf('end', end)]
        .map((line) => `${redactLine(line, secrets)}\n`)
        .join('');
    },
  };
}

function describeStart({ plan }: Extract<RunEvent, { kind: 'run-started' }>) {
  const { agent, model, trust, task, maxTurns, timeoutSeconds, memory, scope } = plan;
  return {
    version: VERSION,
    agent: { name: agent.name, source: agent.source },
    model: formatModelRef(model),
    trust,
    task: task.sentence,
    memory: memory && { path: memory.path, lane: memory.lane },
    scope: scope && { kind: scope.kind, head: scope.head },
    limits: { maxTurns, timeoutSeconds },
  };
}

/**
 * A secret that went over the quotes of a line takes them along: what is no JSON any more is left
 * out.
 */
function redactLine(line: string, secrets: readonly string[]): string {
  const redacted = sanitize(line, 'output', secrets);
  const leftOut = JSON.stringify({ type: 'left-out', why: 'a secret was in it' });
  return parseJson(redacted) === undefined ? leftOut : redacted;
}

const HIDDEN = '[not shown: memory is in another repository]';
const IS_OF_MEMORY = (tool: string) => ALL_NOTES_TOOLS.some((one) => one === tool);

/**
 * Memory is in the system prompt, in what its tools are given and answer, and in records of earlier
 * turns.
 */
function withoutMemory(message: Message): Message {
  if (message.role === 'system') return { ...message, content: HIDDEN };
  if (isAboutEarlierTurns(message))
    return { ...message, content: [{ type: 'text', text: HIDDEN }] } as Message;
  return { ...message, content: message.content.map(withoutMemoryInPart) } as Message;
}

function withoutMemoryInPart<
  P extends MessagePart | LanguageModelV4GenerateResult['content'][number],
>(part: P): P {
  if (!('toolName' in part) || !IS_OF_MEMORY(part.toolName)) return part;
  return 'output' in part ? { ...part, output: HIDDEN } : { ...part, input: HIDDEN };
}
