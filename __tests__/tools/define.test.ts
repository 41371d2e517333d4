import { describe, expect, it } from '@jest/globals';
import { ToolError } from '../../src/lib/errors.js';
import { defineTool, type ToolText } from '../../src/tools/define.js';
import { quiet } from './fake-workspace.js';

function tool(run: (input: { readonly word: string }) => Promise<string | ToolText>) {
  return defineTool({
    name: 'echo',
    effect: 'read',
    description: 'Says it again.',
    shape: { word: { type: 'string', description: 'A word.', required: true } },
    run,
  });
}

describe('a tool', () => {
  it('answers with the result of its arguments', async () => {
    const echo = tool(async ({ word }) => `${word} ${word}`);
    expect(await echo.execute({ word: 'hi' }, quiet)).toEqual({ text: 'hi hi', isError: false });
  });

  it.each([true, false])('reports whether others wrote its answer: %p', async (isTainted) => {
    const echo = tool(async ({ word: text }) => ({ text, isTainted }));
    expect(await echo.execute({ word: 'hi' }, quiet)).toEqual({ text: 'hi', isTainted, isError: false });
  });

  it('is not run with wrong arguments', async () => {
    let ran = false;
    const echo = tool(async () => {
      ran = true;
      return '';
    });
    const result = await echo.execute({ wort: 'hi' }, quiet);
    expect(result.isError).toBe(true);
    expect(result.text).toContain('`word` is missing; `wort` is not an argument (did you mean `word`?)');
    expect(ran).toBe(false);
  });

  it('turns an error into a result', async () => {
    const echo = tool(async () => {
      throw new ToolError('no such word');
    });
    expect(await echo.execute({ word: 'hi' }, quiet)).toEqual({ text: 'no such word', isError: true });
  });

  it('rethrows a bug, for the loop to report', async () => {
    const echo = tool(async () => {
      throw new TypeError('a bug');
    });
    await expect(echo.execute({ word: 'hi' }, quiet)).rejects.toThrow('a bug');
  });

  it('is not run once the run was aborted', async () => {
    const echo = tool(async () => 'too late');
    await expect(echo.execute({ word: 'hi' }, AbortSignal.abort(new Error('over')))).rejects.toThrow('over');
  });
});
