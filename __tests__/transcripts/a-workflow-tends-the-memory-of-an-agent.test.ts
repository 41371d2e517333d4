import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { tempDir } from '../helpers/temp.js';
import {
  asking,
  forgottenOnBranch,
  idOf,
  idsOnBranch,
  nameOf,
  onBranch,
  rememberOnBranch,
  review,
} from './memory-command-scene.js';
import { expectTranscript, type Stage, seen, setStage, steady } from './stage.js';

const AUTH = review(3, {
  id: '01kgk41',
  task: 'Review pull request #41: Fix auth',
  result: 'Ask @octocat about `src/auth.ts:11`:\n\n```ts\nreturn expected == token;\n```',
});
const DOOR = review(4, {
  id: '01kgnp2',
  task: 'Review pull request #42: Close the door',
  result: 'Nothing to say.',
});
const TABS = review(5, {
  id: '01kgr83',
  task: 'Answer issue #7: Tabs or spaces',
  result: 'They ask for tabs.',
  event: 'issues',
  trust: 'untrusted',
});

/** A workflow that is started by hand, with a memory on its branch. */
async function startedByHand(): Promise<Stage> {
  const stage = await setStage({ event: { name: 'workflow_dispatch' } });
  rememberOnBranch(stage, { 'reviewer.md': AUTH + DOOR, 'untrusted/reviewer.md': TABS });
  return stage;
}

const COMMANDS = [
  'show',
  'show 01kgk41',
  'search auth',
  'show --lane untrusted',
  'forget 01kgk41',
  'edit 01kgnp2 "Fine since **pull request** #40."',
  'promote 01kgr83',
  'remember We never use floats for money',
  'verify',
];

it('a workflow shows, searches, forgets, edits, promotes, remembers and verifies, without a model', async () => {
  const stage = await startedByHand();
  const told: string[] = [];
  for (const command of COMMANDS) {
    // There is no key: no model is opened.
    const step = await stage.run({ ...asking(command), env: { ANTHROPIC_API_KEY: '' } });
    expect(step).toMatchObject({ exitCode: 0, stderr: '', annotations: [] });
    expect(step.outputs).toMatchObject({ conclusion: 'success', 'memory-store': 'repo' });
    const isChange = /^(?:forget|edit|promote|remember)/.test(command);
    expect([command, step.outputs['memory-saved']]).toEqual([command, String(isChange)]);
    expect(step.outputs['response']?.trim().split('\n')).toEqual(step.log.trim().split('\n'));
    told.push(`##### ${command}\n\n${seen(step, stage)}`);
  }
  expect(stage.model.requests()).toEqual([]);
  expect(stage.cache.entries()).toEqual([]);

  const [edited, promoted, remembered] = idsOnBranch(stage);
  expect([edited, promoted, remembered]).toEqual([
    expect.stringMatching(/^0[0-9a-z]{25}$/),
    `p-${idOf('01kgr83')}`,
    expect.stringMatching(/^0[0-9a-z]{25}$/),
  ]);
  expect(idsOnBranch(stage, 'untrusted/reviewer.md')).toEqual([]);
  expect(forgottenOnBranch(stage)).toEqual([idOf('01kgk41'), idOf('01kgnp2'), idOf('01kgr83')]);
  told.push(`##### the memory branch\n\n${steady(onBranch(stage))}`);
  expectTranscript('a-workflow-tends-the-memory-of-an-agent', told.join('\n'));
  expect(stage.github.history(nameOf(stage), 'axe-memory')).toHaveLength(5);
});

