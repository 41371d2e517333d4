import { expect, it } from '@jest/globals';
import { text } from '../helpers/model-server.js';
import {
  CHANGE,
  calls,
  LOGGED,
  push,
  QUEUE,
  QUIET,
  reviewStage,
  SECOND,
  submit,
  TIMING,
} from './review-scene.js';
import { expectTranscript, HEAD, steady } from './stage.js';

/** The diff after a rebase: the base has fifteen lines more above, and other blobs. */
const rebased = (diff: string) =>
  diff.replace('@@ -10,3 +10,', '@@ -25,3 +25,').replace('index 3f2a1b0..9c4d5e6', 'index 0a1b2c3..d4e5f60');

/** A pull request that was reviewed once, with two findings, and that is force-pushed then. */
async function forcePushed(diff: string) {
  const stage = await reviewStage(
    [
      calls(TIMING, LOGGED, submit('Two things to fix.')),
      text('Reviewed.'),
      calls(submit('Nothing new.')),
      text('Looked at the file that changed.'),
    ],
    { diff: CHANGE + QUEUE },
  );
  expect(await stage.run()).toMatchObject({ exitCode: 0, outputs: { 'findings-open': '2' } });
  const asked = stage.model.requests().length;
  const step = push(stage, SECOND, diff);
  stage.repo.abandoned.add(HEAD);
  const result = await stage.run({ ...step, runId: '1658821494' });
  expect(result.exitCode).toBe(0);
  return { stage, result, sent: stage.model.prompts()[asked]?.messages.join('\n') };
}

it('after a rebase the model is asked only about the file whose change is another one, and findings follow', async () => {
  const { stage, result, sent = '' } = await forcePushed(rebased(QUIET) + QUEUE);
  expect(sent).not.toContain('queue.length + 1');
  expect(sent).toContain('src/auth.ts:26 major security — "The comparison of tokens leaks by time"');
  expect(result.summary).toContain(
    '\nReviewed: 1 of 2 files at `6dcb09b`; the others that were read have the same patch as at `ec26c3e`.\n',
  );
  expect(stage.repo.talk.reviews).toHaveLength(1);
  expectTranscript('a-review-survives-a-rebase', steady(`${sent}\n`));
});

it('after a rebase that changes no patch no model is asked, and the run says so', async () => {
  const { result, sent } = await forcePushed(rebased(CHANGE) + QUEUE);
  expect(sent).toBeUndefined();
  expect(result.outputs).toMatchObject({
    conclusion: 'skipped',
    reason: 'nothing-new',
    'findings-open': '2',
  });
  expect(result.summary).toContain('Nothing to review has changed in pull request #2 since ec26c3e.');
});
