import { describe, expect, it } from '@jest/globals';
import type { ReviewRemark } from '../../../src/github/reading/review-remarks.js';
import { remarksMessage } from '../../../src/prompt/gc-prompts.js';
import { checkRules, withRules } from '../../../src/run/gc/learning.js';

const remark = (pull: number, at: number, patch: Partial<ReviewRemark> = {}): ReviewRemark => ({
  pull,
  url: `https://github.com/o/r/pull/${pull}#discussion_r${at}`,
  path: 'src/a.ts',
  body: 'Say why.',
  isActedOn: true,
  ...patch,
});
const link = (pull: number, at: number) => `[#${pull}](${remark(pull, at).url})`;

describe('the comments in the question', () => {
  it('have their link, file and label, and only their author’s own words', () => {
    const message = remarksMessage(
      [
        remark(1, 1, { body: 'Money is cents.', path: 'src/money.ts' }),
        remark(2, 2, { body: '> QUOTED\r\n\r\nNo.\r\n```suggestion\r\nCODE\r\n```\r\nUse `sql`.' }),
        remark(3, 3, { body: '````suggestion\nCODE without an end\n```' }),
        remark(4, 4, { body: 'Later.', isActedOn: false }),
      ],
      '# Rules\n',
    );
    expect(message).toContain(`${remark(1, 1).url} on src/money.ts (acted on):\nMoney is cents.`);
    expect(message).toMatch(/No\.\n+Use `sql`\./);
    expect(message).not.toMatch(/QUOTED|CODE/);
    expect(message).toContain('(not acted on):\nLater.');
    expect(message).toContain('--- REVIEW.md ---\n# Rules\n');
    expect(message.match(/<third-party-text source="review comment on/g)).toHaveLength(3);
    expect(remarksMessage([], '# Rules\n')).toBe('');
  });

  it('take at most 32 KiB', () => {
    const remarks = Array.from({ length: 300 }, (_, at) =>
      remark(at, at, { body: 'x'.repeat(900) }),
    );
    const message = remarksMessage(remarks, '');
    expect(message.length).toBeGreaterThan(25_000);
    expect(message.length).toBeLessThan(45_000);
  });
});

describe('proposed rules', () => {
  const remarks = [remark(42, 1), remark(57, 9), remark(61, 15)];
  const check = (rule: string, rulesFile = '', declined: readonly string[] = []) =>
    checkRules([rule], { remarks, rulesFile, declined });

  it.each([
    `- Money is integer cents, never a float (${link(42, 1)}, ${link(57, 9)})`,
    `- Every route checks \`requireAdmin\` first (${link(61, 15)})`,
  ])('are taken if their comments were sent: %s', (rule) => {
    expect(check(rule)).toEqual({ rules: [rule], problems: [] });
  });

  it.each([
    ['a made-up link', `- Tests come first (${link(99, 1)})`, 'that was not sent'],
    ['another number', `- Tests come first ([#57](${remark(42, 1).url}))`, 'that was not sent'],
    ['no link', '- Money is integer cents', 'that ends with links'],
    ['another link', `- See [this](https://e.org) (${link(42, 1)})`, 'not to a comment'],
    ['too many characters', `- ${'never '.repeat(40)}do it (${link(42, 1)})`, 'more than 200'],
    ['a hidden character', `- The log\u200b comes after (${link(42, 1)})`, 'cannot see'],
    ['a second line', `- One\n- Two (${link(42, 1)})`, 'cannot see'],
  ])('are left out with %s', (_name, rule, problem) => {
    const { rules, problems } = check(rule);
    expect(rules).toEqual([]);
    expect(problems).toEqual([expect.stringContaining(problem)]);
  });

  it('are left out if the file, a declined proposal or an earlier rule says the same', () => {
    const rule = `- Keep functions short (${link(42, 1)})`;
    const said = 'a rule was left out: the file or an earlier proposal says it already';
    expect(check(rule, '## Style\n\n- Keep functions  SHORT.\n').problems).toEqual([said]);
    expect(check(rule, '', [rule]).problems).toEqual([said]);
    expect(checkRules([rule, rule], { remarks, rulesFile: '', declined: [] })).toEqual({
      rules: [rule],
      problems: [said],
    });
  });

  it('are five at most, and those that fail take no place', () => {
    const good = Array.from({ length: 6 }, (_, at) => `- Rule number ${at} (${link(42, 1)})`);
    const { rules, problems } = checkRules(['- no link', ...good], {
      remarks,
      rulesFile: '',
      declined: [],
    });
    expect(rules).toEqual(good.slice(0, 5));
    expect(problems).toHaveLength(2);
  });
});

describe('the file of rules', () => {
  it.each([
    ['', '## Learned from reviews\n\n- A\n- B\n'],
    ['# Rules\n\nBe kind.\n', '# Rules\n\nBe kind.\n\n## Learned from reviews\n\n- A\n- B\n'],
    [
      '# Rules\n\n## Learned from reviews\n\n- Old\n\n## More\n\nText.\n',
      '# Rules\n\n## Learned from reviews\n\n- Old\n- A\n- B\n\n## More\n\nText.\n',
    ],
    ['## Learned from reviews\n', '## Learned from reviews\n\n- A\n- B\n'],
    [
      '## Learned from reviews\r\n\r\n- Old\r\n\r\n## More\r\n',
      '## Learned from reviews\r\n\r\n- Old\r\n- A\r\n- B\r\n\r\n## More\r\n',
    ],
  ])('gets rules in their section alone: %j', (before, after) => {
    expect(withRules(before, ['- A', '- B'])).toBe(after);
    expect(withRules(before, [])).toBe(before);
  });
});
