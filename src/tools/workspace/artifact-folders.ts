import { cp, lstat, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { LoadedAgent } from '../../agent/agent-source.js';
import { type Environment, expandPath } from '../../lib/environment.js';
import { AxeError, messageOf } from '../../lib/errors.js';
import { resolveInside } from '../../lib/user-files.js';
import type { Workspace } from './workspace.js';

/** The folder of an agent's `[artifacts]`, for its file tools. */
export interface ArtifactFolder {
  readonly workspace: Workspace;
  /** `write_file` writes to this folder by default. */
  readonly isDefault: boolean;
  onWritten(path: string, size: number): void;
}

/** The artifacts that a run leaves behind. */
export interface Artifacts {
  /** Absolute; undefined if it was removed. */
  readonly folder: string | undefined;
  /** The files that `write_file` wrote, in order. */
  readonly written: readonly {
    readonly path: string;
    readonly agent: string;
    readonly size: number;
  }[];
}

/** The folders of the agents' `[artifacts]`, one for each agent of the run. */
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
  /** The folder of the run's agent, instead of the one in its `[artifacts]`. */
  readonly artifactDir?: string;
  /** Keeps the temporary folder of the run's agent, and returns its path; else it is removed. */
  readonly keepArtifacts?: (folder: string) => Promise<string | undefined>;
}) {
  const folders = new Map<string, Promise<string>>();
  const temporary = new Set<string>();
  const written: Artifacts['written'][number][] = [];
  let runFolder: string | undefined;

  async function makeFolder(
    agent: LoadedAgent,
    workdir: string,
    inputDir: string,
  ): Promise<string> {
    const variables = { ...(where === 'terminal' ? env : {}), AXE_ARTIFACT_DIR: runFolder };
    const dir = inputDir || expandPath(agent.config.artifacts.dir, variables);
    if (dir === '') {
      const folder = await mkdtemp(join(tmpdir(), 'axe-artifacts-'));
      temporary.add(folder);
      return folder;
    }

    const path = resolve(cwd, workdir, dir);
    const isInput = inputDir !== '';
    const label = isInput
      ? 'the folder of `--artifact-dir`'
      : `\`artifacts.dir\` of the agent "${agent.name}"`;
    if (where === 'workflow' && !isInput && path !== runFolder)
      await resolveInside(cwd, { path, what: label });
    await mkdir(path, { recursive: true }).catch((thrown: unknown) => {
      throw new AxeError(`${label} could not be made: ${messageOf(thrown)}`);
    });
    return path;
  }

  return {
    /**
     * The folder of an agent, created if it is missing; undefined for an agent without one.
     * Sub-agents can name the folder of the run's agent by `${AXE_ARTIFACT_DIR}`. Throws an
     * AxeError.
     */
    async folderOf(
      agent: LoadedAgent,
      workdir: string,
      isOfRun: boolean,
    ): Promise<string | undefined> {
      const inputDir = isOfRun ? artifactDir : '';
      if (inputDir === '' && !agent.config.artifacts.enabled) return undefined;

      const folder = folders.get(agent.name) ?? makeFolder(agent, workdir, inputDir);
      folders.set(agent.name, folder);
      if (isOfRun) runFolder ??= await folder;
      return await folder;
    },
    record: (artifact: Artifacts['written'][number]) => void written.push(artifact),
    /**
     * Removes the temporary folders that are not kept; undefined if the run's agent had none. Never
     * rejects.
     */
    async close(warn: (message: string) => void): Promise<Artifacts | undefined> {
      let folder = runFolder;
      if (folder !== undefined && temporary.has(folder))
        folder = await keepArtifacts?.(folder).catch((thrown: unknown) => {
          warn(`the folder of artifacts could not be kept: ${messageOf(thrown)}`);
          return undefined;
        });

      const removed = [...temporary].filter((path) => path !== folder);
      // A file that a command made unremovable must not cost the run its answer.
      await Promise.allSettled(removed.map((path) => rm(path, { recursive: true, force: true })));
      return runFolder === undefined ? undefined : { folder, written };
    },
  };
}

/**
 * Copies a folder to one that later steps of the job can read; undefined for an empty one. Links
 * are not copied, because a step that uploads the folder would follow them out of it.
 */
export async function copyForJob(folder: string, temp: string): Promise<string | undefined> {
  if ((await readdir(folder)).length === 0) return undefined;

  const copy = await mkdtemp(join(temp || tmpdir(), 'axe-artifacts-'));
  const isPlain = async (path: string) => {
    const stats = await lstat(path);
    return stats.isFile() || stats.isDirectory();
  };
  await cp(folder, copy, { recursive: true, filter: isPlain });
  return copy;
}
