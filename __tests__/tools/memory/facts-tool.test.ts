import { describe, expect, it } from '@jest/globals';
import { ToolError } from '../../../src/lib/errors.js';
import { createFactsTool } from '../../../src/tools/memory/facts-tool.js';
import { createNotesScene } from '../../memory/notes/notes-scene.js';

const COMMENT = `<!-- o/r@${'a'.repeat(40)} -->`;
const never = new AbortController().signal;

/** The tool of one run that was shown line 42 of a file, and issue 12. */
function open(memory = '') {
  const scene = createNotesScene({ files: memory === '' ? {} : { 'MEMORY.md': memory } });
  const tool = createFactsTool(scene.session, {
    hasRead: (issue) => issue === 12,
    async cite(content) {
      if (content.includes('src/unseen.ts')) throw new ToolError('line 1 was not shown to you');
      return content.replace(
        '(src/auth.ts:42)',
        `(src/auth.ts:42 "if (!token) return") ${COMMENT}`,
      );
    },
  });
  return {
    write: (content: unknown) => tool.execute({ content }, never),
    text: () => scene.text('MEMORY.md'),
  };
}

describe('the facts that a review keeps', () => {
  it('are lines of long-term memory that name their source', async () => {
    const { write, text } = open('We use tabs.\n');
    const result = await write(
      '- Nobody opens without a token (src/auth.ts:42)\nMoney is integer cents (#12)',
    );
    expect(result).toMatchObject({ isError: false });
    expect(await text()).toBe(
      `We use tabs.\n- Nobody opens without a token (src/auth.ts:42 "if (!token) return") ${COMMENT}\n- Money is integer cents (#12)\n`,
    );
  });

  it.each([
    ['without a source', 'Tokens are checked first.', 'a fact ends with its source'],
    ['with a source in the middle', 'See (#12) for tokens.', 'a fact ends with its source'],
    ['from an issue that was not read', 'Money is cents (#13)', '#13 was not shown to you'],
    ['from a line that was not shown', 'Opens (src/unseen.ts:1)', 'was not shown to you'],
    ['of 301 characters', `${'x'.repeat(295)} (#12)`, 'and this one has 301'],
    ['of white space', ' \n- \n', 'there is no fact'],
    ['with two others', 'A (#12)\nB (#12)\nC (#12)', 'a run keeps at most 2 facts'],
    ['next to one that is not allowed', 'A (#12)\nB', 'a fact ends with its source'],
  ])('are not one %s', async (_name, content, problem) => {
    const { write, text } = open();
    expect(await write(content)).toMatchObject({
      isError: true,
      text: expect.stringContaining(problem),
    });
    expect(await text()).toBeUndefined();
  });

  it('of 300 characters are kept', async () => {
    const { write } = open();
    expect(await write(`${'x'.repeat(294)} (#12)`)).toMatchObject({ isError: false });
  });

  it('are two in a run, and one that is known does not count', async () => {
    const { write, text } = open('- A (#12)\n');
    expect(await write('A (#12)')).toMatchObject({
      text: expect.stringContaining('has that already'),
    });
    for (const content of ['B (#12)', 'C (#12)'])
      expect(await write(content)).toMatchObject({ isError: false });
    const third = await write('D (#12)');
    expect(third).toMatchObject({ isError: true, text: expect.stringContaining('has kept 2') });
    expect(await text()).toBe('- A (#12)\n- B (#12)\n- C (#12)\n');
  });
});
