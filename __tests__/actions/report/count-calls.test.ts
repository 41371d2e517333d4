import { describe, expect, it } from '@jest/globals';
import { countCalls } from '../../../src/actions/report/count-calls.js';
import { called } from '../../helpers/reports.js';

const toAgent = (input: unknown, isDenied = false) => called('call_agent', { input, isDenied });

describe('what a run called', () => {
  it('is nothing where nothing was called', () => {
    expect(countCalls([])).toEqual([]);
  });

  it('is counted by tool, in the order of the first calls', () => {
    const calls = [called('b'), called('a'), called('b', { isError: true }), called('b')];
    expect(countCalls(calls)).toEqual([
      { name: 'b', calls: 3, errors: 1, isDenied: false },
      { name: 'a', calls: 1, errors: 0, isDenied: false },
    ]);
  });

  it('is counted by sub-agent where it was one', () => {
    const calls = [toAgent({ agent: 'linter' }), toAgent({ agent: 'tester' }), toAgent({ agent: 'linter' })];
    expect(countCalls(calls).map(({ name, calls: times }) => [name, times])).toEqual([
      ['call_agent → linter', 2],
      ['call_agent → tester', 1],
    ]);
  });

  it.each([
    [undefined, 'call_agent'],
    [null, 'call_agent'],
    ['linter', 'call_agent'],
    [{}, 'call_agent'],
    [{ agent: 7 }, 'call_agent'],
    [{ agent: '' }, 'call_agent'],
    [{ agent: 'a\nb' }, 'call_agent → a b'],
  ])('has a name where a sub-agent was called by %j', (input, name) => {
    expect(countCalls([toAgent(input)])).toMatchObject([{ name }]);
  });

  it('names no sub-agent where none could be called', () => {
    expect(countCalls([toAgent({ agent: 'linter' }, true)])).toMatchObject([
      { name: 'call_agent', isDenied: true },
    ]);
  });

  it.each([
    ['', '(no name)'],
    [' \n', '(no name)'],
    ['\u200B\u0007', '(no name)'],
    ['two\nlines', 'two lines'],
    ['x'.repeat(65), `${'x'.repeat(63)}…`],
    ['constructor', 'constructor'],
    ['__proto__', '__proto__'],
  ])('shows a tool that the model calls %j in one short line', (tool, name) => {
    expect(countCalls([called(tool)])).toEqual([{ name, calls: 1, errors: 0, isDenied: false }]);
  });
});
