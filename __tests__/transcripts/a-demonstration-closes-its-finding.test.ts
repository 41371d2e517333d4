import { expect, it } from '@jest/globals';
import {
  adding,
  demonstrationStage,
  FAULTY,
  HOLDS,
  reviewing,
  SECOND_ITEM,
  showing,
} from './demonstration-scene.js';
import { calls, conversations, push } from './review-scene.js';
import { troubles } from './stage.js';

/** Not the suggestion, which would end the finding by itself. */
const OTHER_FIX = FAULTY.replace('list[1]', 'list.at(0)');
const BLOCKING = { 'block-on': 'major' };

/** A pull request whose blocking finding is shown by a test. */
async function shown() {
  const model = reviewing([SECOND_ITEM], [calls(showing()), calls(HOLDS)]);
  const scene = await demonstrationStage(model);
  const { stage, workspace } = scene;
  const inputs = { ...scene.inputs, ...BLOCKING };
  const step = await stage.run({ workspace, inputs });
  expect(troubles(step)).toEqual([]);
  expect(stage.repo.talk.reviewComments[0]?.body).toContain('Shown by a test');

  /** Pushes a text of the file and runs the review again. */
  async function pushAndReview(code: string, more: Readonly<Record<string, string>> = {}) {
    const sha = scene.commit(code, more);
    const before = stage.model.prompts().length;
    const event = push(stage, sha, { diff: adding(code) });
    const result = await stage.run({ ...event, workspace, inputs });
    return { result, sha, asked: stage.model.prompts().slice(before) };
  }
  return { ...scene, pushAndReview };
}

it('a push that fixes a finding settles it by its test, with no look, also where it blocks', async () => {
  const { stage, pushAndReview } = await shown();
  const { sha, asked, result } = await pushAndReview(OTHER_FIX);
  expect(troubles(result)).toEqual([]);
  expect(asked.filter(({ tools }) => tools.includes('give_verdict'))).toEqual([]);
  expect(asked[0]?.messages[0]).toMatch(/F\w{4}: its test passes\. It is settled/);
  expect(conversations(stage)).toMatchObject([
    {
      isResolved: true,
      replies: [
        expect.stringMatching(
          new RegExp(
            `is settled by ${sha.slice(0, 7)}: its test passes at ${sha.slice(0, 7)}, pushed by`,
          ),
        ),
      ],
    },
  ]);
});

it('a push that keeps the fault in other words leaves the finding open, whatever the model says', async () => {
  const { stage, pushAndReview } = await shown();
  const { asked } = await pushAndReview(FAULTY.replaceAll('list', 'all'));
  expect(asked[0]?.messages[0]).toMatch(/F\w{4}: its test still fails\. It is open/);
  expect(conversations(stage)).toMatchObject([{ isResolved: false, replies: [] }]);
});

it('a test whose comment was edited is not run, and that is said', async () => {
  const { stage, pushAndReview } = await shown();
  const [comment] = stage.repo.talk.reviewComments;
  if (comment === undefined) throw new Error('there is no comment');
  Object.assign(comment, { body: comment.body.replace('first([1, 2])', 'first([1, 1])') });
  const { result, asked } = await pushAndReview(OTHER_FIX);
  expect(result.summary).toMatch(
    /Tests of earlier findings were not run: the test of F\w{4} was edited in its comment/,
  );
  expect(asked[0]?.messages[0]).not.toMatch(/its test/);
  expect(conversations(stage)).toMatchObject([{ isResolved: false }]);
});
