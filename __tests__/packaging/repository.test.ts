import { existsSync, readFileSync } from 'node:fs';
import { join, matchesGlob } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { parseAgent } from '../../src/agent/inspect.js';
import { importedPackages } from '../helpers/imported-packages.js';
import { exampleWorkflows, workflowsIn } from '../helpers/workflow-files.js';

const ROOT = join(import.meta.dirname, '../..');
const WORKFLOWS = [...workflowsIn('.github/workflows'), ...workflowsIn('live')];
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

describe.each(WORKFLOWS)('the workflow $name', ({ name, content, workflow }) => {
  const jobs = Object.entries(workflow.jobs);
  const steps = jobs.flatMap(([, job]) => job.steps ?? []);

  it('names other actions by a whole commit, with its version in a comment', () => {
    const lines = content.split('\n').filter((line) => /^\s*(?:- )?uses: (?!\.\/$)/.test(line));
    expect(lines.length).toBe(steps.filter(({ uses = './' }) => uses !== './').length);
    for (const line of lines)
      expect(line).toMatch(/uses: [\w.-]+\/[\w.-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  });

  it('gives each job its own permissions, or the same to all of them', () => {
    expect(workflow.permissions).toBeDefined();
    const isEmpty = Object.keys(workflow.permissions ?? {}).length === 0;
    if (isEmpty) for (const [, job] of jobs) expect(job.permissions).toBeDefined();
    else expect(jobs).toHaveLength(1);
  });

  it('leaves the token in no checkout, except to push tags', () => {
    for (const [id, { steps: own = [] }] of jobs) {
      for (const { with: given } of own.filter(({ uses }) =>
        uses?.startsWith('actions/checkout@'),
      )) {
        expect(given?.['persist-credentials']).toBe(name === 'release.yml' && id === 'tags');
      }
    }
  });
});

it('every workflow uses the same commit of an action', () => {
  const pins = WORKFLOWS.flatMap(({ content }) => [...content.matchAll(/uses: ([\w/-]+)@(.*)$/gm)]);
  const versions = new Map<string, Set<string>>();
  for (const [, action = '', pin = ''] of pins)
    versions.set(action, (versions.get(action) ?? new Set()).add(pin));
  for (const [, all] of versions) expect([...all]).toHaveLength(1);
});

describe('the project’s own review', () => {
  const own = WORKFLOWS.find(({ name }) => name === 'review.yml');
  const shown = exampleWorkflows().find(({ name }) => name === 'public.yml');
  const job = own?.workflow.jobs['review'];

  it('starts like the example for public repositories, with its permissions', () => {
    expect(own?.workflow.on).toEqual(shown?.workflow.on);
    expect(own?.workflow.permissions).toEqual(shown?.workflow.permissions);
    expect(job?.if).toBe(shown?.workflow.jobs['review']?.if);
  });

  it('checks out the target branch of a pull request, never its head', () => {
    const checkouts = job?.steps?.filter(({ uses }) => uses?.startsWith('actions/checkout@')) ?? [];
    expect(checkouts.map(({ with: given }) => given)).toEqual([{ 'persist-credentials': false }]);
    expect(job?.steps?.filter(({ run }) => run !== undefined)).toEqual([]);
  });

  it('runs a valid agent of this repository', () => {
    const name = job?.steps?.find(({ uses }) => uses === './')?.with?.['agent'];
    const path = `axe/agents/${name}.toml`;
    const { config, warnings } = parseAgent(read(path), { name: String(name), file: path });
    expect(warnings).toEqual([]);
    expect(existsSync(join(ROOT, 'axe', config.skill))).toBe(true);
    for (const file of config.files) expect(existsSync(join(ROOT, file))).toBe(true);
  });
});

const { devDependencies } = JSON.parse(read('package.json')) as {
  readonly devDependencies: Readonly<Record<string, string>>;
};
const imported = importedPackages();

it('Dependabot keeps the packages built into dist/ apart from tools, each package in one group', () => {
  const { updates } = parse(read('.github/dependabot.yml')) as Dependabot;
  const npm = updates.find((one) => one['package-ecosystem'] === 'npm')?.groups ?? {};
  expect(npm['tools']?.['exclude-patterns']).toEqual(npm['bundled']?.patterns);
  const patterns = npm['bundled']?.patterns ?? [];
  const isBundled = (name: string) => patterns.some((pattern) => matchesGlob(name, pattern));
  const names = Object.keys(devDependencies);
  expect(names.filter(isBundled)).toEqual(names.filter((name) => imported.has(name)));
  for (const pattern of patterns)
    expect(names.some((name) => matchesGlob(name, pattern))).toBe(true);
});

it('the packages that the action is built from are pinned, and each is used for what it is for', () => {
  const bundled = ['@actions/core', '@actions/github', '@actions/cache', 'smol-toml'];
  for (const name of bundled) expect(imported).toContain(name);
  expect(read('scripts/build.js')).toContain("'@vercel/ncc'");
  expect(read('scripts/test.js')).toContain("'jest/bin/jest'");
  for (const name of [...bundled, '@vercel/ncc', 'jest'])
    expect(devDependencies[name]).toMatch(/^\d+\.\d+\.\d+$/);
});

interface Dependabot {
  readonly updates: readonly {
    readonly 'package-ecosystem': string;
    readonly groups: Readonly<
      Record<string, Partial<Record<'patterns' | 'exclude-patterns', string[]>>>
    >;
  }[];
}
