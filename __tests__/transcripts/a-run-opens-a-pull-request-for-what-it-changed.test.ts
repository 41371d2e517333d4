// slow
import { execFileSync } from 'node:child_process';
import { expect, it } from '@jest/globals';
import { makeGitRepo } from '../helpers/git-repo.js';
import { waysHere } from '../helpers/jail.js';
import { type ModelReply, text, toolCall } from '../helpers/model-server.js';
import { tempDir, writeFiles } from '../helpers/temp.js';
import { loadWebhook, type PayloadPatch, schedulePayload } from '../helpers/webhooks.js';
import { commentOnPull } from './review-scene.js';
import {
  expectTranscript,
  HEAD,
  REPO,
  type Stage,
  type StageEvent,
  type StageOptions,
  seen,
  setStage,
  steady,
  told,
  troubles,
} from './stage.js';
import { setStageInProcess } from './stage-in-process.js';
import { agentToml, resultsOf } from './tool-scene.js';

// A missing jail is not a failure of what runs in one.
const inJail = waysHere().length > 0 ? it : it.skip;

const NAME = 'a-run-opens-a-pull-request-for-what-it-changed';
const TOOLS = [
  'read_file',
  'search_files',
  'write_file',
  'edit_file',
  'delete_file',
  'open_pull_request',
];
const FILES = {
  'axe/agents/fixer.toml': agentToml({ name: 'fixer', memory: true, tools: TOOLS }),
  'src/limit.ts': 'export const limit = 10;\n',
  'src/old.ts': 'export {};\n',
};
const FIXED = { ...FILES, 'src/limit.ts': 'export const limit = 20;\n' };
const MENTION = {
  name: 'issue_comment',
  action: 'created',
  patch: { 'comment.body': '@axe raise the limit to 20 and drop the old file.' },
};
const INPUTS = { agent: 'fixer', 'trigger-phrase': '@axe', 'changes-allowed': 'src/**' };
const BRANCH = 'axe/fixer/1-492700400';

const edit = (old: string, now: string) =>
  toolCall('edit_file', {
    path: 'src/limit.ts',
    old_string: `limit = ${old}`,
    new_string: `limit = ${now}`,
  });
const propose = (more: object = {}) =>
  toolCall('open_pull_request', { title: 'Raise the limit to 20', body: 'As you asked.', ...more });
const EDITS: readonly ModelReply[] = [edit('10', '20'), propose(), text('The limit is 20 now.')];

/** A stage in this process on which the model raises the limit. */
function stageOf(options: StageOptions = {}, set = setStageInProcess): Promise<Stage> {
  return set({ event: MENTION, base: FILES, model: EDITS, ...options });
}

/**
 * Nothing was left on GitHub: no branch but the default one and that of memory, and no pull
 * request.
 */
function expectNothingOpened({ repo }: Stage): void {
  expect([...repo.branches.keys()].filter((name) => name.startsWith('axe/'))).toEqual([]);
  expect(repo.pulls.size).toBe(0);
}

it('a person who mentions the agent gets a pull request, without a checkout', async () => {
  const model = [
    toolCall('search_files', { text: 'limit' }),
    edit('10', '20'),
    toolCall('delete_file', { path: 'src/old.ts' }),
    propose(),
    text('The limit is 20 now, and the old file is gone.'),
  ];
  const stage = await stageOf({ model }, setStage);
  const before = stage.repo.branches.get('master');
  const step = await stage.run({ inputs: INPUTS });
  expect(step).toMatchObject({ exitCode: 0, outputs: { conclusion: 'success' } });
  expect(troubles(step)).toEqual([]);
  const { 'src/old.ts': _, ...kept } = FIXED;
  expect(stage.github.files(REPO, BRANCH)).toEqual(kept);
  expect(stage.github.history(REPO, BRANCH)).toMatchObject([
    { message: 'Raise the limit to 20', parents: [before], committer: { name: 'GitHub' } },
    {},
  ]);
  const [pull] = stage.repo.pulls.values();
  const [base, head] = [{ ref: 'master' }, { ref: BRANCH }];
  expect(pull).toMatchObject({ title: 'Raise the limit to 20', base, head });
  const asked = stage.github.requests().map(({ method, path }) => `${method} ${path}`);
  const at = asked.findIndex((line) => line.endsWith('/git/refs'));
  expect(asked.slice(at - 1, at + 3)).toEqual([
    'POST /graphql',
    `POST /repos/${REPO}/git/refs`,
    'POST /graphql',
    `POST /repos/${REPO}/pulls`,
  ]);
  const body = (pull?.body ?? '').replace(/[0-9a-f]{40}/, '<sha>');
  expectTranscript(NAME, `${steady(seen(step, stage))}\n=== pull request\n${steady(body)}\n`);
});

