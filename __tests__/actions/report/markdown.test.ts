import { describe, expect, it } from '@jest/globals';
import { formatSpend } from '../../../src/actions/report/format-usage.js';
import {
  code,
  codeBlock,
  details,
  drawCharts,
  errorBlock,
  oneLine,
  sections,
} from '../../../src/actions/report/markdown.js';
import { AxeError } from '../../../src/core/errors.js';
import { sanitize } from '../../../src/core/sanitize/sanitize.js';
import { count } from '../../../src/core/text/number.js';

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

describe('a chart in a cleaned summary', () => {
  const SPENT = {
    limits: { perPullUsd: 0, perDayUsd: 2 },
    pull: undefined,
    pullUsd: 0,
    day: '2026-11-23',
    dayUsd: 0.5,
  };
  const days = [{ day: '2026-11-22', usd: 1.25 }];

  it('is drawn where it shows what the last days cost', () => {
    const markdown = formatSpend({ ...SPENT, days }, 0.1);
    expect(sanitize(markdown, 'summary', [])).not.toContain('mermaid');
    expect(drawCharts(sanitize(markdown, 'summary', []))).toContain('```mermaid\nxychart-beta\n  title ');
  });

  it.each([
    'graph LR\n  a --> b',
    'xychart-beta\n  title "a"\n  click a "https://x.example"',
    'xychart-beta\n%%{init: {"themeCSS": "x"}}%%\n  bar [1]',
    'xychart-beta\n  title "![a](https://x.example/a.png)"',
    'xychart-beta',
  ])('is shown as its source where it is anything else: %j', (source) => {
    const cleaned = sanitize(`\`\`\`mermaid\n${source}\n\`\`\``, 'summary', []);
    expect(drawCharts(cleaned)).toBe(cleaned);
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
