import { expect, it } from '@jest/globals';
import { makeGitRepo } from '../helpers/git-repo.js';
import { ANSWER_LOST, BAD_GATEWAY, staleMessage } from '../helpers/github-faults.js';
import type { FileTree } from '../helpers/github-state.js';
import { type ModelReply, text, toolCall } from '../helpers/model-server.js';
import { tempDir } from '../helpers/temp.js';
import { commentOnPull } from './review-scene.js';
import { HEAD, REPO, type Stage, type StageOptions, told, troubles } from './stage.js';
import { setStageInProcess } from './stage-in-process.js';
import { agentToml, resultsOf } from './tool-scene.js';

const TOOLS = ['read_file', 'edit_file', 'write_file', 'open_pull_request', 'push_to_pull_request'];
const AGENT: FileTree = {
  'axe/agents/fixer.toml': agentToml({ name: 'fixer', memory: true, tools: TOOLS }),
};
const LIMIT: FileTree = { ...AGENT, 'src/limit.ts': 'export const limit = 10;\n' };
const DIFF = `diff --git a/src/limit.ts b/src/limit.ts
new file mode 100644
index 0000000..1f7a7a4
--- /dev/null
+++ b/src/limit.ts
@@ -0,0 +1 @@
+export const limit = 10;
`;
const INPUTS = { agent: 'fixer', 'trigger-phrase': '@axe', 'changes-allowed': 'src/**' };
const OPENED = { name: 'pull_request', action: 'opened' };
const ASK = '@axe raise the limit.';
/** The branch of GitHub's example of a pull request. */
const BRANCH = 'changes';

const edit = (old: string, now: string) =>
  toolCall('edit_file', { path: 'src/limit.ts', old_string: old, new_string: now });
const push = (message = 'Raise the limit to 20') => toolCall('push_to_pull_request', { message });
const OTHER = toolCall('write_file', { path: 'src/other.ts', content: 'export {};\n' });
const EDITS: readonly ModelReply[] = [edit('= 10', '= 20'), push(), text('The limit is 20 now.')];

const LIMIT_20 = { ...LIMIT, 'src/limit.ts': 'export const limit = 20;\n' };

/** A pull request of a branch of the repository, below which somebody asks for a change. */
async function pullOf(options: StageOptions = {}, ref = BRANCH): Promise<Stage> {
  const event = { ...OPENED, patch: { 'pull_request.head.ref': ref } };
  const stage = await setStageInProcess({
    event,
    base: AGENT,
    diff: DIFF,
    model: EDITS,
    ...options,
  });
  stage.github.commit(REPO, LIMIT, { branch: ref, sha: HEAD });
  return stage;
}

const ask = (stage: Stage, inputs: object = {}, more: object = {}) =>
  stage.run({ ...commentOnPull(stage, ASK), inputs: { ...INPUTS, ...inputs }, ...more });

/** Something that happens while the model works, after its edit. */
function meanwhile(happen: (stage: Stage) => void): Promise<Stage> {
  const stage = pullOf({
    async model(_request, index) {
      if (index === 1) happen(await stage);
      return EDITS[index] ?? text('');
    },
  });
  return stage;
}

const headOf = ({ github }: Stage) => github.history(REPO, BRANCH)[0];

it('what a person asks for below a pull request is committed on its branch, verified', async () => {
  const stage = await pullOf();
  const step = await ask(stage);
  expect(step).toMatchObject({ exitCode: 0, outputs: { conclusion: 'success' } });
  expect(troubles(step)).toEqual([]);
  const commit = headOf(stage);
  expect(commit).toMatchObject({
    message: 'Raise the limit to 20',
    parents: [HEAD],
    committer: { name: 'GitHub' },
  });
  expect(stage.github.files(REPO, BRANCH)).toEqual(LIMIT_20);
  const sha = commit?.sha.slice(0, 7);
  expect(stage.repo.comments[0]?.body).toContain(
    `The limit is 20 now.\n\nPushed ${sha} to \`changes\`.\n`,
  );
  expect(step.summary).toContain(
    `[Pull request #2](https://github.com/${REPO}/pull/2). Its workflows wait for a person's approval, because the job's own token made the commit.`,
  );
  expect(step.outputs['pull-request-url']).toBe(`https://github.com/${REPO}/pull/2`);
  expect(step.outputs['memory-entry']).toContain(
    `Pushed ${sha} to \`changes\` of #2: \`src/limit.ts\`.`,
  );
  const writes = stage.github.calls().filter((call) => /createCommit|updateRefs/.test(call));
  expect(writes).toEqual(['POST /graphql createCommitOnBranch']);
});