it('a schedule brings its own pull request up to date, and leaves alone what somebody has added to it', async () => {
  let limit = 20;
  const stage = await stageOf({
    event: { name: 'schedule', payload: schedulePayload('0 6 * * 1') },
    model: (_, index) => {
      const title = `Raise the limit to ${limit}`;
      return [edit('10', String(limit)), propose({ title }), text('Done.')][index % 3] ?? text('');
    },
  });
  const repository = `${stage.repo.owner}/${stage.repo.name}`;
  const run = async () => {
    const step = await stage.run({ inputs: { ...INPUTS, prompt: 'Raise the limit.' } });
    expect(step).toMatchObject({ exitCode: 0 });
    expect(troubles(step)).toEqual([]);
    return step.outputs['pull-request-url'];
  };
  const first = await run();
  const [branch = ''] = [...stage.repo.branches.keys()].filter((name) =>
    name.startsWith('axe/fixer/'),
  );
  expect(branch).toMatch(/^axe\/fixer\/[a-z0-9]{8}$/);
  const trunk = stage.repo.defaultBranch;
  stage.github.commit(repository, { ...FILES, 'README.md': 'Newer.\n' }, { branch: trunk });
  limit = 30;
  expect(await run()).toBe(first);
  const newer = { 'README.md': 'Newer.\n', 'src/limit.ts': 'export const limit = 30;\n' };
  expect(stage.github.files(repository, branch)).toEqual({ ...FILES, ...newer });
  expect(stage.github.history(repository, branch)[1]?.sha).toBe(stage.repo.branches.get(trunk));
  expect([...stage.repo.pulls.values()]).toMatchObject([{ title: 'Raise the limit to 30' }]);
  stage.github.commit(repository, { 'src/mine.ts': 'Mine.\n' }, { branch });
  limit = 40;
  expect(await run()).not.toBe(first);
  expect(stage.github.files(repository, branch)['src/mine.ts']).toBe('Mine.\n');
  expect(stage.github.files(repository, `${branch}-2`)['src/limit.ts']).toBe(
    'export const limit = 40;\n',
  );
});

it.each<[string, StageEvent, PayloadPatch]>([
  ['manual start', { name: 'workflow_dispatch' }, {}],
  ['comment', MENTION, { ...MENTION.patch, 'comment.id': 7 }],
])('a task that another %s gives has a pull request of its own', async (_, event, patch) => {
  const stage = await stageOf({ event, model: (_asked, index) => EDITS[index % 3] ?? text('') });
  const again = {
    event: { name: event.name, payload: loadWebhook(event.name, event.action, patch) },
  };
  await stage.run({ inputs: { ...INPUTS, prompt: 'Raise the limit.' } });
  for (const _time of [1, 2])
    await stage.run({ ...again, inputs: { ...INPUTS, prompt: 'Lower it.' } });
  expect(stage.repo.pulls.size).toBe(2);
});

it('what is asked below a merged pull request goes into the default branch', async () => {
  const stage = await stageOf({ event: { name: 'pull_request', action: 'opened' } });
  const { event } = commentOnPull(stage, '@axe raise the limit');
  Object.assign(Object(event.payload['issue']), { state: 'closed' });
  stage.github.commit(REPO, FILES, { branch: 'changes', sha: HEAD });
  await stage.run({ event, inputs: INPUTS });
  const opened = [...stage.repo.pulls.values()].filter(({ head }) => head.ref.startsWith('axe/'));
  expect(opened.map(({ base }) => base.ref)).toEqual([stage.repo.defaultBranch]);
});