it('a workflow exports to the outputs and to a file, and imports a file', async () => {
  const stage = await startedByHand();
  const workspace = tempDir('workspace');
  const printed = await stage.run(asking('export'));
  expect(printed.outputs['response']).toBe(AUTH + DOOR);
  expect(readFileSync(printed.outputs['response-file'] ?? '', 'utf8')).toBe(AUTH + DOOR);
  expect(printed.summary).toContain(`### reviewer: memory export\n\n\`\`\`\`text\n${AUTH}${DOOR}`.trimEnd());

  const written = await stage.run({ ...asking('export --lane untrusted --out kept/memory.md'), workspace });
  expect(written.log).toBe('Exported 1 entry to kept/memory.md.\n');
  expect(readFileSync(join(workspace, 'kept/memory.md'), 'utf8')).toBe(TABS);

  const whole = await stage.run({ ...asking('export --all --out all'), workspace });
  expect(whole.log).toBe('Exported 2 files to all.\n');
  expect(readFileSync(join(workspace, 'all/untrusted/reviewer.md'), 'utf8')).toBe(TABS);

  const fresh = review(6, { id: '01kgtw4', task: 'Review the docs', result: 'They are short.' });
  writeFileSync(join(workspace, 'more.md'), DOOR + fresh);
  const brought = await stage.run({ ...asking('import more.md'), workspace });
  expect(brought.log).toContain('Imported 1 entry; 1 was there already.');
  expect(idsOnBranch(stage)).toEqual(['01kgk41', '01kgnp2', '01kgtw4'].map(idOf));
});

