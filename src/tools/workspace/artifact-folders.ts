import { cp, lstat, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { LoadedAgent } from '../../agent/agent-source.js';
import { type Environment, expandPath } from '../../lib/environment.js';
import { AxeError, messageOf } from '../../lib/errors.js';
import { resolveInside } from '../../lib/user-files.js';
import { makeVisible } from '../process/process-jail.js';
import type { Workspace } from './workspace.js';

/** The folder of an agent's `[artifacts]` as its file tools have it. */
export interface ArtifactFolder {
  readonly workspace: Workspace;
  /** Whether `write_file` writes there unless it is told otherwise. */
  readonly isDefault: boolean;
  onWritten(path: string, size: number): void;
}

/** What the agent of a run leaves in its folder of artifacts. */
export interface Artifacts {
  /** Absolute; undefined where it was removed. */
  readonly folder: string | undefined;
  /** What `write_file` wrote, in order. */
  readonly written: readonly {
    readonly path: string;
    readonly agent: string;
    readonly size: number;
  }[];
}

/** The folders that agents have for files by their `[artifacts]`, one for each agent of the run. */
export function createArtifactFolders({
  env,
  cwd,
  where,
  artifactDir = '',
  keepArtifacts,
}: {
  readonly env: Environment;
  readonly cwd: string;
  readonly where: 'terminal' | 'workflow';
  /** The folder of the run's agent, in place of what its `[artifacts]` say. */
  readonly artifactDir?: string;
  /**
   * Keeps the folder that was made for the run's agent, and says where it is then; left out: it is
   * removed.
   */
  readonly keepArtifacts?: (folder: string) => Promise<string | undefined>;
}) {
  const folders = new Map<string, Promise<string>>();
  const temporary = new Set<string>();
  const written: Artifacts['written'][number][] = [];
  let ofRun: string | undefined;

  async function makeFolder(agent: LoadedAgent, workdir: string, given: string): Promise<string> {
    const variables = { ...(where === 'terminal' ? env : {}), AXE_ARTIFACT_DIR: ofRun };
    const named = given || expandPath(agent.config.artifacts.dir, variables);
    if (named === '') {
      const folder = await makeVisible('axe-artifacts-', env['RUNNER_TEMP'] || undefined);
      temporary.add(folder);
      return folder;
    }
    const path = resolve(cwd, workdir, named);
    const what =
      given === ''
        ? `\`artifacts.dir\` of the agent "${agent.name}"`
        : 'the folder of `--artifact-dir`';
    if (where === 'workflow' && given === '' && path !== ofRun)
      await resolveInside(cwd, { path, what });
    await mkdir(path, { recursive: true }).catch((thrown: unknown) => {
      throw new AxeError(`${what} could not be made: ${messageOf(thrown)}`);
    });
    return path;
  }

  return {
    /**
     * The folder of an agent, made if it is missing; undefined for an agent without. Agents below
     * the run's own name its folder by `${AXE_ARTIFACT_DIR}`. Throws an AxeError.
     */
    async folderOf(
      agent: LoadedAgent,
      workdir: string,
      isOfRun: boolean,
    ): Promise<string | undefined> {
      const given = isOfRun ? artifactDir : '';
      if (given === '' && !agent.config.artifacts.enabled) return undefined;
      const folder = folders.get(agent.name) ?? makeFolder(agent, workdir, given);
      folders.set(agent.name, folder);
      if (isOfRun) ofRun ??= await folder;
      return await folder;
    },
    record: (one: Artifacts['written'][number]) => void written.push(one),
    /**
     * Removes the folders that nobody has named or keeps; undefined where the run's agent had none.
     * Never rejects.
     */
    async close(warn: (message: string) => void): Promise<Artifacts | undefined> {
      let folder = ofRun;
      if (folder !== undefined && temporary.has(folder))
        folder = await keepArtifacts?.(folder).catch((thrown: unknown) => {
          warn(`the folder of artifacts could not be kept: ${messageOf(thrown)}`);
          return undefined;
        });
      const removed = [...temporary].filter((path) => path !== folder);
      // What a command has left unremovable there must not cost the run its answer.
      await Promise.allSettled(removed.map((path) => rm(path, { recursive: true, force: true })));
      return ofRun === undefined ? undefined : { folder, written };
    },
  };
}

/**
 * Copies a folder to where later steps of the job find it; undefined for an empty one. Links stay
 * behind: a step that uploads the folder would follow them to anywhere.
 */
export async function copyForJob(folder: string, temp: string): Promise<string | undefined> {
  if ((await readdir(folder)).length === 0) return undefined;
  const kept = await mkdtemp(join(temp || tmpdir(), 'axe-artifacts-'));
  const isPlain = async (path: string) => {
    const found = await lstat(path);
    return found.isFile() || found.isDirectory();
  };
  await cp(folder, kept, { recursive: true, filter: isPlain });
  return kept;
}
