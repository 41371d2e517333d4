import { describe, expect, it } from '@jest/globals';
import {
  agentOf,
  type FindingMark,
  findingMarksOf,
  readFindingMark,
  readReviewMark,
} from '../../src/review/marks.js';
import { formatMark, isOwnText } from '../../src/safety/mark.js';
import { sanitize } from '../../src/safety/sanitize.js';
import { back, ended, marked, raised } from './threads.js';

const ALL: readonly FindingMark[] = [
  raised(),
  raised({
    unsure: true,
    closedBy: '',
    thread: 'T_1',
    comment: 7,
    title: 'a="b" -->\n<!-- x -->',
    path: 'ü:日本 --> @a.ts',
  }),
  ended(),
  ended({ state: 'dismissed', by: 'person', why: 'words', login: 'octocat', code: '', closed: false }),
  back(),
  back({ by: 'person', login: 'hubot', side: 'LEFT', closedBy: 'octocat' }),
];

describe('the marks of a text', () => {
  it.each<[string, object]>([['no lane', { ...raised(), lane: undefined }]])(
    'leave out one with %s, and no other',
    (_, mark) => {
      expect(readFindingMark(mark)).toBeUndefined();
      const line = formatMark({
        kind: 'finding',
        agent: 'bot',
        marks: [null, mark, raised()],
        lane: 'trusted',
      });
      expect(findingMarksOf(line)).toEqual([raised()]);
    },
  );

  it('cannot come from a model (C8 98)', () => {
    const cleaned = sanitize(marked(ALL), 'comment', []);
    expect(isOwnText(cleaned)).toBe(false);
    expect(isOwnText(sanitize(`\`\`\`\n${marked(ALL)}\n\`\`\``, 'comment', []))).toBe(false);
    expect(cleaned).toMatch(/\nText\.$/);
  });
});

describe('the mark of a review', () => {
  it('names its agent and commit, with every mark of its run', () => {
    const parts = { agent: 'a --> b', head: '--', lane: 'trusted', marks: ALL } as const;
    const text = `${formatMark({ kind: 'review', ...parts })}\n\nText`;
    expect(readReviewMark(text)).toEqual({ agent: 'a --> b', head: '--' });
    expect(findingMarksOf(text)).toEqual(ALL);
    expect(readReviewMark(`> ${text}`)).toBeUndefined();
    expect(readReviewMark(marked(ALL))).toBeUndefined();
  });

  it.each([['bot/reply-9', 'bot']])('%j is of the agent %j', (reviewer, agent) => {
    expect(agentOf(reviewer)).toBe(agent);
  });
});
