import type { ModelReply, ModelScript, ModelServer } from './model-server.js';
import { startModelServer } from './model-server.js';

/** A token in the form of a job's. */
export const COPILOT_TOKEN = 'ghs_0123456789abcdefghijklmnopqrstuvwxyz';

/** The paths at which the list says that models answer. */
const ENDPOINTS: Readonly<Record<string, readonly string[]>> = {
  'gpt-4.1': ['/chat/completions'],
  'gpt-5-mini': ['/chat/completions', '/responses'],
  'claude-sonnet-4.5': ['/chat/completions', '/v1/messages'],
};

/** Copilot's service: the list of models, and a model at each of its three endpoints. */
export interface CopilotServer extends ModelServer {
  /** The requests for a model, without those for the list. */
  asked(): ReturnType<ModelServer['requests']>;
  /** How often the list was asked for. */
  lists(): number;
}

/** Starts the service. `lists` are the first answers to the list of models; later ones are good. */
export async function startCopilotServer(
  script: ModelScript,
  lists: readonly ModelReply[] = [],
): Promise<CopilotServer> {
  let asked = 0;
  let listed = 0;
  const server = await startModelServer(async (request) => {
    if (request.path === '/models') {
      listed += 1;
      return lists[listed - 1] ?? { kind: 'raw', status: 200, body: modelList() };
    }
    asked += 1;
    const reply = typeof script === 'function' ? await script(request, asked - 1) : script[asked - 1];
    return reply ?? { kind: 'raw', status: 400, body: { error: { message: 'the script has ended' } } };
  });
  return {
    ...server,
    asked: () => server.requests().filter(({ path }) => path !== '/models'),
    lists: () => listed,
  };
}

/** An answer of `GET /models`, with what the runtime reads of it. */
function modelList() {
  return {
    data: Object.entries(ENDPOINTS).map(([id, endpoints]) => ({
      id,
      name: id,
      object: 'model',
      vendor: 'octo',
      version: id,
      preview: false,
      model_picker_enabled: true,
      supported_endpoints: endpoints,
      capabilities: {
        family: id,
        type: 'chat',
        object: 'model_capabilities',
        tokenizer: 'o200k_base',
        limits: {
          max_context_window_tokens: 160_000,
          max_output_tokens: 16_000,
          max_prompt_tokens: 128_000,
        },
        supports: { tool_calls: true, parallel_tool_calls: true, streaming: true },
      },
      policy: { state: 'enabled' },
    })),
  };
}