it('each call makes a commit of what was edited since the last one, and the last one has the rest', async () => {
  const model = [
    edit('= 10', '= 20'),
    push('Raise the limit'),
    push('Raise the limit to 20'),
    OTHER,
    push('Add a file'),
    edit('= 20', '= 30'),
    text('Done.'),
  ];
  const stage = await pullOf({ model });
  const step = await ask(stage);
  expect(step.exitCode).toBe(0);
  const [second, first] = stage.github.history(REPO, BRANCH);
  expect([first?.message, second?.message]).toEqual(['Raise the limit to 20', 'Add a file']);
  expect(stage.github.files(REPO, BRANCH)).toEqual({
    ...LIMIT,
    'src/limit.ts': 'export const limit = 30;\n',
    'src/other.ts': 'export {};\n',
  });
  const shas = [first, second].map((commit) => commit?.sha.slice(0, 7)).join(', ');
  expect(step.outputs['memory-entry']).toContain(
    `Pushed ${shas} to \`changes\` of #2: \`src/limit.ts\`, \`src/other.ts\`.`,
  );
});

it('the message of a commit refers to nobody and stops no workflow', async () => {
  const addresses = 'https://github.com/octo/repo/is#sues/1 https://https://e.example/o/r/pull/2';
  const message = `For @octocat, #7 and GH-8 [skip ci] [sk@ip ci] [[no ci]] fixes GH-#1 GH-GH-2 ${addresses}`;
  const stage = await pullOf({ model: [edit('= 10', '= 20'), push(message), text('Done.')] });
  await ask(stage);
  expect(headOf(stage)?.message).toBe(
    'For octocat, 7 and 8 skip ci skip ci no ci fixes GH 1 2 https://redirect.github.com/octo/repo/issues/1 e.example/o/r/pull/2',
  );
});

it('what others pushed meanwhile stays below the commit', async () => {
  const newer = { ...LIMIT, 'README.md': 'Newer.\n' };
  const stage = await meanwhile(({ github }) => github.commit(REPO, newer, { branch: BRANCH }));
  const step = await ask(stage);
  expect(step.exitCode).toBe(0);
  expect(stage.github.files(REPO, BRANCH)).toEqual({ ...LIMIT_20, 'README.md': 'Newer.\n' });
});

const STALE = {
  status: 200 as const,
  body: { data: null, errors: [{ type: 'STALE_DATA', message: staleMessage(HEAD) }] },
};

it.each([
  ['is pushed to just then, twice', [STALE, STALE]],
  ['takes the commit, and the answer is lost', [ANSWER_LOST]],
  // The first request arrives while the second one is asked.
  ['takes the commit late', [BAD_GATEWAY, { ...STALE, afterEffect: true }]],
])('a branch that %s has the commit once', async (_, faults) => {
  const stage = await pullOf();
  for (const fault of faults)
    stage.github.fail({ route: 'POST /graphql', contains: 'createCommitOnBranch', ...fault });
  const step = await ask(stage);
  expect(step.exitCode).toBe(0);
  expect(stage.github.history(REPO, BRANCH).map(({ message }) => message)[0]).toBe(
    'Raise the limit to 20',
  );
  expect(stage.github.history(REPO, BRANCH)[1]?.sha).toBe(HEAD);
});

