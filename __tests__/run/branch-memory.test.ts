import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { MemoryStore } from '../../src/memory/store.js';
import { type BranchMemoryOptions, OWN_BRANCH, openBranchMemory } from '../../src/run/branch-memory.js';
import {
  type Answer,
  createFakeGitHubClient,
  type FakeGitHubClient,
  failure,
  noAbort,
} from '../helpers/github-client-fake.js';
import { append } from '../memory/stores/entries.js';
import { createFakeClock } from '../memory/stores/fake-clock.js';

/** Git's id of the file's content. */
const BLOB = createHash('sha1').update('blob 5\0## x\n').digest('hex');

/** A branch with one file wherever somebody looks. */
const FOUND: Answer = () => ({
  repository: {
    isPrivate: true,
    ref: {
      target: {
        oid: 'a'.repeat(40),
        tree: { oid: 'b'.repeat(40) },
        p0: { type: 'blob', mode: 0o100644, oid: BLOB, size: 5, object: { text: '## x\n' } },
      },
    },
  },
});
const MISSING: Answer = () => ({ repository: { isPrivate: true, ref: null } });
const DENIED: Answer = () => {
  throw failure(403, 'POST /graphql', 'Resource not accessible by integration');
};

function open(answer: Answer, patch: Partial<BranchMemoryOptions> = {}) {
  const client: FakeGitHubClient = createFakeGitHubClient({ graphql: answer });
  const store = openBranchMemory({
    client,
    owner: 'octocat',
    name: 'hello',
    branch: OWN_BRANCH,
    folder: '',
    env: {},
    clock: createFakeClock(),
    mayCreate: true,
    ...patch,
  });
  return { client, store };
}

const read = (store: MemoryStore) => store.read({ path: 'bot.md', lastN: 0, count: false }, noAbort());

describe('memory on a branch', () => {
  it.each<[Partial<BranchMemoryOptions>, string, string]>([
    [{}, 'octocat/hello@axe-memory:bot.md', 'https://github.com/octocat/hello/blob/axe-memory/bot.md'],
    [
      { branch: 'main', folder: '.axe/memory' },
      'octocat/hello@main:.axe/memory/bot.md',
      'https://github.com/octocat/hello/blob/main/.axe/memory/bot.md',
    ],
    [
      { env: { GITHUB_SERVER_URL: 'https://ghe.example/' } },
      'octocat/hello@axe-memory:bot.md',
      'https://ghe.example/octocat/hello/blob/axe-memory/bot.md',
    ],
    [
      { env: { GITHUB_SERVER_URL: '' }, branch: 'bots/#1' },
      'octocat/hello@bots/#1:bot.md',
      'https://github.com/octocat/hello/blob/bots/%231/bot.md',
    ],
  ])('has, with %j, the same place that people see', async (patch, location, url) => {
    const { store, client } = open(FOUND, patch);
    expect(await read(store)).toMatchObject({ kind: 'restored', text: '## x\n', location, url });
    expect(client.requests[0]?.params['p0']).toBe(location.split(':')[1]);
  });

  it.each([
    [{}, 'Add `contents: read` under `permissions:` of the job.'],
    [{ GITHUB_REPOSITORY: 'Octocat/Hello' }, 'Add `contents: read` under `permissions:` of the job.'],
    [
      { GITHUB_REPOSITORY: 'octocat/other' },
      "Give a token that can read octocat/hello as `repositories-token`; the job's own token is for the workflow's repository only.",
    ],
  ])('that cannot be read, in a job with %j, is reported with a remedy', async (env, remedy) => {
    const { store } = open(DENIED, { env });
    expect(await read(store)).toMatchObject({ kind: 'failed', remedy });
  });

  it('is created only on request', async () => {
    const { store, client } = open(MISSING, { mayCreate: false });
    expect(await store.write([append('a')], noAbort())).toMatchObject({
      kind: 'failed',
      message: 'there is no branch `octocat/hello@axe-memory`',
    });
    expect(client.requests.map(({ route }) => route)).toEqual(['graphql']);
    const creating = open(MISSING);
    await creating.store.write([append('a')], noAbort());
    expect(creating.client.requests.map(({ route }) => route)).toContain(
      'POST /repos/{owner}/{repo}/git/trees',
    );
  });
});
