import { type ModelParams, parseModelRef } from '../../src/agent/config.js';
import type { LanguageModel } from '../../src/loop/messages.js';
import { createModels, type ModelsOptions } from '../../src/model/create.js';
import { type ModelScript, type ModelServer, startModelServer } from '../helpers/model-server.js';

/**
 * Node's fetch with errors of the test's own realm: jest runs each file among built-ins of its own,
 * so that an error of Node's is no `instanceof TypeError` for the packages under test, as it is in
 * a program.
 */
export async function realmFetch(...[input, init]: Parameters<typeof fetch>): Promise<Response> {
  try {
    return await fetch(input, init);
  } catch (thrown) {
    if (init?.signal?.aborted === true) throw thrown;
    const { message, cause } = thrown as Error;
    throw new TypeError(message, { cause });
  }
}

/** Settings that lead every provider to one server. */
function envOf(url: string): Readonly<Record<string, string>> {
  const names =
    'ANTHROPIC OPENAI OLLAMA GOOGLE OPENROUTER OPENCODE MINIMAX DEEPSEEK GROQ LOCAL LITELLM'.split(
      ' ',
    );
  return {
    ...Object.fromEntries(names.map((name) => [`${name}_API_KEY`, 'k'])),
    ...Object.fromEntries(names.map((name) => [`AXE_${name}_BASE_URL`, url])),
    AXE_AZURE_BASE_URL: url,
    AZURE_OPENAI_API_KEY: 'k',
    AWS_BEARER_TOKEN_BEDROCK: 'k',
    AWS_REGION: 'us-east-1',
    AXE_BEDROCK_BASE_URL: url,
    CLOUDSDK_AUTH_ACCESS_TOKEN: 'k',
    GOOGLE_CLOUD_PROJECT: 'octo-project',
    AXE_VERTEX_BASE_URL: url,
  };
}

/** All models, as a run has them with these settings. */
export function models(options: Partial<ModelsOptions> = {}) {
  return createModels({ env: {}, loadConfig: async () => ({}), fetch: realmFetch, ...options });
}

/** A model as a run opens it, with these settings. */
export async function openModel(
  ref: string,
  options: Partial<ModelsOptions> = {},
  form?: ModelParams['api'],
): Promise<LanguageModel> {
  return await models(options).open(parseModelRef(ref), { api: form });
}

/** A model of any provider that a server plays. */
export async function openAt(
  { url }: Pick<ModelServer, 'url'>,
  ref: string,
  env: ModelsOptions['env'] = {},
  form?: ModelParams['api'],
): Promise<LanguageModel> {
  return await openModel(ref, { env: { ...envOf(url), ...env } }, form);
}

/** A model of any provider, and the server that plays it. */
export async function playModel(ref: string, script: ModelScript, form?: ModelParams['api']) {
  const server = await startModelServer(script);
  return { server, model: await openAt(server, ref, {}, form) };
}

/** A server that gives this body to every request. */
export function always(body: unknown): ModelScript {
  return () => ({ kind: 'raw', status: 200, body });
}

type Block = Readonly<Record<string, unknown>>;

/** A reply of Chat Completions. */
export function completion(message: object, finish_reason: string | null = 'stop') {
  const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
  const choices = [{ index: 0, message: { role: 'assistant', ...message }, finish_reason }];
  return { id: 'c', object: 'chat.completion', created: 1, model: 'm', choices, usage };
}

/** A reply of OpenAI's Responses. */
export function response(output: readonly object[], more: object = {}) {
  const usage = { input_tokens: 10, output_tokens: 5 };
  const head = { id: 'r', object: 'response', created_at: 1, status: 'completed', model: 'm' };
  return { ...head, output, usage, ...more };
}

export function outputText(text: string) {
  const content = [{ type: 'output_text', text, annotations: [] }];
  return { type: 'message', id: 'msg_1', role: 'assistant', status: 'completed', content };
}

/** A reply of Claude. */
export function claude(stop_reason: string, content: readonly Block[] = []) {
  const usage = { input_tokens: 10, output_tokens: 5 };
  return { id: 'm', type: 'message', role: 'assistant', model: 'c', content, stop_reason, usage };
}

export function gemini(finishReason: string, parts: readonly Block[] = []) {
  return { candidates: [{ content: { role: 'model', parts }, finishReason }] };
}

/** A reply of Bedrock's Converse. */
export function converseReply(stopReason: string, content: readonly Block[] = []) {
  const usage = { inputTokens: 10, outputTokens: 5, totalTokens: 15 };
  return { output: { message: { role: 'assistant', content } }, stopReason, usage };
}
