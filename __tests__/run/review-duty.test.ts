import { describe, expect, it } from '@jest/globals';
import type { Trigger } from '../../src/event/trigger.js';
import { NO_PUBLICATIONS } from '../../src/findings/buffered-publications.js';
import type { PublicationBuffer } from '../../src/findings/publication-buffer.js';
import type { ToolCallRecord } from '../../src/lib/outcome.js';
import type { Plan } from '../../src/run/records.js';
import { requiredReview } from '../../src/run/review-duty.js';
import type { Tool } from '../../src/tools/tool.js';
import { comment, pullRequest } from '../helpers/triggers.js';

function required(
  trigger: Trigger,
  tools: readonly string[],
  buffered: Partial<typeof NO_PUBLICATIONS> = {},
) {
  const publications = { buffered: { ...NO_PUBLICATIONS, ...buffered } };
  return requiredReview(
    { trigger } as Plan,
    publications as PublicationBuffer,
    tools.map((name) => ({ name })) as Tool[],
  );
}

const refused = (tool: string, output: string): ToolCallRecord => ({
  turn: 1,
  tool,
  input: {},
  output,
  isError: true,
  isDenied: false,
  durationMs: 1,
});

describe('an accepted call of a review tool', () => {
  it.each<[string, Trigger, string[], boolean]>([
    ['a reviewer of a pull request', pullRequest(), ['add_review_comment'], true],
    ['an agent that only sums up', pullRequest(), ['submit_review'], true],
    [
      '`/axe review`',
      comment({ on: 'pull_request', body: '/axe review' }),
      ['submit_review'],
      true,
    ],
    ['a question', comment({ on: 'pull_request', body: 'Why?' }), ['submit_review'], false],
    ['an agent that sets labels', pullRequest(), ['set_labels', 'react'], false],
    ['a change on this machine', { kind: 'local' }, ['submit_review'], true],
  ])('is required or not, for %s', (_, trigger, tools, expected) => {
    expect(required(trigger, tools) !== undefined).toBe(expected);
  });

  it.each<[string, Partial<typeof NO_PUBLICATIONS>, boolean]>([
    ['nothing', {}, false],
    ['only refused calls', { refusals: [{ tool: 'submit_review', code: 'size' }] }, false],
    ['only a label', { labels: { add: ['bug'], remove: [] } }, false],
    ['a summary', { review: { summary: 'All is well.' } }, true],
    ['a finding that is open already', { repeated: [{}] as never }, true],
    ['a finding that was dismissed before', { heldBack: [{}] as never }, true],
    ['the end of an earlier finding', { settlements: [{}] as never }, true],
  ])('is made or not, with %s', (_, buffered, expected) => {
    expect(required(pullRequest(), ['submit_review'], buffered)?.isMade()).toBe(expected);
  });

  const REASON = 'Error: Not accepted: the change does not touch line 3 of `a.ts`.';
  it.each<[readonly ToolCallRecord[], string]>([
    [[], 'the model called no review tool'],
    [[refused('github_file', 'Error: not found')], 'the model called no review tool'],
    [
      [refused('submit_review', 'Error: Not accepted: `summary` is empty.')],
      'no call of a review tool was accepted: `summary` is empty.',
    ],
    [
      [refused('add_review_comment', REASON)],
      'its only finding was not accepted: the change does not touch line 3 of `a.ts`.',
    ],
    [
      Array.from({ length: 3 }, () => refused('add_review_comment', REASON)),
      'none of its 3 findings was accepted: the change does not touch line 3 of `a.ts`.',
    ],
  ])('is missed with its reason: %#', (calls, message) => {
    expect(required(pullRequest(), ['submit_review'])?.missing(calls).message).toBe(message);
  });
});
