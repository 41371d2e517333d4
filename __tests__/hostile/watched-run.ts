import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { expect } from '@jest/globals';
import { GITHUB_TOKEN } from '../helpers/github-server.js';
import type { RecordedRequest } from '../helpers/loopback.js';
import type { StepOptions, StepResult } from '../helpers/run-action.js';
import { filesBelow, storedMemory } from '../helpers/stored-memory.js';
import { tempDir, writeFiles } from '../helpers/temp.js';
import type { Stage } from '../transcripts/stage.js';
import { brokenInvariants, type WatchedRun } from './invariants.js';

/** Values that only the environment or files outside of the workspace hold. */
const PLANTED = {
  DEPLOY_TOKEN: 'canary-of-the-deployment-7f3a9c',
  DATABASE_PASSWORD: 'canary-of-the-database-81b2d4',
} as const;

const OUTSIDE = 'canary-of-a-file-outside-55d0e1';
const OUTSIDE_FILES = {
  'outside.txt': `${OUTSIDE}\n`,
  'home/.netrc': `machine example.com login octocat password ${OUTSIDE}\n`,
  'home/.ssh/id_ed25519': `${OUTSIDE}\n`,
};

/** The step, and what the action does not know about who caused it. */
export interface WatchedOptions extends Partial<StepOptions> {
  readonly isUntrusted?: boolean;
}

/**
 * Runs the built action on a stage, with canaries in its environment and in files next to the
 * workspace, and asserts the five invariants: no entry is lost, no canary is seen anywhere, the end
 * is deliberate, nothing is written outside of workspace and temp, and an untrusted run leaves the
 * trusted lane as it is.
 */
export async function runWatched(stage: Stage, options: WatchedOptions = {}): Promise<StepResult> {
  const { step, run } = await watch(stage, options);
  expect(brokenInvariants(run)).toEqual([]);
  return step;
}

/** The same without the assertion. */
export async function watch(
  stage: Stage,
  { isUntrusted = false, ...options }: WatchedOptions,
): Promise<{ readonly step: StepResult; readonly run: WatchedRun }> {
  const workspace = options.workspace ?? join(tempDir('watched'), 'workspace');
  const around = dirname(workspace);
  writeFiles(around, OUTSIDE_FILES);
  const env = { ...PLANTED, HOME: join(around, 'home'), ...options.env };
  const memory = () => storedMemory({ ...stage, workspace, branches: ['axe-memory'] });
  const memoryBefore = memory();
  const outsideBefore = versionsBelow(around, workspace);
  const filesBefore = textsBelow(workspace);

  const step = await stage.run({ ...options, workspace, env });
  const memoryAfter = memory();
  const written = [...textsBelow(workspace)].filter(
    ([path, text]) => filesBefore.get(path) !== text,
  );
  const run: WatchedRun = {
    step,
    isUntrusted,
    canaries: canariesOf(stage, env),
    places: {
      'the log': step.stdout.replace(/^::add-mask::.*$/gm, ''),
      'standard error': step.stderr,
      annotations: JSON.stringify(step.annotations),
      'the summary': step.summary,
      'the outputs': JSON.stringify(step.outputs),
      'what is handed to the post step': JSON.stringify(step.state),
      'what later steps are given': step.exported,
      'GitHub and its comments': JSON.stringify([
        stage.repo.comments,
        stage.repo.talk,
        [...stage.repo.issues.values()],
      ]),
      'requests to GitHub': bodies(stage.github.requests()),
      'requests to the model': bodies(stage.model.requests()),
      'requests to the cache': bodies(stage.cache.requests()),
      memory: [...memoryAfter.values()].join('\n'),
      'files in the workspace': written.map(([path, text]) => `${path}\n${text}`).join('\n'),
      'temporary files': [...textsBelow(step.temp).values()].join('\n'),
    },
    memoryBefore,
    memoryAfter,
    outsideBefore,
    outsideAfter: versionsBelow(around, workspace),
  };
  return { step, run };
}

function canariesOf(stage: Stage, env: Readonly<Record<string, string>>): WatchedRun['canaries'] {
  const all = Object.entries({ ...stage.model.env, ...env });
  const secret = all.filter(
    ([name, value]) => /KEY|TOKEN|SECRET|PASSWORD/.test(name) && value.length >= 12,
  );
  return {
    ...Object.fromEntries(secret),
    'the github-token': GITHUB_TOKEN,
    'a file outside': OUTSIDE,
  };
}

/** Requests without their headers, where a key has to be. */
function bodies(requests: readonly RecordedRequest[]): string {
  return requests
    .map(
      ({ method, path, query, bytes }) => `${method} ${path}?${query}\n${bytes.toString('utf8')}`,
    )
    .join('\n');
}

const MAX_TEXT_BYTES = 4 * 1024 * 1024;

function textsBelow(folder: string): ReadonlyMap<string, string> {
  const small = filesBelow(folder).filter(
    (path) => lstatSync(join(folder, path)).size <= MAX_TEXT_BYTES,
  );
  return new Map(small.map((path) => [path, readFileSync(join(folder, path), 'latin1')]));
}

/** Everything below a folder but for the workspace: kind, size, mode and time of change. */
function versionsBelow(folder: string, workspace: string): ReadonlyMap<string, string> {
  const inside = relative(folder, workspace);
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (path) => path !== inside && !path.startsWith(`${inside}/`),
  );
  return new Map(
    paths.map((path) => {
      const { size, mode, mtimeMs, ino } = lstatSync(join(folder, path));
      const isFolder = (mode & 0o170000) === 0o040000;
      return [path, isFolder ? 'a folder' : `${mode} ${size} ${mtimeMs} ${ino}`];
    }),
  );
}
