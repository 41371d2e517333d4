import type { LanguageModelV4CallOptions } from '@ai-sdk/provider';
import { describe, expect, it } from '@jest/globals';
import type { Models } from '../../src/loop/asker.js';
import { SUMMARY_REQUEST, summaryMessage } from '../../src/loop/compact.js';
import { type Message, userMessage } from '../../src/loop/messages.js';
import { createTranscript } from '../../src/runner/transcript.js';

const SECRET = 'hunter2-hunter2-hunter2';

/** The transcript of requests for these messages, each answered by that content. */
async function transcriptOf(
  requests: readonly (readonly Message[])[],
  content: readonly unknown[],
  isHidden = false,
) {
  const transcript = createTranscript([SECRET]);
  if (isHidden) transcript.hideMemory();
  const reply = { content, finishReason: { unified: 'stop' }, usage: {}, warnings: [] };
  const model = { provider: 'anthropic', modelId: 'm', supportedUrls: {}, doGenerate: async () => reply };
  const models = { open: async () => model } as unknown as Models;
  const opened = await transcript.recordModels(models).open({ provider: 'anthropic', model: 'm' });
  for (const prompt of requests)
    await opened.doGenerate({ prompt: [...prompt] } as LanguageModelV4CallOptions);
  return transcript.endWith({ conclusion: 'success' });
}

const SYSTEM: Message = { role: 'system', content: 'You review.\n\n## Memory\n\nAda keeps the lighthouse.' };
const CALL = {
  type: 'tool-call',
  toolCallId: '1',
  toolName: 'memory_read',
  input: '{"path":"Ada.md"}',
} as const;
const RESULT: Message = {
  role: 'tool',
  content: [
    {
      type: 'tool-result',
      toolCallId: '1',
      toolName: 'memory_read',
      output: { type: 'text', value: 'Ada.' },
    },
    {
      type: 'tool-result',
      toolCallId: '2',
      toolName: 'read_file',
      output: { type: 'text', value: 'A file.' },
    },
  ],
};
const TASK = userMessage('The task.');

describe('the transcript of a run', () => {
  it('has each message once, and says which request a later one continues', async () => {
    const lines = (await transcriptOf([[SYSTEM, TASK], [TASK], [SYSTEM, TASK, RESULT]], [CALL]))
      .trimEnd()
      .split('\n');
    const requests = lines.flatMap((line) => {
      const { type, continues, messages } = JSON.parse(line);
      return type === 'request' ? [{ continues, messages }] : [];
    });
    expect(requests).toEqual([
      { continues: undefined, messages: [SYSTEM, TASK] },
      { continues: 1, messages: [] },
      { continues: 2, messages: [RESULT] },
    ]);
  });

  it.each<[string, readonly Message[]]>([
    ['the system prompt', [SYSTEM]],
    ['what a tool over notes is given and answers', [RESULT]],
    ['the request for a summary, and the answer', [userMessage(`${SUMMARY_REQUEST}\n\nAda.`)]],
    ['the summary of earlier turns', [summaryMessage('Ada.') ?? TASK]],
  ])('of memory in another repository does not hold %s', async (_, messages) => {
    const text = { type: 'text', text: 'Ada again.' };
    const isSummary = JSON.stringify(messages).includes('work on your task has become too long');
    const content = isSummary ? [CALL, text] : [CALL];
    const prompt = [TASK, ...messages];
    expect(await transcriptOf([prompt], content)).toContain('Ada');
    // A request is sent again after an error, or for a longer answer.
    const hidden = await transcriptOf([prompt, prompt], content, true);
    expect(hidden).not.toContain('Ada');
    expect(hidden).toContain('The task.');
    expect(hidden.includes('A file.')).toBe(messages.includes(RESULT));
  });

  it('is JSON, whatever a secret takes with it', async () => {
    const text = { type: 'text', text: `a ${SECRET.slice(0, 10)}`, more: SECRET.slice(10) };
    const lines = await transcriptOf([[TASK]], [text]);
    for (const line of lines.trimEnd().split('\n')) expect(JSON.parse(line)).toHaveProperty('type');
    expect(lines).not.toContain(SECRET.slice(10));
  });
});
