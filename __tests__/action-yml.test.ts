import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { INPUT_DEFAULTS, readInputs } from '../src/actions/inputs/inputs.js';
import { OUTPUT_NAMES } from '../src/actions/outputs.js';
import {
  ACTION_MAX_TOKENS,
  ACTION_TIMEOUT_MINUTES,
  CLI_TIMEOUT_SECONDS,
  MAX_CALLS_PER_TURN,
  MAX_PARALLEL_CALLS,
  MAX_TURNS,
  NOTES_LIMITS,
} from '../src/core/defaults.js';
import { VERSION } from '../src/core/version.js';
import { actionErrors } from './helpers/workflow-syntax.js';

interface ActionYml {
  readonly inputs: Record<string, { readonly description: string; readonly default: string }>;
  readonly outputs: Record<string, { readonly description: string }>;
  readonly runs: { readonly using: string; readonly main: string; readonly post: string };
}

const ROOT = join(import.meta.dirname, '..');
const TEXT = readFileSync(join(ROOT, 'action.yml'), 'utf8');
const ACTION: ActionYml = parse(TEXT);
const README = readFileSync(join(ROOT, 'README.md'), 'utf8');

describe('action.yml', () => {
  it('is loaded by the runner', () => {
    expect(actionErrors({ name: 'action.yml', content: TEXT })).toEqual([]);
  });

  it.each([
    ['an expression in a description', 'description: Say `${{ matrix.package }}`', 'outside of `default:`'],
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
  ])('would be refused for %s', (_, text, message) => {
    const input = text.startsWith('runs:') ? '' : `\n    ${text.replace('\n', '\n    ')}`;
    const runs = text.startsWith('runs:') ? text : 'runs: { using: node24, main: a.js }';
    const content = `name: a\ndescription: b\ninputs:\n  one:${input || ' {}'}\n${runs}\n`;
    expect(actionErrors({ name: 'action.yml', content }).join('\n')).toContain(message);
  });

  it('has the inputs and defaults of the code', () => {
    const declared = Object.entries(ACTION.inputs).map(([name, input]) => [name, input.default]);
    expect(declared).toEqual(Object.entries(INPUT_DEFAULTS));
  });

  it('has the outputs of the code', () => {
    expect(Object.keys(ACTION.outputs)).toEqual([...OUTPUT_NAMES]);
  });

  it('runs on Node 24 with a main and a post step', () => {
    expect(ACTION.runs).toMatchObject({ using: 'node24', main: 'dist/index.js', post: 'dist/post.js' });
  });

  it('has defaults that the code accepts', () => {
    const env = Object.fromEntries(
      Object.entries(ACTION.inputs).map(([name, input]) => [`INPUT_${name.toUpperCase()}`, input.default]),
    );
    expect(readInputs({ ...env, INPUT_AGENT: 'reviewer' })).toMatchObject({
      agent: 'reviewer',
      mode: 'run',
      memory: { store: 'auto', branch: 'axe-memory', path: undefined, isRequired: false },
    });
  });
});

describe('the README', () => {
  it.each(['inputs', 'outputs'] as const)('lists every one of the %s as action.yml describes it', (kind) => {
    const section = README.split(`<!-- ${kind} -->`)[1]?.split(`<!-- /${kind} -->`)[0] ?? '';
    const rows = section.split('\n').filter((line) => line.startsWith('| `'));
    expect(rows).toHaveLength(Object.keys(ACTION[kind]).length);
    for (const [name, { description }] of Object.entries(ACTION[kind])) {
      const row = rows.find((line) => line.startsWith(`| \`${name}\` |`));
      expect(row).toContain(description.trim().replaceAll('|', '\\|'));
    }
  });

  it.each([
    ['Turns', 2, `\`max-turns\`: ${ACTION.inputs['max-turns']?.default}`],
    ['Turns', 3, String(MAX_TURNS)],
    ['Tokens', 2, `\`max-tokens\`: ${ACTION_MAX_TOKENS.toLocaleString('en')};`],
    ['Cost', 2, `\`max-cost-usd\`: ${ACTION.inputs['max-cost-usd']?.default === '0' ? 'none' : ''}`],
    ['Time', 2, `\`timeout-minutes\`: ${ACTION_TIMEOUT_MINUTES};`],
    ['Time', 3, `else ${CLI_TIMEOUT_SECONDS} s`],
    [
      'Tool calls of one turn',
      2,
      `${MAX_CALLS_PER_TURN} run: reading ones ${MAX_PARALLEL_CALLS} at a time, others in order`,
    ],
    [
      'Writes to [notes](#notes)',
      2,
      `${NOTES_LIMITS.runBytes / 1024} KiB in ${NOTES_LIMITS.runWrites} writes`,
    ],
  ])('states the default of the limit of %s (column %i) as the code has it', (limit, column, text) => {
    const row = README.split('\n').find((line) => line.startsWith(`| ${limit} |`)) ?? '';
    expect(row.split(' | ')[column - 1]).toContain(text);
  });

  it('shows a workflow of at most 15 lines that uses inputs which exist', () => {
    const yaml = /```yaml\n(name: review\n[\s\S]*?)```/.exec(README)?.[1] ?? '';
    expect(yaml.trim().split('\n').length).toBeLessThanOrEqual(15);
    const workflow: { jobs: Record<string, { steps: { uses: string; with: Record<string, string> }[] }> } =
      parse(yaml);
    const [step] = workflow.jobs['review']?.steps ?? [];
    expect(step?.uses).toMatch(/axe-action@v1$/);
    for (const name of Object.keys(step?.with ?? {})) expect(Object.keys(ACTION.inputs)).toContain(name);
  });
});

describe('the version', () => {
  it('is the one of package.json', () => {
    const manifest: { version: string } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    expect(VERSION).toBe(manifest.version);
  });
});
