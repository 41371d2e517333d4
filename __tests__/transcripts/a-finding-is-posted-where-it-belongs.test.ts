import { expect, it } from '@jest/globals';
import { text } from '../helpers/model-server.js';
import { calls, LOGGED, REVIEWER, raise, reviewStage, submit, TIMING } from './review-scene.js';
import { HEAD, REPO } from './stage.js';

const INPUTS = { 'check-run': 'true', 'block-on': 'major' };
const DONE = text('Reviewed.');
const FILE = Array.from({ length: 60 }, (_, index) => `line ${index + 1} of the file;`);
const { path: _path, line: _line, code: _code, suggestion: _suggestion, ...FAULT } = TIMING.input;

/** A review whose model raises these findings, and answers no question about them. */
async function review(...raised: readonly ReturnType<typeof raise>[]) {
  const stage = await reviewStage([calls(...raised), calls(submit('Read.')), DONE]);
  const step = await stage.run({ inputs: INPUTS });
  const [posted] = stage.repo.talk.reviews;
  return { stage, step, body: posted?.body ?? '', comments: stage.repo.talk.reviewComments };
}

it('a common line under a wrong number is asked about, and then in the text, without a button', async () => {
  const { stage, step, body, comments } = await review(
    raise('src/auth.ts', 10, { ...FAULT, code: '}', suggestion: '} // end' }),
  );
  expect(stage.model.prompts()[1]?.messages.join('\n')).toContain('Not accepted: line 10 of');
  expect(comments).toEqual([]);
  expect(body).toContain('### 1 finding without a line in the diff');
  expect(body).toContain(', not certain**');
  expect(body).not.toContain('```suggestion');
  expect(step.outputs).toMatchObject({ conclusion: 'success', 'findings-open': '1' });
  expect(stage.repo.talk.checkRuns).toMatchObject([{ conclusion: 'neutral' }]);
});

it('a line outside of the diff that the model has read is folded, and blocks nothing', async () => {
  const reader = REVIEWER.replace('tools = [', 'tools = ["github_file", ');
  const replies = [
    calls({ name: 'github_file', input: { path: 'src/auth.ts' } }),
    calls(raise('src/auth.ts', 50, { ...FAULT, code: FILE[49] })),
    calls(submit('Read.')),
    DONE,
  ];
  const stage = await reviewStage(replies, { base: { 'axe/agents/reviewer.toml': reader } });
  stage.github.commit(REPO, { 'src/auth.ts': FILE.join('\n') }, { branch: 'changes', sha: HEAD });
  const step = await stage.run({ inputs: INPUTS });
  const [posted] = stage.repo.talk.reviews;
  expect(posted?.body).toContain('**No findings in this change.**');
  expect(posted?.body).toContain('<summary>1 finding not from this change</summary>');
  expect(step.outputs).toMatchObject({ 'findings-open': '0' });
  expect(posted?.state).toBe('COMMENTED');
  expect(stage.repo.talk.checkRuns).toMatchObject([{ conclusion: 'success' }]);
});

it('a finding on an unchanged line of the diff is posted there, and blocks', async () => {
  const code = '  const expected = readToken();';
  const { stage, comments } = await review(
    raise('src/auth.ts', 10, { ...FAULT, reach: 'common', code }),
  );
  expect(comments).toMatchObject([{ path: 'src/auth.ts', line: 10 }]);
  expect(stage.repo.talk.reviews).toMatchObject([{ state: 'CHANGES_REQUESTED' }]);
  expect(stage.repo.talk.checkRuns).toMatchObject([{ conclusion: 'failure' }]);
});

it('suggestions for more or fewer lines than were quoted are shown as code', async () => {
  const { comments } = await review(
    raise('src/auth.ts', 12, {
      ...TIMING.input,
      start_line: 11,
      suggestion: '  return safe(expected, token);',
    }),
    raise('src/auth.ts', 11, {
      ...LOGGED.input,
      suggestion: '  console.log(1);\n  return expected == token;',
    }),
  );
  expect(comments).toHaveLength(2);
  for (const { body } of comments) {
    expect(body).toContain('Suggested:\n\n```\n');
    expect(body).not.toContain('```suggestion');
  }
});