it('a run that has read the words of a stranger opens nothing, and its patch makes the change', async () => {
  const patch = { ...MENTION.patch, 'issue.user.login': 'octocat', 'issue.user.id': 583231 };
  const stage = await stageOf({ event: { ...MENTION, patch }, roles: { octocat: 'read' } });
  const workspace = tempDir('untrusted');
  const repo = makeGitRepo(workspace);
  repo.commit('first', { 'src/limit.ts': 'export const limit = 10;\n' });
  const step = await stage.run({ inputs: INPUTS, workspace });
  expect(step).toMatchObject({ exitCode: 0, outputs: { conclusion: 'success' } });
  expect(step.outputs['pull-request-url']).toBeUndefined();
  expectNothingOpened(stage);
  expect(resultsOf(stage.model.prompts().at(-1))[1]).toMatch(
    /^No pull request is opened, because it reads text by octocat, who is not known to have write access\./,
  );
  const [answer] = stage.repo.comments;
  expect(answer?.body).toContain('The patch is in the job summary.');
  // What was changed is in memory alone: the checkout is as it was.
  expect(repo.git('status', '--porcelain')).toBe('');
  const [, command = ''] = /^```sh\n(git apply <<[\s\S]*?)\n```$/m.exec(step.summary) ?? [];
  execFileSync('bash', ['-c', command], { cwd: workspace });
  expect(repo.git('diff', '--stat')).toMatch(/ src\/limit\.ts \| 2 \+-\n/);
  expect(repo.git('show', ':src/limit.ts')).toBe('export const limit = 10;\n');
});

it.each<[string, StageOptions, object]>([
  ['a stranger', { role: 'read' }, {}],
  ['a workflow that lets nothing be changed', {}, { 'changes-allowed': '' }],
])('for %s an agent has no tool that changes a file', async (_, options, inputs) => {
  const stage = await stageOf(options);
  await stage.run({ inputs: { ...INPUTS, 'min-permission': 'none', ...inputs } });
  expect(stage.model.prompts()[0]?.tools).toEqual(['read_file', 'search_files']);
  expectNothingOpened(stage);
});

it('in a checkout only what the file tools have written is committed', async () => {
  const stage = await stageOf();
  const workspace = tempDir('checkout');
  const repo = makeGitRepo(workspace);
  repo.commit('first', { 'src/limit.ts': 'export const limit = 10;\n' });
  writeFiles(workspace, { 'src/built.js': 'left by a command' });
  const step = await stage.run({ inputs: INPUTS, workspace });
  expect(step).toMatchObject({ exitCode: 0 });
  expect(stage.github.files(REPO, BRANCH)).toEqual(FIXED);
  expect(repo.git('status', '--porcelain').trim().split('\n')).toEqual([
    'M src/limit.ts',
    '?? src/built.js',
  ]);
});

/** Each case: what is allowed, and what becomes of the change of an agent that ran the tests. */
inJail.each([
  ['a commit, where commands reach no network', 'run_command', true],
  ['a patch, where they reach one', 'run_command(network)', false],
])('an agent that ran the tests gives %s', async (_, tool, isCommit) => {
  const toml = agentToml({ name: 'fixer', memory: true, tools: [...TOOLS, 'run_command'] });
  const base = { ...FILES, 'axe/agents/fixer.toml': toml };
  const tests = toolCall('run_command', { command: 'cat src/limit.ts && echo 1 passed' });
  const model = [edit('10', '20'), tests, propose(), text('The limit is 20, and tested.')];
  const event = { name: 'schedule', payload: schedulePayload('0 6 * * 1') };
  const stage = await stageOf({ event, base, model }, setStage);
  const workspace = tempDir('checkout');
  makeGitRepo(workspace).commit('first', base);
  const step = await stage.run({
    workspace,
    inputs: { ...INPUTS, prompt: 'Raise the limit.', 'tools-allowed': tool },
  });
  expect(step).toMatchObject({ exitCode: 0, outputs: { conclusion: 'success' } });
  expect(resultsOf(stage.model.prompts()[2]).at(-1)).toContain('limit = 20;\n1 passed');
  const why = 'because it reached the network with `run_command`';
  expect(step.summary.includes(why)).toBe(!isCommit);
  expect(step.summary.includes('git apply')).toBe(!isCommit);
  if (!isCommit) return expectNothingOpened(stage);
  const pulls = [...stage.repo.pulls.values()];
  const into = { ref: stage.repo.defaultBranch };
  expect(pulls).toMatchObject([{ title: 'Raise the limit to 20', base: into }]);
  const [branch = ''] = pulls.map(({ head }) => head.ref);
  const { owner, name } = stage.repo;
  expect(stage.github.files(`${owner}/${name}`, branch)).toMatchObject({
    'src/limit.ts': FIXED['src/limit.ts'],
  });
});

