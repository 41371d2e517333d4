import { describe, expect, it } from '@jest/globals';
import { code, details } from '../../../src/lib/text/format.js';
import { sanitize } from '../../../src/safety/sanitize.js';

describe('markdown', () => {
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
});
