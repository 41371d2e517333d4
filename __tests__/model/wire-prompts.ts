import type { RecordedRequest } from '../helpers/loopback.js';
import type { Prompt } from '../helpers/model-server.js';

interface Part {
  readonly text?: string;
}

interface GeminiBody {
  readonly systemInstruction?: { readonly parts: readonly Part[] };
  readonly contents: readonly { readonly role: string; readonly parts: readonly Part[] }[];
  readonly tools?: readonly { readonly functionDeclarations?: readonly { readonly name: string }[] }[];
}

interface ConverseBody {
  readonly system?: readonly Part[];
  readonly messages: readonly { readonly role: string; readonly content: readonly Part[] }[];
  readonly toolConfig?: { readonly tools: readonly { readonly toolSpec?: { readonly name: string } }[] };
}

/** The prompt in a request to Gemini's `generateContent`. */
export function geminiPrompt({ path, body }: RecordedRequest): Prompt {
  const { systemInstruction, contents, tools = [] } = body as GeminiBody;
  return {
    model: /models\/([^:]+):/.exec(path)?.[1] ?? '',
    system: textOf(systemInstruction?.parts ?? []),
    messages: contents.map(({ role, parts }) => `${role}: ${textOf(parts)}`),
    tools: tools.flatMap(({ functionDeclarations = [] }) => functionDeclarations.map(({ name }) => name)),
  };
}

/** The prompt in a request to Bedrock's `converse`. */
export function conversePrompt({ path, body }: RecordedRequest): Prompt {
  const { system = [], messages, toolConfig } = body as ConverseBody;
  return {
    model: decodeURIComponent(/model\/([^/]+)\//.exec(path)?.[1] ?? ''),
    system: textOf(system),
    messages: messages.map(({ role, content }) => `${role}: ${textOf(content)}`),
    tools: (toolConfig?.tools ?? []).map(({ toolSpec }) => toolSpec?.name ?? ''),
  };
}

/** The prompt in a request to Claude on Vertex, where the model is in the address. */
export function rawPredictPrompt(read: (request: RecordedRequest) => Prompt) {
  return (request: RecordedRequest): Prompt => ({
    ...read(request),
    model: decodeURIComponent(/models\/([^:]+):/.exec(request.path)?.[1] ?? ''),
  });
}

function textOf(parts: readonly Part[]): string {
  return parts.map(({ text = '' }) => text).join('');
}