const AGENT = { 'axe/agents/fixer.toml': FILES['axe/agents/fixer.toml'] };
const FORBIDDEN = {
  message: 'GitHub Actions is not permitted to create or approve pull requests.',
};
const forbid = (rule: Omit<Stage['repo']['rules'][number], 'branch'>) => (stage: Stage) =>
  void stage.repo.rules.push({ branch: BRANCH, ...rule });
const EXECUTABLE = { 'src/limit.ts': { executable: FILES['src/limit.ts'] } };

/** Every case: what goes wrong at GitHub while the model works, and what people are told. */
it.each<[string, (stage: Stage) => void, RegExp]>([
  [
    'the file was changed meanwhile',
    ({ github }) => github.commit(REPO, { 'src/limit.ts': '11\n' }, { branch: 'master' }),
    /: "src\/limit\.ts" is not as the run has read it on "master"\. Run it again\./,
  ],
  [
    'the file was deleted meanwhile',
    ({ repo, github }) =>
      void repo.branches.set('master', github.commit(REPO, AGENT, { branch: 'other' })),
    /: "src\/limit\.ts" is not as the run has read it/,
  ],
  [
    'the file can be executed now',
    ({ github }) => github.commit(REPO, EXECUTABLE, { branch: 'master' }),
    /: "src\/limit\.ts": a commit through the API cannot keep links or executable files\. Leave these files out, or change them by hand\./,
  ],
  [
    'the token cannot write contents',
    ({ repo }) => void Object.assign(repo, { contents: 'read' }),
    /: .*Add `contents: write` under `permissions:` of the job\./,
  ],
  [
    'a rule forbids the branch',
    forbid({ kind: 'ruleset' }),
    /: .*Repository rule violations found/,
  ],
  ['a rule forbids commits on it', forbid({ kind: 'protection', forbids: ['update'] }), /: /],
  [
    'the setting forbids pull requests',
    ({ github }) =>
      github.fail({ route: 'POST /repos/{owner}/{repo}/pulls', status: 403, body: FORBIDDEN }),
    /: .*Allow GitHub Actions to create pull requests \(Settings, Actions, General\)/,
  ],
])(
  'if %s, nothing is left, the patch is in the summary and the step fails',
  async (_, happen, why) => {
    const stage = await stageOf({
      model(_request, index) {
        if (index === 1) happen(stage);
        return EDITS[index] ?? text('');
      },
    });
    const step = await stage.run({ inputs: { ...INPUTS, 'memory-store': 'none' } });
    expect(step).toMatchObject({ exitCode: 1, outputs: { conclusion: 'failure' } });
    expect(told(step).join('\n')).toMatch(new RegExp(`no pull request was opened${why.source}`));
    expect(step.summary).toContain(
      "git apply <<'END_OF_PATCH'\ndiff --git a/src/limit.ts b/src/limit.ts\n",
    );
    expectNothingOpened(stage);
  },
);

it('a base that is not there is named, and nothing is opened', async () => {
  const stage = await stageOf({
    model: [edit('10', '20'), propose({ base: 'nowhere' }), text('Done.')],
  });
  const step = await stage.run({ inputs: INPUTS });
  expect(step.exitCode).toBe(1);
  expect(told(step).join('\n')).toContain(
    'no pull request was opened: there is no branch "nowhere"',
  );
  expectNothingOpened(stage);
});

it('what an obedient model tries to change of what steers runs is refused, and is in no pull request', async () => {
  const write = (path: string) => toolCall('write_file', { path, content: 'x\n' });
  const paths = [
    '.github/workflows/x.yml',
    'axe/agents/fixer.toml',
    'AGENTS.md',
    'package-lock.json',
    '../out',
  ];
  const stage = await stageOf({ model: [...paths.map(write), ...EDITS] });
  const step = await stage.run({ inputs: { ...INPUTS, 'changes-allowed': 'true' } });
  const answers = resultsOf(stage.model.prompts().at(-1));
  for (const [at, path] of paths.entries())
    expect(answers[at]).toMatch(new RegExp(`^"${path}"(?: was not changed)?: `));
  expect(step.exitCode).toBe(0);
  expect(stage.github.files(REPO, BRANCH)).toEqual(FIXED);
});

