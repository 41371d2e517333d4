import { describe, expect, it } from '@jest/globals';
import { graphQlRateLimit } from '../helpers/github-faults.js';
import { BRANCH, type BranchScene, branchScene, earlierEntry, NO_CACHE } from './branch-scene.js';
import { expectNotSavedReported, resultsIn, titles } from './memory-scene.js';

interface Refusal {
  readonly set: (scene: BranchScene) => void;
  readonly inputs?: Readonly<Record<string, string>>;
  /** Of the one warning: the cause and the remedy. */
  readonly told: RegExp;
}

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
];

/** A time this many seconds from now, in seconds since 1970. */
function secondsAhead(seconds: number): number {
  return Math.round(Date.now() / 1000) + seconds;
}

describe('a run whose entry is refused by', () => {});

it.each(REFUSALS)('%s passes, reports it once, and shows the entry', async (_, { set, inputs, told }) => {
  const scene = await branchScene({ branch: { 'ask.md': earlierEntry('Before.') } });
  set(scene);
  const step = await scene.run({ env: NO_CACHE, ...(inputs && { inputs }) });
  if (inputs?.['memory-repo'] === undefined) {
    expect(expectNotSavedReported(step, 'Answer 0.')).toMatch(told);
  } else {
    expect(step.annotations.map(({ message }) => message).join()).toMatch(told);
  }
  expect(titles(step)).toEqual(['Memory not saved']);
  expect(resultsIn(scene.github.files('octo-org/octo-repo', BRANCH)['ask.md'] ?? '')).toEqual(['Before.']);
  expect(step.annotations[0]?.message).not.toMatch(/\.\.|undefined/);
});
