import { join, relative, resolve, sep } from 'node:path';
import { isInside } from '../adapters/host/confine.js';
import { createFiles } from '../adapters/host/files.js';
import { answerMemoryCommand } from '../commands/memory/answer-command.js';
import type { Exported, MemoryCommandResult } from '../commands/memory/command-session.js';
import { memoryCommandIn } from '../commands/memory/parse-comment.js';
import {
  nothingToPush,
  type PushCommand,
  parsePushCommand,
  pushMemory,
} from '../commands/memory/push-memory.js';
import { openCheckoutMemory } from '../composition/checkout-memory.js';
import { COMMITTED_FOLDER } from '../core/defaults.js';
import type { Dependencies } from '../core/dependencies.js';
import { AxeError, ConfigError, orAxeError } from '../core/errors.js';
import { subjectNumber, type Trigger } from '../core/event/trigger.js';
import { decodeBytes } from '../core/text/bytes.js';
import type { Warning } from '../core/warning.js';
import { UNPUBLISHED } from '../run/publish.js';
import type { RunReport, RunRequest } from '../run/request.js';
import { runPipeline } from '../run/run.js';
import { type GcModeParts, runGcMode } from './gc-mode.js';
import type { Inputs } from './inputs/inputs.js';
import { trustedPlace } from './memory/base-memory.js';
import { type Runner, readThisRun } from './runner/runner.js';

/** What a mode that runs an agent works with, and which that is. */
interface ModeParts extends GcModeParts {
  readonly mode: Exclude<Inputs['mode'], 'validate'>;
}

/** Does what the input `mode` asks for. Throws an AxeError. */
export async function runMode(
  parts: ModeParts,
  deps: Dependencies,
  onSaving: (report: RunReport) => void,
): Promise<RunReport> {
  const { mode, inputs, request, runner } = parts;
  const unused = unusedWarning(inputs);
  if (unused !== undefined) deps.reporter.warn(unused);
  switch (mode) {
    case 'run':
      return await runPipeline(request, deps, onSaving);
    case 'memory': {
      const push = readPush(inputs);
      if (push !== undefined) return await runPushMode(push, parts, deps);
      return await runMemoryMode(
        { command: inputs.memoryCommand, request, workspace: runner.workspace },
        deps,
      );
    }
    case 'gc': {
      return await runGcMode(parts, deps);
    }
  }
}

function unusedWarning({ mode, unused }: Inputs): Warning | undefined {
  if (unused.length === 0) return undefined;
  const names = unused.map((name) => `\`${name}\``).join(', ');
  const message = `\`mode: ${mode}\` does not use ${names}. Remove ${unused.length === 1 ? 'it' : 'them'}, or give ${unused.length === 1 ? 'it' : 'them'} to a step that runs the agent.`;
  return { code: 'input-invalid', message };
}

/** What pushing memory from a workflow works with. */
interface PushModeParts {
  readonly inputs: Inputs;
  readonly trigger: Trigger;
  readonly runner: Runner;
}

/** As GitHub writes its own commits, where the workflow has set nobody up. */
const COMMITTER = {
  name: 'github-actions[bot]',
  email: '41898282+github-actions[bot]@users.noreply.github.com',
} as const;

/** The push that the input `memory-command` asks for; undefined for another command. Throws a ConfigError. */
export function readPush({ mode, memoryCommand }: Inputs): PushCommand | undefined {
  if (mode !== 'memory') return undefined;
  try {
    return parsePushCommand(memoryCommandIn(memoryCommand));
  } catch (thrown) {
    if (!(thrown instanceof AxeError)) throw thrown;
    const remedy = thrown.remedy === undefined ? {} : { remedy: thrown.remedy };
    throw new ConfigError(`the input \`memory-command\`: ${thrown.message}`, { cause: thrown, ...remedy });
  }
}

/**
 * Pushes what this job's runs have written to memory in the workspace. There is no admission: whoever caused the event, the
 * runs before this step have decided what is there. Throws an AxeError.
 */
