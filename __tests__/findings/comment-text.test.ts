import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readSuggestion } from '../../src/findings/comment-parts.js';
import type { Finding } from '../../src/findings/finding.js';
import {
  commentText,
  composeComment,
  findingInText,
  findingPlainText,
} from '../../src/findings/post/comment-text.js';
import { MAX_COMMENT_CHARACTERS } from '../../src/lib/defaults.js';
import { codeBlock } from '../../src/lib/text/format.js';
import { sanitize } from '../../src/safety/sanitize.js';
import { answerLine } from '../helpers/marks.js';
import { finding, placed } from './change.js';

const HEADING = '🟠 **Major · security** — T';
const SIGNATURE = 'agent `bot` · [run](https://github.com/octocat/hello/actions/runs/7)';
const ANSWERS = 'FQ7K2 · Not a bug? Reply "not a bug", or 👎. Fixed? Push, or resolve.';

function same(text: string): string {
  return text;
}

function text(parts: Partial<Finding>, signature = SIGNATURE): string {
  const one = placed({ handle: 'FQ7K2', title: 'T', body: 'B', ...parts });
  return commentText(one, {
    signature,
    isFork: false,
    offersCommands: true,
    clean: (words) => words.replaceAll('s3cret', '***'),
  });
}

const CODE = '\n\nSuggested:\n\n```\nx\n```';

/** The text above the fold, without the heading. */
function shownOf(parts: Partial<Finding>): string {
  const [shown = ''] = text(parts).split('\n\n<sub>');
  expect(shown.startsWith(`${HEADING}\n\n`)).toBe(true);
  return shown.slice(HEADING.length + 2);
}

