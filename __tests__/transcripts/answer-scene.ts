import { text } from '../helpers/model-server.js';
import { CHANGE, calls, LOGGED, push, REVIEWER, SECOND, submit, TIMING } from './review-scene.js';
import type { Stage } from './stage.js';
import { setStageInProcess } from './stage-in-process.js';

/**
 * A review with two findings, for people to answer; the next run raises them again. Memory is on a branch, `hubot` cannot
 * write.
 */
export async function reviewedForAnswers(set = setStageInProcess) {
  const stage = await set({
    base: { 'axe/agents/reviewer.toml': REVIEWER },
    diff: CHANGE,
    roles: { monalisa: 'write', hubot: 'read' },
    model: [
      calls(TIMING, LOGGED, submit('Two things.')),
      text('Done.'),
      calls(TIMING, LOGGED, submit('Still two things.')),
      text('Done again.'),
    ],
  });
  await stage.run({ inputs: ON_BRANCH });
  const [logged, timing] = stage.repo.talk.reviewComments;
  if (timing === undefined || logged === undefined) throw new Error('nothing was posted');
  return { stage, timing, logged };
}

/** The next push, with the lines as they were. */
export async function again(stage: Stage, sha = SECOND) {
  return await stage.run({ ...push(stage, sha, CHANGE), runId: '1658821494', inputs: ON_BRANCH });
}

/** Answers are learned from a memory that outlives the pull request. */
export const ON_BRANCH = { 'memory-store': 'branch' };
