import { join } from 'node:path';
import { afterEach, beforeEach, expect } from '@jest/globals';
import { createCacheClient } from '../../../../src/memory/stores/cache/cache-library.js';
import type { CacheClient } from '../../../../src/memory/stores/cache/cache-outcome.js';
import { type CacheServer, startCacheServer } from '../../../helpers/cache-server.js';
import { setProcessEnv } from '../../../helpers/process-env.js';
import { tempDir, writeFiles } from '../../../helpers/temp.js';

const VARIABLES = [
  'ACTIONS_RESULTS_URL',
  'ACTIONS_CACHE_URL',
  'ACTIONS_CACHE_SERVICE_V2',
  'ACTIONS_RUNTIME_TOKEN',
  'ACTIONS_CACHE_MODE',
  'GITHUB_WORKSPACE',
  'GITHUB_SERVER_URL',
  'RUNNER_TEMP',
];

/** The folder that goes into the cache. */
export const CACHE_FOLDER = '.axe-action-memory';

/**
 * A job in this very process, in which the real cache library runs; it reads the process's own
 * variables.
 */
export interface CacheJob {
  readonly cache: CacheServer;
  readonly workspace: string;
  client(options?: Partial<Parameters<typeof createCacheClient>[0]>): CacheClient;
  /** Writes files into the folder that goes into the cache. */
  put(files?: Readonly<Record<string, string>>): void;
}

/** Opens a job before each test of a file, and takes its variables back after it. */
export function useCacheJob(): () => CacheJob {
  let job: CacheJob;
  let startFolder = '';

  beforeEach(async () => {
    const cache = await startCacheServer();
    const workspace = tempDir('workspace');
    startFolder = process.cwd();
    const own = {
      GITHUB_WORKSPACE: workspace,
      RUNNER_TEMP: tempDir('runner'),
      PATH: process.env['PATH'],
    };
    setProcessEnv(Object.fromEntries(VARIABLES.map((name) => [name, undefined])));
    setProcessEnv({ ...cache.env(), ...own });
    process.chdir(workspace);
    job = {
      cache,
      workspace,
      client: (options) =>
        createCacheClient({ env: process.env, output: process.stdout, ...options }),
      put: (files = { 'bot.md': '## x\n' }) => writeFiles(join(workspace, CACHE_FOLDER), files),
    };
  });

  afterEach(() => process.chdir(startFolder));

  return () => job;
}

/** What reaches standard output while a call runs; a call that diverts it has to restore it. */
export async function printed<T>(
  call: () => Promise<T>,
): Promise<{ readonly result: T; readonly output: string }> {
  const chunks: string[] = [];
  const write = process.stdout.write;
  process.stdout.write = ((chunk: string | Uint8Array) =>
    chunks.push(String(chunk)) > 0) as typeof write;
  const replaced = process.stdout.write;
  try {
    const result = await call();
    expect(process.stdout.write).toBe(replaced);
    return { result, output: chunks.join('') };
  } finally {
    process.stdout.write = write;
  }
}

/** Lines that are more than a mask for the runner. */
export function shownLines(output: string): readonly string[] {
  return output.split('\n').filter((line) => line !== '' && !line.startsWith('::add-mask::'));
}

/** A promise that the test resolves. */
export function deferred(): { readonly promise: Promise<void>; resolve(): void } {
  let resolve = () => {};
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve: () => resolve() };
}
