import { describe, expect, it } from '@jest/globals';
import { Circles } from '../../src/loop/circles.js';
import { toolCallsOf } from '../../src/loop/tool-calls.js';
import type { Tool } from '../../src/tools/tool.js';

type Call = readonly [tool: string, input: object];

const TOOLS = [
  { name: 'read', effect: 'read' },
  { name: 'edit', effect: 'write' },
  { name: 'fetch', effect: 'network', isReadOnly: true },
] as unknown as Tool[];

/** The call with which a conversation of such calls ends, and how many were not run before it. */
function play(calls: readonly Call[]) {
  const circles = new Circles();
  let refused = 0;
  for (const [index, [toolName, input]] of calls.entries()) {
    const part = {
      type: 'tool-call',
      toolCallId: 'c',
      toolName,
      input: JSON.stringify(input),
    } as const;
    const [call] = circles.count(toolCallsOf([part]), TOOLS);
    if ((call?.repeats ?? 0) >= 2) refused += 1;
    if (circles.areClosed) return { end: index + 1, refused };
  }
  return { end: undefined, refused };
}

const FIFTY = Array.from({ length: 50 }, (_, index) => index);
const inTurn = (...calls: readonly Call[]) =>
  FIFTY.map((index) => calls[index % calls.length] as Call);

const A: Call = ['read', { path: 'a', lines: { from: 1, to: 2 } }];
const A_REORDERED: Call = ['read', { lines: { to: 2, from: 1 }, path: 'a' }];
const B: Call = ['read', { path: 'b' }];
const C: Call = ['read', { path: 'c' }];
const PAGE: Call = ['fetch', { url: 'https://example.com' }];

describe('a conversation goes in circles', () => {
  it.each([
    ['the same call', inTurn(A), 10],
    ['the same change', inTurn(['edit', { path: 'a' }]), 10],
    ['the same page', inTurn(PAGE), 10],
    ['arguments in another order', inTurn(A, A_REORDERED), 10],
    ['two calls in turn', inTurn(A, B), 13],
    ['three calls in turn', inTurn(A, B, C), 16],
    ['an unknown tool with new arguments', FIFTY.map((n): Call => ['look', { n }]), 10],
    ['a call after fifty others', [...FIFTY.map((n): Call => ['read', { n }]), ...inTurn(A)], 60],
  ] as const)('with %s', (_, calls, end) => {
    expect(play(calls)).toEqual({ end, refused: 8 });
  });

  it.each([
    ['new calls', FIFTY.map((n): Call => ['read', { n }])],
    [
      'a file that is read again after each edit',
      FIFTY.map((n): Call => (n % 2 === 0 ? A : ['edit', { n }])),
    ],
    [
      'two commands in turn, as one waits for something',
      inTurn(['edit', { run: 'sleep 5' }], ['edit', { run: 'status' }]),
    ],
    ['ten files, each read twice', FIFTY.slice(0, 20).map((n): Call => ['read', { n: n % 10 }])],
  ] as const)('never with %s', (_, calls) => {
    expect(play(calls)).toEqual({ end: undefined, refused: 0 });
  });

  it('not before it starts again once results were left out', () => {
    const circles = new Circles();
    const count = () =>
      circles.count([{ id: 'c', tool: 'read', input: { path: 'a' } }], TOOLS)[0]?.repeats ?? 0;
    expect([count(), count(), count()]).toEqual([0, 1, 2]);
    circles.forget();
    expect(count()).toBe(0);
  });

  it('for each call of a turn on its own', () => {
    const call = { id: 'c', tool: 'read', input: {} };
    const counted = new Circles().count([call, call, call], TOOLS);
    expect(counted.map(({ repeats }) => repeats)).toEqual([undefined, 1, 2]);
  });
});
