import { describe, expect, it } from '@jest/globals';
import { AxeError } from '../../src/lib/errors.js';
import { Budget } from '../../src/loop/budget.js';
import { type Conversation, runAgent } from '../../src/loop/run-agent.js';
import { checkObject } from '../../src/loop/structured.js';
import type { Tool } from '../../src/tools/tool.js';
import {
  call,
  createFakeModel,
  type FakeReply,
  opened,
  reply,
  says,
} from '../helpers/model-fake.js';
import { conversationOf, loopDeps } from './scene.js';

const executed: string[] = [];
const look: Tool = {
  name: 'look',
  effect: 'read',
  description: 'Looks',
  inputSchema: { type: 'object' },
  async execute() {
    executed.push('look');
    return { text: 'seen', isError: false };
  },
};

async function run(replies: readonly FakeReply[], patch: Partial<Conversation> = {}) {
  executed.length = 0;
  const model = createFakeModel(replies);
  const { deps, warnings } = loopDeps();
  const outcome = await runAgent(conversationOf(opened(model), { tools: [look], ...patch }), deps);
  return { outcome, asked: model.asked, warnings };
}

/** The last message that the model was sent. */
function lastMessage({ asked }: { asked: readonly { readonly prompt: readonly object[] }[] }) {
  return JSON.stringify(asked.at(-1)?.prompt.at(-1));
}

const WRITTEN = 'I look.\n<tool_call>{"name": "look", "arguments": {}}</tool_call>';

describe('a call that the model writes as text', () => {
  it('is never run: we ask once for a real call, then the rest of the text is the answer', async () => {
    const result = await run([says(WRITTEN), says(WRITTEN)]);
    expect(result.asked).toHaveLength(2);
    expect(lastMessage(result)).toContain('text is never run');
    expect(executed).toEqual([]);
    expect(result.outcome).toMatchObject({ kind: 'completed', answer: 'I look.' });
    expect(result.warnings).toMatchObject([
      {
        code: 'model-warning',
        message: expect.stringContaining('wrote a tool call as text'),
        remedy: expect.stringContaining('`--jinja`'),
      },
    ]);
  });

  it('leaves no answer if it is all of it', async () => {
    const whole = '{"name": "look", "arguments": {}}';
    const { outcome } = await run([says(whole), says(whole)]);
    expect(outcome).toMatchObject({ kind: 'completed', answer: '' });
  });

  it('is forgiven once the model calls the tool', async () => {
    const { outcome } = await run([says(WRITTEN), reply([call('c', 'look', {})]), says('Done.')]);
    expect(executed).toEqual(['look']);
    expect(outcome).toMatchObject({ kind: 'completed', answer: 'Done.' });
  });

  it('is text like any other for an agent without tools', async () => {
    const { outcome, asked } = await run([says(WRITTEN)], { tools: [] });
    expect(asked).toHaveLength(1);
    expect(outcome).toMatchObject({ kind: 'completed', answer: WRITTEN });
  });

  it('is not seen in JSON that was asked for', async () => {
    const form = { format: { type: 'json' as const }, check: checkObject };
    const { outcome } = await run([says('{"name": "look", "arguments": {}}')], { form });
    expect(outcome).toMatchObject({ kind: 'completed', answer: '{"name":"look","arguments":{}}' });
  });
});

describe('a conversation of which calls are required', () => {
  const required = (isMade: () => boolean): Partial<Conversation> => ({
    requiredCalls: {
      isMade,
      reminder: 'Call it.',
      missing: (calls) => new AxeError(`${calls.length} calls, and none was accepted`),
    },
  });

  it('ends after one reminder as a run without a review', async () => {
    const result = await run(
      [says('Fine.'), says('Fine!')],
      required(() => false),
    );
    expect(result.asked).toHaveLength(2);
    expect(lastMessage(result)).toContain('Call it.');
    expect(result.outcome).toMatchObject({
      kind: 'incomplete',
      isUnreviewed: true,
      answer: 'Fine!',
      error: { message: '0 calls, and none was accepted' },
    });
    expect(result.warnings).toMatchObject([{ message: expect.stringContaining('called no tool') }]);
  });

  it('gives no such warning if the model can call tools', async () => {
    const replies = [reply([call('c', 'look', {})]), says('Fine.'), says('Fine.')];
    const { outcome, warnings } = await run(
      replies,
      required(() => false),
    );
    expect(outcome).toMatchObject({ error: { message: '1 calls, and none was accepted' } });
    expect(warnings).toEqual([]);
  });

  it('ends like any other once one was accepted', async () => {
    const replies = [says('Fine.'), reply([call('c', 'look', {})]), says('Done.')];
    const { outcome } = await run(
      replies,
      required(() => executed.length > 0),
    );
    expect(outcome).toMatchObject({ kind: 'completed', answer: 'Done.' });
  });

  it('is reminded of both in one message', async () => {
    const result = await run(
      [says(WRITTEN), says('Fine.')],
      required(() => false),
    );
    expect(lastMessage(result)).toMatch(/text is never run\..*Call it\./);
    expect(result.asked).toHaveLength(2);
  });

  it('is not finished if the budget ends before they are made', async () => {
    const budget = new Budget({ maxTokens: 1, maxCostUsd: 0 });
    const { outcome } = await run([says('Fine.')], { ...required(() => false), budget });
    expect(outcome).toMatchObject({ kind: 'exhausted', limit: 'tokens' });
    expect(outcome).not.toHaveProperty('isAnswered');
  });
});
