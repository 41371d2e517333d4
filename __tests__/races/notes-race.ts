import type { ModelReply, Prompt } from '../helpers/model-server.js';

/** The model of the n-th of many runs: it writes a fact and a line of the day, and answers. */
export function noteAndAnswer({ messages }: Prompt, text: (content: string) => ModelReply): ModelReply {
  const number = /Run (\d+)\./.exec(messages[0] ?? '')?.[1] ?? '';
  if (messages.some((message) => message.startsWith('assistant:'))) return text(`Answer ${number}.`);
  return {
    kind: 'tools',
    calls: [
      { name: 'memory_write', input: { target: 'long_term', content: `Fact ${number}.` } },
      { name: 'memory_write', input: { target: 'daily', content: `Done ${number}.` } },
    ],
  };
}
