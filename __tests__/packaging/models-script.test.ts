import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { startChild } from '../helpers/child.js';
import { tempDir, writeFiles } from '../helpers/temp.js';

const ROOT = join(import.meta.dirname, '../..');
const FIXTURE = join(ROOT, '__tests__/fixtures/models-dev');
const SCRIPT = join(ROOT, 'scripts/models.js');

async function runScript(...args: readonly string[]) {
  const { stdout, exitCode: code } = await startChild({
    command: process.execPath,
    args: [SCRIPT, ...args],
    cwd: ROOT,
    env: { PATH: process.env['PATH'] ?? '' },
  }).finished;
  return { stdout, code };
}

/** A copy of the fixture with some files of its own, and what the script makes of it. */
function makeSource(files: Readonly<Record<string, string>> = {}) {
  const folder = tempDir('models');
  cpSync(FIXTURE, folder, { recursive: true });
  writeFiles(folder, files);
  const written = () => readFileSync(join(folder, 'models.json'), 'utf8');
  return { folder, written };
}

const EXPECTED = readFileSync(join(FIXTURE, 'models.json'), 'utf8');
const EMPTY = '{"date":"2026-07-02","models":{}}';

describe('the script that writes the figures of models', () => {
  it.each([
    ['a checkout', '.'],
    ['a published file', 'api.json'],
  ])('makes the same of %s', async (_source, path) => {
    const { folder, written } = makeSource({ 'models.json': EMPTY });
    expect(await runScript('--from', join(folder, path))).toEqual({ stdout: '', code: 0 });
    expect(written()).toBe(EXPECTED);
  });

  it.each([
    [
      'a price that falls by more than five times',
      { 'models.json': EXPECTED.replace('[2,8,0.5,2]', '[2,41,0.5,2]') },
      'openai/gpt-4.1: the price changed from 2 41 0.5 2 to 2 8 0.5 2',
    ],
    [
      'a price that rises by more than five times',
      { 'models.json': EXPECTED.replace('[2,8,0.5,2]', '[2,8,0.09,2]') },
      'openai/gpt-4.1: the price changed from 2 8 0.09 2 to 2 8 0.5 2',
    ],
    [
      'a maker’s model that costs nothing',
      {
        'providers/openai/models/gpt-4.1.toml': readFileSync(
          join(FIXTURE, 'providers/openai/models/gpt-4.1.toml'),
          'utf8',
        ).replace('output = 8', 'output = 0'),
      },
      'openai/gpt-4.1: costs nothing: 2 0 0.5 2',
    ],
    [
      'a seller that loses its models',
      { 'providers/openai/models/gpt-4.1.toml': 'tool_call = false' },
      'openai: 1 of 2 models are left',
    ],
    [
      'a seller that is gone',
      {
        'models.json': EXPECTED.replace(
          '"moonshot": {',
          '"zai": {"glm-5":{"price":[1,1,1,1],"window":9}},\n"moonshot": {',
        ),
      },
      'zai: 0 of 1 models are left',
    ],
    [
      'a strange name',
      {
        'providers/openai/models/gpt`4.toml': readFileSync(
          join(FIXTURE, 'providers/openai/models/gpt-4.1.toml'),
          'utf8',
        ),
      },
      'openai: unusual name "gpt`4"',
    ],
  ])('stops at %s until a person accepts it', async (_change, files, line) => {
    const { folder, written } = makeSource(files);
    const before = written();
    const refused = await runScript('--from', folder);
    expect(refused).toMatchObject({ code: 1, stdout: expect.stringContaining(`- ${line}\n`) });
    expect(written()).toBe(before);

    expect(await runScript('--from', folder, '--accept')).toMatchObject({ code: 0 });
    expect(JSON.parse(written())).toMatchObject({ date: '2026-07-02' });
  });

  it.each([
    ['a text', 'input = "2"'],
    ['a negative figure', 'input = -2'],
    ['not a number', 'input = nan'],
  ])('takes no price that is %s', async (_kind, line) => {
    const path = 'providers/openai/models/gpt-4.1.toml';
    const text = readFileSync(join(FIXTURE, path), 'utf8').replace('input = 2', line);
    const { folder, written } = makeSource({ [path]: text });
    expect(await runScript('--from', folder, '--accept')).toMatchObject({ code: 0 });
    expect(JSON.parse(written()).models.openai).not.toHaveProperty('gpt-4.1');
  });

  it.each([
    ['without a reason', '"seen": "2026-07-01", "output": 1', '`why` is missing'],
    ['without a date', '"why": "w", "output": 1', '`seen` is not a date'],
    [
      'that the source agrees with',
      '"why": "w", "seen": "2026-07-01", "output": 32768',
      'the source says the same now: remove it',
    ],
    [
      'for a day that has come',
      '"why": "w", "seen": "2026-07-01", "then": { "from": "2026-07-02", "price": [1, 2, 1, 1] }',
      'the price from 2026-07-02 on is due: check what the source says, and remove it',
    ],
  ])('stops at an override %s, even if changes are accepted', async (_kind, fields, problem) => {
    const { folder } = makeSource({ 'overrides.json': `{"openai":{"gpt-4.1":{${fields}}}}` });
    expect(await runScript('--from', folder, '--accept')).toEqual({
      code: 1,
      stdout: expect.stringContaining(`- override of openai/gpt-4.1: ${problem}\n`),
    });
  });

  it('stops at an override of a model that the source does not have', async () => {
    const overrides = { openai: { 'gpt-0': { why: 'w', seen: '2026-07-01', output: 1 } } };
    const { folder } = makeSource({ 'overrides.json': JSON.stringify(overrides) });
    const { code, stdout } = await runScript('--from', folder);
    expect(code).toBe(1);
    expect(stdout).toContain('override of openai/gpt-0: the source does not have the model');
  });
});

it('differences between the source and the addresses and keys of the program are printed', async () => {
  const script = `
    const { sellerDifferences } = await import(${JSON.stringify(join(ROOT, 'scripts/models/guard.js'))});
    const provider = { keyVariable: 'ZAI_API_KEY', otherKeyVariables: ['ZHIPU_API_KEY'] };
    const catalog = { zai: { ...provider, defaultBaseUrl: 'https://api.z.ai/api/paas/v4' } };
    const same = { zai: { api: 'https://api.z.ai/v9', env: ['ZHIPU_API_KEY'] } };
    const other = { zai: { api: 'https://elsewhere.example', env: ['GLM_KEY'] } };
    console.log(JSON.stringify([same, other].map((source) => sellerDifferences(source, catalog))));
  `;
  const { stdout } = await startChild({
    command: process.execPath,
    args: ['--input-type=module', '--eval', script],
    cwd: ROOT,
    env: { PATH: process.env['PATH'] ?? '' },
  }).finished;
  expect(JSON.parse(stdout)).toEqual([
    [],
    [
      'zai: the source reads GLM_KEY, we read ZAI_API_KEY, ZHIPU_API_KEY',
      'zai: the source asks https://elsewhere.example, we ask https://api.z.ai/api/paas/v4',
    ],
  ]);
});

describe('the age of the figures', () => {
  it('is accepted below the limit', async () => {
    const { stdout, code } = await runScript('--check-age', '100000');
    expect(stdout).toMatch(/^The figures of models are from \d{4}-\d\d-\d\d, \d+ days old\.\n$/);
    expect(code).toBe(0);
  });

  it('is refused above the limit', async () => {
    expect(await runScript('--check-age', '14', '--from', FIXTURE)).toMatchObject({ code: 1 });
  });
});
