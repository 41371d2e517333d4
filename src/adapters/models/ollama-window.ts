import { field } from './json.js';

/**
 * The window that Ollama has loaded a model with; undefined where no Ollama answers. It depends on the model's file, on
 * `OLLAMA_CONTEXT_LENGTH` and on the memory of the machine, and requests in OpenAI's form can neither ask for it nor set it:
 * the model is loaded, which it has to be anyway, and the server asked what it has loaded.
 * Source: ollama/ollama docs/api.md ("Load a model", "List Running Models") and api/types.go, August 2026.
 */
export async function askOllamaWindow(
  model: string,
  { baseUrl, apiKey }: { readonly baseUrl: string; readonly apiKey: string },
  { fetch, signal }: { readonly fetch: typeof globalThis.fetch; readonly signal: AbortSignal },
): Promise<number | undefined> {
  const api = baseUrl.replace(/\/v1$/, '/api');
  const authorization = apiKey === '' ? {} : { authorization: `Bearer ${apiKey}` };
  const headers = { 'content-type': 'application/json', ...authorization };
  const body = JSON.stringify({ model, messages: [], stream: false });
  try {
    const loaded = await fetch(`${api}/chat`, { method: 'POST', headers, body, signal });
    await loaded.text();
    const running: unknown = await (await fetch(`${api}/ps`, { headers, signal })).json();
    const models = field(running, 'models');
    // A name without a tag is that of `latest`.
    const isOwn = (one: unknown) => [model, `${model}:latest`].includes(String(field(one, 'model')));
    const window = field(Array.isArray(models) ? models.find(isOwn) : undefined, 'context_length');
    return typeof window === 'number' && window > 0 ? window : undefined;
  } catch {
    return undefined;
  }
}
