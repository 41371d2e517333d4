import type { Protocol } from './catalog.js';
import { field, parseJson } from './json.js';

/** A model that GitHub offers to a token. */
export interface OfferedModel {
  readonly id: string;
  /** Paths below the service's address at which it answers; empty where the list does not say. */
  readonly endpoints: readonly string[];
  /** Most tokens of a prompt, or of prompt and answer together; undefined where the list does not say. */
  readonly windowTokens: number | undefined;
}

/** The models in an answer of `GET /models`; empty if it is not such an answer. */
export function parseModelList(text: string): readonly OfferedModel[] {
  const data = field(parseJson(text), 'data');
  if (!Array.isArray(data)) return [];
  return data.flatMap((entry: unknown) => {
    const id = field(entry, 'id');
    if (typeof id !== 'string') return [];
    const limits = field(field(entry, 'capabilities'), 'limits');
    const tokens = [field(limits, 'max_prompt_tokens'), field(limits, 'max_context_window_tokens')];
    const windowTokens = tokens.find((value) => typeof value === 'number' && value > 0);
    return [
      {
        id,
        endpoints: textsOf(field(entry, 'supported_endpoints')),
        windowTokens: typeof windowTokens === 'number' ? windowTokens : undefined,
      },
    ];
  });
}

function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}

/** A protocol that Copilot speaks. */
export type CopilotProtocol = Extract<Protocol, 'anthropic' | 'openai-responses' | 'openai-compatible'>;

/** The better protocol first: prompts are cached on request, or reasoning is kept between turns. */
const PROTOCOLS: readonly (readonly [endpoint: string, wire: CopilotProtocol])[] = [
  ['/v1/messages', 'anthropic'],
  ['/responses', 'openai-responses'],
  ['/chat/completions', 'openai-compatible'],
];

/** The protocol in which a model is asked; undefined where the list does not say. */
export function offeredProtocol(model: OfferedModel | undefined): CopilotProtocol | undefined {
  return PROTOCOLS.find(([endpoint]) => model?.endpoints.includes(endpoint) === true)?.[1];
}
