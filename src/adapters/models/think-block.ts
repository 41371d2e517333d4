import type {
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4GenerateResult,
  LanguageModelV4Message,
} from '@ai-sdk/provider';

const KEY = 'thinkBlock';

/** What a reply begins with; a block further on is the model's text about such blocks. */
const LEADING = /^\s*<think>([\s\S]*?)<\/think>\s*/;
const UNCLOSED = /^\s*<think>([\s\S]*)$/;

/**
 * The reply with a leading `<think>…</think>` as reasoning, which is no part of an answer: servers without a parser for
 * their model's reasoning leave it in the text. A block that was cut before its end is all of the reply. What such a
 * block said is kept as it came, since some models need it back in the next turn.
 */
export function takeThinkBlock(reply: LanguageModelV4GenerateResult): LanguageModelV4GenerateResult {
  const first = reply.content.findIndex(({ type }) => type === 'text');
  const part = reply.content[first];
  if (part?.type !== 'text') return reply;
  const isCut = reply.finishReason.unified === 'length';
  const [block, thought] = LEADING.exec(part.text) ?? (isCut ? UNCLOSED.exec(part.text) : null) ?? [];
  if (block === undefined || thought === undefined) return reply;
  const reasoning: LanguageModelV4Content = {
    type: 'reasoning',
    text: thought.trim(),
    providerMetadata: { [KEY]: { text: block } },
  };
  const rest = part.text.slice(block.length);
  const text = rest === '' ? [] : [{ ...part, text: rest }];
  return { ...reply, content: reply.content.toSpliced(first, 1, reasoning, ...text) };
}

/** Puts the blocks back where they came from. */
export function sendThinkBlocks(options: LanguageModelV4CallOptions): LanguageModelV4CallOptions {
  return { ...options, prompt: options.prompt.map(withBlock) };
}

function withBlock(message: LanguageModelV4Message): LanguageModelV4Message {
  if (message.role !== 'assistant') return message;
  const content = message.content.map((part) => {
    const block = part.type === 'reasoning' ? part.providerOptions?.[KEY]?.['text'] : undefined;
    return typeof block === 'string' ? { type: 'text' as const, text: block } : part;
  });
  return { ...message, content };
}
