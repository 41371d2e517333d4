import { describe, expect, it } from '@jest/globals';
import type { Tool } from '../../src/core/tools/tool.js';
import { redactResults } from '../../src/run/converse.js';

const SECRET = 'correct-horse-battery';
const { signal } = new AbortController();

function printing(text: string): Tool {
  return {
    name: 'run_command',
    effect: 'execute',
    description: 'prints',
    inputSchema: { type: 'object' },
    execute: async () => ({ text, isError: true, isTainted: true }),
  };
}

describe('what a tool brings', () => {
  it('reaches the model without secrets, and with all else it says of itself', async () => {
    const [tool] = redactResults([printing(`env: ${SECRET} ${btoa(SECRET)}`)], [SECRET]);
    expect(await tool?.execute({}, signal)).toEqual({ text: 'env: *** ***', isError: true, isTainted: true });
    expect(tool).toMatchObject({ name: 'run_command', effect: 'execute' });
  });

  it('is held against secrets that are learnt after the tool was made', async () => {
    const secrets: string[] = [];
    const [tool] = redactResults([printing(SECRET)], secrets);
    secrets.push(SECRET);
    expect((await tool?.execute({}, signal))?.text).toBe('***');
  });
});
