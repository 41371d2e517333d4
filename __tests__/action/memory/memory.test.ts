import { readFileSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { openMemory } from '../../../src/action/memory.js';
import type { Trigger } from '../../../src/event/trigger.js';
import type { MemoryChange } from '../../../src/memory/change.js';
import type { MemoryStore } from '../../../src/memory/store.js';
import { readInputs } from '../../../src/runner/inputs.js';
import {
  createFakeGitHubClient,
  type FakeGitHubClient,
  noAbort,
} from '../../helpers/github-client-fake.js';
import { setProcessEnv } from '../../helpers/process-env.js';
import { tempDir, writeFiles } from '../../helpers/temp.js';
import { comment, issue, SCHEDULE } from '../../helpers/triggers.js';
import { fileEntry, HEAD, repositoryAt } from '../../memory/stores/branch/memory-branch-fixture.js';
import { createFakeClock } from '../../memory/stores/fake-clock.js';

const ENTRY = '## 2026-02-21T10:01:00Z\n**Task:** Review\n**Result:** Fine.\n\n';
const ADDED = '## 2026-02-22T10:01:00Z\n**Task:** Look\n**Result:** Seen.\n\n';

let workspace: string;

beforeEach(() => {
  workspace = tempDir('workspace');
});

interface Opening {
  /** Inputs as a workflow writes them. */
  readonly given?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly trigger?: Trigger;
  readonly client?: FakeGitHubClient;
}

function open({
  given = {},
  env = {},
  trigger = SCHEDULE,
  client,
}: Opening = {}): Promise<MemoryStore> {
  const named = Object.entries({ agent: 'bot', ...given });
  const inputs = named.map(([name, value]) => [`INPUT_${name.toUpperCase()}`, value]);
  const access = { env, fetch, clock: createFakeClock(), trigger, workspace, client };
  return openMemory(readInputs(Object.fromEntries(inputs)), access);
}

const read = (store: MemoryStore) => store.read({ path: 'bot.md', lastN: 0 }, noAbort());
const APPEND: MemoryChange = { kind: 'append', path: 'bot.md', id: 'id1', text: ADDED };
const write = (store: MemoryStore) => store.write([APPEND], noAbort());

/** A GitHub that has these files on `main` and no other branch. */
function github(entries: Readonly<Record<string, unknown>>): FakeGitHubClient {
  return createFakeGitHubClient({
    graphql: (request) =>
      repositoryAt(request.params['ref'] === 'refs/heads/main' ? HEAD : undefined, { entries })(
        request,
      ),
  });
}

/** A GitHub whose repositories have no branch for memory. */
function branchless(): FakeGitHubClient {
  return createFakeGitHubClient({
    graphql: () => ({ repository: { id: 'R_1', isPrivate: false, ref: null } }),
  });
}

it('the store of a workflow is empty and accepts everything with `memory-store: none`', async () => {
  const store = await open({ given: { 'memory-store': 'none' } });
  const location = 'nowhere (`memory-store: none`)';
  expect(await read(store)).toMatchObject({ kind: 'empty', location });
  expect(await write(store)).toMatchObject({ kind: 'saved', location });
});

it('the store of a workflow fails to read a branch without a token, instead of reporting empty memory (D14)', async () => {
  const store = await open({ given: { 'memory-store': 'branch' } });
  const message = 'there is no token for the memory branch';
  const remedy = 'Give `github-token`.';
  const other = await open({ given: { 'memory-repo': 'octocat/memory' } });
  expect(await read(other)).toMatchObject({ message, remedy: 'Give `repositories-token`.' });
  expect(await read(store)).toMatchObject({ kind: 'failed', location: 'branch', message, remedy });
  expect(await write(store)).toMatchObject({
    kind: 'failed',
    reason: 'unavailable',
    message,
    remedy,
  });
});

const OTHER = { 'memory-repo': 'octocat/memory' };

it.each<[Readonly<Record<string, string>>, string, string]>([
  [{}, 'octocat/hello@axe-memory', 'bot.md'],
  [{ 'memory-path': 'bots' }, 'octocat/hello@axe-memory', 'bots/bot.md'],
  [{ 'memory-path': '.' }, 'octocat/hello@axe-memory', 'bot.md'],
  [{ 'memory-path': 'packages/api' }, 'octocat/hello@axe-memory', 'packages/api/bot.md'],
  [{ 'memory-branch': 'main' }, 'octocat/hello@main', '.axe/memory/bot.md'],
  [{ 'memory-branch': 'main', 'memory-path': '.' }, 'octocat/hello@main', 'bot.md'],
  [{ 'memory-branch': 'main', 'memory-path': 'docs' }, 'octocat/hello@main', 'docs/bot.md'],
  [OTHER, 'octocat/memory@axe-memory', 'octocat/hello/bot.md'],
  [{ ...OTHER, 'memory-path': '.' }, 'octocat/memory@axe-memory', 'bot.md'],
  [{ ...OTHER, 'memory-path': 'a/b' }, 'octocat/memory@axe-memory', 'a/b/bot.md'],
  [{ ...OTHER, 'memory-branch': 'main' }, 'octocat/memory@main', 'octocat/hello/bot.md'],
  [{ 'memory-repo': 'octocat/hello' }, 'octocat/hello@axe-memory', 'octocat/hello/bot.md'],
])('memory on a branch is, with %j, on %s at %s', async (given, place, path) => {
  const client = branchless();
  const restored = await read(await open({ given, client }));
  expect(restored).toMatchObject({ kind: 'empty', location: `${place}:${path}` });
  const [repository = '', branch = ''] = place.split('@');
  for (const { params } of client.requests) {
    expect(`${params['owner']}/${params['name']}`).toBe(repository);
    expect(params['ref']).toBe(`refs/heads/${branch}`);
    expect(Object.values(params)).toContain(path);
  }
});

it('memory in the cache is that of the default branch for a schedule, although its event might not name it', async () => {
  setProcessEnv({ ACTIONS_RESULTS_URL: undefined, ACTIONS_CACHE_URL: undefined });
  const trigger = { ...SCHEDULE, repository: { ...SCHEDULE.repository, defaultBranch: '' } };
  const env = { GITHUB_REF: 'refs/heads/trunk' };
  const store = await open({ given: { 'memory-store': 'cache' }, env, trigger });
  expect(await read(store)).toMatchObject({
    kind: 'failed',
    message: expect.stringContaining('there is no Actions cache here'),
    location: 'cache axe-memory/v1/trunk/default/',
  });
});

describe('memory in the workspace', () => {
  const FILE = { 'memory-store': 'file' };

  it.each([
    ['.axe/memory', '.axe/memory/bot.md'],
    ['docs', 'docs/bot.md'],
    ['.', 'bot.md'],
    ['', '.axe/memory/bot.md'],
  ])(
    'is a plain file in `memory-path: %s`, named relative to the repository',
    async (path, location) => {
      const store = await open({ given: { ...FILE, 'memory-path': path } });
      expect(await read(store)).toMatchObject({ kind: 'empty', location });
      const root = dirname(location);
      const prefix = root === '.' ? '' : `${root}/`;
      expect(await write(store)).toMatchObject({ kind: 'saved', location, prefix });
      expect(readFileSync(join(workspace, location), 'utf8')).toBe(ADDED);
      expect(await read(store)).toMatchObject({
        kind: 'restored',
        text: ADDED,
        loaded: 1,
        location,
      });
    },
  );

  it.each<[string, Trigger]>([
    ['an issue', issue()],
    ['a comment', comment()],
    ['a schedule', SCHEDULE],
  ])('comes from the checkout on %s', async (_, trigger) => {
    writeFiles(workspace, { '.axe/memory/bot.md': ENTRY });
    const client = github({ '.axe/memory/bot.md': fileEntry('of the base') });
    expect(await read(await open({ given: FILE, trigger, client }))).toMatchObject({ text: ENTRY });
    expect(client.requests).toEqual([]);
  });

  it.each(['.axe', '.axe/memory', '.axe/memory/bot.md'])(
    'is not read or written through a link at %s, which anybody might have created',
    async (link) => {
      const outside = tempDir('outside');
      writeFiles(outside, { 'memory/bot.md': ENTRY, 'bot.md': ENTRY });
      writeFiles(workspace, { [join(link, '..', 'keep')]: '' });
      const target = link.endsWith('.md') ? join(outside, 'bot.md') : outside;
      symlinkSync(target, join(workspace, link));
      const store = await open({ given: FILE });
      expect(await read(store)).not.toMatchObject({ kind: 'restored' });
      expect(await write(store)).toMatchObject({ kind: 'failed' });
      expect(readFileSync(join(outside, 'bot.md'), 'utf8')).toBe(ENTRY);
      expect(readFileSync(join(outside, 'memory/bot.md'), 'utf8')).toBe(ENTRY);
    },
  );
});

const FILE = { 'memory-store': 'file' };
const PLACE = '.axe/memory/bot.md';

it('memory in the workspace comes from the default branch after a comment on a pull request, whatever was checked out (D13, D21)', async () => {
  writeFiles(workspace, { [PLACE]: 'whatever the head says' });
  const client = github({ [PLACE]: fileEntry(ENTRY) });
  const store = await open({
    given: FILE,
    trigger: comment({ on: 'pull_request', number: 42 }),
    client,
  });
  expect(await read(store)).toMatchObject({ text: ENTRY, location: `octocat/hello@main:${PLACE}` });
  expect(await write(store)).toMatchObject({ kind: 'saved', location: PLACE });
});
