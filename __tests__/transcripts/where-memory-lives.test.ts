import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { zstdDecompressSync } from 'node:zlib';
import { expect, it } from '@jest/globals';
import { cacheArchive } from '../helpers/cache-archive.js';
import type { CacheServer } from '../helpers/cache-server.js';
import { markedTable } from '../helpers/documents.js';
import { text } from '../helpers/model-server.js';
import { tempDir, writeFiles } from '../helpers/temp.js';
import { loadWebhook, type Payload, schedulePayload } from '../helpers/webhooks.js';
import { BRANCH, earlierEntry } from './branch-scene.js';
import { nameOf } from './memory-command-scene.js';
import { expectNotSavedReported, resultsIn, titles } from './memory-scene.js';
import { CHANGE } from './review-scene.js';
import { setStageInProcess } from './stage-in-process.js';

/** A row of the table in docs/memory.md. */
interface Row {
  readonly event: string;
  readonly store: string;
  readonly reads: string;
  readonly saves: string;
  readonly otherwise: string;
}

const ROWS = rowsOfTable();

/** What a run is given, by what the column "Reads" says. */
const READS: Readonly<Record<string, readonly string[]>> = {
  'the branch': ['branch'],
  "the default branch's": ['trunk cache'],
  "its own, which begins with the default branch's": ['own cache'],
  'the checkout': ['checkout'],
  'the base branch': ['base branch'],
};

/**
 * For "any": one that anybody can cause, so that its cache is read-only, one of a pull request, and
 * one of neither.
 */
const ANY = ['schedule', 'pull_request', 'issues'];

/** Events that anybody can cause: GitHub gives them a cache that they can only read. */
const READ_ONLY_CACHE = ['pull_request_target', 'issues', 'issue_comment', 'workflow_run'];

const TAG = 'push of a tag';

/** Refs of events that do not run on the default branch. */
const REFS: Readonly<Record<string, string>> = {
  pull_request: 'refs/pull/2/merge',
  merge_group: 'refs/heads/gh-readonly-queue/master/pr-2-929f8209d40f77f4abc622a499c93a83babdbe64',
  release: 'refs/tags/v1',
  [TAG]: 'refs/tags/v1',
};

const FILE = '.axe/memory/ask.md';

it('docs/memory.md has a table of eleven events on three stores', () => {
  expect(ROWS.flatMap(eventsOf)).toHaveLength(11 * 3 + ANY.length);
});

it.each(ROWS)(
  'docs/memory.md is right about $event on $store: $reads; $saves; $otherwise',
  async (row) => {
    for (const event of eventsOf(row)) await checkRow(row, event);
  },
);

/**
 * Runs the event where every place that memory can live in holds one entry, which is named after
 * the place.
 */
