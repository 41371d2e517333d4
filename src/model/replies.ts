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
import { field } from '../lib/data.js';

/** A text or a thought, of which more may come. */
interface OpenPart {
  readonly type: 'text' | 'reasoning';
  text: string;
  providerMetadata?: SharedV4ProviderMetadata | undefined;
}

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
      case 'reasoning-start': {
        const { providerMetadata } = part;
        const type = part.type === 'text-start' ? 'text' : 'reasoning';
        const begun: OpenPart = { type, text: '', providerMetadata };
        open.set(keyOf(part), begun);
        content.push(begun);
        break;
      }
      case 'text-delta':
      case 'reasoning-delta':
      case 'text-end':
      case 'reasoning-end': {
        const one = open.get(keyOf(part));
        // What was left out has no beginning.
        if (one === undefined) break;
        if ('delta' in part) one.text += part.delta;
        if (part.providerMetadata !== undefined) one.providerMetadata = part.providerMetadata;
        break;
      }
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

function keyOf({ type, id }: { readonly type: string; readonly id: string }): string {
  return `${type.split('-')[0]} ${id}`;
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
