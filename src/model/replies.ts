import {
  APICallError,
  JSONParseError,
  type LanguageModelV4,
  type LanguageModelV4CallOptions,
  type LanguageModelV4Content,
  type LanguageModelV4GenerateResult,
  type LanguageModelV4StreamPart,
  type SharedV4ProviderMetadata,
  TypeValidationError,
} from '@ai-sdk/provider';
import { field } from '../lib/json.js';

/** A text or a thought, of which more may come. */
interface OpenPart {
  readonly type: 'text' | 'reasoning';
  text: string;
  providerMetadata?: SharedV4ProviderMetadata;
}

type Delta = Extract<LanguageModelV4StreamPart, { type: `${OpenPart['type']}-${'start' | 'delta' | 'end'}` }>;

/**
 * The whole reply of a request that is answered bit by bit: a model that thinks for minutes sends something meanwhile, which
 * keeps the connection. What is newer than the package is left out. Throws what asking throws.
 */
export async function streamReply(
  model: LanguageModelV4,
  options: LanguageModelV4CallOptions,
): Promise<LanguageModelV4GenerateResult> {
  const { stream } = await model.doStream(options);
  const content: (LanguageModelV4Content | OpenPart)[] = [];
  const open = new Map<string, OpenPart>();
  let warnings: LanguageModelV4GenerateResult['warnings'] = [];
  let response: LanguageModelV4GenerateResult['response'] = {};
  let end: Extract<LanguageModelV4StreamPart, { type: 'finish' }> | undefined;
  for await (const part of stream) {
    switch (part.type) {
      case 'text-start':
      case 'reasoning-start':
      case 'text-delta':
      case 'reasoning-delta':
      case 'text-end':
      case 'reasoning-end':
        take(part, open, content);
        break;
      case 'stream-start':
        warnings = part.warnings;
        break;
      case 'response-metadata':
        response = part;
        break;
      case 'finish':
        end = part;
        break;
      case 'error':
        throwUnlessNew(part.error);
        break;
      case 'raw':
      case 'tool-input-start':
      case 'tool-input-delta':
      case 'tool-input-end':
      case 'ping':
      case 'custom':
        break;
      default:
        content.push(part);
    }
  }
  if (end === undefined || end.finishReason.unified === 'interrupted')
    throw callError({ cause: new Error('it ended in the middle') });
  const { usage, finishReason } = end;
  return { content, usage, finishReason, warnings, response };
}

function take(
  part: Delta,
  open: Map<string, OpenPart>,
  content: (LanguageModelV4Content | OpenPart)[],
): void {
  const type = part.type.startsWith('text') ? 'text' : 'reasoning';
  const key = `${type} ${part.id}`;
  if (part.type === 'text-start' || part.type === 'reasoning-start') {
    const begun = { type, text: '' } as const;
    open.set(key, begun);
    content.push(begun);
  }
  const one = open.get(key);
  // What was left out has no beginning.
  if (one === undefined) return;
  if ('delta' in part) one.text += part.delta;
  if (part.providerMetadata !== undefined) one.providerMetadata = part.providerMetadata;
}

/** Throws what the provider says, or the package; what the package only does not know is no error. */
function throwUnlessNew(error: unknown): void {
  const isForm = TypeValidationError.isInstance(error);
  const said = isForm ? field(error.value, 'error') : error;
  if (said === undefined || said === null) return;
  // Its message repeats what the model wrote.
  if (JSONParseError.isInstance(said)) throw callError({ responseBody: '{' });
  if (said instanceof Error) throw said;
  const status = Number(field(said, 'statusCode')) || 200;
  throw callError({ statusCode: status, responseBody: JSON.stringify({ error: said }) });
}

function callError(details: Partial<ConstructorParameters<typeof APICallError>[0]>): APICallError {
  return new APICallError({ message: '', url: '', requestBodyValues: {}, statusCode: 200, ...details });
}
