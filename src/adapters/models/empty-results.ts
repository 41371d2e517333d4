import type { LanguageModelV4CallOptions, LanguageModelV4Message } from '@ai-sdk/provider';

type ToolPart = Extract<LanguageModelV4Message, { role: 'tool' }>['content'][number];

/** Whether a tool answered with nothing that can be seen. */
export function isEmptyResult(part: ToolPart | undefined): boolean {
  if (part?.type !== 'tool-result') return false;
  const { output } = part;
  return (output.type === 'text' || output.type === 'error-text') && output.value.trim() === '';
}

/** The request with a word in the place of empty tool results, which Converse refuses. */
export function withoutEmptyResults(options: LanguageModelV4CallOptions): LanguageModelV4CallOptions {
  return { ...options, prompt: options.prompt.map(filled) };
}

function filled(message: LanguageModelV4Message): LanguageModelV4Message {
  if (message.role !== 'tool') return message;
  const content = message.content.map((part) => {
    if (part.type !== 'tool-result' || !isEmptyResult(part)) return part;
    const type = part.output.type === 'error-text' ? ('error-text' as const) : ('text' as const);
    return { ...part, output: { type, value: EMPTY } };
  });
  return { ...message, content };
}

const EMPTY = '(empty)';
