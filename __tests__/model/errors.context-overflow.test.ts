import { describe, expect, it } from '@jest/globals';
import { findOverflow } from '../../src/model/errors.js';

describe('a request that is too long', () => {
  it.each<[string, string, number | undefined]>([
    ['Anthropic', 'prompt is too long: 208310 tokens > 200000 maximum', 200_000],
    [
      'Anthropic',
      'input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, try',
      200_000,
    ],
    ['Anthropic, in bytes', 'Request exceeds the maximum size', undefined],
    ['OpenAI', "This model's maximum context length is 128000 tokens. However, your", 128_000],
    ['OpenAI Responses', 'Your input exceeds the context window of this model. Please', undefined],
    [
      'Gemini',
      'The input token count (1196265) exceeds the maximum number of tokens allowed (1048576).',
      1_048_576,
    ],
    ['Bedrock', 'Input is too long for requested model.', undefined],
    ['vLLM', "This model's maximum context length is 4096 tokens. However, you requested 4609 tokens", 4096],
    ['llama.cpp', 'request (4099 tokens) exceeds the available context size (4096 tokens), try', 4096],
    ['llama.cpp, older', 'the request exceeds the available context size', undefined],
    [
      'Mistral',
      'Prompt contains 65673 tokens and 0 draft tokens, too large for model with 32768 maximum context length',
      32_768,
    ],
    ['OpenRouter', "This endpoint's maximum context length is 131,072 tokens. However, you", 131_072],
    ['xAI', "This model's maximum prompt length is 131072 but the request contains 537812 tokens.", 131_072],
    [
      'Together',
      '`inputs` tokens + `max_new_tokens` must be <= 8193. Given: 4203 `inputs` tokens and 4096',
      8193,
    ],
    ['SGLang', "The input (61709 tokens) is longer than the model's context length (40960 tokens).", 40_960],
    ['SGLang', 'Input length (160062 tokens) exceeds the maximum allowed length (59862 tokens). Use', 59_862],
    ['vLLM', 'The decoder prompt (length 10127) is longer than the maximum model length of 8192. Make', 8192],
    ['Kimi', 'Your request exceeded model token limit: 262144 (requested: 269030)', 262_144],
    [
      'LM Studio',
      'tokens to keep from the initial prompt is greater than the context length (n_keep: 13055>= n_ctx: 4096). Try',
      4096,
    ],
    [
      'LM Studio, older',
      'Trying to keep the first 10136 tokens when context the overflows. However, the model is loaded with context length of only 7866 tokens, which is not enough',
      7866,
    ],
    ['Ollama', 'the prompt is longer than the context length currently available to the model;', undefined],
    ['MiniMax', 'invalid params, context window exceeds limit', undefined],
    ['Groq', 'Please reduce the length of the messages or completion.', undefined],
    ['Perplexity', 'The total length of all messages is too long.', undefined],
  ])('is recognized for %s: %s', (_, text, windowTokens) => {
    for (const status of [400, 413, 422, 500])
      expect(findOverflow(status, text, undefined)).toEqual({ windowTokens });
  });

  it.each([
    { error: { code: 'context_length_exceeded', message: 'No.' } },
    { error: { code: 'tokens_limit_reached', message: 'No.' } },
    [{ error: { type: 'request_too_large' } }],
  ])('is recognized by its code, %j', (body) => {
    expect(findOverflow(400, 'No.', JSON.stringify(body))).toEqual({ windowTokens: undefined });
    expect(findOverflow(400, 'No.', body)).toEqual({ windowTokens: undefined });
  });

  it('has its window size from the message next to a code', () => {
    const text = 'Request body too large for gpt-4o model. Max size: 8000 tokens.';
    const body = { error: { code: 'tokens_limit_reached', message: text } };
    expect(findOverflow(413, text, body)).toEqual({ windowTokens: 8000 });
  });

  it.each([
    [400, 'max_tokens: 100000 > 64000, which is the maximum allowed number of output tokens for claude-x'],
    [400, 'max_tokens is too large: 100000. This model supports at most 16384 completion tokens.'],
    [400, 'messages: at least one message is required'],
    [400, "Invalid 'input[0].name': string too long. Expected a string with maximum length 64."],
    [400, 'API key not valid. Please pass a valid API key.'],
    [429, 'Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 42000.'],
    [401, 'prompt is too long'],
    [500, 'Internal server error'],
  ])('is not recognized in %i: %s', (status, text) => {
    expect(findOverflow(status, text, { error: { message: text } })).toBeUndefined();
  });
});
