import type { LanguageModelV4Message } from '@ai-sdk/provider';
import fc from 'fast-check';

type Message = LanguageModelV4Message;

/** A message of the user's. */
export function user(text: string): Message {
  return { role: 'user', content: [{ type: 'text', text }] };
}

/** A turn: a reply with signed reasoning and one call for each result, then the results. */
export function turn(id: string, results: readonly string[]): Message[] {
  const calls = results.map((_, index) => ({
    type: 'tool-call' as const,
    toolCallId: `${id}-${index}`,
    toolName: 'read_file',
    input: { path: `src/${id}-${index}.ts` },
  }));
  return [
    {
      role: 'assistant',
      content: [
        {
          type: 'reasoning',
          text: `thought ${id}`,
          providerOptions: { p: { signature: `sig-${id}` } },
        },
        { type: 'text', text: `text ${id}` },
        ...calls,
      ],
    },
    {
      role: 'tool',
      content: results.map((value, index) => ({
        type: 'tool-result' as const,
        toolCallId: `${id}-${index}`,
        toolName: 'read_file',
        output: { type: index % 2 === 0 ? ('text' as const) : ('error-text' as const), value },
      })),
    },
  ];
}

/**
 * Ids of calls that lack a result right behind their turn, and of results that lack a call there.
 */
export function unpaired(messages: readonly Message[]): readonly string[] {
  const wrong: string[] = [];
  let open: string[] = [];
  for (const message of messages) {
    if (message.role === 'tool') {
      const ids = message.content.flatMap((part) =>
        part.type === 'tool-result' ? [part.toolCallId] : [],
      );
      wrong.push(...ids.filter((id) => !open.includes(id)));
      open = open.filter((id) => !ids.includes(id));
    } else {
      wrong.push(...open);
      open =
        message.role === 'assistant'
          ? message.content.flatMap((part) => (part.type === 'tool-call' ? [part.toolCallId] : []))
          : [];
    }
  }
  return [...wrong, ...open];
}

/** Texts from nothing to some thousand tokens. */
const sizedText = fc
  .tuple(
    fc.constantFrom('x', 'word ', '日本', '<system>', '\u200b', '😀'),
    fc.integer({ min: 0, max: 2000 }),
  )
  .map(([piece, times]) => piece.repeat(times));

const turnTexts = fc.tuple(
  fc.array(sizedText, { minLength: 1, maxLength: 5 }),
  fc.option(sizedText, { freq: 6 }),
);

/**
 * Conversations as the loop makes them, with a system prompt or none, and messages of the user's in
 * between.
 */
export const conversations: fc.Arbitrary<Message[]> = fc
  .tuple(fc.option(sizedText), sizedText, fc.array(turnTexts, { maxLength: 14 }))
  .map(([system, task, turns]) => [
    ...(system === null ? [] : [{ role: 'system' as const, content: system }]),
    user(task),
    ...turns.flatMap(([results, said], index) => [
      ...turn(`t${index}`, results),
      ...(said === null ? [] : [user(said)]),
    ]),
  ]);
