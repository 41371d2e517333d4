import { describe, expect, it } from '@jest/globals';
import { createTaintTracker, type TaintTracker } from '../../src/event/taint.js';
import { trackTaint } from '../../src/run/converse.js';
import type { Effect, Tool } from '../../src/tools/tool.js';

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

function tracked(given: Tool): { taint: TaintTracker; watched: Tool } {
  const taint = createTaintTracker({ kind: 'push' });
  const [watched = given] = trackTaint([given], taint);
  return { taint, watched };
}

describe('a tool that a run uses', () => {
  it.each<[Effect, boolean]>([
    ['read', false],
    ['memory', false],
    ['write', false],
    ['publish', false],
    ['execute', true],
    ['network', true],
  ])('with the effect %s taints the run: %s', async (effect, isTainting) => {
    const { taint, watched } = tracked(tool(effect));
    expect(watched).toMatchObject({ name: `a ${effect} tool`, effect });
    expect(taint.sources).toEqual([]);
    expect(await watched.execute({ x: 1 }, signal)).toEqual({ text: '{"x":1}', isError: false });
    expect(taint.sources).toEqual(isTainting ? [{ kind: 'tool', tool: `a ${effect} tool` }] : []);
  });

  it('taints from the start of the call, before there is an answer', () => {
    const { taint, watched } = tracked({ ...tool('network'), execute: () => new Promise(() => {}) });
    void watched.execute({}, signal);
    expect(taint.sources).toHaveLength(1);
  });

  it.each([true, false])('taints if its result is marked as tainted: %p', async (isTainted) => {
    const result = { text: 'a comment', isError: false, isTainted };
    const { taint, watched } = tracked({ ...tool('read'), execute: async () => result });
    expect(await watched.execute({}, signal)).toEqual(result);
    expect(taint.sources).toHaveLength(isTainted ? 1 : 0);
  });

  it('keeps its place among the tools', () => {
    const tools = [tool('network'), tool('read'), tool('network')];
    const watched = trackTaint(tools, createTaintTracker({ kind: 'push' }));
    expect(watched.map(({ name }) => name)).toEqual(tools.map(({ name }) => name));
  });
});
