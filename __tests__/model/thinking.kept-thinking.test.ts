import { describe, expect, it } from '@jest/globals';
import type { Tool } from '../../src/tools/tool.js';
import { bindingClaude, CLAUDE_WIRES } from '../helpers/binding-claude.js';
import { startModelServer } from '../helpers/model-server.js';
import { converse } from './converse.js';
import { openAt } from './open-model.js';

const TURNS = 50;

interface Talk {
  /** What is known of the model's window. */
  readonly knownTokens?: number;
  readonly windowTokens?: number;
  readonly resultBytes?: number;
}

async function talk(ref: string, wire: keyof typeof CLAUDE_WIRES, how: Talk) {
  const { knownTokens, windowTokens = 1_000_000, resultBytes = 300 } = how;
  const claude = bindingClaude(CLAUDE_WIRES[wire], { turns: TURNS, windowTokens });
  const server = await startModelServer((request) => claude.answer(request));
  const model = await openAt(server, ref);
  const look: Tool = {
    name: 'look',
    effect: 'read',
    description: 'Looks.',
    inputSchema: { type: 'object', properties: {} },
    execute: async () => ({ text: 'r'.repeat(resultBytes), isError: false }),
  };
  const outcome = await converse(model, {
    model: { ref, model, price: undefined, windowTokens: knownTokens },
    tools: [look],
    maxTurns: 3 * TURNS,
  });
  return { claude, outcome, requests: server.requests().length };
}

const CONVERSATIONS: readonly (readonly [string, Talk])[] = [
  ['shortened', { knownTokens: 16_000, resultBytes: 2800 }],
  ['shortened by a summary', { knownTokens: 12_000, resultBytes: 500 }],
  ['overflowing', { windowTokens: 9_000, resultBytes: 2000 }],
];

const MODELS: readonly (readonly [string, keyof typeof CLAUDE_WIRES])[] = [
  ['anthropic/claude-sonnet-5-5', 'anthropic'],
  ['bedrock/us.anthropic.claude-fable-5-1-v1:0', 'bedrock'],
  ['openrouter/anthropic/claude-opus-5.5', 'openrouter'],
];

describe.each(MODELS)('thinking of %s over 50 turns', (ref, wire) => {
  it('is all sent back while nothing before it changes', async () => {
    const { claude, outcome, requests } = await talk(ref, wire, {});
    expect(outcome).toMatchObject({ kind: 'completed', answer: 'Done.', stats: { toolCalls: TURNS } });
    expect({ refused: claude.refused, kept: claude.kept, requests }).toEqual({
      refused: 0,
      kept: TURNS,
      requests: TURNS + 1,
    });
  });

  it.each(CONVERSATIONS)(
    'is left out once it is refused, since something has changed before it: %s',
    async (_, how) => {
      const { claude, outcome } = await talk(ref, wire, how);
      expect(outcome).toMatchObject({ kind: 'completed', answer: 'Done.', stats: { toolCalls: TURNS } });
      expect(claude.refused).toBeGreaterThan(0);
      expect(claude.refused).toBeLessThan(TURNS / 2);
      expect(claude.kept).toBeLessThan(TURNS);
      expect(claude.tooLong > 0).toBe(how.windowTokens !== undefined);
    },
  );
});
