import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { startModelServer, text } from '../helpers/model-server.js';
import { runCli } from '../helpers/run-cli.js';
import { tempDir } from '../helpers/temp.js';

const RUNS = 20;

it('keeps every entry whole, once', async () => {
  const data = tempDir('data');
  const model = await startModelServer((_, index) => text(`Answer ${index}.`));
  const runs = await Promise.all(
    Array.from({ length: RUNS }, (_, index) =>
      runCli(['run', 'builtin/ask'], {
        stdin: `Question ${index}`,
        env: { ...model.env, XDG_DATA_HOME: data },
      }),
    ),
  );
  for (const { exitCode, stderr } of runs) expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });

  const memory = readFileSync(join(data, 'axe/memory/ask.md'), 'utf8');
  const entries = memory.split(/(?=^## )/m);
  expect(entries).toHaveLength(RUNS);
  const expected = runs.map(({ stdout }, index) => `**Task:** Question ${index}\n**Result:** ${stdout}\n\n`);
  const withoutTime = entries.map((entry) => entry.replace(/^## \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ\n/, ''));
  expect(withoutTime.sort()).toEqual(expected.sort());
});
