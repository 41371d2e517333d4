import { mkdir, rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { LoadedAgent } from '../../agent/agent-source.js';
import { confine } from '../../lib/confine.js';
import type { Environment } from '../../lib/environment.js';
import { AxeError, messageOf } from '../../lib/errors.js';
import { expandPath } from '../../lib/xdg.js';
import { makeVisible } from '../process/process-jail.js';

/** The folders that agents have for files by their `[artifacts]`, one for each agent of the run. */
export function createArtifactFolders({
  env,
  cwd,
  where,
}: {
  readonly env: Environment;
  readonly cwd: string;
  readonly where: 'terminal' | 'workflow';
}) {
  const folders = new Map<string, Promise<string>>();
  const temporary: string[] = [];
  let ofRun: string | undefined;

  async function makeFolder(agent: LoadedAgent, workdir: string): Promise<string> {
    const variables = { ...(where === 'terminal' ? env : {}), AXE_ARTIFACT_DIR: ofRun };
    const named = expandPath(agent.config.artifacts.dir, variables);
    if (named === '') {
      const folder = await makeVisible('axe-artifacts-', env['RUNNER_TEMP'] || undefined);
      temporary.push(folder);
      return folder;
    }
    const path = resolve(cwd, workdir, named);
    const what = `\`artifacts.dir\` of the agent "${agent.name}"`;
    if (where === 'workflow' && path !== ofRun) await confine(cwd, { path, what });
    await mkdir(path, { recursive: true }).catch((thrown: unknown) => {
      throw new AxeError(`${what} could not be made: ${messageOf(thrown)}`);
    });
    return path;
  }

  return {
    /**
     * The folder of an agent, made if it is missing; undefined for an agent without. Agents below the run's own name its
     * folder by `${AXE_ARTIFACT_DIR}`. Throws an AxeError.
     */
    async folderOf(agent: LoadedAgent, workdir: string, isOfRun: boolean): Promise<string | undefined> {
      if (!agent.config.artifacts.enabled) return undefined;
      const folder = folders.get(agent.name) ?? makeFolder(agent, workdir);
      folders.set(agent.name, folder);
      if (isOfRun) ofRun ??= await folder;
      return await folder;
    },
    /** Removes those that no agent has named; never rejects. */
    async remove(): Promise<void> {
      // What a command has left unremovable there must not cost the run its answer.
      await Promise.allSettled(temporary.map((folder) => rm(folder, { recursive: true, force: true })));
    },
  };
}