/** Every case: what goes wrong while the model works, and what people are told. */
it.each<[string, (stage: Stage) => void, RegExp]>([
  [
    'the file was changed meanwhile',
    ({ github }) => github.commit(REPO, { ...LIMIT, 'src/limit.ts': '11\n' }, { branch: BRANCH }),
    /"src\/limit\.ts" is not as the run has read it on "changes"\. Run it again\./,
  ],
  [
    'the branch was deleted meanwhile',
    ({ repo }) => void repo.branches.delete(BRANCH),
    /there is no branch "changes"/,
  ],
  [
    'the token cannot write contents',
    ({ repo }) => void Object.assign(repo, { contents: 'read' }),
    /Add `contents: write` under `permissions:` of the job\./,
  ],
  [
    'the branch is protected',
    ({ repo }) => void repo.rules.push({ branch: BRANCH, kind: 'protection', forbids: ['update'] }),
    /nothing was pushed: GitHub refused: /,
  ],
])(
  'if %s, the branch stays, the patch is in the summary and the step fails',
  async (_, happen, why) => {
    let before: string | undefined;
    const stage = await meanwhile((now) => {
      happen(now);
      before = now.repo.branches.get(BRANCH);
    });
    const step = await ask(stage, { 'memory-store': 'none' });
    expect(step).toMatchObject({ exitCode: 1, outputs: { conclusion: 'failure' } });
    expect(told(step).join('\n')).toMatch(why);
    expect(step.summary).toContain(
      "git apply <<'END_OF_PATCH'\ndiff --git a/src/limit.ts b/src/limit.ts\n",
    );
    expect(stage.repo.branches.get(BRANCH)).toBe(before);
  },
);

it('if the second of two commits cannot be made, the first one stays and the rest is a patch', async () => {
  const stage = await pullOf({
    model: [...EDITS.slice(0, 2), OTHER, push('Add a file'), text('Done.')],
  });
  stage.github.fail({
    route: 'POST /graphql',
    contains: 'createCommitOnBranch',
    skip: 1,
    status: 200,
    body: {
      data: null,
      errors: [{ type: 'UNPROCESSABLE', message: 'Repository rule violations found' }],
    },
  });
  const step = await ask(stage);
  expect(step.exitCode).toBe(1);
  expect(headOf(stage)?.message).toBe('Raise the limit to 20');
  const body = stage.repo.comments[0]?.body ?? '';
  expect(body).toMatch(
    /Pushed \w{7} to `changes`\. The rest was not pushed: GitHub refused: Repository rule violations found\. The patch is in the job summary\./,
  );
  expect(step.summary).toContain('diff --git a/src/other.ts b/src/other.ts\n');
  expect(step.summary).not.toContain('diff --git a/src/limit.ts');
});

it('a pull request of the default branch is not pushed to', async () => {
  const stage = await pullOf({}, 'master');
  const step = await ask(stage);
  expect(step.exitCode).toBe(1);
  expect(told(step).join('\n')).toContain('nothing was pushed: "master" is the default branch');
});

it('a run that has read the words of a stranger pushes nothing', async () => {
  const stage = await pullOf({ roles: { octocat: 'read' } });
  const { event } = commentOnPull(stage, ASK);
  Object.assign(event.payload['issue'] as object, {
    user: { login: 'octocat', id: 583231, type: 'User' },
  });
  const step = await stage.run({ event, inputs: INPUTS });
  expect(step.exitCode).toBe(0);
  expect(resultsOf(stage.model.prompts().at(-1))[1]).toMatch(
    /^Nothing is pushed, because it reads text by octocat, who is not known to have write access\./,
  );
  expect(stage.repo.comments[0]?.body).toContain('The patch is in the job summary.');
  expect(step.summary).toContain('git apply');
  expect(stage.repo.branches.get(BRANCH)).toBe(HEAD);
});

it('on a pull request from a fork nothing can be changed', async () => {
  const patch = { 'pull_request.head.repo.full_name': 'octocat/Hello-World' };
  const stage = await pullOf({ event: { ...OPENED, patch } });
  const step = await ask(stage);
  expect(step.exitCode).toBe(0);
  expect(stage.model.prompts()[0]?.tools).toEqual(['read_file']);
  expect(told(step).join('\n')).toContain(
    'agent "fixer" asks for `open_pull_request` and `push_to_pull_request`, but this run can change nothing',
  );
  expect(stage.repo.branches.get(BRANCH)).toBe(HEAD);
});

it('a checkout of another commit is not what is changed', async () => {
  const stage = await pullOf();
  const workspace = tempDir('checkout');
  const repo = makeGitRepo(workspace);
  repo.commit('first', { 'src/limit.ts': 'export const limit = 1;\n' });
  const step = await ask(stage, {}, { workspace });
  expect(step.exitCode).toBe(0);
  expect(stage.github.files(REPO, BRANCH)['src/limit.ts']).toBe('export const limit = 20;\n');
  expect(repo.git('status', '--porcelain')).toBe('');
});
