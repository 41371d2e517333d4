import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { zstdDecompressSync } from 'node:zlib';
import { cacheArchive } from '../helpers/cache-archive.js';
import { type CacheServer, startCacheServer } from '../helpers/cache-server.js';
import { startGitHubServer } from '../helpers/github-server.js';
import { startModelServer, text } from '../helpers/model-server.js';
import { runMain, type StepResult } from '../helpers/run-action.js';
import { tempDir, writeFiles } from '../helpers/temp.js';
import { loadWebhook, type Payload, payloadField, schedulePayload, withWorld } from '../helpers/webhooks.js';
import { BRANCH, earlierEntry } from './branch-scene.js';
import { CHANGE } from './review-scene.js';
import { seedPush } from './stage.js';

/** How the rights of a run are set up. */
export interface DependenciesOptions {
  readonly mayWriteContents: boolean;
  /** Whether there is a memory branch; default true. */
  readonly hasBranch?: boolean;
}

/** An event in a repository where every place that memory can live in holds one entry, which is named after the place. */
export interface Dependencies {
  readonly event: string;
  readonly mayWriteCache: boolean;
  /** The caches that GitHub lets the event read. */
  readonly readableCaches: readonly string[];
  run(inputs: Readonly<Record<string, string>>): Promise<StepResult>;
  /** The system prompts so far. */
  given(): readonly string[];
  /** The places that hold an entry, of those a later run can read it in. */
  placesOf(entry: string): readonly string[];
  branch(): string;
  allowContents(): void;
}

/** Events that anybody can cause: GitHub gives them a cache that they can only read. */
const READ_ONLY_CACHE = ['pull_request_target', 'issues', 'issue_comment'];

const FILE = '.axe/memory/ask.md';

/** Opens the world of an event; the n-th answer of the model is `new n`. */
export async function openDependencies(event: string, options: DependenciesOptions): Promise<Dependencies> {
  const payload = payloadOf(event);
  const field = (path: string) => String(payloadField(withWorld(payload), path));
  const name = field('repository.full_name');
  const [github, model, cache] = await Promise.all([
    startGitHubServer({ validate: false }),
    startModelServer((_, index) => text(`new ${index}`)),
    startCacheServer(),
  ]);
  const repo = github.seed(payload, { base: { [FILE]: earlierEntry('base branch', 'a') }, diff: CHANGE });
  for (const login of ['Codertocat', field('sender.login')]) repo.roles.set(login, 'write');
  repo.contents = options.mayWriteContents ? 'write' : 'read';
  if (options.hasBranch !== false) {
    github.commit(name, { 'ask.md': earlierEntry('branch', 'b') }, { branch: BRANCH });
  }
  if ('pull_request' in payload) {
    repo.comparisons.set(`${field('pull_request.base.sha')}...${field('pull_request.head.sha')}`, CHANGE);
  }
  seedPush(repo, payload, CHANGE);
  const workspace = tempDir('workspace');
  writeFiles(workspace, { [FILE]: earlierEntry('checkout', 'c') });

  const trunk = `refs/heads/${repo.defaultBranch}`;
  const ref = event === 'pull_request' ? `refs/pull/${field('pull_request.number')}/merge` : trunk;
  fillCache(cache, { trunk, ref });
  const mayWrite = !READ_ONLY_CACHE.includes(event);
  const env = { ...model.env, ...github.env, ...cache.env({ ref, readableRefs: [trunk], mayWrite }) };
  const branch = () => (repo.branches.has(BRANCH) ? (github.files(name, BRANCH)['ask.md'] ?? '') : '');
  return {
    event,
    mayWriteCache: mayWrite,
    readableCaches: ref === trunk ? ['trunk cache'] : ['trunk cache', 'own cache'],
    run: (inputs) =>
      runMain({
        event: { name: event, payload },
        workspace,
        ref,
        inputs: { agent: 'builtin/ask', prompt: 'What is new?', comment: 'never', ...inputs },
        env,
      }),
    given: () => model.prompts().map(({ system }) => system),
    placesOf(entry) {
      const held = {
        branch: branch(),
        checkout: readFileSync(join(workspace, FILE), 'utf8'),
        'base branch': github.files(name)[FILE] ?? '',
        'trunk cache': cached(cache, trunk),
        ...(ref === trunk ? {} : { 'own cache': cached(cache, ref) }),
      };
      return Object.entries(held).flatMap(([place, memory]) => (memory.includes(entry) ? [place] : []));
    },
    branch,
    allowContents: () => {
      repo.contents = 'write';
    },
  };
}

function payloadOf(event: string): Payload {
  switch (event) {
    case 'schedule':
      return schedulePayload('0 6 * * 1');
    case 'push':
      return loadWebhook('push', undefined, { ref: 'refs/heads/master' });
    case 'workflow_dispatch':
      return loadWebhook(event);
    case 'pull_request_target':
      return loadWebhook('pull_request', 'opened');
    case 'issue_comment':
      return loadWebhook(event, 'created');
    default:
      return loadWebhook(event, 'opened');
  }
}

/** An entry for the default branch, one for the event's own ref, and one that no such run may read. */
function fillCache(
  cache: CacheServer,
  { trunk, ref }: { readonly trunk: string; readonly ref: string },
): void {
  const places = [
    { scope: trunk, key: 'trunk', result: 'trunk cache', letter: 'd' },
    { scope: 'refs/pull/99/merge', key: 'pr-99', result: 'cache of another pull request', letter: 'f' },
    ...(ref === trunk ? [] : [{ scope: ref, key: 'pr-2', result: 'own cache', letter: 'e' }]),
  ];
  let isFilled = false;
  // The version stands for how an archive is packed, which only the library knows.
  cache.onRequest(({ path, body }) => {
    if (isFilled || !path.endsWith('GetCacheEntryDownloadURL')) return;
    isFilled = true;
    const { version } = body as { version: string };
    for (const { scope, key, result, letter } of places) {
      const memory = earlierEntry(result, letter);
      const archive = cacheArchive([{ path: '.axe-action-memory/ask.md', text: memory }]);
      cache.addEntry({ key: `axe-memory/v1/${key}/default/0000000001.`, version, scope, archive });
    }
  });
}

/** All that finished entries of a ref hold. */
function cached(cache: CacheServer, ref: string): string {
  return cache
    .entries()
    .filter(({ scope, finalized }) => scope === ref && finalized)
    .map(({ archive }) => (archive === undefined ? '' : zstdDecompressSync(archive).toString('utf8')))
    .join('\n');
}
