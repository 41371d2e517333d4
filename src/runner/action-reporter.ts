import { isDeepStrictEqual } from 'node:util';
import type { LanguageModelV4CallOptions, LanguageModelV4GenerateResult } from '@ai-sdk/provider';
import { formatModelRef } from '../agent/config.js';
import { describeTrust } from '../event/trust.js';
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
import type { Reporter, RunEvent } from '../run/dependencies.js';
import type { Plan, PublicationResult } from '../run/records.js';
import { describeLoaded, type LoadedMemory, loadedMemory } from '../run/views/loaded.js';
import { publishedLine } from '../run/views/published.js';
import { sanitize } from '../safety/sanitize.js';

/** Writes the log of a workflow run, and collects each warning once for annotations and summary. */
export interface ActionReporter extends Reporter {
  readonly warnings: readonly Warning[];
  /** The newest writes of notes, oldest first; none if memory is in another repository. */
  readonly noteWrites: readonly NoteWrite[];
  /** From now on the log has no notes, no tool inputs and no terms of entries: memory is in another repository. */
  hideMemory(): void;
  /** Closes the group of an interrupted turn, so that later lines are not part of it. */
  endTurn(): void;
}

/** A write of a note, for the audit in the job summary. */
export interface NoteWrite {
  /** ISO 8601, in UTC. */
  readonly time: string;
  readonly action: 'append' | 'overwrite';
  readonly path: string;
  readonly bytes: number;
}

/** Older writes are dropped. */
const MAX_NOTE_WRITES = 100;

/**
 * Writes to the job log what the run is doing: one line a turn, which unfolds to a line for each
 * call. Warnings become annotations when the run is over.
 */
export function createActionReporter(
  write: (line: string) => void,
  secrets: readonly string[],
  now = () => new Date(),
): ActionReporter {
  const warnings: Warning[] = [];
  const noteWrites: NoteWrite[] = [];
  const writeClean = (line: string) => write(sanitize(line, 'log', secrets));
  let isHidden = false;
  /** Calls of the last reply that have no answer yet. */
  let pendingCalls = 0;
  let usage: Extract<RunEvent, { kind: 'tokens-used' }> | undefined;

  function endTurn(): void {
    if (pendingCalls > 0) write('::endgroup::');
    pendingCalls = 0;
  }

  return {
    warnings,
    noteWrites,
    endTurn,
    hideMemory() {
      isHidden = true;
    },
    warn(warning) {
      if (!warnings.some((earlier) => isDeepStrictEqual(earlier, warning))) warnings.push(warning);
    },
    event(event) {
      if (!IN_A_TURN.has(event.kind)) endTurn();
      switch (event.kind) {
        case 'tokens-used':
          usage = event;
          return;
        case 'model-reply': {
          const line = sanitize(turnLine(event, usage), 'log', secrets);
          pendingCalls = event.called.length;
          write(pendingCalls > 0 ? `::group::${line.replaceAll('%', '%25')}` : line);
          return;
        }
        default:
          for (const line of formatEvent(event, isHidden)) writeClean(line);
      }
      if (event.kind === 'note-written' && !isHidden) {
        const { action, path, bytes } = event;
        noteWrites.push({ time: now().toISOString(), action, path, bytes });
        if (noteWrites.length > MAX_NOTE_WRITES) noteWrites.shift();
      }
      if (event.kind !== 'tool-call') return;
      if (pendingCalls === 1) endTurn();
      else pendingCalls = Math.max(0, pendingCalls - 1);
    },
  };
}

/** Events that belong to the turn of the last reply; all others end its group. */
const IN_A_TURN: ReadonlySet<RunEvent['kind']> = new Set([
  'tool-started',
  'tool-call',
  'sub-agent-called',
  'sub-agent-ended',
  'note-written',
]);

/** The event without the parts that show memory. */
function withoutNotes(event: RunEvent): RunEvent {
  if (event.kind === 'note-written') return { ...event, path: 'a note' };
  return event.kind === 'tool-call' ? { ...event, input: undefined, reason: undefined } : event;
}

