// slow
import { describe, expect, it } from '@jest/globals';
import { jumpEnv } from '../helpers/clock-env.js';
import type { RecordedRequest } from '../helpers/loopback.js';
import { type ModelReply, promptOf, text } from '../helpers/model-server.js';
import type { StepResult } from '../helpers/run-action.js';
import { runMainHere } from '../helpers/run-main.js';
import { BRANCH, NO_CACHE } from './branch-scene.js';
import { calls, conversations, lastCheck, reviewStage, submit, TIMING } from './review-scene.js';
import { REPO, type Stage, setStage } from './stage.js';

/** How a run is ended. The limit is reached because the clock of the run jumps. */
type End = 'the time limit' | 'SIGINT' | 'SIGTERM' | 'SIGKILL';

/** The part of a run in which it is ended, at the request that begins it. */
type Moment =
  | 'before the model'
  | 'in the model'
  | 'decide'
  | 'save'
  | 'say'
  | 'check'
  | 'remember';

const MOMENTS: readonly Moment[] = [
  'before the model',
  'in the model',
  'decide',
  'save',
  'say',
  'check',
  'remember',
];

/** 15 s, of which the model has 13.5 s; the jump is too short for any other limit. */
const INPUTS = { 'memory-store': 'branch', 'check-run': 'true', 'timeout-minutes': '0.25' };
const JUMP = jumpEnv(14_000);

const isReading = ({ bytes }: RecordedRequest) => bytes.includes('reviewThreads');

const isSave = ({ bytes }: RecordedRequest) => bytes.includes('createCommitOnBranch');

/** How often the run has read the conversation, and saved, before a request. */
interface Before {
  readonly readings: number;
  readonly saves: number;
}

/** A run commits twice: the record of findings, and its entry. */
const IS_MOMENT: Readonly<Record<Moment, (request: RecordedRequest, before: Before) => boolean>> = {
  'before the model': ({ path }) => path.includes('/compare/'),
  'in the model': () => false,
  decide: (request, { readings }) => readings > 0 && isReading(request),
  save: isSave,
  say: ({ method, path }) => method === 'POST' && path.endsWith('/reviews'),
  check: ({ method, path }) => method === 'PATCH' && path.includes('/check-runs/'),
  remember: (request, { saves }) => saves > 0 && isSave(request),
};

/**
 * A pull request and a memory branch. The model raises a finding and submits its review. If it is
 * to be ended itself, it raises the finding and then says nothing more. In the next run it raises
 * nothing, so what is said then was in the record; only if it was not asked before, it raises the
 * finding then.
 */
async function scene(moment: Moment): Promise<Stage> {
  let conversationsBegun = 0;
  const reply = (isFirst: boolean): ModelReply => {
    if (isFirst) conversationsBegun += 1;
    if (conversationsBegun > 1) return isFirst ? calls(submit('Nothing new.')) : text('Reviewed.');
    if (moment === 'in the model') return isFirst ? calls(TIMING) : { kind: 'stall' };
    return isFirst ? calls(TIMING, submit('One finding.')) : text('Reviewed.');
  };
  const stage = await reviewStage(
    (request) => reply(promptOf(request).messages.length === 1),
    { github: { validate: false } },
    setStage,
  );
  stage.github.commit(REPO, { 'README.md': 'Memory.\n' }, { branch: BRANCH });
  if (moment === 'before the model')
    stage.github.fail({ route: 'GET /repos/{owner}/{repo}/compare/{basehead}', status: 'stall' });
  return stage;
}

const OPTIONS = { inputs: INPUTS, env: { ...NO_CACHE, ...JUMP } };

/** Runs the main step, which is ended at the moment. */
async function ended(stage: Stage, end: End, moment: Moment): Promise<StepResult> {
  const { github, model } = stage;
  const running = stage.start(OPTIONS);
  let isEnded = false;
  const endIf = (isMoment: boolean) => {
    if (isMoment && !isEnded) running.kill(end === 'the time limit' ? 'SIGUSR2' : end);
    isEnded ||= isMoment;
  };
  let before: Before = { readings: 0, saves: 0 };
  github.onRequest((request) => {
    endIf(IS_MOMENT[moment](request, before));
    const readings = before.readings + Number(isReading(request));
    before = { readings, saves: before.saves + Number(isSave(request)) };
  });
  model.onRequest(() => endIf(moment === 'in the model' && model.requests().length === 2));
  const main = await running.finished;
  await github.idle();
  return main;
}

function stateIn({ github }: Stage): string {
  return github.files(REPO, BRANCH)['reviewer.state.md'] ?? '';
}

