import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { makeGitRepo } from '../helpers/git-repo.js';
import { type ModelReply, startModelServer, text } from '../helpers/model-server.js';
import { runCli } from '../helpers/run-cli.js';
import { tempDir } from '../helpers/temp.js';
import { CHANGE, calls, LOGGED, push, raise, reviewStage, SECOND, submit } from './review-scene.js';
import { expectNoEntry, troubles } from './stage.js';

const INPUTS = { 'memory-store': 'branch', 'check-run': 'true', 'fail-on': 'incomplete' };

/** A file that the change does not touch, and that the model has not read. */
const { path: _path, line: _line, ...FAULT } = LOGGED.input;
const UNCHANGED = calls(...[1, 2, 3].map((line) => raise('README.md', line, FAULT)));
const NO_TOOL = 'The model called no review tool';
const UNACCEPTED = expect.stringMatching(
  /^None of its 3 findings was accepted: "README\.md" is not in the diff/,
);

const WORDS = '`src/auth.ts:11` writes the token to the log.';
const CALL = JSON.stringify({ name: 'submit_review', arguments: { summary: 'All is well.' } });

/** What the model says, before and after it is reminded. */
const KINDS: readonly (readonly [string, readonly ModelReply[], unknown])[] = [
  ['a finding as text', [text(WORDS)], NO_TOOL],
  ['a call as text', [text(CALL)], NO_TOOL],
  ['words', [text('Here is my review: looks good to me.')], NO_TOOL],
  ['nothing', [text('')], NO_TOOL],
  ['refused calls alone', [UNCHANGED, text('Three things.')], UNACCEPTED],
];

it.each(KINDS)(
  'a model that answers with %s is reminded once, and has reviewed nothing',
  async (_, replies, title) => {
    const last = replies.at(-1) ?? text('');
    const stage = await reviewStage([...replies, last, calls(submit('Fine.')), text('Fine.')]);
    const step = await stage.run({ inputs: INPUTS });
    expect(stage.model.requests()).toHaveLength(replies.length + 1);
    expect(stage.model.prompts().at(-1)?.messages.at(-1)).toContain('call `submit_review` alone');
    expect(step).toMatchObject({ exitCode: 1, outputs: { conclusion: 'incomplete' } });
    expect(step.summary).toContain('Nothing was reviewed');
    expect(stage.repo.talk.checkRuns).toMatchObject([{ conclusion: 'neutral', title }]);
    expect(stage.repo.talk.reviews).toEqual([]);
    expect(step.outputs).toMatchObject({ 'findings-open': '', coverage: 'none' });
    expectNoEntry(step);

    const next = push(stage, SECOND, { diff: CHANGE, fresh: CHANGE });
    await stage.run({ ...next, inputs: INPUTS });
    const prompt = stage.model.prompts()[replies.length + 1]?.messages[0] ?? '';
    expect(prompt).not.toContain('Changed since your last review');
    expect(stage.repo.talk.checkRuns.at(-1)).toMatchObject({
      conclusion: 'success',
      title: 'Nothing open · all files read',
    });
  },
);

it('a model that calls no tool at all gets a warning that says what is likely', async () => {
  const stage = await reviewStage([text(WORDS), text(WORDS)]);
  const step = await stage.run({ inputs: INPUTS });
  expect(troubles(step).map(({ level, message }) => `${level}: ${message}`)).toEqual([
    'warning: `anthropic/claude-sonnet-4-5` called no tool, even after we reminded it. The model or its server probably does not support tool calls. Choose a model that supports tool calls. On a server of your own, turn them on: llama.cpp needs `--jinja`, vLLM `--enable-auto-tool-choice`.',
    'error: the model called no review tool\n  Nothing was reviewed. Run it again, or choose another model.',
  ]);
  expect(stage.repo.comments[0]?.body).toContain(
    '*Not reviewed: the model called no review tool.*',
  );
});

it('an earlier finding that blocks keeps the check red, and the title says both', async () => {
  const inputs = { ...INPUTS, 'block-on': 'major' };
  const replies = [calls(LOGGED, submit('One.')), text('One.'), text(WORDS), text(WORDS)];
  const stage = await reviewStage(replies);
  await stage.run({ inputs });
  const step = await stage.run({ ...push(stage, SECOND, { diff: CHANGE, fresh: CHANGE }), inputs });
  expect(step.outputs).toMatchObject({ conclusion: 'incomplete', 'findings-open': '1' });
  expect(stage.repo.talk.checkRuns.at(-1)).toMatchObject({
    conclusion: 'failure',
    title: '1 open: 1 critical; the model called no review tool',
  });
});

it('a model that calls after the reminder has reviewed, and a review of nothing but its summary is green', async () => {
  const stage = await reviewStage([text(WORDS), calls(submit('All is well.')), text('Done.')]);
  const step = await stage.run({ inputs: INPUTS });
  expect(step.exitCode).toBe(0);
  expect(troubles(step)).toEqual([]);
  expect(stage.repo.talk.checkRuns).toMatchObject([
    { conclusion: 'success', title: 'Nothing open · all files read' },
  ]);
});

it.each([
  ['words', WORDS, `${WORDS}\n\n[Incomplete: the model called no review tool.]\n`],
  ['nothing', '', '[Incomplete: the model called no review tool.]\n'],
])('on the command line a review of %s is an error too', async (_, words, stdout) => {
  const repo = makeGitRepo(tempDir('repo'));
  repo.commit('Begin', { 'src/auth.ts': 'export const attempts = 3;\n' });
  repo.commit('Allow more attempts', { 'src/auth.ts': 'export const attempts = 300;\n' });
  const model = await startModelServer([text(words), text(words)]);
  const env = { ...model.env, XDG_DATA_HOME: join(tempDir('data')) };
  const cli = await runCli(['run', 'builtin/pr-reviewer', '--git', 'HEAD~1'], {
    cwd: repo.path,
    env,
  });
  expect(cli).toMatchObject({ exitCode: 1 });
  expect(cli.stdout.trim()).toBe(stdout.trim());
  expect(cli.stderr).toContain('the model called no review tool');
});
