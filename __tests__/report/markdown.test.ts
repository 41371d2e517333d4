import { describe, expect, it } from '@jest/globals';
import { AxeError } from '../../src/lib/errors.js';
import { count } from '../../src/lib/text/number.js';
import { code, codeBlock, details, errorBlock, oneLine, sections } from '../../src/report/markdown.js';
import { sanitize } from '../../src/safety/sanitize.js';

describe('markdown', () => {
  it.each([
    ['plain', '```text\nplain\n```'],
    ['`one` and ```three```', '````text\n`one` and ```three```\n````'],
    ['`````', '``````text\n`````\n``````'],
    ['</details>', '```text\n</details>\n```'],
  ])('puts %j into a fence that the text cannot end', (text, block) => {
    expect(codeBlock(text)).toBe(block);
    expect(sanitize(block, 'summary', [])).toBe(block);
  });

  it.each([
    ['octocat/hello@axe-memory:bot.md', '`octocat/hello@axe-memory:bot.md`'],
    ['nowhere (`memory-store: none`)', "`nowhere ('memory-store: none')`"],
    ['``', "`''`"],
  ])('shows %j as code', (place, shown) => {
    expect(code(place)).toBe(shown);
    expect(sanitize(shown, 'summary', [])).toBe(shown);
  });

  it('folds a part, and keeps it folded after sanitizing', () => {
    expect(details('More', 'Text.')).toBe('<details><summary>More</summary>\n\nText.\n\n</details>');
    expect(sanitize(`A\n\n${details('More', 'Text.')}\n\nB`, 'summary', [])).toBe(
      'A\n\n<details>\n<summary>More</summary>\n\nText.\n\n</details>\n\nB',
    );
  });

  it.each([
    [0, 'call', '0 calls'],
    [1, 'call', '1 call'],
    [2, 'error', '2 errors'],
    [1, 'entry', '1 entry'],
    [2, 'entry', '2 entries'],
  ])('counts %i %s as %s', (number, noun, text) => {
    expect(count(number, noun)).toBe(text);
  });

  it('removes line breaks, with the space around them', () => {
    expect(oneLine('a \n  b\n\nc d')).toBe('a b c d');
  });

  it('leaves out empty parts', () => {
    expect(sections(['a', '', 'b'])).toBe('a\n\nb');
    expect(sections(['', ''])).toBe('');
  });
});

describe('an error', () => {
  it('has its remedy below the block, where lines wrap', () => {
    const at = { file: 'a.toml', line: 3, column: 5 };
    const error = new AxeError('model must be a string', { remedy: 'Write it\nin `quotes`.', at });
    expect(errorBlock(error)).toBe(
      '```text\nmodel must be a string\n  at a.toml:3:5\n```\n\nWrite it in `quotes`.',
    );
    expect(errorBlock(new AxeError('no'))).toBe('```text\nno\n```');
  });
});
