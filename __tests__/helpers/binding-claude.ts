import type { RecordedRequest } from './loopback.js';
import type { ModelReply } from './model-server.js';

type Json = Readonly<Record<string, unknown>>;

/** How a provider of Claude writes what is looked at here. */
export interface ClaudeWire {
  /** What the prefix of a message has besides the messages before it. */
  readonly constants: readonly string[];
  /** The signatures of the thinking in a message. */
  signatures(message: Json): readonly unknown[];
  /** A reply that thinks, and then calls `look` or says something. */
  reply(signature: string, said: { readonly call: string } | { readonly text: string }, tokens: number): Json;
}

function listOf(value: unknown): readonly Json[] {
  return Array.isArray(value) ? value : [];
}

const anthropic: ClaudeWire = {
  constants: ['system', 'tools'],
  signatures: ({ content }) =>
    listOf(content).flatMap((part) => ('signature' in part ? [part['signature']] : [])),
  reply: (signature, said, tokens) => ({
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'claude',
    content: [
      { type: 'thinking', thinking: '', signature },
      'call' in said
        ? { type: 'tool_use', id: said.call, name: 'look', input: { id: said.call } }
        : { type: 'text', text: said.text },
    ],
    stop_reason: 'call' in said ? 'tool_use' : 'end_turn',
    usage: { input_tokens: tokens, output_tokens: 5 },
  }),
};

const bedrock: ClaudeWire = {
  constants: ['system', 'toolConfig'],
  signatures: ({ content }) =>
    listOf(content).flatMap(({ reasoningContent }) =>
      reasoningContent === undefined ? [] : [Object(reasoningContent).reasoningText.signature],
    ),
  reply: (signature, said, tokens) => ({
    output: {
      message: {
        role: 'assistant',
        content: [
          { reasoningContent: { reasoningText: { text: 'hm', signature } } },
          'call' in said
            ? { toolUse: { toolUseId: said.call, name: 'look', input: { id: said.call } } }
            : { text: said.text },
        ],
      },
    },
    stopReason: 'call' in said ? 'tool_use' : 'end_turn',
    usage: { inputTokens: tokens, outputTokens: 5, totalTokens: tokens + 5 },
    metrics: { latencyMs: 1 },
  }),
};

const openrouter: ClaudeWire = {
  constants: ['tools'],
  signatures: ({ reasoning_details }) => listOf(reasoning_details).map(({ signature }) => signature),
  reply: (signature, said, tokens) => ({
    id: 'gen-1',
    object: 'chat.completion',
    created: 1,
    model: 'claude',
    choices: [
      {
        index: 0,
        finish_reason: 'call' in said ? 'tool_calls' : 'stop',
        message: {
          role: 'assistant',
          reasoning_details: [{ type: 'reasoning.text', text: '', signature }],
          ...('call' in said
            ? {
                content: null,
                tool_calls: [
                  {
                    id: said.call,
                    type: 'function',
                    function: { name: 'look', arguments: JSON.stringify({ id: said.call }) },
                  },
                ],
              }
            : { content: said.text }),
        },
      },
    ],
    usage: { prompt_tokens: tokens, completion_tokens: 5, total_tokens: tokens + 5 },
  }),
};

export const CLAUDE_WIRES = { anthropic, bedrock, openrouter };

/** Claude with preserved thinking. */
export interface BindingClaude {
  answer(request: RecordedRequest): ModelReply;
  /** Requests that were refused for their thinking. */
  readonly refused: number;
  /** Requests that were too long. */
  readonly tooLong: number;
  /** Pieces of thinking in the latest request. */
  readonly kept: number;
}

/**
 * Claude as it is from 5.1 on: thinks before each reply, calls a tool `turns` times and then answers, and refuses a
 * request in which system, tools or messages before a piece of its thinking are not those it was thought after
 * (platform.claude.com/docs, preserved thinking, prefix checks, read 2026-11-24). Marks for the cache do not count.
 */
export function bindingClaude(
  { constants, signatures, reply }: ClaudeWire,
  { turns, windowTokens }: { readonly turns: number; readonly windowTokens: number },
): BindingClaude {
  const thoughtAfter = new Map<string, string>();
  const seen = { refused: 0, tooLong: 0, kept: 0 };
  let called = 0;

  function refuse(message: string): ModelReply {
    return {
      kind: 'raw',
      status: 400,
      body: { type: 'error', message, error: { type: 'invalid_request_error', message } },
    };
  }

  return {
    get refused() {
      return seen.refused;
    },
    get tooLong() {
      return seen.tooLong;
    },
    get kept() {
      return seen.kept;
    },
    answer(asked) {
      const body = JSON.stringify(asked.body);
      const request: Json = JSON.parse(body.replaceAll(CACHE_MARKS, ''));
      const messages = listOf(request['messages']);
      const before = (index: number): string =>
        JSON.stringify([constants.map((name) => request[name]), messages.slice(0, index)]);
      const tokens = Math.ceil(body.length / 4);
      if (tokens > windowTokens) {
        seen.tooLong += 1;
        return refuse(`prompt is too long: ${tokens} tokens > ${windowTokens} maximum`);
      }
      seen.kept = messages.flatMap(signatures).length;
      for (const [index, message] of messages.entries()) {
        if (Array.isArray(message['content']) && message['content'].length === 0)
          return refuse(`messages.${index}: the content must not be empty`);
        if (signatures(message).every((signature) => thoughtAfter.get(String(signature)) === before(index)))
          continue;
        seen.refused += 1;
        return refuse(
          `messages.${index}.content.0: Invalid \`signature\` in \`thinking\` block. The block is bound to a different conversation. Remove the block, or set \`thinking.block_binding.prefix_mismatch_behavior\` to "drop_block".`,
        );
      }
      const signature = `signature-${thoughtAfter.size}`;
      thoughtAfter.set(signature, before(messages.length));
      const isSummary = body.includes('Write the notes you need to go on');
      if (isSummary) return raw(reply(signature, { text: 'I looked.' }, tokens));
      called += 1;
      const said = called > turns ? { text: 'Done.' } : { call: `call_${called}` };
      return raw(reply(signature, said, tokens));
    },
  };
}

function raw(body: Json): ModelReply {
  return { kind: 'raw', status: 200, body };
}

const CACHE_MARKS = /,"cache_control":\{"type":"ephemeral"\}|,\{"cachePoint":\{"type":"default"\}\}/g;
