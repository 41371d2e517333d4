import { readdirSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { requestName } from '../helpers/github-routes.js';
import { text } from '../helpers/model-server.js';
import { tempDir } from '../helpers/temp.js';
import { loadWebhook, payloadField } from '../helpers/webhooks.js';
import { BRANCH, branchScene, NO_CACHE } from './branch-scene.js';
import { resultsIn } from './memory-scene.js';
import { openPull, SECOND } from './review-scene.js';
import { DIFF, expectTranscript, REPO, seen, setStage, steady, told, troubles } from './stage.js';

const TRANSCRIPT = 'the-first-run-makes-the-memory-branch-and-the-next-run-is-given-its-entry';

/** No checkout, no cache, and no program that could be started. */
function bare() {
  return { workspace: tempDir('workspace'), env: { ...NO_CACHE, PATH: tempDir('empty') } };
}

it('the first run reports the new branch, and that it is public, and needs neither a checkout nor git', async () => {
  const stage = await setStage({
    model: ['First.', 'Second.', 'Third.'].map((answer) => text(answer)),
  });
  const opened = await stage.run(bare());
  expect(opened).toMatchObject({ exitCode: 0, outputs: { 'memory-saved': 'true' } });
  expect(readdirSync(opened.workspace)).toEqual([]);
  const [root] = stage.github.history(REPO, BRANCH);
  expect(root?.parents).toEqual([]);

  // Another pull request, then a comment on an issue.
  const pull = openPull(stage, { number: 3, sha: SECOND, diff: DIFF });
  const before = stage.github.requests().length;
  const other = await stage.run({ ...bare(), ...pull, runId: '2' });
  const asked = stage.github.requests().slice(before);
  // The model is given the newest version, and the entry is saved on top of the same.
  expect(asked.filter(({ bytes }) => bytes.includes(BRANCH)).map(requestName)).toEqual([
    'POST /graphql repository',
    'POST /graphql createCommitOnBranch',
  ]);
  expect(asked.filter(({ method, path }) => method !== 'GET' && path.includes('/git/'))).toEqual(
    [],
  );

  const comment = loadWebhook('issue_comment', 'created');
  stage.github.addIssue(REPO, { number: 1 });
  stage.repo.talk.eventComments.add(Number(payloadField(comment, 'comment.id')));
  stage.repo.roles.set(String(payloadField(comment, 'comment.user.login')), 'write');
  const third = await stage.run({
    ...bare(),
    runId: '3',
    event: { name: 'issue_comment', payload: comment },
  });

  expect([other, third].map(({ outputs }) => outputs['memory-saved'])).toEqual(['true', 'true']);
  expect([...troubles(other), ...troubles(third)]).toEqual([]);
  expect(stage.model.prompts().map(({ system }) => resultsIn(system).length)).toEqual([0, 1, 2]);
  expect(stage.model.prompts()[2]?.system).toMatch(/First\..*Second\./s);

  const messages = stage.github.history(REPO, BRANCH).map(({ message }) => message);
  const [newest = '', ...older] = messages;
  expect(newest.split('\n')).toEqual([
    'Update memory of reviewer (issue_comment 1) [skip ci]',
    '',
    expect.stringMatching(/^Run: https:\/\/github\.com\/.*\/actions\/runs\/3$/),
    expect.stringMatching(/^Axe-Save: \w{26}$/),
  ]);
  expect(older.map((message) => message.split('\n')[0])).toEqual([
    'Update memory of reviewer (pull_request 3) [skip ci]',
    'Update memory of reviewer (pull_request 2) [skip ci]',
  ]);
  const file = steady(stage.github.files(REPO, BRANCH)['reviewer.md'] ?? '');
  expectTranscript(
    TRANSCRIPT,
    [
      seen(opened, { repo: { ...stage.repo, comments: [] } }),
      seen(third, stage),
      `=== reviewer.md\n${file}`,
    ].join('\n'),
  );
});

it('a private repository is not called public', async () => {
  const { run, github } = await branchScene({ isPrivate: true });
  const step = await run({ env: NO_CACHE });
  expect(told(step)).toEqual([
    'notice: The branch `octo-org/octo-repo@axe-memory` was created to keep memory.',
  ]);
  expect(step.summary).not.toContain('public');
  expect(github.calls()).toEqual([
    'POST /graphql repository',
    'POST /graphql repository',
    'POST /repos/{owner}/{repo}/git/trees',
    'POST /repos/{owner}/{repo}/git/commits',
    'POST /repos/{owner}/{repo}/git/refs',
  ]);
});
