import type { LanguageModelV4, LanguageModelV4StreamPart } from '@ai-sdk/provider';
import { describe, expect, it } from '@jest/globals';
import { streamReply } from '../../src/model/transport.js';
import { question } from './contract.js';

type End = Extract<LanguageModelV4StreamPart, { type: 'finish' }>['finishReason'];

const USAGE = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};

/** A model whose stream has a text, and then this end. */
function endingWith(finishReason: End | undefined): LanguageModelV4 {
  const parts: LanguageModelV4StreamPart[] = [
    { type: 'text-start', id: '1' },
    { type: 'text-delta', id: '1', delta: 'half' },
    ...(finishReason === undefined
      ? []
      : [{ type: 'finish', usage: USAGE, finishReason } as const]),
  ];
  const stream = ReadableStream.from(parts);
  return { doStream: async () => ({ stream }) } as unknown as LanguageModelV4;
}

describe('a stream', () => {
  it.each([
    ['bedrock', { unified: 'other', raw: undefined }],
    ['google', { unified: 'other', raw: undefined }],
    ['anthropic', { unified: 'interrupted', raw: undefined }],
    ['openai', undefined],
  ] as const)('of %s has broken off where it ends with %j', async (wire, end) => {
    await expect(streamReply(endingWith(end), question(), wire)).rejects.toMatchObject({
      cause: { message: 'it ended in the middle' },
    });
  });

  it.each([
    ['bedrock', { unified: 'stop', raw: 'end_turn' }],
    ['bedrock', { unified: 'other', raw: 'brand_new' }],
    ['google', { unified: 'length', raw: 'MAX_TOKENS' }],
    ['openai-compatible', { unified: 'other', raw: undefined }],
  ] as const)('of %s is whole where it ends with %j', async (wire, end) => {
    const reply = await streamReply(endingWith(end), question(), wire);
    expect(reply.content).toMatchObject([{ type: 'text', text: 'half' }]);
  });
});