async function checkRow(
  { store, reads, saves, otherwise, ...row }: Row,
  event: string,
): Promise<void> {
  const payload = payloadOf(event);
  const base = { [FILE]: earlierEntry('base branch', 'a') };
  const stage = await setStageInProcess({
    event: { name: event === TAG ? 'push' : event, payload },
    base,
    diff: CHANGE,
    roles: { Codertocat: 'write' },
    model: [text('new')],
    github: { validate: false },
  });
  const { github, model, cache, repo } = stage;
  if (event === 'merge_group') {
    const { base_sha: from, head_sha: to } = payload['merge_group'] as Record<string, string>;
    repo.comparisons.set(`${from}...${to}`, CHANGE);
  }
  repo.contents = row.event.includes('`contents: read`') ? 'read' : 'write';
  github.commit(nameOf(stage), { 'ask.md': earlierEntry('branch', 'b') }, { branch: BRANCH });
  const workspace = tempDir('workspace');
  writeFiles(workspace, { [FILE]: earlierEntry('checkout', 'c') });
  const trunk = `refs/heads/${repo.defaultBranch}`;
  const ref = REFS[event] ?? trunk;
  fillCache(cache, trunk, ref);

  const mayWrite = !READ_ONLY_CACHE.includes(event);
  const step = await stage.run({
    workspace,
    ref,
    inputs: {
      agent: 'builtin/ask',
      prompt: 'What is new?',
      comment: 'never',
      'memory-store': store,
    },
    env: cache.env({ ref, readableRefs: [trunk], mayWrite }),
  });
  expect(step).toMatchObject({ exitCode: 0, outputs: { conclusion: 'success' } });
  expect([...resultsIn(model.prompts()[0]?.system ?? '')].sort()).toEqual(
    [...(READS[reads] ?? [])].sort(),
  );

  // A push is told its commits' messages, so its run has an entry in the untrusted lane, too.
  const [entry = ''] = (step.outputs['memory-entry'] ?? '').split(/(?<=\n\n)(?=## )/);
  const held = {
    branch: github.files(nameOf(stage), BRANCH)['ask.md'] ?? '',
    checkout: readFileSync(join(workspace, FILE), 'utf8'),
    'base branch': github.files(nameOf(stage))[FILE] ?? '',
    'trunk cache': cached(cache, trunk),
    'own cache': ref === trunk ? '' : cached(cache, ref),
  };
  const places = Object.entries(held).flatMap(([place, memory]) =>
    memory.includes(entry) ? [place] : [],
  );
  if (saves === 'no') {
    expectNotSavedReported(step, 'new');
    // What the event's surroundings lack is told as well.
    expect(titles(step).filter((title) => title !== 'Context cut to fit')).toEqual([
      'Memory not saved',
    ]);
    expect([otherwise, places]).toEqual(['the summary', []]);
    return;
  }
  const alone = /^no, kept for (.*) alone$/.exec(saves)?.[1];
  if (alone !== undefined) {
    expect(step.outputs).toMatchObject({ 'memory-saved': 'false' });
    expect(step.annotations).toContainEqual({
      level: 'notice',
      title: 'Where memory lives',
      message: expect.stringContaining(`kept for ${alone} alone`),
    });
    expect(step.summary).toContain('new');
    expect([otherwise, places]).toEqual(['the summary', ['own cache']]);
    return;
  }
  const saved = {
    branch: 'branch',
    file: 'checkout',
    cache: ref === trunk ? 'trunk cache' : 'own cache',
  }[store];
  expect(saves).toMatch(/^yes(?:, for this pull request only|, in the workspace)?$/);
  expect(step.outputs).toMatchObject({ 'memory-saved': 'true' });
  expect([otherwise, places]).toEqual(['', [saved]]);
}

function payloadOf(event: string) {
  if (event === 'schedule') return schedulePayload('0 6 * * 1');
  if (event === 'push')
    return loadWebhook('push', undefined, { ref: 'refs/heads/master', after: 'c'.repeat(40) });
  if (event === TAG)
    return loadWebhook('push', undefined, { ref: 'refs/tags/v1', after: 'c'.repeat(40) });
  if (event === 'release') return loadWebhook(event, 'published');
  if (event === 'workflow_run') return loadWebhook(event, 'completed');
  if (event === 'merge_group') {
    const { repository, sender } = loadWebhook('pull_request', 'opened') as object as Payload;
    const group = loadWebhook(event, 'checks_requested', { 'merge_group.head_ref': REFS[event] });
    return { ...group, repository, sender };
  }
  if (event === 'workflow_dispatch') return loadWebhook(event);
  if (event === 'issue_comment') return loadWebhook(event, 'created');
  return loadWebhook(event === 'issues' ? event : 'pull_request', 'opened');
}

/**
 * An entry for the default branch, one for the event's own ref, and one that no such run may read.
 */
function fillCache(cache: CacheServer, trunk: string, ref: string): void {
  const places = [
    { scope: trunk, key: 'trunk', result: 'trunk cache', letter: 'd' },
    {
      scope: 'refs/pull/99/merge',
      key: 'pr-99',
      result: 'cache of another pull request',
      letter: 'f',
    },
    ...(ref === REFS['pull_request']
      ? [{ scope: ref, key: 'pr-2', result: 'own cache', letter: 'e' }]
      : []),
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
    .map(({ archive }) =>
      archive === undefined ? '' : zstdDecompressSync(archive).toString('utf8'),
    )
    .join('\n');
}

function eventsOf({ event }: Row): readonly string[] {
  return event.startsWith('any')
    ? ANY
    : [...event.matchAll(/`(\w+)`( of a tag)?/g)].map(([, name = '', tag = '']) => name + tag);
}

function rowsOfTable(): readonly Row[] {
  const [, ...rows] = markedTable('docs/memory.md', 'where');
  return rows.map(([event = '', store = '', reads = '', saves = '', otherwise = '']) => ({
    event,
    store: store.replaceAll('`', ''),
    reads,
    saves,
    otherwise,
  }));
}
