// slow
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { formatClaims, isRight, loadClaims } from '../../eval/claims.js';
import { loadCases } from '../../eval/load.js';
import { makeVersions } from '../../eval/versions.js';
import { parseDiff } from '../../src/lib/text/diff.js';
import { promptOf, startModelServer, text, toolCall } from '../helpers/model-server.js';
import { evaluate } from './samples.js';

const CLAIMS = loadClaims();
const ALL = loadCases();

it('the claims are sixty, of which half hold, in several languages', () => {
  expect(CLAIMS).toHaveLength(60);
  expect(CLAIMS.filter(({ holds }) => holds)).toHaveLength(30);
  const languages = new Map(ALL.map(({ about }) => [about.name, about.language]));
  expect(new Set(CLAIMS.map((claim) => languages.get(claim.case))).size).toBeGreaterThanOrEqual(7);
  expect(new Set(CLAIMS.map(({ case: name, title }) => `${name} ${title}`)).size).toBe(60);
});

it.each(CLAIMS.map((claim) => [`${claim.case}: ${claim.title}`, claim] as const))(
  'the claims name lines that are there: %s',
  (_, claim) => {
    const loaded = ALL.find(({ about }) => about.name === claim.case);
    if (loaded === undefined) throw new Error(`no case ${claim.case}`);
    const { diff } = makeVersions(loaded).first;
    const lineOf = (path: string, line: number) =>
      readFileSync(join(loaded.folder, 'head', path), 'utf8').split('\n')[line - 1];
    expect(lineOf(claim.path, claim.line)).toBe(claim.code);
    expect(lineOf(claim.decides.path, claim.decides.line)).toBe(claim.decides.code);
    const added = parseDiff(diff)
      .filter(({ path }) => path === claim.path)
      .flatMap(({ hunks }) => hunks.flatMap(({ lines }) => lines))
      .filter(({ kind }) => kind === 'added')
      .map((line) => line.text);
    expect(added).toContain(claim.code);
  },
);

const GIVEN = ['--claims', '--cases', 'clean-extract,cart-merge'];

it('are raised by a script and decided by the line that decides them', async () => {
  const run = await evaluate(GIVEN);
  expect([run.exitCode, run.stderr]).toEqual([0, '']);
  expect(run.stdout).toContain('| true and refuted | 0 % (0 of 1) |');
  expect(run.stdout).toContain('| untrue and kept | 0 % (0 of 4) |');
  expect(run.stdout).not.toContain('Cost');
});

it('show how a model looks: the reviewer is scripted, and only second looks are asked for', async () => {
  const model = await startModelServer((request) => {
    const { messages } = promptOf(request);
    return messages.length === 1
      ? toolCall('give_verdict', { verdict: 'holds', reason: 'So it is.' })
      : text('.');
  });
  const limits = ['--model', 'anthropic/claude-sonnet-5-5', '--max-cost', '5', '--rounds', '1'];
  const run = await evaluate([...limits, ...GIVEN], model.env);
  expect(run.exitCode).toBe(0);
  expect(run.stdout).toMatch(/: 5 claims, 1 rounds\. It stops at \$5\.00\./);
  expect(run.stdout).toContain('| true and refuted | 0 % (0 of 1) |');
  expect(run.stdout).toContain('| untrue and kept | 100 % (4 of 4) |');
  expect(run.stdout).toContain(
    '- kept: clean-extract, The call is made four times instead of three',
  );
  expect(model.prompts().map(({ tools }) => tools.includes('give_verdict'))).toEqual(
    Array(5).fill(true),
  );
  const none = await evaluate(['--model', 'anthropic/claude-sonnet-5-5', ...GIVEN], model.env);
  expect([none.exitCode, none.stderr]).toEqual([
    2,
    expect.stringContaining('--model needs --max-cost'),
  ]);
});

it('are reported with those that were decided wrongly', () => {
  const [held, untrue] = [CLAIMS.find(({ holds }) => holds), CLAIMS.find(({ holds }) => !holds)];
  if (held === undefined || untrue === undefined) throw new Error('there are no claims');
  const judged = [
    { claim: held, fate: 'refuted', costUsd: 0.01 },
    { claim: untrue, fate: 'kept', costUsd: 0.02 },
    { claim: untrue, fate: 'lost', costUsd: 0 },
  ] as const;
  expect(judged.map(isRight)).toEqual([false, false, false]);
  const report = formatClaims('x', judged, true);
  expect(report).toContain('| true and refuted | 100 % (1 of 1) |');
  expect(report).toContain('| untrue and kept | 50 % (1 of 2) |');
  expect(report).toContain('| never looked at | 33 % (1 of 3) |');
  expect(report).toContain(`- refuted: ${held.case}, ${held.title}`);
  expect(report).toContain('Cost: $0.0300.');
});
