import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { type CacheFault, type CacheToken, startCacheServer } from '../helpers/cache-server.js';
import { jumpEnv } from '../helpers/clock-env.js';
import { ANSWER_LOST, graphQlRateLimit } from '../helpers/github-faults.js';
import { startModelServer, text } from '../helpers/model-server.js';
import { type RunningStep, type StepResult, startStep } from '../helpers/run-action.js';
import { runMainHere } from '../helpers/run-main.js';
import { tempDir } from '../helpers/temp.js';
import {
  BRANCH,
  type BranchScene,
  branchScene,
  earlierEntry,
  NO_CACHE,
  REPOSITORY,
} from './branch-scene.js';
import { expectNotSavedReported, resultsIn, scheduledStep, titles } from './memory-scene.js';
import { REPO, setStage, told } from './stage.js';

describe('the cache', () => {
  const BEFORE = 'It was fine before.';

  const UNREADABLE = { code: 'permission_denied', msg: 'cache read denied' };

  /** What is so, what is told, and what the model is given. */
  const TROUBLES: readonly [
    string,
    CacheToken,
    CacheFault | undefined,
    RegExp,
    readonly string[],
  ][] = [
    [
      'C3 34: a token that can only read the cache',
      { mayWrite: false },
      undefined,
      /^(?!.*issue_comment).*`schedule`: cache write denied.*`cache-mode: write`.*`memory-store: .*`/s,
      [BEFORE],
    ],
    [
      'C3 38: a cache that cannot be read, and is not written over',
      {},
      { operation: 'GetCacheEntryDownloadURL', status: 403, body: UNREADABLE, times: 99 },
      /`schedule`: the Actions cache could not be read: .*cache read denied/,
      [],
    ],
  ];

  it.each(TROUBLES)(
    '%s is reported once, and the entry is shown',
    async (_, ...[token, fault, told, given]) => {
      const cache = await startCacheServer();
      const model = await startModelServer([text(BEFORE), text('It rains.')]);
      await runMainHere(scheduledStep({ model, cache }));
      if (fault !== undefined) cache.fail(fault);
      const step = await runMainHere(scheduledStep({ model, cache, token }));
      expect(expectNotSavedReported(step, 'It rains.')).toMatch(told);
      expect(titles(step)).toEqual(['Memory not saved']);
      expect(step.log).not.toMatch(/\[(?:warning|error)\]|##\[|Failed to (?:save|restore)/);
      expect(resultsIn(model.prompts().at(-1)?.system ?? '')).toEqual(given);
      expect(cache.entries().filter(({ finalized }) => finalized)).toHaveLength(1);
    },
  );

  it('C3 33: a runner without a cache answers, and the warning names a store that works there', async () => {
    const model = await startModelServer([text('It rains.')]);
    const step = await runMainHere(scheduledStep({ model }));
    const told = expectNotSavedReported(step, 'It rains.');
    expect(told).toContain('there is no Actions cache here');
    expect(told).toContain('`memory-store: branch` with `permissions: contents: write`');
    expect(titles(step)).toEqual(['Memory not saved']);
  });
});

describe('the branch', () => {
  const BEFORE = earlierEntry('Before.', 'a');
  const OTHER = earlierEntry('By somebody else.', 'b');
  const COMMIT = { route: 'POST /graphql', contains: 'createCommitOnBranch' } as const;
  const CREATED = expect.stringMatching(/^notice: The branch .* was created to keep memory\./);

  /**
   * What happens while the model thinks, what is on the branch when the run has ended, and what is
   * told.
   */
  const CHANGES: readonly [
    string,
    (scene: BranchScene) => void,
    readonly string[],
    readonly unknown[],
  ][] = [
    [
      'C3 51: a branch that is deleted',
      ({ repo }) => void repo.branches.delete(BRANCH),
      ['Mine.'],
      [CREATED],
    ],
    [
      'C3 52: a branch from which a person removes an entry',
      ({ github }) => github.commit(REPOSITORY, { 'ask.md': OTHER }, { branch: BRANCH }),
      ['By somebody else.', 'Mine.'],
      [],
    ],
    [
      'C3 47: a branch whose commit is made and not confirmed',
      ({ github }) => github.fail({ ...ANSWER_LOST, ...COMMIT }),
      ['Before.', 'By somebody else.', 'Mine.'],
      [],
    ],
  ];

  it.each(CHANGES)('%s while the model thinks', async (_, during, after, expected) => {
    const scene: BranchScene = await branchScene({
      branch: { 'ask.md': BEFORE + OTHER },
      model: () => {
        during(scene);
        return text('Mine.');
      },
    });
    const step = await scene.run();
    expect(step).toMatchObject({ exitCode: 0, outputs: { 'memory-saved': 'true' } });
    expect(resultsIn(scene.memory())).toEqual(after);
    expect(told(step).flatMap((message) => message.split('\n'))).toEqual(expected);
  });

  it('C3 52: keeps the bytes of a person who edits it', async () => {
    const edited = `# What the bot knows\r\n\r\n${BEFORE.replace('Before.', 'Before, and \u00e9 by hand.')}A note of mine, without a line break`;
    const scene: BranchScene = await branchScene({
      branch: { 'ask.md': BEFORE, 'README.md': 'Hands off.' },
      model: () => {
        scene.github.commit(
          REPOSITORY,
          { 'ask.md': edited, 'README.md': 'Hands off.' },
          { branch: BRANCH },
        );
        return text('Mine.');
      },
    });
    const step = await scene.run();
    expect(step).toMatchObject({
      exitCode: 0,
      annotations: [],
      outputs: { 'memory-saved': 'true' },
    });
    expect(scene.memory()).toBe(`${edited}\n${step.outputs['memory-entry']}`);
    expect(scene.memory('README.md')).toBe('Hands off.');
  });

  it('C3 55: a second attempt of a run adds an entry, and receives that of the first', async () => {
    const { run, memory, model } = await branchScene({ isPrivate: true });
    for (const runAttempt of ['1', '2']) await run({ runId: '7', runAttempt, env: NO_CACHE });
    expect(resultsIn(memory())).toEqual(['Answer 0.', 'Answer 1.']);
    expect([...memory().matchAll(/ run=(\S+) /g)].map(([, at]) => at)).toEqual(['7/1', '7/2']);
    expect(new Set([...memory().matchAll(/ id=(\S+) /g)].map(([, id]) => id)).size).toBe(2);
    expect(resultsIn(model.prompts()[1]?.system ?? '')).toEqual(['Answer 0.']);
  });
});

describe('a refusal of the branch', () => {
  const LATER = { route: 'POST /graphql', times: 99 } as const;
  /** What GraphQL says of a name that leads to no repository, or to none that the token may see. */
  const message = 'Could not resolve to a Repository with the name.';
  const errors = [{ type: 'NOT_FOUND', path: ['repository'], message }];
  const NO_REPOSITORY = { data: { repository: null }, errors };

  /** What is so, and of the one warning the cause and the remedy. */
  const REFUSALS: readonly [string, (scene: BranchScene) => void, RegExp][] = [
    [
      'C3 48: a run whose token can only read',
      ({ repo }) => void Object.assign(repo, { contents: 'read' }),
      /Resource not accessible by integration.* Add `contents: write` under `permissions:` of the job/,
    ],
    [
      'C3 49: a run under a rate limit that ends in 40 minutes',
      ({ github }) =>
        github.fail({
          ...graphQlRateLimit(in40Minutes()),
          ...LATER,
          contains: 'createCommitOnBranch',
        }),
      /rate limit exceeded.* GitHub asks for a pause of 2[34]\d\d s/,
    ],
    [
      'C3 53: a run whose repository is renamed while the model thinks, and cannot be found',
      ({ github, model }) =>
        model.onRequest(() => github.fail({ ...LATER, status: 200, body: NO_REPOSITORY })),
      /saving to octo-org\/octo-repo@axe-memory failed: .*Could not resolve to a Repository with the name\. Add `contents: /,
    ],
  ];

  /** In seconds since 1970. */
  function in40Minutes(): number {
    return Math.round(Date.now() / 1000) + 40 * 60;
  }

  it.each(REFUSALS)('%s passes, reports it once, and shows the entry', async (_, set, told) => {
    const scene = await branchScene({ branch: { 'ask.md': earlierEntry('Before.') } });
    set(scene);
    const step = await scene.run({ env: NO_CACHE });
    expect(expectNotSavedReported(step, 'Answer 0.')).toMatch(told);
    expect(titles(step)).toEqual(['Memory not saved']);
    expect(resultsIn(scene.memory())).toEqual(['Before.']);
    expect(step.annotations[0]?.message).not.toMatch(/\.\.|undefined/);
  });

  it('C3 48: a run whose token does not see the private repository passes, and says what the token needs', async () => {
    const scene = await branchScene();
    scene.github.addRepo('octo-org/memory', { isPrivate: true, contents: {} });
    const step = await scene.run({ env: NO_CACHE, inputs: { 'memory-repo': 'octo-org/memory' } });
    expect(told(step)).toEqual([
      expect.stringMatching(
        /octo-org\/memory.* Check its name, and give a token that can \S+(?: to)? octo-org\/memory as `repositories-token`/,
      ),
    ]);
    expect(titles(step)).toEqual(['Memory not saved']);
  });
});

it('`memory-path` gives each job of a matrix a folder', async () => {
  const { run, github, model, memory } = await branchScene();
  const job = (path: string) =>
    run({
      job: 'test',
      inputs: { 'memory-path': path, prompt: `Look at ${path}.` },
      env: NO_CACHE,
    });
  const [one, other] = await Promise.all([job('packages/api'), job('packages/web')]);
  const next = await job('packages/api');

  for (const step of [one, other, next]) {
    expect(step).toMatchObject({ exitCode: 0, stderr: '', outputs: { 'memory-saved': 'true' } });
  }
  const logs = Object.keys(github.files(REPOSITORY, BRANCH)).filter(
    (path) => !path.endsWith('.state.md'),
  );
  expect(logs).toEqual(['packages/api/ask.md', 'packages/web/ask.md']);
  expect(next.outputs['memory-loaded']).toBe('1');
  expect(model.prompts()[2]?.system).toContain('**Task:** Look at packages/api.');
  expect(model.prompts()[2]?.system).not.toContain('packages/web');
  expect(resultsIn(memory('packages/api/ask.md'))).toHaveLength(2);
  expect(resultsIn(memory('packages/web/ask.md'))).toHaveLength(1);
  expect(next.summary).toContain(
    'https://github.com/octo-org/octo-repo/blob/axe-memory/packages/api/ask.md',
  );
});

it('a commit that GitHub does not answer takes no longer than its time limit, in the post step either', async () => {
  const COMMIT = 'createCommitOnBranch';
  const scene = await branchScene({ branch: { 'ask.md': earlierEntry('Before.') } });
  scene.github.fail({ route: 'POST /graphql', contains: COMMIT, status: 'stall', times: 99 });
  let running: RunningStep | undefined;
  let hung = 0;
  // The time of the step jumps whenever it waits for the answer.
  scene.github.onRequest(({ bytes }) => {
    if (!bytes.includes(COMMIT)) return;
    hung += 1;
    running?.kill('SIGUSR2');
  });
  const run = async (start: () => RunningStep): Promise<StepResult> => {
    running = start();
    return await running.finished.finally(() => {
      running = undefined;
    });
  };

  const options = scene.step({ env: { ...NO_CACHE, ...jumpEnv(46_000) } });
  const main = await run(() => startStep('main', options));
  expect(expectNotSavedReported(main, 'Answer 0.')).toMatch(
    /: there was no answer in time; gave up after 3 attempts in 1\d\d s\. \S/,
  );
  expect(hung).toBe(3);

  const { workspace, state } = main;
  const post = await run(() => startStep('post', { ...options, workspace, state }));
  expect(post).toMatchObject({ exitCode: 0, stderr: '', annotations: [] });
  expect(post.log).toMatch(/^Memory: still not saved: .*\b\d attempts in 1\d\d s\b/m);
  expect(hung).toBe(6);
  expect(resultsIn(scene.memory())).toEqual(['Before.']);
});

it.each([
  ['state, summary and temporary folder', ['GITHUB_STATE', 'GITHUB_STEP_SUMMARY', 'RUNNER_TEMP']],
  ['outputs', ['GITHUB_OUTPUT']],
])('a run that cannot write its %s saves memory, and warns of each', async (_, names) => {
  const stage = await setStage({ model: [text('It rains.')] });
  const folder = tempDir('full');
  writeFileSync(join(folder, 'file'), '');
  const full = Object.fromEntries(
    names.map((name) => [name, name === 'RUNNER_TEMP' ? join(folder, 'file') : folder]),
  );
  const run = await stage.run({ env: { ...NO_CACHE, ...full } });
  expect(run.exitCode).toBe(0);
  const warned = told(run).flatMap(
    (line) =>
      /^warning: `(\w+)` of the runner cannot be written: .+\. Free space/.exec(line)?.[1] ?? [],
  );
  expect(warned.sort()).toEqual(names);
  expect(stage.github.history(REPO, BRANCH)).toHaveLength(1);
  if (!names.includes('GITHUB_OUTPUT'))
    expect(run.outputs).toMatchObject({
      conclusion: 'success',
      'memory-saved': 'true',
      'response-file': '',
    });
});
