import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { VERSION } from '../src/lib/product.js';
import { OUTPUT_NAMES } from '../src/report/run-summary.js';
import { INPUT_DEFAULTS, readInputs } from '../src/runner/inputs.js';
import { actionErrors } from './helpers/workflow-files.js';

interface ActionYml {
  readonly inputs: Record<string, { readonly description: string; readonly default: string }>;
  readonly outputs: Record<string, { readonly description: string }>;
  readonly runs: { readonly using: string; readonly main: string; readonly post: string };
}

const ROOT = join(import.meta.dirname, '..');
const TEXT = readFileSync(join(ROOT, 'action.yml'), 'utf8');
const ACTION: ActionYml = parse(TEXT);

describe('action.yml', () => {
  it('is loaded by the runner', () => {
    expect(actionErrors({ name: 'action.yml', content: TEXT })).toEqual([]);
  });

  it.each([
    [
      'an expression in a description',
      'description: Say `${{ matrix.package }}`',
      'outside of `default:`',
    ],
    [
      'an expression in the text of a long description',
      'description: >-\n  Say ${{ x }}',
      'outside of `default:`',
    ],
    [
      'a key that the runner does not know',
      'runs: { using: node24, main: a.js, mains: b.js }',
      'Unexpected value',
    ],
    ['a runtime that the runner does not have', 'runs: { using: node99, main: a.js }', 'node99'],
  ])('would be refused by the runner for %s', (_, text, message) => {
    const input = text.startsWith('runs:') ? '' : `\n    ${text.replace('\n', '\n    ')}`;
    const runs = text.startsWith('runs:') ? text : 'runs: { using: node24, main: a.js }';
    const content = `name: a\ndescription: b\ninputs:\n  one:${input || ' {}'}\n${runs}\n`;
    expect(actionErrors({ name: 'action.yml', content }).join('\n')).toContain(message);
  });

  it('has the inputs and defaults of the code', () => {
    const declared = Object.entries(ACTION.inputs).map(([name, input]) => [name, input.default]);
    expect(Object.fromEntries(declared)).toEqual(INPUT_DEFAULTS);
  });

  it('has the outputs of the code', () => {
    expect(Object.keys(ACTION.outputs)).toEqual([...OUTPUT_NAMES]);
  });

  it('runs on Node 24 with a main and a post step', () => {
    expect(ACTION.runs).toMatchObject({
      using: 'node24',
      main: 'dist/index.js',
      post: 'dist/post.js',
    });
  });

  it('has defaults that the code accepts', () => {
    const env = Object.fromEntries(
      Object.entries(ACTION.inputs).map(([name, input]) => [
        `INPUT_${name.toUpperCase()}`,
        input.default,
      ]),
    );
    expect(readInputs({ ...env, INPUT_AGENT: 'reviewer' })).toMatchObject({
      agent: 'reviewer',
      mode: 'run',
      memory: { store: 'branch', branch: 'axe-memory', path: undefined, isReadOnly: false },
    });
  });
});

it('the version is the version in package.json', () => {
  const manifest: { version: string } = JSON.parse(
    readFileSync(join(ROOT, 'package.json'), 'utf8'),
  );
  expect(VERSION).toBe(manifest.version);
});

/** What a person reads who gave a mistaken command. */
