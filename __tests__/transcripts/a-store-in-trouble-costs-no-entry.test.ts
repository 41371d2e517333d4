import { describe, expect, it } from '@jest/globals';
import { type CacheFault, type CacheToken, startCacheServer } from '../helpers/cache-server.js';
import { ANSWER_LOST, graphQlRateLimit } from '../helpers/github-faults.js';
import { startModelServer, text } from '../helpers/model-server.js';
import { runMainHere } from '../helpers/run-main.js';
import { BRANCH, type BranchScene, branchScene, earlierEntry, NO_CACHE, REPOSITORY } from './branch-scene.js';
import { expectNotSavedReported, resultsIn, scheduledStep, titles } from './memory-scene.js';
import { told, troubles } from './stage.js';

describe('the cache', () => {
  interface Trouble {
    readonly token?: CacheToken;
    readonly env?: Readonly<Record<string, string>>;
    readonly fault?: CacheFault;
    readonly told: RegExp;
    /** Default: the entry that was saved before. */
    readonly given?: readonly string[];
  }

  const BEFORE = 'It was fine before.';
  const TROUBLES: readonly (readonly [string, Trouble])[] = [
    [
      'C3 34: a token that can only read the cache',
      {
        token: { mayWrite: false },
        told: /^(?!.*issue_comment).*`schedule`: cache write denied.*`cache-mode: write`.*`memory-store: .*`/s,
      },
    ],
    [
      'C3 38: a cache that cannot be read, and is not written over',
      {
        fault: {
          operation: 'GetCacheEntryDownloadURL',
          status: 403,
          body: { code: 'permission_denied', msg: 'cache read denied' },
          times: 99,
        },
        told: /it could not be loaded, so nothing was added to it/,
        given: [],
      },
    ],
  ];

  it.each(TROUBLES)('%s is reported once, and the entry is shown', async (_, trouble) => {
    const { token, env, fault, told, given = [BEFORE] } = trouble;
    const cache = await startCacheServer();
    const model = await startModelServer([text(BEFORE), text('It rains.')]);
    await runMainHere(scheduledStep({ model, cache }));
    if (fault !== undefined) cache.fail(fault);
    const step = await runMainHere(scheduledStep({ model, cache, token }, { env }));
    expect(expectNotSavedReported(step, 'It rains.')).toMatch(told);
    expect(titles(step)).toEqual(['Memory not saved']);
    expect(step.log).not.toMatch(/\[(?:warning|error)\]|##\[|Failed to (?:save|restore)/);
    expect(resultsIn(model.prompts().at(-1)?.system ?? '')).toEqual(given);
    expect(cache.entries().filter(({ finalized }) => finalized)).toHaveLength(1);
  });

  it('C3 33: a runner without a cache answers, and the warning names a store that works there', async () => {
    const model = await startModelServer([text('It rains.')]);
    const step = await runMainHere(scheduledStep({ model }));
    const told = expectNotSavedReported(step, 'It rains.');
    expect(told).toContain('there is no Actions cache here');
    expect(told).toContain('`memory-store: branch` with `permissions: contents: write`');
    expect(titles(step)).toEqual(['Memory not saved']);
  });

  it('a run that loses the race for a version adds to what the winner saved', async () => {
    const cache = await startCacheServer();
    const model = await startModelServer([text('The winner.'), text('The loser.'), text('Somebody later.')]);
    await runMainHere(scheduledStep({ model, cache }));
    const [winner] = cache.entries();
    if (winner?.archive === undefined) throw new Error('nothing was saved');
    const { key, version, scope, archive } = winner;
    cache.evict(() => true);

    // The winner finishes between the loser's look and its save.
    cache.onRequest(({ path }) => {
      const isSave = path.endsWith('CreateCacheEntry');
      if (isSave && cache.entries().length === 0) cache.addEntry({ key, version, scope, archive });
    });
    const loser = await runMainHere(scheduledStep({ model, cache }));
    expect(loser).toMatchObject({ exitCode: 0, outputs: { 'memory-saved': 'true', 'memory-loaded': '0' } });
    expect(troubles(loser)).toEqual([]);

    await runMainHere(scheduledStep({ model, cache }));
    expect(resultsIn(model.prompts().at(-1)?.system ?? '')).toEqual(['The winner.', 'The loser.']);
  });

  it('what a run has read is saved again if the cache is evicted while the model thinks', async () => {
    const cache = await startCacheServer();
    const model = await startModelServer([text('First.'), text('Second.'), text('Later.')]);
    await runMainHere(scheduledStep({ model, cache }));
    model.onRequest(() => cache.evict(() => true));
    const second = await runMainHere(scheduledStep({ model, cache }));
    expect(second).toMatchObject({ exitCode: 0, outputs: { 'memory-saved': 'true', 'memory-loaded': '1' } });
    expect(troubles(second)).toEqual([]);
    await runMainHere(scheduledStep({ model, cache }));
    expect(resultsIn(model.prompts().at(-1)?.system ?? '')).toEqual(['First.', 'Second.']);
  });
});

describe('the branch', () => {
  interface Change {
    /** What is on the branch when the run starts; without it there is no branch. */
    readonly before?: string;
    /** What happens while the model thinks. */
    readonly during: (scene: BranchScene) => void;
    /** What is on the branch when the run has ended. */
    readonly after: readonly string[];
    readonly told?: readonly unknown[];
  }

  const BEFORE = earlierEntry('Before.', 'a');
  const OTHER = earlierEntry('By somebody else.', 'b');

  const CREATED = expect.stringMatching(/^notice: The branch .* was created to keep memory\./);

  const CHANGES: readonly (readonly [string, Change])[] = [
    [
      'C3 51: a branch that is deleted',
      {
        before: BEFORE,
        during: ({ repo }) => void repo.branches.delete(BRANCH),
        after: ['Mine.'],
        told: [CREATED],
      },
    ],
    [
      'C3 52: a branch from which a person removes an entry',
      { before: BEFORE + OTHER, during: (scene) => put(scene, OTHER), after: ['By somebody else.', 'Mine.'] },
    ],
    [
      'C3 47: a branch whose commit is made and not confirmed',
      {
        before: BEFORE,
        during: ({ github }) =>
          github.fail({ ...ANSWER_LOST, route: 'POST /graphql', contains: 'createCommitOnBranch' }),
        after: ['Before.', 'Mine.'],
      },
    ],
  ];

  it.each(CHANGES)('%s while the model thinks', async (_, { before, during, after, told: expected = [] }) => {
    const scene: BranchScene = await branchScene({
      branch: before === undefined ? undefined : { 'ask.md': before },
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
        scene.github.commit(REPOSITORY, { 'ask.md': edited, 'README.md': 'Hands off.' }, { branch: BRANCH });
        return text('Mine.');
      },
    });
    const step = await scene.run();
    expect(step).toMatchObject({ exitCode: 0, annotations: [], outputs: { 'memory-saved': 'true' } });
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

  function put({ github }: BranchScene, file: string): void {
    github.commit(REPOSITORY, { 'ask.md': file }, { branch: BRANCH });
  }
});

describe('a refusal of the branch', () => {
  interface Refusal {
    readonly set: (scene: BranchScene) => void;
    readonly inputs?: Readonly<Record<string, string>>;
    /** Of the one warning: the cause and the remedy. */
    readonly told: RegExp;
  }

  const LATER = { route: 'POST /graphql', times: 99 } as const;
  /** What GraphQL says of a name that leads to no repository, or to none that the token may see. */
  const NO_REPOSITORY = {
    data: { repository: null },
    errors: [
      {
        type: 'NOT_FOUND',
        path: ['repository'],
        message: 'Could not resolve to a Repository with the name.',
      },
    ],
  };

  const REFUSALS: readonly (readonly [string, Refusal])[] = [
    [
      'C3 48: a run whose token can only read',
      {
        set: ({ repo }) => {
          repo.contents = 'read';
        },
        told: /Resource not accessible by integration.* Add `contents: write` under `permissions:` of the job/,
      },
    ],
    [
      'C3 48: a run whose token does not see the private repository',
      {
        set: ({ github }) => void github.addRepo('octo-org/memory', { isPrivate: true, contents: {} }),
        inputs: { 'memory-repo': 'octo-org/memory' },
        told: /octo-org\/memory.* Check its name, and give a token that can \S+(?: to)? octo-org\/memory as `repositories-token`/,
      },
    ],
    [
      'C3 49: a run under a rate limit that ends in 40 minutes',
      {
        set: ({ github }) => {
          const commits = { route: 'POST /graphql', contains: 'createCommitOnBranch', times: 99 };
          github.fail({ ...graphQlRateLimit(secondsAhead(40 * 60)), ...commits });
        },
        told: /rate limit exceeded.* GitHub asks for a pause of 2[34]\d\d s/,
      },
    ],
    [
      'C3 53: a run whose repository is renamed while the model thinks, and cannot be found',
      {
        set: ({ github, model }) =>
          model.onRequest(() => github.fail({ ...LATER, status: 200, body: NO_REPOSITORY })),
        told: /GitHub knows no repository octo-org\/octo-repo that this token can see\. Add `contents: /,
      },
    ],
  ];

  /** A time this many seconds from now, in seconds since 1970. */
  function secondsAhead(seconds: number): number {
    return Math.round(Date.now() / 1000) + seconds;
  }

  it.each(REFUSALS)('%s passes, reports it once, and shows the entry', async (_, { set, inputs, told }) => {
    const scene = await branchScene({ branch: { 'ask.md': earlierEntry('Before.') } });
    set(scene);
    const step = await runMainHere(scene.step({ env: NO_CACHE, ...(inputs && { inputs }) }));
    if (inputs?.['memory-repo'] === undefined) {
      expect(expectNotSavedReported(step, 'Answer 0.')).toMatch(told);
    } else {
      expect(step.annotations.map(({ message }) => message).join()).toMatch(told);
    }
    expect(titles(step)).toEqual(['Memory not saved']);
    expect(resultsIn(scene.github.files('octo-org/octo-repo', BRANCH)['ask.md'] ?? '')).toEqual(['Before.']);
    expect(step.annotations[0]?.message).not.toMatch(/\.\.|undefined/);
  });
});

describe('the jobs of a matrix', () => {
  it('`memory-path` gives each job a folder', async () => {
    const { run, github, model, memory } = await branchScene();
    const job = (path: string) =>
      run({ job: 'test', inputs: { 'memory-path': path, prompt: `Look at ${path}.` }, env: NO_CACHE });
    const [one, other] = await Promise.all([job('packages/api'), job('packages/web')]);
    const next = await job('packages/api');

    for (const step of [one, other, next]) {
      expect(step).toMatchObject({ exitCode: 0, stderr: '', outputs: { 'memory-saved': 'true' } });
    }
    const logs = Object.keys(github.files(REPOSITORY, BRANCH)).filter((path) => !path.endsWith('.state.md'));
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
});
