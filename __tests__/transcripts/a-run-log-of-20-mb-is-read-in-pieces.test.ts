import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { writeLargeLog } from '../helpers/large-log.js';
import { startLoopback } from '../helpers/loopback.js';
import { runCli } from '../helpers/run-cli.js';
import { tempDir, writeFiles } from '../helpers/temp.js';

const BYTES = 20_000_000;
/** Objects and strings that are in use at once have to fit into this; the text of the log alone would fill it. */
const HEAP = '--max-old-space-size=24 --max-semi-space-size=2';

/** Of the whole process, whose collector decides when it frees; a log of 266 MB takes as much as one of 20 MB. */
const MOST_RESIDENT_BYTES = 300_000_000;
const PROBE = pathToFileURL(resolve(import.meta.dirname, '../../bench/peak-memory.js')).href;

const AGENT = (model: string) => `name = "a"\nmodel = "${model}"\n\n[memory]\nenabled = true\nlast_n = 10\n`;

/** What the model says. */
const ANSWER = JSON.stringify({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'claude-sonnet-4-5',
  content: [
    { type: 'text', text: '## Patterns Found\nReviews.\n## Repeated Work\nNone.\n## Recommendations\nNone.' },
  ],
  stop_reason: 'end_turn',
  usage: { input_tokens: 1, output_tokens: 1 },
});

let home: string;
let cwd: string;
let entries: number;

beforeEach(() => {
  [home, cwd] = [tempDir('home'), tempDir('cwd')];
  writeFiles(cwd, { 'axe/agents/a.toml': AGENT('anthropic/claude-sonnet-4-5') });
  writeFiles(home, { 'axe/memory/a.md': '' });
  entries = writeLargeLog(join(home, 'axe/memory/a.md'), BYTES);
});

async function run(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const places = { HOME: home, XDG_DATA_HOME: home, XDG_CONFIG_HOME: home };
  return await runCli(args, { cwd, env: { ...places, NODE_OPTIONS: HEAP, ...env } });
}

describe('a run log that is larger than the memory there is for it', () => {
  it('is trimmed, and what was trimmed is kept alongside', async () => {
    const log = join(home, 'axe/memory/a.md');
    const before = readFileSync(log);
    const model = await startLoopback((_request, response) => void response.end(ANSWER));
    const env = { ANTHROPIC_API_KEY: 'sk-test', AXE_ANTHROPIC_BASE_URL: model.url };
    const { exitCode, stdout, stderr } = await run(['gc', 'a'], env);
    expect(exitCode).toBe(0);
    expect(stderr).toMatch(/^The oldest \d+ entries were not analysed: .*\n$/);
    expect(stdout).toContain(`Trimmed: ${entries - 10} entries removed, 10 entries kept.`);
    expect(Buffer.concat([readFileSync(`${log}.bak`), readFileSync(log)]).equals(before)).toBe(true);
  });

  it('is trimmed in 300 MB of memory without any limit on the heap', async () => {
    const model = await startLoopback((_request, response) => void response.end(ANSWER));
    const peak = join(home, 'peak');
    const { exitCode } = await run(['gc', 'a'], {
      ANTHROPIC_API_KEY: 'sk-test',
      AXE_ANTHROPIC_BASE_URL: model.url,
      NODE_OPTIONS: `--import ${PROBE}`,
      PEAK_MEMORY_FILE: peak,
    });
    expect(exitCode).toBe(0);
    const [kilobytes] = readFileSync(peak, 'utf8').split(' ').map(Number);
    expect(1024 * (kilobytes ?? Infinity)).toBeLessThanOrEqual(MOST_RESIDENT_BYTES);
  });
});
