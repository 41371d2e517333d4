import type { LanguageModelV4CallOptions } from '@ai-sdk/provider';
import { redact } from '../safety/redact.js';
import type { LanguageModel, Message, MessagePart } from './messages.js';

/**
 * The model, of whose requests nothing holds a secret: what a model has never seen it can spell in no encoding (D49). All
 * requests pass here with all that they hold, so that nobody else has to think of it. A message is looked at once, however
 * often it is sent, and comes out the same, so that the cached beginning of a prompt stays. `secrets` is read at each
 * request, since a run may learn more of them.
 */
export function withoutSecrets(model: LanguageModel, secrets: readonly string[]): LanguageModel {
  let seen = new WeakMap<object, unknown>();
  let known = secrets.length;

  function once<T extends object>(value: T, clean: (value: T) => T): T {
    const found = seen.get(value) as T | undefined;
    const cleaned = found ?? clean(value);
    if (found === undefined) seen.set(value, cleaned);
    return cleaned;
  }

  function cleanOptions(options: LanguageModelV4CallOptions): LanguageModelV4CallOptions {
    if (known !== secrets.length) seen = new WeakMap();
    known = secrets.length;
    const text = (part: string) => redact(part, secrets);
    const { tools, responseFormat } = options;
    return {
      ...options,
      prompt: options.prompt.map((message) => once(message, (one) => cleanMessage(one, text))),
      responseFormat: cleanValue(responseFormat, text),
      // Providers refuse a name with a mask in it.
      tools:
        tools &&
        once(tools, (all) =>
          all.filter(({ name }) => text(name) === name).map((tool) => cleanValue(tool, text)),
        ),
    };
  }

  return {
    specificationVersion: model.specificationVersion,
    provider: model.provider,
    modelId: model.modelId,
    supportedUrls: model.supportedUrls,
    doGenerate: (options) => model.doGenerate(cleanOptions(options)),
  };
}

type Clean = (text: string) => string;

function cleanMessage(message: Message, clean: Clean): Message {
  if (message.role === 'system') return { ...message, content: clean(message.content) };
  const content = message.content.map((part) => cleanPart(part, clean));
  return { ...message, content } as Message;
}

/** Reasoning stays as its provider sent it, which may have signed it. */
function cleanPart<T extends MessagePart>(part: T, clean: Clean): T {
  switch (part.type) {
    case 'text':
      return { ...part, text: clean(part.text) };
    case 'tool-call':
      return { ...part, input: cleanValue(part.input, clean) };
    case 'tool-result':
      return { ...part, output: cleanValue(part.output, clean) };
    default:
      return part;
  }
}

function cleanValue<T>(value: T, clean: Clean): T;
function cleanValue(value: unknown, clean: Clean): unknown {
  if (typeof value === 'string') return clean(value);
  if (Array.isArray(value)) return value.map((one) => cleanValue(one, clean));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [clean(name), cleanValue(one, clean)]),
  );
}