export async function runPushMode(
  command: PushCommand,
  parts: PushModeParts,
  deps: Pick<Dependencies, 'clock' | 'deadline'>,
): Promise<RunReport> {
  const result = await push(command, parts, deps);
  return {
    kind: 'memory-command',
    agent: 'axe-action',
    store: 'file',
    command: 'push',
    requestedIn: 'workflow',
    result,
    published: UNPUBLISHED,
  };
}

async function push(
  command: PushCommand,
  { inputs, trigger, runner: { env, workspace } }: PushModeParts,
  { clock, deadline: { signal } }: Pick<Dependencies, 'clock' | 'deadline'>,
): Promise<MemoryCommandResult> {
  const { memory, githubToken, dryRun } = inputs;
  const folder = memory.path ?? COMMITTED_FOLDER;
  const cause =
    trigger.kind === 'local'
      ? undefined
      : { event: trigger.event, number: subjectNumber(trigger), runUrl: readThisRun(env).runUrl };
  const opened = await openCheckoutMemory(
    {
      dir: join(workspace, folder),
      // On a pull request the memory that runs read is the base branch's.
      branch: command.branch || (trustedPlace(trigger)?.ref ?? ''),
      env,
      access: {
        serverUrl: env['GITHUB_SERVER_URL'] || 'https://github.com',
        token: githubToken,
      },
      committer: COMMITTER,
      clock,
      ...(cause === undefined ? {} : { cause }),
    },
    signal,
  );
  if (opened === undefined) return nothingToPush(folder);
  if (dryRun) return { kind: 'done', text: 'Dry run: nothing was pushed.', changed: false, warnings: [] };
  return await pushMemory(opened, signal);
}

/** What `mode: memory` works with. */
interface MemoryModeParts {
  /** Input `memory-command`. */
  readonly command: string;
  readonly request: RunRequest;
  readonly workspace: string;
}

/**
 * Carries out a command over memory instead of a run. Files are those of the workspace; what is exported to `-` becomes
 * the step's response. Throws an AxeError.
 */
export async function runMemoryMode(
  { command, request, workspace }: MemoryModeParts,
  deps: Dependencies,
): Promise<RunReport> {
  return await answerMemoryCommand(
    {
      ...request,
      words: memoryCommandIn(command),
      requestedIn: 'workflow',
      readImport: async (from) => await readFile(await inside(workspace, from)),
      writeExport: async (out, what) => {
        if (out === '-' && what.kind === 'file') return what.text.toWellFormed();
        for (const [path, text] of filesOf(out, what)) await writeFile(await inside(workspace, path), text);
        return undefined;
      },
    },
    deps,
  );
}

function filesOf(out: string, exported: Exported): readonly (readonly [path: string, text: string])[] {
  if (exported.kind === 'file') return [[out, exported.text]];
  return [...exported.tree].map(([path, text]) => [`${out}/${path}`, text]);
}

/** Throws an AxeError for a path that leaves the workspace, by a link too: what is checked out may hold anything. */
async function inside(workspace: string, path: string): Promise<string> {
  const target = resolve(workspace, path);
  const parts = relative(workspace, target).split(sep);
  if (parts[0] === '' || !isInside(workspace, target) || parts.some((part) => part.toLowerCase() === '.git'))
    throw outside(path);
  for (let depth = 1; depth < parts.length; depth += 1) {
    const found = await orAxeError(() => createFiles().stat(join(workspace, ...parts.slice(0, depth))));
    if (found?.kind === 'link') throw outside(path);
  }
  return target;
}

function outside(path: string): AxeError {
  return new AxeError(`${JSON.stringify(path)} is not a path inside the workspace`, {
    remedy: 'Name a file of the workspace, for example `memory.md`.',
  });
}

function readFile(path: string): Promise<string> {
  return orAxeError(async () => {
    const file = await createFiles().open(path, { followLinks: false });
    if (file === undefined) throw new Error(`open ${path}: no such file or directory`);
    try {
      return decodeBytes(await file.read(0, file.bytes));
    } finally {
      await file.close();
    }
  });
}

function writeFile(path: string, text: string): Promise<void> {
  return orAxeError(() => createFiles().replace(path, text));
}
