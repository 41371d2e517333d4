import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { ACTION_INPUTS, ACTION_OUTPUTS } from '../helpers/action-yml.js';
import { cellsOf, readDocument } from '../helpers/documents.js';

const ROOT = join(import.meta.dirname, '../..');

it('the reference pages are the output of scripts/docs.js', () => {
  const { status, stderr } = spawnSync(process.execPath, ['scripts/docs.js', '--check'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  expect(stderr).toBe('');
  expect(status).toBe(0);
});

describe.each([
  ['inputs', ACTION_INPUTS],
  ['outputs', ACTION_OUTPUTS],
])('docs/reference/%s.md', (name, declared) => {
  it('contains each of them once', () => {
    const rows = readDocument(`docs/reference/${name}.md`)
      .split('\n')
      .filter((line) => line.startsWith('| `'))
      .map((line) => cellsOf(line)[0]);
    expect(rows.toSorted()).toEqual(
      Object.keys(declared)
        .map((one) => `\`${one}\``)
        .toSorted(),
    );
  });
});
