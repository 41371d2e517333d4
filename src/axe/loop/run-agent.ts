import type {
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4GenerateResult,
  LanguageModelV4Message,
  SharedV4ProviderMetadata,
  SharedV4Warning,
} from '@ai-sdk/provider';
import type { ModelParams } from '../agent/config.js';
import { AxeError } from '../errors.js';
import type { Clock, LanguageModel, Reporter } from '../ports.js';
import type { Tool } from '../tools/tool.js';
import type { RunOutcome, RunStats } from './outcome.js';
import { answerToolCalls, type ToolCall, toolCallsOf } from './tool-calls.js';
import { Usage } from './usage.js';

/** One conversation with a model. */
export interface Conversation {
  readonly model: LanguageModel;
  readonly system: string;
  /** The user message. */
  readonly message: string;
  readonly params: ModelParams;
  readonly tools: readonly Tool[];
  readonly maxTurns: number;
}

/** What the loop needs of the outside. */
export interface LoopWorld {
  readonly clock: Clock;
  readonly reporter: Reporter;
  /** Aborted with the error to report: the deadline's, or the one that says the run was cancelled. */
  readonly signal: AbortSignal;
}

/**
 * THE loop: asks the model, runs the tools it calls, and asks again until it answers without a call or a limit is
 * reached. Never throws for what a model, a provider or a tool does (axe-behaviour §13).
 */
export async function runAgent(conversation: Conversation, world: LoopWorld): Promise<RunOutcome> {
  const startedAt = world.clock.now().getTime();
  const messages: LanguageModelV4Message[] = firstMessages(conversation);
  const usage = new Usage(conversation.model.modelId);
  let answer = '';

  const stats = (): RunStats => usage.stats(world.clock.now().getTime() - startedAt);
  while (usage.turns < conversation.maxTurns) {
    try {
      world.signal.throwIfAborted();
      const reply = await ask(conversation, messages, { world, usage });
      answer = textOf(reply.content);
      const calls = conversation.tools.length === 0 ? [] : toolCallsOf(reply.content);
      if (calls.length === 0) return ended(reply, answer, stats());
      messages.push(assistantMessage(reply.content, calls));
      messages.push(await answerToolCalls(calls, conversation.tools, { ...world, turn: usage.turns }));
      usage.toolCalls += calls.length;
    } catch (thrown) {
      return failed(thrown, { answer, stats: stats(), signal: world.signal });
    }
  }
  return {
    kind: 'exhausted',
    limit: 'turns',
    answer,
    error: new AxeError(`agent exceeded maximum conversation turns (${conversation.maxTurns})`, {
      exitCode: 1,
    }),
    stats: stats(),
  };
}

function firstMessages({ system, message }: Conversation): LanguageModelV4Message[] {
  const user: LanguageModelV4Message = { role: 'user', content: [{ type: 'text', text: message }] };
  return system === '' ? [user] : [{ role: 'system', content: system }, user];
}

/** One turn's request and reply, counted and reported. */
async function ask(
  conversation: Conversation,
  messages: readonly LanguageModelV4Message[],
  { world, usage }: { readonly world: LoopWorld; readonly usage: Usage },
): Promise<LanguageModelV4GenerateResult> {
  const turn = usage.turns + 1;
  world.reporter.event({
    kind: 'model-request',
    turn,
    messages: messages.filter((message) => message.role !== 'system').length,
    toolResults: usage.toolCalls,
    tools: conversation.tools.length,
  });
  const reply = await conversation.model.doGenerate(callOptions(conversation, messages, world.signal));
  usage.add(reply);
  if (turn === 1) warnOfSettings(reply.warnings, world.reporter);
  world.reporter.event({
    kind: 'model-reply',
    turn,
    stopReason: usage.stopReason,
    toolCalls: toolCallsOf(reply.content).length,
    tools: conversation.tools.length,
  });
  return reply;
}

