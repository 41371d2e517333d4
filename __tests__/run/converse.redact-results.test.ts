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

describe('the result of a tool', () => {
  it('reaches the model without secrets, with all its other properties', async () => {
    const [tool] = redactResults([printing(`env: ${SECRET} ${btoa(SECRET)}`)], [SECRET]);
    expect(await tool?.execute({}, signal)).toEqual({ text: 'env: *** ***', isError: true, isTainted: true });
    expect(tool).toMatchObject({ name: 'run_command', effect: 'execute' });
  });

  it('is checked for secrets that are learned after the tool was created', async () => {
    const secrets: string[] = [];
    const [tool] = redactResults([printing(SECRET)], secrets);
    secrets.push(SECRET);
    expect((await tool?.execute({}, signal))?.text).toBe('***');
  });
});