/** The review stands once on the pull request, and memory knows it and what it cost. */
function expectSaid(stage: Stage): void {
  expect(conversations(stage)).toMatchObject([{ at: 'src/auth.ts:12' }]);
  expect(stateIn(stage)).toMatch(/^- \{"kind":"finding",.*The comparison of tokens leaks/m);
  // A review whose answer was lost is accounted for by the run after it.
  expect(stateIn(stage)).toMatch(/^- \{"kind":"(?:posted",|heard",.*"review":4300000001)/m);
  expect(stateIn(stage)).toMatch(/^- \{"kind":"spent",.*"usd":0\.00/m);
}

/** The next run, in this process, says what nobody has said before, and nothing twice. */
async function expectNothingTwice(stage: Stage): Promise<void> {
  const again = { inputs: INPUTS, env: NO_CACHE, runAttempt: '2' };
  const next = await runMainHere(stage.optionsOf(again));
  expect(next).toMatchObject({ exitCode: 0, stderr: '', outputs: { conclusion: 'success' } });
  expectSaid(stage);
  expect(lastCheck(stage)).toMatchObject({ title: '1 open: 1 major · all files read' });
}

const CONCLUSION = { 'the time limit': 'timeout', SIGINT: 'cancelled', SIGTERM: 'cancelled' };
const REASON = {
  'the time limit': 'the time limit of the run was reached',
  SIGINT: 'the run was cancelled',
  SIGTERM: 'the run was cancelled',
};

describe.each(['the time limit', 'SIGINT', 'SIGTERM'] as const)('a run that %s ends', (end) => {
  it.each(MOMENTS)('%s', async (moment) => {
    const stage = await scene(moment);
    const main = await ended(stage, end, moment);
    const { exitCode, outputs, summary, log } = main;
    expect(main).toMatchObject({ signal: null, stderr: '' });

    const isBefore = moment === 'before the model';
    if (isBefore) {
      expect([exitCode, outputs['conclusion']]).toEqual([1, CONCLUSION[end]]);
      expect(stage.repo.talk.reviews).toEqual([]);
      expect(stateIn(stage)).toBe('');
    } else {
      expectSaid(stage);
      expect(log).toMatch(/^Posted 1 comment on #2: src\/auth\.ts:12\. 1 open: 1 major\. https:/m);
      expect(summary).toContain('Posted 1 comment on #2: src/auth.ts:12.');
      expect(outputs).toMatchObject({
        'findings-open': '1',
        'comment-url': expect.stringContaining('#pullrequestreview-'),
        'cost-usd': expect.stringMatching(/^0\.00/),
      });
    }
    if (moment === 'in the model') {
      expect([exitCode, outputs['conclusion'], outputs['coverage']]).toEqual([
        1,
        CONCLUSION[end],
        'part',
      ]);
      expect(outputs['memory-saved']).toBe('');
      expect(stage.repo.talk.reviews[0]?.body).toContain(`*Cut short: ${REASON[end]}.`);
      expect(lastCheck(stage)).toMatchObject({
        conclusion: 'neutral',
        title: '1 open: 1 major, cut short',
      });
      expect(stateIn(stage)).not.toContain('"kind":"reviewed"');
    } else if (!isBefore) {
      // The model had finished, so the run completes.
      expect([exitCode, outputs['conclusion'], outputs['coverage']]).toEqual([
        0,
        'success',
        'whole',
      ]);
      expect(outputs['memory-saved']).toBe('true');
    }

    const post = await stage.post(main, OPTIONS);
    expect(post).toMatchObject({ exitCode: 0, stderr: '', summary: '', outputs: {} });
    expect(post.log.trim()).toBe('Memory: nothing is left to save.');
    await expectNothingTwice(stage);
  });
});

describe('a run that is killed', () => {
  it.each(MOMENTS)('%s', async (moment) => {
    const stage = await scene(moment);
    const main = await ended(stage, 'SIGKILL', moment);
    expect(main).toMatchObject({ signal: 'SIGKILL', outputs: {}, summary: '' });
    const isBefore = moment === 'before the model';
    const isComplete = !isBefore && moment !== 'in the model';
    // The request at which it is killed is carried out, and it never sees the answer.
    const isSeen = moment === 'check' || moment === 'remember';
    if (isSeen) expect(main.log).toMatch(/^Posted 1 comment on #2/m);
    else expect(main.log).not.toContain('Posted');

    const post = await stage.post(main, OPTIONS);
    expect(post).toMatchObject({ exitCode: 0, stderr: '', annotations: [] });
    expect(post.outputs).toMatchObject({
      conclusion: 'cancelled',
      reason: 'the run was killed before its end',
      'memory-saved': isComplete ? 'true' : '',
    });
    expect(post.summary).toContain(`### ${isBefore ? 'axe-action' : 'reviewer'}: killed`);
    expect(post.summary.includes('- Posted: [pullrequestreview-')).toBe(isSeen);
    expect(post.outputs['comment-url'] !== undefined).toBe(isSeen);
    expect(post.summary).toMatch(isBefore ? /^- Cost: not known$/m : /^- Cost: \$0\.00\d\d$/m);
    expect(post.summary.includes('The comparison of tokens leaks by time')).toBe(
      !isBefore && !isSeen,
    );
    if (!isBefore) {
      expect(post.summary).toContain(`- Memory: saved to ${REPO}@${BRANCH}:`);
      expect(stateIn(stage)).toMatch(/^- \{"kind":"spent",.*"usd":0\.00/m);
      expect(lastCheck(stage)?.conclusion).not.toBe('success');
    }
    if (isSeen) expect(stateIn(stage)).toMatch(/^- \{"kind":"posted",/m);
    if (moment === 'remember') expectSaid(stage);
    // Whatever was accepted is in the record, said or not.
    if (!isBefore) expect(stateIn(stage)).toMatch(/^- \{"kind":"finding",.*leaks by time/m);

    const again = await stage.post(main, OPTIONS);
    expect(again).toMatchObject({ exitCode: 0, stderr: '', annotations: [] });
    await expectNothingTwice(stage);
  });
});
