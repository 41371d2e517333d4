import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { ACTION_INPUTS, ACTION_OUTPUTS } from '../helpers/action-yml.js';
import { readDocument } from '../helpers/documents.js';

const ROOT = join(import.meta.dirname, '../..');

it('the reference pages are the output of scripts/docs.js', () => {
  const options = { cwd: ROOT, encoding: 'utf8' } as const;
  const made = spawnSync(process.execPath, ['scripts/docs.js', '--check'], options);
  expect(made).toMatchObject({ stderr: '', status: 0 });
});

describe.each([
  ['inputs', ACTION_INPUTS],
  ['outputs', ACTION_OUTPUTS],
])('docs/reference/%s.md', (name, declared) => {
  it('contains each of them once', () => {
    const rows = readDocument(`docs/reference/${name}.md`).matchAll(/^\| (`[^|]*`) \|/gm);
    const names = Object.keys(declared).map((one) => `\`${one}\``);
    expect([...rows].map(([, cell]) => cell).toSorted()).toEqual(names.toSorted());
  });
});
