import type { ModelServer } from '../helpers/model-server.js';
import { describeModel, describeWireModel, SCHEMA } from './contract.js';
import {
  claude,
  completion,
  converseReply,
  gemini,
  openModel,
  realmFetch,
  response,
} from './open-model.js';

const KEY = 'sk-wire-q7Zk2Pv9Xw4Lm8Rt';
const nested = (message: string) => ({ error: { code: 1, message, status: 'SOME' } });
const OPENAI_STATUSES = {
  bad_request: [400, 404],
  auth: [401, 403],
  rate_limit: [429],
  server: [413, 422, 500, 503, 529],
};
const OVERLOAD_STATUSES = { ...OPENAI_STATUSES, server: [413, 422, 500, 503], overloaded: [529] };

/** Chat Completions, as OpenAI and those that follow it have it. */
const CHAT = {
  path: '/v1/chat/completions',
  errorBody: nested,
  statuses: OPENAI_STATUSES,
  emptyBody: completion({ content: '' }),
  emptyAnswer: 'empty',
  jsonSchema: {
    response_format: { type: 'json_schema', json_schema: { schema: SCHEMA, strict: true } },
  },
  jsonObject: { response_format: { type: 'json_object' } },
} as const;

const MESSAGES = {
  path: '/v1/messages',
  errorBody: (message: string) => ({ type: 'error', error: { type: 'some_error', message } }),
  emptyBody: claude('end_turn'),
  emptyAnswer: 'error',
  jsonSchema: { tools: [{ name: 'json', input_schema: SCHEMA }], tool_choice: { type: 'any' } },
  jsonObject: undefined,
} as const;

const GEMINI = {
  settings: { generationConfig: { temperature: 0, maxOutputTokens: 77 } },
  statuses: OVERLOAD_STATUSES,
  emptyAnswer: 'empty',
  otherShape: 'server: response contains no content',
  jsonSchema: {
    generationConfig: {
      responseMimeType: 'application/json',
      responseJsonSchema: { type: 'object' },
    },
  },
  jsonObject: { generationConfig: { responseMimeType: 'application/json' } },
} as const;

const VERTEX = {
  CLOUDSDK_AUTH_ACCESS_TOKEN: 'ya29.wire-q7Zk2Pv9Xw4Lm8Rt',
  GOOGLE_CLOUD_PROJECT: 'octo-project',
};

const open = (ref: string, env: Readonly<Record<string, string>>, fetch = realmFetch) =>
  openModel(ref, { env, fetch });

/** aimock knows Vertex under its older version path only. */
const olderVertex: typeof globalThis.fetch = (input, init) =>
  realmFetch(String(input).replace('/v1beta1/', '/v1/'), init);

/** aimock knows Claude under Anthropic's own path only; the request stays as it is. */
function asAnthropic({ url }: ModelServer): typeof globalThis.fetch {
  return (_input, init) => realmFetch(`${url}/v1/messages`, init);
}

describeModel('offline', () => open('offline/rules', {}));

describeWireModel({
  ...MESSAGES,
  name: 'anthropic',
  open: ({ url }) =>
    open('anthropic/claude-3-m', { ANTHROPIC_API_KEY: KEY, AXE_ANTHROPIC_BASE_URL: url }),
  statuses: {
    bad_request: [400],
    auth: [401],
    rate_limit: [429],
    overloaded: [529],
    server: [403, 404, 413, 422, 500, 502],
  },
});

describeWireModel({
  ...CHAT,
  name: 'openai',
  open: ({ url }) => open('openai/gpt-4-m', { OPENAI_API_KEY: KEY, AXE_OPENAI_BASE_URL: url }),
});

describeWireModel({
  ...CHAT,
  name: 'ollama',
  open: ({ url }) => open('ollama/m', { OLLAMA_API_KEY: KEY, AXE_OLLAMA_BASE_URL: url }),
  errorBody: (error) => ({ error }),
  statuses: { bad_request: [400, 404], server: [401, 403, 429, 500] },
  emptyAnswer: 'error',
});

describeWireModel({
  ...CHAT,
  name: 'an OpenAI-compatible endpoint',
  open: ({ url }) => open('local/m', { LOCAL_API_KEY: KEY, AXE_LOCAL_BASE_URL: url }),
});

describeWireModel({
  ...GEMINI,
  name: 'google',
  open: (server) =>
    open('google/gemini-1-model', { GEMINI_API_KEY: KEY, AXE_GOOGLE_BASE_URL: server.url }),
  path: '/v1beta/models/gemini-1-model:generateContent',
  errorBody: nested,
  emptyBody: gemini('STOP'),
});

describeWireModel({
  ...GEMINI,
  name: 'vertex, Gemini',
  open: (server) =>
    open('vertex/gemini-1-model', { ...VERTEX, AXE_VERTEX_BASE_URL: server.url }, olderVertex),
  path: '/v1/projects/octo-project/locations/global/publishers/google/models/gemini-1-model:generateContent',
  errorBody: (message) => [nested(message)],
  emptyBody: { candidates: [{ finishReason: 'STOP' }] },
});

