import { describe, expect, it } from '@jest/globals';
import type { Effect, Tool } from '../../src/axe/tools/tool.js';
import { noted } from '../../src/pipeline/reading.js';

function tool(effect: Effect): Tool {
  return {
    name: `a ${effect} tool`,
    effect,
    description: 'does something',
    inputSchema: { type: 'object' },
    execute: async (input) => ({ text: JSON.stringify(input), isError: false }),
  };
}

const { signal } = new AbortController();

describe('what an agent has read', () => {
  it.each<[Effect, boolean]>([
    ['read', false],
    ['memory', false],
    ['write', false],
    ['execute', false],
    ['publish', false],
    ['network', true],
  ])('by a tool with the effect %s is anybody’s: %s', async (effect, isTainted) => {
    const reading = { isTainted: false };
    const [watched] = noted([tool(effect)], reading);
    expect(watched).toMatchObject({ name: `a ${effect} tool`, effect });
    expect(reading.isTainted).toBe(false);
    expect(await watched?.execute({ x: 1 }, signal)).toEqual({ text: '{"x":1}', isError: false });
    expect(reading.isTainted).toBe(isTainted);
  });

  it('counts from the call on, before there is an answer', () => {
    const reading = { isTainted: false };
    const [watched] = noted([{ ...tool('network'), execute: () => new Promise(() => {}) }], reading);
    void watched?.execute({}, signal);
    expect(reading.isTainted).toBe(true);
  });

  it.each([true, false])(
    'is anybody’s where a result of a tool that only reads says so: %p',
    async (isTainted) => {
      const reading = { isTainted: false };
      const result = { text: 'a comment', isError: false, isTainted };
      const [watched] = noted([{ ...tool('read'), execute: async () => result }], reading);
      expect(await watched?.execute({}, signal)).toEqual(result);
      expect(reading.isTainted).toBe(isTainted);
    },
  );

  it('stays anybody’s', async () => {
    const reading = { isTainted: true };
    const [watched] = noted([tool('read')], reading);
    await watched?.execute({}, signal);
    expect(reading.isTainted).toBe(true);
  });

  it('is in the order of the tools', () => {
    const tools = [tool('network'), tool('read'), tool('network')];
    expect(noted(tools, { isTainted: false }).map(({ name }) => name)).toEqual(tools.map(({ name }) => name));
  });
});
