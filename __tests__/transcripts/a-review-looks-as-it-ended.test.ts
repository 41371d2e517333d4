import { expect, it } from '@jest/globals';
import { type ModelReply, text } from '../helpers/model-server.js';
import { CHANGE, calls, DOCS, LOGGED, REVIEWER, submit, TIMING } from './review-scene.js';
import { expectTranscript, setStage, steady } from './stage.js';

const DONE = text('Reviewed.');
const MAIL = CHANGE.replaceAll('src/auth.ts', 'src/mail.ts');

/** What stands on the pull request, in the check and in the job summary. */
async function look(model: readonly ModelReply[], diff: string, inputs: Readonly<Record<string, string>>) {
  const stage = await setStage({ base: { 'axe/agents/reviewer.toml': REVIEWER }, diff, model });
  const step = await stage.run({ inputs: { 'memory-store': 'branch', 'check-run': 'true', ...inputs } });
  const { reviews, reviewComments, checkRuns } = stage.repo.talk;
  const [check] = checkRuns;
  const parts = [
    reviews.map(({ body }) => body).join('\n\n') || '(no review)',
    `=== on lines\n${reviewComments.map(({ path, line, body }) => `${path}:${line}\n${body}`).join('\n\n')}`,
    `=== the check: ${check?.conclusion}, ${check?.title}\n${check?.summary}`,
    `=== the job summary\n${step.summary}`,
  ];
  return { step, said: steady(parts.join('\n\n')) };
}

it('where nothing was found: what was looked at, and that it was all', async () => {
  const clean = submit('Looked at how tokens are compared, what is logged, and the callers of `isValid`.');
  const { said, step } = await look([calls(clean), DONE], CHANGE, {});
  expect(step.outputs['conclusion']).toBe('success');
  expectTranscript('a-review-that-found-nothing', said);
});

it('where a limit cut it short: what was found so far, which limit it was, and how it goes on', async () => {
  const expensive = (reply: ModelReply): ModelReply =>
    reply.kind === 'tools' ? { ...reply, usage: { inputTokens: 40_000, outputTokens: 4000 } } : reply;
  const { said, step } = await look(
    [expensive(calls(LOGGED)), expensive(calls(TIMING)), DONE],
    CHANGE + MAIL,
    { 'max-cost-usd': '0.20' },
  );
  expect(step.outputs['conclusion']).toBe('budget-exceeded');
  expectTranscript('a-review-that-was-cut-short', said);
});

it('where `paths` left files out: that the rest is not known', async () => {
  const { said } = await look(
    [calls(LOGGED, submit('The token must not be logged. The comparison reads sound.')), DONE],
    CHANGE + DOCS + MAIL,
    { paths: 'src/**, !src/mail.ts' },
  );
  expectTranscript('a-review-of-a-part', said);
});

it('where no file is in `paths`: no review, and a check that says so', async () => {
  const { said, step } = await look([DONE], DOCS, { paths: 'src/**' });
  expect(step.outputs['conclusion']).toBe('skipped');
  expect(said).toMatch(/^\(no review\)/);
  expectTranscript('a-review-of-nothing', said);
});