describeWireModel({
  ...MESSAGES,
  name: 'vertex, Claude',
  open: (server) =>
    open(
      'vertex/claude-sonnet-4-5@20250929',
      { ...VERTEX, AXE_VERTEX_BASE_URL: server.url },
      asAnthropic(server),
    ),
  statuses: OVERLOAD_STATUSES,
  jsonSchema: {},
});

describeWireModel({
  name: 'bedrock',
  open: (server) =>
    open('bedrock/us.anthropic.claude-3-model-v1:0', {
      AWS_BEARER_TOKEN_BEDROCK: KEY,
      AWS_REGION: 'us-east-1',
      AXE_BEDROCK_BASE_URL: `${server.url}/`,
    }),
  path: '/model/us.anthropic.claude-3-model-v1%3A0/converse',
  settings: { inferenceConfig: { temperature: 0, maxTokens: 77 } },
  errorBody: (message) => ({ message }),
  statuses: OPENAI_STATUSES,
  emptyBody: converseReply('end_turn'),
  emptyAnswer: 'empty',
  jsonSchema: { toolConfig: { tools: [{ toolSpec: { name: 'json' } }], toolChoice: { any: {} } } },
  jsonObject: undefined,
});

describeWireModel({
  ...CHAT,
  name: 'azure',
  open: ({ url }) =>
    open('azure/gpt-4-deployment', {
      AZURE_OPENAI_API_KEY: KEY,
      AZURE_OPENAI_ENDPOINT: `${url}/v1`,
    }),
  settings: { temperature: 0, max_completion_tokens: 77 },
});

describeWireModel({
  name: 'opencode, Responses',
  open: (server) =>
    open('opencode/gpt-4.1', { OPENCODE_API_KEY: KEY, AXE_OPENCODE_BASE_URL: server.url }),
  path: '/v1/responses',
  settings: { temperature: 0, max_output_tokens: 77, store: false },
  errorBody: nested,
  statuses: OVERLOAD_STATUSES,
  emptyBody: response([]),
  emptyAnswer: 'empty',
  otherShape: 'server: Responses API returned no output',
  jsonSchema: { text: { format: { type: 'json_schema', strict: true, schema: SCHEMA } } },
  jsonObject: { text: { format: { type: 'json_object' } } },
});

// The same for models that are newer than any list.
describeWireModel({
  ...MESSAGES,
  name: 'a new Claude',
  isStreamed: true,
  open: ({ url }) =>
    open('anthropic/claude-octo-9', { ANTHROPIC_API_KEY: KEY, AXE_ANTHROPIC_BASE_URL: url }),
  settings: { max_tokens: 77 },
  jsonSchema: { output_config: { format: { type: 'json_schema', schema: SCHEMA } } },
  statuses: { bad_request: [400], auth: [401], rate_limit: [429], overloaded: [529] },
});

describeWireModel({
  ...CHAT,
  name: 'a new model of an OpenAI-compatible endpoint',
  isStreamed: true,
  open: ({ url }) => open('local/claude-octo-9', { LOCAL_API_KEY: KEY, AXE_LOCAL_BASE_URL: url }),
});

describeWireModel({
  ...GEMINI,
  name: 'a new Gemini',
  isStreamed: true,
  open: ({ url }) =>
    open('google/gemini-9-octo', { GEMINI_API_KEY: KEY, AXE_GOOGLE_BASE_URL: url }),
  path: '/v1beta/models/gemini-9-octo:streamGenerateContent',
  errorBody: nested,
  emptyBody: gemini('STOP'),
});

describeWireModel({
  name: 'a new model on Bedrock',
  isStreamed: true,
  open: ({ url }) =>
    open('bedrock/us.octo.model-v1:0', {
      AWS_BEARER_TOKEN_BEDROCK: KEY,
      AWS_REGION: 'us-east-1',
      AXE_BEDROCK_BASE_URL: `${url}/`,
    }),
  path: '/model/us.octo.model-v1%3A0/converse-stream',
  settings: { inferenceConfig: { temperature: 0, maxTokens: 77 } },
  errorBody: (message) => ({ message }),
  statuses: OPENAI_STATUSES,
  emptyBody: converseReply('end_turn'),
  emptyAnswer: 'empty',
  jsonSchema: { toolConfig: { tools: [{ toolSpec: { name: 'json' } }], toolChoice: { any: {} } } },
  jsonObject: undefined,
});

describeWireModel({
  name: 'a new GPT',
  isStreamed: true,
  open: ({ url }) => open('openai/gpt-9-octo', { OPENAI_API_KEY: KEY, AXE_OPENAI_BASE_URL: url }),
  path: '/v1/responses',
  settings: { max_output_tokens: 77, store: false },
  errorBody: nested,
  statuses: OPENAI_STATUSES,
  emptyBody: response([]),
  emptyAnswer: 'empty',
  otherShape: 'server: Responses API returned no output',
  jsonSchema: { text: { format: { type: 'json_schema', strict: true, schema: SCHEMA } } },
  jsonObject: { text: { format: { type: 'json_object' } } },
});
