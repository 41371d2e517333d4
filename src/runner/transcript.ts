import type { LanguageModelV4CallOptions, LanguageModelV4GenerateResult } from '@ai-sdk/provider';
import { formatModelRef } from '../agent/config.js';
import { parseJson } from '../lib/data.js';
import { messageOf } from '../lib/errors.js';
import { VERSION } from '../lib/product.js';
import type { Models } from '../loop/asker.js';
import { isAboutEarlierTurns } from '../loop/compact.js';
import type { LanguageModel, Message, MessagePart } from '../loop/messages.js';
import { ALL_NOTES_TOOLS } from '../memory/notes/place.js';
import type { RunEvent } from '../run/dependencies.js';
import { sanitize } from '../safety/sanitize.js';
import { type ActionReporter, withoutNotes } from './action-reporter.js';

/** Told by the lines of requests and answers, or of no use to a reader. */
const UNTOLD: ReadonlySet<RunEvent['kind']> = new Set(['model-request', 'model-reply', 'tool-started']);

export type Transcript = ReturnType<typeof createTranscript>;

/** A run as lines of JSON: what models were asked and answered, what was called, and what was decided. */
export function createTranscript(secrets: readonly string[]) {
  const lines: string[] = [];
  /** Of a message, or of a list of tools, the request that shows it. */
  const shownIn = new WeakMap<object, number>();
  let requests = 0;
  let isHidden = false;

  const lineOf = (type: string, what: object) =>
    JSON.stringify({ time: new Date().toISOString(), type, ...what }, plainErrors);
  const add = (type: string, what: object) => void lines.push(lineOf(type, what));

  function addRequest(
    { modelId }: LanguageModel,
    { prompt, tools, maxOutputTokens }: LanguageModelV4CallOptions,
  ) {
    requests += 1;
    const request = requests;
    const continues = prompt.map((message) => shownIn.get(message)).findLast((one) => one !== undefined);
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
    for (const shown of [...prompt, ...(tools === undefined ? [] : [tools])]) shownIn.set(shown, request);
    const last = prompt.at(-1);
    return { request, isAboutMemory: isHidden && last !== undefined && isAboutEarlierTurns(last) };
  }

  function recordModel(model: LanguageModel): LanguageModel {
    return {
      specificationVersion: model.specificationVersion,
      provider: model.provider,
      modelId: model.modelId,
      supportedUrls: model.supportedUrls,
      async doGenerate(options) {
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
      },
    };
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
      return [...lines, lineOf('end', end)].map((line) => `${redactLine(line, secrets)}\n`).join('');
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

/** A secret that went over the quotes of a line takes them along: what is no JSON any more is left out. */
function redactLine(line: string, secrets: readonly string[]): string {
  const redacted = sanitize(line, 'output', secrets);
  const leftOut = JSON.stringify({ type: 'left-out', why: 'a secret was in it' });
  return parseJson(redacted) === undefined ? leftOut : redacted;
}

function plainErrors(_: string, value: unknown): unknown {
  return value instanceof Error ? messageOf(value) : value;
}

const HIDDEN = '[not shown: memory is in another repository]';
const IS_OF_MEMORY = (tool: string) => ALL_NOTES_TOOLS.some((one) => one === tool);

/** Memory is in the system prompt, in what its tools are given and answer, and in records of earlier turns. */
function withoutMemory(message: Message): Message {
  if (message.role === 'system') return { ...message, content: HIDDEN };
  if (isAboutEarlierTurns(message))
    return { ...message, content: [{ type: 'text', text: HIDDEN }] } as Message;
  return { ...message, content: message.content.map(withoutMemoryInPart) } as Message;
}

function withoutMemoryInPart<P extends MessagePart | LanguageModelV4GenerateResult['content'][number]>(
  part: P,
): P {
  if (!('toolName' in part) || !IS_OF_MEMORY(part.toolName)) return part;
  return 'output' in part ? { ...part, output: HIDDEN } : { ...part, input: HIDDEN };
}
