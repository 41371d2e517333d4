// Loading the last entries of a long run log, beside reading the whole file.
import { createWriteStream, mkdtempSync, rmSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { compile } from './compile.js';
import { figures, rows, showMs } from './figures.js';

const ROUNDS = 15;
const LAST = 10;
const SIZES = [100_000, 1_000_000];

/** Lines to print. */
export async function tail() {
  compile();
  const { createFiles } = await import('../lib/lib/write-files.js');
  const { createFileStore } = await import('../lib/memory/stores/file/file-store.js');
  const { createClock } = await import('../lib/lib/system-clock.js');
  const { lastEntries } = await import('../lib/memory/run-log.js');
  const folder = mkdtempSync(join(tmpdir(), 'axe-action-bench-'));
  const store = createFileStore({
    files: createFiles(),
    clock: createClock(),
    root: folder,
    followLinks: false,
  });
  const signal = new AbortController().signal;
  const read = (path) => store.read({ path, lastN: LAST, count: false }, signal);
  try {
    const pairs = [];
    for (const entries of SIZES) {
      const path = `${entries}.md`;
      const file = join(folder, path);
      await writeLog(file, entries);
      const fromEnd = [];
      const whole = [];
      for (let round = 0; round <= ROUNDS; round += 1) {
        const endMs = await time(() => read(path));
        const wholeMs = await time(async () => lastEntries(await readFile(file, 'utf8'), LAST));
        if (round > 0) {
          fromEnd.push(endMs);
          whole.push(wholeMs);
        }
      }
      const result = await read(path);
      if (result.kind !== 'restored' || result.loaded !== LAST)
        throw new Error('the store did not load the entries');
      if (result.text !== lastEntries(await readFile(file, 'utf8'), LAST))
        throw new Error('the two ways differ');
      const times = figures(whole).median / figures(fromEnd).median;
      const megabytes = (statSync(file).size / 1024 / 1024).toFixed(0);
      pairs.push([`last ${LAST} of ${entries.toLocaleString('en')} (${megabytes} MB)`, showMs(fromEnd)]);
      pairs.push(['  reading the whole file', `${showMs(whole)}, ${times.toFixed(0)} times as long`]);
    }
    return rows(pairs);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function writeLog(file, entries) {
  const out = createWriteStream(file);
  for (let start = 0; start < entries; start += 1000) {
    let block = '';
    for (let index = start; index < Math.min(start + 1000, entries); index += 1) {
      const at = new Date(1_700_000_000_000 + index * 1000).toISOString().replace(/\.\d+Z/, 'Z');
      block += `## ${at}\n**Task:** Review pull request #${index}\n**Result:** Nothing to remark on change ${index}.\n\n`;
    }
    if (!out.write(block)) await new Promise((drained) => out.once('drain', drained));
  }
  out.end();
  await finished(out);
}

async function time(work) {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}