/** Put together here, so that no scanner reports this file as a leak. */
const TOKEN = `ghp_${'q7Zk2Pv9Xw4L'.repeat(3)}`;

it('a change that brings a token is refused whole, and shown nowhere', async () => {
  const leak = toolCall('write_file', {
    path: 'src/key.ts',
    content: `export const key = "${TOKEN}";\n`,
  });
  const stage = await stageOf({ model: [edit('10', '20'), propose(), leak, text('Done.')] });
  const step = await stage.run({ inputs: INPUTS });
  const why =
    'o pull request was opened: "src/key.ts": line 1 would get a GitHub token from character 21 on.';
  expect(step).toMatchObject({ exitCode: 1, outputs: { conclusion: 'failure' } });
  expect(step.summary).toContain(why);
  expect(told(step).join('\n')).toContain(why);
  expect(step.summary).not.toContain('git apply');
  expectNothingOpened(stage);
});

it.each([
  ['a carriage return that would end the patch', 'a\rEND_OF_PATCH\rtouch pwned\r\n'],
  ['line breaks of Windows', 'a\r\n'],
  ['a character that nobody sees', 'a\u200b\n'],
])('a patch with %s is not made a command', async (_, line) => {
  const base = { ...FILES, 'src/limit.ts': `${line}export const limit = 10;\n` };
  const stage = await stageOf({ base, model: [edit('10', '20'), text('Done.')] });
  const step = await stage.run({ inputs: INPUTS });
  expect(step.summary).toContain('did not ask for a pull request. Its patch cannot be shown: ');
  expect(step.summary).not.toContain('END_OF_PATCH');
});

it('where a pull request fails whose patch cannot be shown, nothing says that it is', async () => {
  const base = { ...FILES, 'src/limit.ts': 'export const limit = 10;\r\n' };
  const stage = await stageOf({ base });
  stage.repo.rules.push({ branch: BRANCH, kind: 'ruleset' });
  const step = await stage.run({ inputs: INPUTS });
  expect(step.exitCode).toBe(1);
  const [answer] = stage.repo.comments;
  const annotations = told(step).join('\n');
  expect(annotations).toMatch(/no pull request was opened: .*Exclude the branch from the ruleset/);
  for (const text of [step.summary, answer?.body])
    expect(text).toMatch(/no pull request was opened: .*Its patch cannot be shown/i);
  for (const text of [annotations, step.summary, answer?.body])
    expect(text).not.toContain('is in the job summary');
});

it('a change for which no pull request was asked is not lost', async () => {
  const stage = await stageOf({ model: [edit('10', '20'), text('Done.')] });
  const step = await stage.run({ inputs: INPUTS });
  expect(step).toMatchObject({ exitCode: 0 });
  expect(step.summary).toContain('The agent changed 1 file but did not ask for a pull request.');
  expect(step.summary).toContain('+export const limit = 20;\n');
  const said =
    'Nothing was committed: the agent did not ask for it. The patch is in the job summary.';
  expect(stage.repo.comments[0]?.body).toContain(said);
  expectNothingOpened(stage);
});

it('a run that failed says nothing of what it changed where its answer would be', async () => {
  const stage = await stageOf({
    model: [edit('10', '20'), { kind: 'raw', status: 400, body: '' }],
  });
  await stage.run({ inputs: INPUTS });
  for (const { body } of stage.repo.comments) expect(body).not.toContain('Nothing was committed');
  expectNothingOpened(stage);
});

it('a run that did not come to its end opens nothing, and shows the patch', async () => {
  const stage = await stageOf({ model: [edit('10', '20'), propose(), edit('20', '30')] });
  const step = await stage.run({ inputs: { ...INPUTS, 'max-turns': '3' } });
  expect(step.summary).toContain('No pull request was opened: the run did not finish.');
  expect(step.summary).toContain('git apply');
  expectNothingOpened(stage);
});

it('what a pull request says is cleaned like a comment', async () => {
  const said = { title: `Raise it ${TOKEN}`, body: `@octocat ${TOKEN}` };
  const stage = await stageOf({ model: [edit('10', '20'), propose(said), text('Done.')] });
  await stage.run({ inputs: INPUTS });
  const [pull] = stage.repo.pulls.values();
  const body = expect.stringContaining('<code>@octocat</code> ***');
  expect(pull).toMatchObject({ title: 'Raise it ***', body });
});