/** `Turn 1: read_file × 2, submit_review · 438 tokens · $0.0032 so far`, the title of a group. */
function turnLine(
  { turn, called, stopReason }: Extract<RunEvent, { kind: 'model-reply' }>,
  usage: Extract<RunEvent, { kind: 'tokens-used' }> | undefined,
): string {
  const action =
    called.length === 0 ? `answered (${cleanLine(stopReason, NAME_LENGTH)})` : calledTools(called);
  const tokens = usage === undefined ? [] : [count(usage.use.input + usage.use.output, 'token')];
  const costUsd = usage?.costUsd ?? 0;
  const cost = costUsd === 0 ? [] : [`${formatUsd(costUsd)} so far`];
  return [`Turn ${turn}: ${action}`, ...tokens, ...cost].join(' · ');
}

/** The model can invent names of any length. */
function calledTools(called: readonly string[]): string {
  const names = [...groupBy(called, (tool) => cleanLine(tool, NAME_LENGTH) || '(no name)')];
  return names
    .map(([name, { length }]) => (length === 1 ? name : `${name} × ${formatInteger(length)}`))
    .join(', ');
}

/** The longest name of a tool that providers accept. */
const NAME_LENGTH = 64;

/** The lines of an event. `isHidden`: memory is in another repository, and stays there. */
export function formatEvent(rawEvent: RunEvent, isHidden = false): readonly string[] {
  const event = isHidden ? withoutNotes(rawEvent) : rawEvent;
  switch (event.kind) {
    case 'run-started':
      return [
        ...describeStarted(event, isHidden),
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
    case 'loading':
      return [`The server of ${event.model} is still loading the model; waiting for it`];
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
      const due = count(looks + unverified, 'finding');
      if (looks === 0) return [`Second check of ${due}: not verified`];
      const rest = unverified === 0 ? '' : `, ${unverified} not verified`;
      return [`Second check of ${due}: ${confirmed} confirmed, ${refuted} refuted${rest}`];
    }
    case 'note-written':
      return [
        `  Note ${event.action === 'append' ? 'added to' : 'rewritten'}: ${event.path}, ${count(event.bytes, 'byte')}`,
      ];
    case 'tool-call': {
      // The line of the sub-agent already says how the call ended.
      if (event.tool === 'call_agent' && !event.isError) return [];
      const call = `${event.tool} ${callTarget(event.input)}`.trim();
      const after = formatStepDuration(event.durationMs);
      if (!event.isError) return [`  ${call}: ${after}`];
      const reason = cleanLine((event.reason ?? '').replace(/^Error: /, ''), REASON_LENGTH);
      return [`  ${call}: failed after ${after}${reason === '' ? '' : `: ${reason}`}`];
    }
    case 'published':
      return publishedLines(event);
    case 'posted':
    case 'model-request':
    case 'tool-started':
    case 'model-reply':
    case 'tokens-used':
      return [];
  }
}

function describeStarted(
  { plan, memory }: Extract<RunEvent, { kind: 'run-started' }>,
  isHidden: boolean,
) {
  const { agent, model, task, reading, subject } = plan;
  return describePlan(
    { agent, model: formatModelRef(model), task: task.sentence, trust: reading },
    memory && loadedMemory(memory, subject, isHidden),
  );
}

const TASK_LENGTH = 120;
const REASON_LENGTH = 200;

/** Lines of the job log, which has no links, for publications; none if there are none. */
export function publishedLines({
  url,
  ...publications
}: Pick<PublicationResult, 'posts' | 'counts' | 'url'>): readonly string[] {
  const line = publishedLine(publications);
  if (url !== undefined) return [`${line || 'Posted:'} ${url}`];
  return line === '' ? [] : [line];
}

/** The lines of the job log that show a plan. */
export function describePlan(
  {
    agent,
    model,
    task,
    trust,
  }: {
    readonly agent: Pick<Plan['agent'], 'name' | 'source'>;
    readonly model: string;
    /** The task in a sentence. */
    readonly task: string;
    readonly trust: Parameters<typeof describeTrust>[0];
  },
  memory: LoadedMemory | undefined,
): readonly string[] {
  return [
    `Agent:  ${agent.name} (${agent.source})`,
    `Model:  ${model}`,
    `Task:   ${cleanLine(task, TASK_LENGTH)}`,
    `Trust:  ${describeTrust(trust)}`,
    `Memory: ${memory === undefined ? 'off' : describeLoaded(memory)}`,
  ];
}

/** Other lines contain these events, or readers do not need them. */
const NOT_RECORDED: ReadonlySet<RunEvent['kind']> = new Set([
  'posted',
  'model-request',
  'model-reply',
  'tool-started',
]);

export type Transcript = ReturnType<typeof createTranscript>;

