import { expect, it } from '@jest/globals';
import { graphQlRateLimit } from '../helpers/github-faults.js';
import { runMainHere } from '../helpers/run-main.js';
import { BRANCH, type BranchScene, branchScene, earlierEntry, NO_CACHE } from './branch-scene.js';
import { expectNotSavedReported, resultsIn, titles } from './memory-scene.js';

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
    { type: 'NOT_FOUND', path: ['repository'], message: 'Could not resolve to a Repository with the name.' },
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
    'C3 48: a run in an archived repository',
    {
      set: ({ repo }) => {
        repo.isArchived = true;
      },
      told: /archived.* Unarchive octo-org\/octo-repo, or name another repository with `memory-repo`/,
    },
  ],
  [
    'C3 48: a run under a ruleset for all branches',
    {
      set: ({ repo }) => void repo.rules.push({ branch: '*', kind: 'ruleset' }),
      told: /rule violations.* In the repository's rulesets, exclude `axe-memory`/s,
    },
  ],
  [
    'C3 48: a run whose memory branch is protected',
    {
      set: ({ repo }) => void repo.rules.push({ branch: repo.defaultBranch, kind: 'protection' }),
      inputs: { 'memory-branch': 'main' },
      told: /through a pull request.* Set `memory-branch: axe-memory`/s,
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
    'a run whose token is revoked while the model thinks',
    {
      set: ({ github, model }) =>
        model.onRequest(() => github.fail({ ...LATER, status: 401, body: { message: 'Bad credentials' } })),
      told: /Bad credentials.* The token is not valid \(any more\): check `repositories-token`/,
    },
  ],
  [
    'C3 53: a run whose repository is renamed while the model thinks, and cannot be found',
    {
      set: ({ github, model }) =>
        model.onRequest(() => github.fail({ ...LATER, status: 200, body: NO_REPOSITORY })),
      told: /GitHub knows no repository octo-org\/octo-repo that this token may see\. Add `contents: /,
    },
  ],
  [
    'a run whose memory file has more than 100 MB',
    {
      set: ({ github }) =>
        void github.commit(
          'octo-org/octo-repo',
          { 'ask.md': earlierEntry('Before.') + 'x'.repeat(100 * 1024 * 1024) },
          { branch: BRANCH },
        ),
      told: /`\S+ask\.md` is not a memory file: it has 104,85\d,\d{3} bytes, more than GitHub gives out/,
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
