import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { MAX_COMMENT_CHARACTERS } from '../../src/lib/defaults.js';
import { answerMark, framedBody } from '../../src/review/publication.js';
import { formatMark } from '../../src/safety/mark.js';

const LINE = formatMark(answerMark('bot', 'trusted'));
const footer = '<sub>Memory: 1 entry</sub>';

function stickyBody(parts: { readonly agent: string; readonly text: string; readonly footer: string }) {
  return framedBody({ ...parts, mark: answerMark(parts.agent, 'trusted') });
}

describe('the body of a sticky comment', () => {
  it('is the marker, the text and the footer', () => {
    expect(stickyBody({ agent: 'bot', text: 'Fine.', footer })).toBe(
      `<!-- axe-action {"kind":"answer","agent":"bot","lane":"trusted"} -->\nFine.\n\n${footer}`,
    );
  });

  it('has no gap if there is no footer', () => {
    expect(stickyBody({ agent: 'bot', text: 'Fine.', footer: '' })).toBe(`${LINE}\nFine.`);
  });

  it('C8 100: is cut to GitHub’s limit, reports it, and keeps marker and footer', () => {
    const body = stickyBody({ agent: 'bot', text: 'word '.repeat(40_000), footer });
    expect(body.length).toBeLessThanOrEqual(MAX_COMMENT_CHARACTERS);
    expect(body.length).toBeGreaterThan(MAX_COMMENT_CHARACTERS - 2000);
    expect(body.startsWith(`${LINE}\n`)).toBe(true);
    expect(body.endsWith(`longer than a comment may be; the rest is in the job summary.*\n\n${footer}`)).toBe(
      true,
    );
  });

  it('C8 99: closes a code fence that would swallow the footer', () => {
    expect(stickyBody({ agent: 'bot', text: 'See\n```ts\nconst a = 1;', footer })).toBe(
      `${LINE}\nSee\n\`\`\`ts\nconst a = 1;\n\`\`\`\n\n${footer}`,
    );
  });

  it.each([
    ['a closed fence', '```\na\n```'],
    ['a fence inside a longer one', '````\n```\n````'],
    ['an inline run', '``` not a fence ```'],
    ['tildes around backticks', '~~~\n```\n~~~'],
  ])('leaves %s unchanged', (_, text) => {
    expect(stickyBody({ agent: 'bot', text, footer: '' })).toBe(`${LINE}\n${text}`);
  });

  it('closes a fence that the cut left open', () => {
    const text = `\`\`\`\n${'line\n'.repeat(30_000)}\`\`\``;
    const body = stickyBody({ agent: 'bot', text, footer });
    expect(body.match(/^```$/gm)).toHaveLength(2);
    expect(body.length).toBeLessThanOrEqual(MAX_COMMENT_CHARACTERS);
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
