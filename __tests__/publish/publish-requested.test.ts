import { expect, it } from '@jest/globals';
import type { Buffered } from '../../src/review/buffered.js';
import { startHello } from '../github/hello-fixture.js';
import { SCHEDULE } from '../helpers/triggers.js';
import { placed, publish, startPull } from './publish-scene.js';

const REVIEWED: Partial<Buffered> = {
  findings: [placed({ severity: 'minor' })],
  review: { summary: 'One thing.' },
  labels: { add: ['bug'], remove: [] },
};

it('a run publishes one review, then labels and the like, in one line', async () => {
  const hello = await startPull();
  hello.repo.talk.labels.push('bug');
  const { part, warnings } = await publish(hello, REVIEWED);
  expect(warnings).toEqual([]);
  expect(part.line).toBe('Posted 1 comment on #42: src/a.ts:2. Added the label `bug`.');
});

it.each(['exhausted', 'incomplete'] as const)('a run that is %s publishes the review alone', async (end) => {
  const hello = await startPull();
  hello.repo.talk.labels.push('bug');
  await publish(hello, REVIEWED, { end });
  expect(hello.repo.talk.reviews).toHaveLength(1);
  expect(hello.repo.talk.labelsOf.get(42) ?? []).toEqual([]);
});

it('what the workflow does not allow is reported', async () => {
  const refusals = [{ tool: 'set_labels', why: 'Not taken: "x".' }];
  expect((await publish(await startHello(), { refusals })).part).toEqual({
    isReview: false,
    line: undefined,
    url: undefined,
    details: '**Refused**\n\n- `set_labels`: Not taken: "x".',
    // Nothing is open, and no finding is left out.
    marks: [{ pull: 42, marks: [] }],
    posted: [],
    records: [],
    review: { open: [], isBlocking: false, unposted: [] },
  });
});

it('nothing is published without an event, and no review without a pull request', async () => {
  const hello = await startPull();
  expect((await publish(hello, REVIEWED, { trigger: { kind: 'local' } })).part).toEqual({ isReview: false });
  const { part } = await publish(hello, REVIEWED, { trigger: SCHEDULE });
  expect([part.isReview, hello.repo.talk.reviews]).toEqual([false, []]);
});