it.each([
  ['export --out ../memory.md', /"\.\.\/memory\.md" is not a path inside the workspace/],
  ['import /etc/hostname', /"\/etc\/hostname" is not a path inside the workspace/],
  ['export --out .git/config', /"\.git\/config" is not a path inside the workspace/],
  ['import missing.md', /missing\.md: no such file/],
  ['forget 01kgzz9', /no entry with id `01kgzz9` in octo-org\/octo-repo@axe-memory\. Give the id as `show`/],
  ['bogus', /the input `memory-command`: unknown memory command "bogus"\n {2}Write one of: `show/],
  ['forget', /the input `memory-command`: `forget` needs <id>\n {2}Usage: `forget <id>/],
  ['edit 01kgk41 --text "open', /a quotation mark is not closed: "open/],
])('a workflow fails with one error that names the problem: %s', async (command, told) => {
  const stage = await startedByHand();
  const step = await stage.run(asking(command));
  expect(step).toMatchObject({ exitCode: 1, stderr: '', commands: ['error'] });
  expect(step.annotations).toMatchObject([{ level: 'error', message: expect.stringMatching(told) }]);
  expect(step.outputs).toMatchObject({ conclusion: 'failure', 'memory-saved': 'false' });
  expect(idsOnBranch(stage)).toEqual(['01kgk41', '01kgnp2'].map(idOf));
});

it('a workflow fails for an agent that is missing or has no memory, and if nothing can be reached', async () => {
  const stage = await startedByHand();
  const missing = await stage.run(asking('show', { agent: 'nobody' }));
  expect(missing.annotations).toMatchObject([
    { level: 'error', message: expect.stringMatching(/nobody[\s\S]*reviewer/) },
  ]);
  stage.github.commit(
    nameOf(stage),
    { 'axe/agents/plain.toml': 'name = "plain"\nmodel = "anthropic/m"\n' },
    { branch: stage.repo.defaultBranch },
  );
  const plain = await stage.run(asking('show', { agent: 'plain' }));
  expect(plain.annotations).toMatchObject([
    { message: 'the agent "plain" has no memory\n  Set `enabled = true` in `[memory]` of the agent.' },
  ]);
  const nowhere = await stage.run({
    ...asking('show', { agent: 'builtin/ask', 'github-token': '' }),
    env: { ACTIONS_RESULTS_URL: '', ACTIONS_RUNTIME_TOKEN: '' },
  });
  expect(nowhere.annotations).toMatchObject([
    {
      level: 'error',
      message: expect.stringMatching(/the memory could not be read: .*no token.*Give `github-token`/),
    },
  ]);
  expect([missing.exitCode, plain.exitCode, nowhere.exitCode]).toEqual([1, 1, 1]);
});

it('a workflow fails for problems in the memory, and lists them', async () => {
  const stage = await startedByHand();
  rememberOnBranch(stage, { 'reviewer.md': `${AUTH}<<<<<<< HEAD\n${DOOR}${AUTH}` });
  const step = await stage.run(asking('verify'));
  expect(step).toMatchObject({ exitCode: 1, outputs: { conclusion: 'failure', 'memory-saved': 'false' } });
  expect(step.annotations).toMatchObject([
    { level: 'error', message: '3 problems in the memory of `reviewer`; the job summary lists them.' },
  ]);
  for (const text of [step.summary, step.outputs['response'] ?? '', step.log]) {
    expect(text).toContain('reviewer.md:10: a conflict marker of git');
  }
});

it('a workflow stores no secret', async () => {
  const stage = await startedByHand();
  const secret = 'ghp_0123456789abcdefghijABCDEFGHIJ012345';
  const step = await stage.run(asking(`remember The token is ${secret}`));
  expect(JSON.stringify([step, onBranch(stage)])).not.toContain(secret.slice(8, 30));
  expect(onBranch(stage)).toMatch(/The token is \*\*\*\n<!-- axe-action v=1 /);
});

it('a workflow leaves memory unchanged in a dry run, and if it can only be read', async () => {
  const stage = await startedByHand();
  const dry = await stage.run(asking('forget 01kgk41', { 'dry-run': 'true' }));
  expect(dry).toMatchObject({ exitCode: 0, outputs: { conclusion: 'success', 'memory-saved': 'false' } });
  expect(dry.log).toMatch(/^Dry run: nothing was changed\. It is about this entry:\n\n- `01kgk41/);
  const never = await stage.run(asking('remember x', { 'memory-write': 'never' }));
  expect(never.annotations).toMatchObject([
    { message: 'Nothing was done: `memory-write: never` leaves memory as it is. Leave `memory-write` out.' },
  ]);
  expect(stage.github.history(nameOf(stage), 'axe-memory')).toHaveLength(1);
});

it('a workflow reveals nothing of a memory in another repository', async () => {
  const stage = await setStage({ event: { name: 'workflow_dispatch' } });
  const other = stage.github.addRepo('octo-org/memory', { isPrivate: true, contents: 'write' });
  const path = `${nameOf(stage)}/reviewer.md`;
  stage.github.commit('octo-org/memory', { [path]: AUTH + DOOR }, { branch: 'axe-memory' });
  const inputs = { 'memory-repo': `${other.owner}/${other.name}` };
  for (const command of [
    'show',
    'forget 01kgk41',
    'edit 01kgnp2 "Close it."',
    'remember Doors are to be closed',
  ]) {
    const step = await stage.run(asking(command, inputs));
    expect([command, seen(step, stage)]).toEqual([command, expect.not.stringMatching(/auth|door|close/i)]);
    expect([command, step.exitCode]).toEqual([command, command === 'show' ? 1 : 0]);
  }
  const kept = stage.github.files('octo-org/memory', 'axe-memory')[path] ?? '';
  expect(kept).toMatch(/Close it\.[\s\S]*Doors are to be closed/);
  expect(kept).not.toContain('Fix auth');
});

it('a workflow requires permission to write, which is named if it is missing', async () => {
  const stage = await startedByHand();
  stage.repo.contents = 'read';
  const step = await stage.run(asking('forget 01kgk41', { 'memory-store': 'repo' }));
  expect(step.annotations).toMatchObject([
    {
      level: 'error',
      message: expect.stringMatching(
        /^Nothing was done: the memory could not be changed: [\s\S]*`contents: write`/,
      ),
    },
  ]);
  expect(step.outputs['memory-save-error']).toMatch(/\S/);
  expect(step.exitCode).toBe(1);
});

it('a workflow works with another server than github.com', async () => {
  const stage = await setStage({ event: { name: 'workflow_dispatch' }, github: { isEnterprise: true } });
  rememberOnBranch(stage, { 'reviewer.md': AUTH + DOOR });
  const step = await stage.run(asking('forget 01kgk41'));
  expect(step).toMatchObject({ exitCode: 0, annotations: [] });
  expect(idsOnBranch(stage)).toEqual([idOf('01kgnp2')]);
});