/** Settings that the provider changed or left out; it says so in every turn, the first time is enough. */
function warnOfSettings(warnings: readonly SharedV4Warning[], reporter: Reporter): void {
  for (const warning of warnings) {
    reporter.warn({ code: 'model-warning', message: `the model's provider: ${warningText(warning)}` });
  }
}

function warningText(warning: SharedV4Warning): string {
  switch (warning.type) {
    case 'unsupported':
    case 'compatibility':
      return `${warning.feature}: ${warning.details ?? warning.type}`;
    case 'deprecated':
      return `${warning.setting}: ${warning.message}`;
    case 'other':
      return warning.message;
  }
}

function callOptions(
  { params, tools }: Conversation,
  messages: readonly LanguageModelV4Message[],
  signal: AbortSignal,
): LanguageModelV4CallOptions {
  return {
    prompt: [...messages],
    abortSignal: signal,
    ...(params.maxTokens === 0 ? {} : { maxOutputTokens: params.maxTokens }),
    ...(params.temperature === undefined ? {} : { temperature: params.temperature }),
    ...(tools.length === 0
      ? {}
      : {
          tools: tools.map(({ name, description, inputSchema }) => ({
            type: 'function' as const,
            name,
            description,
            inputSchema,
          })),
        }),
  };
}

/** Text parts joined without a separator, as axe does; everything else in a reply is not for people. */
function textOf(content: readonly LanguageModelV4Content[]): string {
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

type AssistantContent = Extract<LanguageModelV4Message, { role: 'assistant' }>['content'];

/** The model's own turn, as it has to be sent back: reasoning with its signature included. */
function assistantMessage(
  content: readonly LanguageModelV4Content[],
  calls: readonly ToolCall[],
): LanguageModelV4Message {
  const inputs = new Map(calls.map((call) => [call.id, call.input]));
  return { role: 'assistant', content: content.flatMap((part) => assistantPart(part, inputs)) };
}

function assistantPart(part: LanguageModelV4Content, inputs: ReadonlyMap<string, unknown>): AssistantContent {
  switch (part.type) {
    case 'text':
      return part.text === '' ? [] : [{ type: 'text', text: part.text, ...sentBack(part.providerMetadata) }];
    case 'reasoning':
      return [{ type: 'reasoning', text: part.text, ...sentBack(part.providerMetadata) }];
    case 'tool-call': {
      const { toolCallId, toolName, providerMetadata } = part;
      const input = inputs.get(toolCallId) ?? {};
      return [{ type: 'tool-call', toolCallId, toolName, input, ...sentBack(providerMetadata) }];
    }
    case 'custom':
    case 'file':
    case 'reasoning-file':
    case 'source':
    case 'tool-approval-request':
    case 'tool-result':
      return [];
  }
}

/** What a provider attached to a part, under the name it expects it back by. */
function sentBack(metadata: SharedV4ProviderMetadata | undefined): {
  providerOptions?: SharedV4ProviderMetadata;
} {
  return metadata === undefined ? {} : { providerOptions: metadata };
}

function ended(reply: LanguageModelV4GenerateResult, answer: string, stats: RunStats): RunOutcome {
  if (reply.finishReason.unified === 'content-filter') return { kind: 'refused', answer, stats };
  return { kind: 'completed', answer, stats };
}

/** An abort is reported as what caused it; only what is nobody's doing is thrown on, as a bug. */
function failed(
  thrown: unknown,
  {
    answer,
    stats,
    signal,
  }: { readonly answer: string; readonly stats: RunStats; readonly signal: AbortSignal },
): RunOutcome {
  const cause: unknown = signal.aborted ? signal.reason : thrown;
  if (!(cause instanceof AxeError)) throw thrown;
  if (signal.aborted && cause.exitCode === 3) {
    return { kind: 'exhausted', limit: 'time', answer, error: cause, stats };
  }
  return { kind: 'failed', error: cause, stats };
}
