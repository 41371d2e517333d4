import { expect, it } from '@jest/globals';
import type { RunOutcome } from '../../src/lib/outcome.js';
import { type Buffered, NOTHING_BUFFERED } from '../../src/review/buffered.js';
import { withActs } from '../../src/run/publish.js';
import { AGENT } from '../helpers/dependencies-fake.js';
import { completed, exhausted, reportOf, requestOf } from '../helpers/reports.js';
import { pullRequest } from '../helpers/triggers.js';
import { placed, readPull, startPull } from '../review/post-scene.js';
import { publisherOf } from './publisher-scene.js';

/** Publishes a finding and a label at the end of a run on pull request 42. */
async function publish(
  outcome: RunOutcome,
  comment: 'auto' | 'never' = 'auto',
  wanted: Partial<Buffered> = {},
) {
  const hello = await startPull();
  hello.repo.talk.labels.push('bug');
  const buffered = {
    ...NOTHING_BUFFERED,
    findings: [placed({ severity: 'minor' })],
    labels: { add: ['bug'], remove: [] },
    ...wanted,
  };
  const { publisher } = publisherOf({ client: hello.client, comment });
  const { plan } = await reportOf('planned', { agents: { bot: AGENT } });
  const change = { head: hello.headSha, base: hello.baseSha, diff: '' };
  const findings = withActs(await readPull(hello), 42, buffered);
  const about = { ...plan, trigger: pullRequest() };
  const published = await publisher.publish(requestOf(about, outcome, { buffered, change, findings }));
  const { talk } = hello.repo;
  return { published, reviews: talk.reviews.length, labels: talk.labelsOf.get(42) ?? [] };
}

it.each<[string, RunOutcome, 'auto' | 'never', string | undefined, number, readonly string[]]>([
  [
    'completed',
    completed(''),
    'auto',
    'Posted 1 comment on #42: src/a.ts:2. Added the label `bug`.',
    1,
    ['bug'],
  ],
  ['completed', completed(''), 'never', 'Added the label `bug`.', 0, ['bug']],
  ['was cut short', exhausted('cost', ''), 'auto', 'Posted 1 comment on #42: src/a.ts:2.', 1, []],
  ['failed', { ...exhausted('cost', ''), kind: 'failed' } as RunOutcome, 'auto', undefined, 0, []],
])(
  'a run that %s publishes its review, and its labels: %#',
  async (_, outcome, comment, line, reviews, labels) => {
    const { published, ...seen } = await publish(outcome, comment);
    expect([published.line, seen]).toEqual([line, { reviews, labels }]);
    expect(published.isReviewLost === true).toBe(reviews === 0);
  },
);

it('what the workflow does not allow is listed for the summary', async () => {
  const refusals = [{ tool: 'set_labels', why: 'Not accepted: "x".' }];
  const { published } = await publish(completed(''), 'auto', { refusals });
  expect(published.details).toBe('**Refused**\n\n- `set_labels`: Not accepted: "x".');
});
