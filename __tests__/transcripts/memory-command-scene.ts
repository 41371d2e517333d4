import { formatEntry, formatProvenance, type Provenance } from '../../src/memory/run-log.js';
import { parseLog } from '../../src/memory/units.js';
import type { ChildResult } from '../helpers/child.js';
import { GITHUB_TOKEN } from '../helpers/github-server.js';
import type { StepOptions } from '../helpers/run-action.js';
import { runCli } from '../helpers/run-cli.js';
import { tempDir } from '../helpers/temp.js';
import { type Payload, payloadField } from '../helpers/webhooks.js';
import type { Stage } from './stage.js';

/** The branch that memory is kept on. */
export const BRANCH = 'axe-memory';

/** An id as the action makes them. */
export function idOf(start: string): string {
  return start.padEnd(26, '0');
}

/** An entry of a review on a day of February 2026. */
export function review(
  day: number,
  { id, task, result, ...more }: { id: string; task: string; result: string } & Partial<Provenance>,
): string {
  const provenance = {
    id: idOf(id),
    run: `${day}/1`,
    sha: 'ec26c3e',
    actor: 'Codertocat',
    model: 'anthropic/claude-sonnet-4-5',
    ...more,
  };
  const timestamp = new Date(Date.UTC(2026, 1, day, 4, 5, 6));
  return formatEntry({ timestamp, task, result, provenance: formatProvenance(provenance) });
}

/** `owner/name` of a stage's repository. */
export function nameOf({ repo }: Pick<Stage, 'repo'>): string {
  return `${repo.owner}/${repo.name}`;
}

/**
 * Lets the token write and puts these files onto the memory branch, as runs would have left them.
 */
export function rememberOnBranch(stage: Stage, files: Readonly<Record<string, string>>): void {
  stage.github.commit(nameOf(stage), files, { branch: BRANCH });
}

/** A file on the memory branch; empty where there is none. */
export function onBranch(stage: Stage, path = 'reviewer.md'): string {
  return stage.github.files(nameOf(stage), BRANCH)[path] ?? '';
}

/** Ids of a run log on the memory branch. */
export function idsOnBranch(stage: Stage, path = 'reviewer.md'): readonly string[] {
  return parseLog(onBranch(stage, path)).units.map(({ id }) => id);
}

/** The command line on a laptop that has no checkout and no agent. */
export function onLaptop(
  stage: Stage,
  words: readonly string[],
  agent = 'reviewer',
): Promise<ChildResult> {
  const [command = '', ...rest] = words;
  return runCli(['memory', command, agent, '--repo', nameOf(stage), ...rest], {
    cwd: tempDir('laptop'),
    env: { ...stage.github.env, GITHUB_TOKEN },
  });
}

/** A scheduled run in the repository of a stage. */
export function onSchedule({ payload }: Pick<Stage, 'payload'>): Partial<StepOptions> {
  const [repository, sender] = ['repository', 'sender'].map((field) =>
    payloadField(payload, field),
  );
  const scheduled: Payload = { repository, sender, schedule: '0 6 * * 1' };
  return {
    event: { name: 'schedule', payload: scheduled },
    inputs: { agent: 'reviewer', prompt: 'Say what is new.' },
  };
}