/** Records a run as lines of JSON: requests to models, their answers, calls and decisions. */
export function createTranscript(secrets: readonly string[]) {
  const lines: string[] = [];
  /** For each message and each list of tools, the newest request that has it. */
  const shownIn = new WeakMap<object, number>();
  let requests = 0;
  let isHidden = false;

  const lineOf = (type: string, fields: object) =>
    JSON.stringify({ time: new Date().toISOString(), type, ...fields }, (_, value: unknown) =>
      value instanceof Error ? messageOf(value) : value,
    );
  const add = (type: string, fields: object) => void lines.push(lineOf(type, fields));

  function addRequest(
    { modelId }: LanguageModel,
    { prompt, tools, maxOutputTokens }: LanguageModelV4CallOptions,
  ) {
    requests += 1;
    const request = requests;
    const continues = prompt
      .map((message) => shownIn.get(message))
      .findLast((earlier) => earlier !== undefined);
    // The model's own messages are in the lines of its answers.
    const fresh = prompt.filter((message) => !shownIn.has(message) && message.role !== 'assistant');
    const messages = isHidden ? fresh.map(withoutMemory) : fresh;
    const areToolsNew = tools !== undefined && !shownIn.has(tools);
    add('request', {
      request,
      continues,
      model: modelId,
      maxOutputTokens,
      tools: areToolsNew ? tools : undefined,
      messages,
    });

    for (const message of prompt) shownIn.set(message, request);
    if (tools !== undefined) shownIn.set(tools, request);
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
    /** From now on no line has text of the memory, which is in another repository. */
    hideMemory(): void {
      isHidden = true;
    },
    /** Returns models that write each request and each answer as a line. */
    recordModels: (models: Models): Models => ({
      ...models,
      open: async (ref, options) => recordModel(await models.open(ref, options)),
    }),
    /** Returns a reporter that also writes each event and each warning as a line. */
    recordEvents: (reporter: ActionReporter): ActionReporter => ({
      ...reporter,
      event(event) {
        reporter.event(event);
        if (NOT_RECORDED.has(event.kind)) return;
        const { kind, ...fields } = isHidden ? withoutNotes(event) : event;
        add(kind, event.kind === 'run-started' ? describeStart(event) : fields);
      },
      warn(warning) {
        reporter.warn(warning);
        add('warning', warning);
      },
    }),
    /** Returns all lines and a last one; empty if no model was asked. */
    endWith(end: object): string {
      if (requests === 0) return '';
      return [...lines, lineOf('end', end)]
        .map((line) => `${redactLine(line, secrets)}\n`)
        .join('');
    },
  };
}

function describeStart({ plan }: Extract<RunEvent, { kind: 'run-started' }>) {
  const { agent, model, reading, task, maxTurns, timeoutSeconds, memory, scope } = plan;
  return {
    version: VERSION,
    agent: { name: agent.name, source: agent.source },
    model: formatModelRef(model),
    trust: reading.facts,
    task: task.sentence,
    memory: memory && { path: memory.path, isReadOnly: memory.isReadOnly },
    scope: scope && { kind: scope.kind, head: scope.head },
    limits: { maxTurns, timeoutSeconds },
  };
}

/** A secret that contains a quote can take the line's own quotes away; such a line is left out. */
function redactLine(line: string, secrets: readonly string[]): string {
  const redacted = sanitize(line, 'output', secrets);
  const leftOut = JSON.stringify({ type: 'left-out', why: 'a secret was in it' });
  return parseJson(redacted) === undefined ? leftOut : redacted;
}

const HIDDEN = '[not shown: memory is in another repository]';
const isNotesTool = (tool: string) => ALL_NOTES_TOOLS.some((name) => name === tool);

/** Memory is in the system prompt, in calls and results of its tools, and in summaries of turns. */
function withoutMemory(message: Message): Message {
  if (message.role === 'system') return { ...message, content: HIDDEN };
  if (isAboutEarlierTurns(message))
    return { ...message, content: [{ type: 'text', text: HIDDEN }] } as Message;
  return { ...message, content: message.content.map(withoutMemoryInPart) } as Message;
}

function withoutMemoryInPart<
  P extends MessagePart | LanguageModelV4GenerateResult['content'][number],
>(part: P): P {
  if (!('toolName' in part) || !isNotesTool(part.toolName)) return part;
  return 'output' in part ? { ...part, output: HIDDEN } : { ...part, input: HIDDEN };
}
