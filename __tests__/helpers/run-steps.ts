import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { type ChildResult, startChild } from './child.js';
import { runMain, type StepOptions, type StepResult } from './run-action.js';
import { tempDir } from './temp.js';
import type { Step } from './workflow-files.js';

/** A job on a runner of its own: an empty workspace, and steps as a workflow has them. */
export interface Job {
  readonly workspace: string;
  /** Runs one step: a checkout, this action, or a script. Throws for another action. */
  run(step: Step): Promise<StepResult | ChildResult>;
}

/** What the steps of a job have in common. */
export interface JobOptions {
  /** A bare repository on disk. */
  readonly remote: string;
  readonly step: Omit<StepOptions, 'workspace'>;
}

/** Environment of a git that knows nobody. */
export const NOBODY = { GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null' } as const;

/** Starts a job. */
export function startJob({ remote, step: common }: JobOptions): Job {
  const workspace = join(tempDir('job'), 'workspace');
  return { workspace, run };

  async function run(step: Step): Promise<StepResult | ChildResult> {
    const { uses = '', run: script, with: given = {} } = step;
    if (script !== undefined) {
      // Git needs no login on a disk.
      const tools = tempDir('tools');
      writeFileSync(join(tools, 'gh'), '#!/bin/sh\n', { mode: 0o755 });
      const env = { PATH: `${tools}:${process.env['PATH']}`, HOME: tempDir('home'), ...NOBODY };
      return await startChild({ command: 'bash', args: ['-e', '-c', script], cwd: workspace, env }).finished;
    }
    if (uses.startsWith('actions/checkout@')) return await checkout();
    if (!uses.startsWith('YOUR_ORG/axe-action@')) throw new Error(`nobody can run ${uses} here`);
    const inputs = Object.fromEntries(Object.entries(given).map(([name, value]) => [name, String(value)]));
    return await runMain({
      ...common,
      workspace,
      inputs: { ...common.inputs, ...inputs },
      env: { ...NOBODY, ...common.env },
    });
  }

  /** As `actions/checkout` does it: the newest commit alone, on its branch. */
  async function checkout(): Promise<ChildResult> {
    const args = ['clone', '--quiet', '--depth=1', '--branch=main', `file://${remote}`, workspace];
    const env = { PATH: process.env['PATH'] ?? '', HOME: tempDir('home'), ...NOBODY };
    return await startChild({ command: 'git', args, cwd: tempDir('cwd'), env }).finished;
  }
}

/** Git in a repository on disk, without anybody's configuration. Throws with git's message. */
export function gitIn(folder: string, ...args: readonly string[]): string {
  return execFileSync('git', args, {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env['PATH'],
      HOME: folder,
      ...NOBODY,
      GIT_AUTHOR_NAME: 'octocat',
      GIT_AUTHOR_EMAIL: 'octocat@users.noreply.github.com',
      GIT_COMMITTER_NAME: 'octocat',
      GIT_COMMITTER_EMAIL: 'octocat@users.noreply.github.com',
    },
  });
}

/** The steps of the first job of an example. */
export function exampleSteps(name: string): readonly Step[] {
  const text = readFileSync(join(import.meta.dirname, '../../examples/workflows', name), 'utf8');
  const { jobs } = parse(text) as {
    readonly jobs: Readonly<Record<string, { readonly steps: readonly Step[] }>>;
  };
  return Object.values(jobs)[0]?.steps ?? [];
}
