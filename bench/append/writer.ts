// Appends one entry to the store that the first argument names, once a line comes on standard input, and says in JSON
// how long it took and how many attempts. `read` as second argument counts the entries instead.
import { once } from 'node:events';
import { join } from 'node:path';
import { createClock } from '../../src/lib/system-clock.js';
import { createFiles } from '../../src/lib/write-files.js';
import { countEntries } from '../../src/memory/run-log.js';
import type { MemoryStore } from '../../src/memory/store.js';
import { createCacheClient } from '../../src/memory/stores/cache/cache-library.js';
import { createCacheStore } from '../../src/memory/stores/cache/cache-store.js';
import { createFileStore } from '../../src/memory/stores/file/file-store.js';
import { openBranchMemory } from '../../src/run/branch-memory.js';
import { connectGitHub } from '../../src/run/github.js';
import { benchEntry } from './entry.js';

const [, , kind = '', id = ''] = process.argv;
const env = process.env;
const clock = createClock();
const PATH = 'bench.md';
const never = new AbortController().signal;

const store = await openStore();
if (id === 'read') {
  const restored = await store.read({ path: PATH, lastN: 0, count: true }, never);
  const text = restored.kind === 'restored' ? restored.text : '';
  say({ kind: restored.kind, entries: countEntries(text) });
} else {
  say({ kind: 'ready' });
  await once(process.stdin, 'data');
  const startMs = performance.now();
  const result = await store.write(
    [{ kind: 'append', path: PATH, id, text: benchEntry(id, new Date()) }],
    never,
  );
  const ms = performance.now() - startMs;
  say({
    kind: result.kind,
    ms,
    ...(result.kind === 'saved' ? { attempts: result.attempts } : { why: result.message }),
  });
}
process.exit(0);

async function openStore(): Promise<MemoryStore> {
  const files = createFiles();
  switch (kind) {
    case 'file':
      return createFileStore({ files, clock, root: env['BENCH_FOLDER'] ?? '', followLinks: false });
    case 'cache': {
      const cwd = process.cwd();
      return createCacheStore({
        cache: createCacheClient({ env, cwd, output: process.stdout }),
        files,
        clock,
        directory: join(cwd, '.axe-action-memory'),
        scope: 'trunk',
        folder: env['BENCH_NAME'],
      });
    }
    case 'branch': {
      const client = await connectGitHub({ token: env['BENCH_TOKEN'] ?? '', env, fetch, clock });
      if (client === undefined) throw new Error('no token');
      const place = {
        owner: 'octocat',
        name: env['BENCH_NAME'] ?? 'bench',
        branch: 'axe-memory',
        folder: '',
      };
      return openBranchMemory({ client, ...place, env, clock, mayCreate: true });
    }
    default:
      throw new Error(`no store ${kind}`);
  }
}

function say(line: object): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}