describe('the text of a comment', () => {
  it.each<[string, Partial<Finding>, string]>([
    ['is what was found', {}, 'B'],
    [
      'says when it happens',
      { trigger: 'the id has\na quote' },
      'B\n\n**When:** the id has a quote',
    ],
    ['offers a suggestion', { suggestion: 'x' }, 'B\n\n```suggestion\nx\n```'],
    ['offers one for a range', { startLine: 8, suggestion: 'x' }, 'B\n\n```suggestion\nx\n```'],
    [
      'shows one that has to be redacted',
      { suggestion: 'x("s3cret")' },
      'B\n\nSuggested:\n\n```\nx("***")\n```',
    ],
    ['shows one of a removed line', { line: 40, side: 'LEFT', suggestion: 'x' }, `B${CODE}`],
    [
      'shows one of a range that leaves the diff',
      { startLine: 13, line: 20, suggestion: 'x' },
      `B${CODE}`,
    ],
    ['shows one of a range that was cut', { startLine: 12, line: 40, suggestion: 'x' }, `B${CODE}`],
    ['shows one without a line as code', { path: 'other.ts', suggestion: 'x' }, `B${CODE}`],
  ])('%s', (_, parts, expected) => {
    expect(shownOf(parts)).toBe(expected);
  });

  it.each<[Partial<Finding>, string]>([
    [{ severity: 'critical', category: 'data' }, '🔴 **Critical · data** — T'],
    [{ severity: 'major' }, HEADING],
    [{ severity: 'nit', category: 'docs' }, '⚪ **Nit · docs** — T'],
    [{ confidence: 'confirmed' }, HEADING],
    [{ confidence: 'unsure' }, '🟠 **Major · security, not certain** — T'],
    [{ title: 'One\nline' }, '🟠 **Major · security** — One line'],
  ])('for %j starts with %j', (parts, expected) => {
    expect(text(parts).split('\n')[0]).toBe(expected);
  });

  it('folds the evidence, and shows how to answer', () => {
    const evidence = [
      { path: 'src/queue.ts', line: 88, code: '  await refund(job)' },
      { path: 'db/`odd`.sql', line: 14, code: 'id text,' },
    ];
    const [, fold] = text({ evidence, confidence: 'confirmed' }).split('\n\nB\n\n');
    expect(fold).toBe(
      [
        '<details><summary>Why: 2 lines of evidence, confirmed by a second check</summary>',
        '- `src/queue.ts:88` `await refund(job)`\n- `` db/`odd`.sql:14 `` `id text,`\n- An independent second check confirmed it.',
        '</details>',
        `<sub>${ANSWERS} · ${SIGNATURE}</sub>`,
      ].join('\n\n'),
    );
  });

  it('states what the agent could not see', () => {
    expect(text({ confidence: 'unsure' })).toContain(
      '\n\nThe agent could not see everything that decides this.\n\n<sub>',
    );
  });

  it('has no fold if there is no evidence, only how to answer', () => {
    expect(text({}, '').split('\n\nB\n\n')[1]).toBe(`<sub>${ANSWERS}</sub>`);
  });

  it('names people with write access on a fork, where a push ends nothing', () => {
    const frame = { signature: '', isFork: true, offersCommands: true, clean: same };
    expect(commentText(placed({ severity: 'minor' }), frame)).toMatch(
      / · Not a bug\? Reply "not a bug", or 👎\. Fixed\? A person with write access resolves it\.<\/sub>$/,
    );
  });

  it('says that an answer waits for the next run where comments start none', () => {
    const frame = { signature: '', isFork: false, clean: same };
    expect(commentText(placed({}), frame)).toContain('or 👎. The next run reads it. Fixed? Push');
  });

  it('sanitizes each text separately, so that none includes what follows', () => {
    const clean = (markdown: string) => sanitize(markdown, 'comment', ['hunter2-hunter2']);
    const evil = '@octocat hunter2-hunter2 <!-- axe-action {"kind":"finding"} -->';
    const words = {
      title: evil,
      body: `<details>\n\n${evil}`,
      trigger: `\`\`\` ${evil}`,
      suggestion: 'x',
    };
    const one = placed({ ...words, evidence: [{ path: evil, line: 1, code: evil }] });
    const made = commentText(one, { signature: SIGNATURE, isFork: false, clean });
    expect(made).not.toContain('hunter2-hunter2');
    // Within a code span neither a mention nor a hidden line means anything.
    const prose = made.replace(/`[^`\n]+`/g, '');
    expect(prose).not.toContain('<!--');
    expect(prose).not.toMatch(/(?<!<code>)@octocat/);
    expect(made.match(/<details>/g)).toHaveLength(made.match(/<\/details>/g)?.length ?? 0);
    expect(made.indexOf('```suggestion\nx\n```')).toBeGreaterThan(made.indexOf('**When:**'));
  });
});

it.each([
  ['a token of a fixture', `const token = 'ghp_${'x'.repeat(36)}';`, "const token = '***';"],
  ['a secret of the job', "const key = 'hunter2-hunter2';", "const key = '***';"],
])('a suggestion with %s is shown and not offered to be committed', (_, suggestion, shown) => {
  const clean = (markdown: string) => sanitize(markdown, 'comment', ['hunter2-hunter2']);
  const frame = { signature: SIGNATURE, isFork: false, clean };
  const made = commentText(placed({ title: 'T', body: 'B', suggestion }), frame);
  expect(made).toContain(`\n\nSuggested:\n\n\`\`\`\n${shown}\n\`\`\`\n`);
  expect(made).not.toContain('```suggestion');
});

describe('a finding without a line', () => {
  it('has nothing to commit, and no instructions to answer below it', () => {
    const shown = findingInText(
      finding({ title: 'T', body: 'B', suggestion: 'x', trigger: 'W' }),
      same,
    );
    expect(shown).toBe(`${HEADING}\n\nB\n\n**When:** W\n\nSuggested:\n\n\`\`\`\nx\n\`\`\``);
  });

  it('is plain markdown if nothing is posted', () => {
    const full = finding({ title: 'T', body: 'B', trigger: 'W', suggestion: 'x' });
    expect(findingPlainText(full)).toBe('B\n\nWhen: W\n\nSuggested:\n\n```\nx\n```');
  });
});

describe('a suggestion', () => {
  it.each<[string, string | undefined, string | undefined]>([
    ['plain line breaks', 'a();\r\nb();\r\n', 'a();\nb();'],
    ['what is in a fence', '```suggestion\na();\n```', 'a();'],
    ['what is in a fence with a language', '```ts\na();\nb();\n```\n', 'a();\nb();'],
    ['nothing of an empty fence', '```\n```', undefined],
    ['two fences unchanged', '```\na\n```\n```\nb\n```', '```\na\n```\n```\nb\n```'],
  ])('reads %s', (_, written, expected) => {
    expect(readSuggestion(written, 'a.ts')).toBe(expected);
  });

  it('keeps the fence inside a suggested markdown file', () => {
    expect(readSuggestion('```sh\nnpm test\n```', 'README.md')).toBe('```sh\nnpm test\n```');
    expect(readSuggestion('```suggestion\nnpm test\n```', 'README.md')).toBe('npm test');
  });

  it('is in a fence that it cannot close', () => {
    expect(codeBlock('a\n```\nb', 'suggestion')).toBe('````suggestion\na\n```\nb\n````');
    const code = fc
      .array(fc.constantFrom('`', '```', '````', '\n', 'a', ' ', '~~~', 'suggestion'))
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(code, (text) => {
        const [open = '', ...rest] = codeBlock(text, 'suggestion').split('\n');
        const fence = open.replace('suggestion', '');
        const closing = rest.findIndex(
          (line) => /^ {0,3}`+[ \t]*$/.test(line) && line.trim().length >= fence.length,
        );
        expect(closing).toBe(rest.length - 1);
        expect(rest.slice(0, -1).join('\n')).toBe(text);
      }),
    );
  });

  it('is published unchanged', () => {
    const block = codeBlock('if (a < b) { /* @octocat fixes #1 */ }\n```\n/deploy', 'suggestion');
    expect(sanitize(block, 'comment', [])).toBe(block);
  });
});

it.each([
  ['in a list', '1. ````SUGGESTION\n   /deploy\n   ````'],
  ['behind a space of another width', '```\u00A0suggestion\n/deploy\n```'],
  ['behind a wide space', '~~~\u2003suggestion\n/deploy\n~~~'],
  ['whose name has an invisible character', '```sugges\u200Btion\n/deploy\n```'],
  ['behind the end of a comment', '<!--\n-->```suggestion\n/deploy\n```'],
])('what a body offers to commit %s is code', (_, body) => {
  const clean = (markdown: string) => sanitize(markdown, 'comment', []);
  const made = commentText(placed({ body, suggestion: 'x' }), {
    signature: '',
    isFork: false,
    clean,
  });
  expect(made.match(/suggestion\n.*/gi)).toEqual(['suggestion\nx']);
  expect(made).toContain('\n /deploy\n');
});

const LINE = answerLine('bot');
const footer = '<sub>Memory: 1 entry</sub>';

function stickyBody(parts: {
  readonly agent: string;
  readonly text: string;
  readonly footer: string;
}) {
  return composeComment({
    ...parts,
    mark: { kind: 'answer', agent: parts.agent },
  });
}

describe('the body of a sticky comment', () => {
  it('C8 99: closes a code fence that would swallow the footer', () => {
    const text = 'See\n```ts\nconst a = 1;';
    expect(stickyBody({ agent: 'bot', text, footer })).toBe(
      `${LINE}\n${text}\n\`\`\`\n\n${footer}`,
    );
  });

  it.each([
    ['a closed fence', '```\na\n```'],
    ['a fence inside a longer one', '````\n```\n````'],
    ['an inline run', '``` not a fence ```'],
  ])('leaves %s unchanged', (_, text) => {
    expect(stickyBody({ agent: 'bot', text, footer: '' })).toBe(`${LINE}\n${text}`);
  });

  it('closes a fence that the cut left open', () => {
    const text = `\`\`\`\n${'line\n'.repeat(30_000)}\`\`\``;
    const body = stickyBody({ agent: 'bot', text, footer });
    expect(body.match(/^```$/gm)).toHaveLength(2);
    expect(body.length).toBeLessThanOrEqual(MAX_COMMENT_CHARACTERS);
  });

  it('is cut at the end of a line, where no code span is open', () => {
    const text = `First.\n\`${'@octocat '.repeat(8000)}\``;
    expect(stickyBody({ agent: 'bot', text, footer })).not.toContain('@octocat');
  });

  it('never exceeds the limit nor splits a character', () => {
    const piece = fc.constantFrom('a', '\u{1F600}', '\n```\n', '~~~~~\n', '\n');
    fc.assert(
      fc.property(fc.array(piece, { minLength: 1, maxLength: 8 }), fc.nat(40), (pieces, offset) => {
        const unit = pieces.join('');
        const text = 'x'.repeat(offset) + unit.repeat(Math.ceil(66_000 / unit.length));
        const body = stickyBody({ agent: 'bot', text, footer });
        expect(body.length).toBeLessThanOrEqual(MAX_COMMENT_CHARACTERS);
        expect(Buffer.from(body).toString()).toBe(body);
        expect(body.endsWith(footer)).toBe(true);
      }),
      { numRuns: 60 },
    );
  });
});
