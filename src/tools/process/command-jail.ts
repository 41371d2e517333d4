import { rmSync } from 'node:fs';
import { homedir } from 'node:os';
import type { TestRun } from '../../findings/decide/demonstration.js';
import type { Environment } from '../../lib/environment.js';
import { messageOf, type Warning } from '../../lib/errors.js';
import type { ProtectedPaths } from '../../safety/path-rules.js';
import { RUN_COMMAND, WITH_HOME, WITH_NETWORK } from '../grants.js';
import type { Tool } from '../tool.js';
import { jailPlaces, untrackedCredentials } from './jail-places.js';
import { safePrograms } from './programs.js';
import type { CommandJail } from './shell.js';
import type { ThrowAwayRequest } from './throw-away-run.js';

interface JailOptions {
  readonly env: Environment;
  /** Absolute. */
  readonly workspace: string;
  readonly paths: ProtectedPaths;
  /** Folders of agents and skills, absolute. */
  readonly instructionFolders: readonly string[];
  readonly where: 'terminal' | 'workflow';
  /** The `tools-allowed` input. */
  readonly toolsAllowed: readonly string[];
}

/**
 * The jail of a run's commands. The machine is searched for it at the first call, before the first
 * command, and only once in a run.
 */
export function createJailOnce(options: JailOptions) {
  let searching: Promise<CommandJail> | undefined;
  let isReported = false;

  function find(): Promise<CommandJail> {
    searching ??= findJail(options);
    return searching;
  }

  /**
   * The tools, without the one for commands on a machine where no jail can be built; with it, it is
   * known whether commands reach the network.
   */
  async function withoutUnjailed(
    tools: readonly Tool[],
    warn: (warning: Warning) => void,
  ): Promise<readonly Tool[]> {
    if (!tools.some(({ name }) => name === RUN_COMMAND)) return tools;

    const jail = await find().catch(messageOf);
    if (typeof jail === 'string') {
      warn(noProcessJail(jail));
      return tools.filter(({ name }) => name !== RUN_COMMAND);
    }

    if (!isReported) for (const warning of noticesOf(jail, options)) warn(warning);
    isReported = true;
    const hasNetwork = jail.network === 'machine';
    return tools.map((tool) =>
      tool.name === RUN_COMMAND ? { ...tool, reachesNetwork: hasNetwork } : tool,
    );
  }

  return { find, withoutUnjailed };
}

/** On a terminal commands write to the home folder and reach the network, as in axe. */
function isAllowed(word: string, { where, toolsAllowed }: JailOptions): boolean {
  return where === 'terminal' || toolsAllowed.includes(word);
}

async function findJail(options: JailOptions): Promise<CommandJail> {
  const { findCommandJail } = await import('./process-jail.js');
  const parts = await jailParts(options, isAllowed(WITH_HOME, options));
  return await findCommandJail({ ...parts, hasNetwork: isAllowed(WITH_NETWORK, options) });
}

/** Runs a command over the workspace in layers that are thrown away. */
export type ThrowAway = (
  request: Pick<ThrowAwayRequest, 'command' | 'files' | 'deleted' | 'timeoutMs'>,
  signal: AbortSignal,
) => Promise<TestRun>;

/**
 * Finds the jail of throw-away runs, at the first call. They have the real home folder, so that
 * caches of earlier steps are of use, and leave it as it is. Rejects with an AxeError where there is
 * no such jail.
 */
export function createThrowAwayOnce(options: JailOptions): () => Promise<ThrowAway> {
  let searching: Promise<ThrowAway> | undefined;
  async function find(): Promise<ThrowAway> {
    const { findLayerJail } = await import('./process-jail.js');
    const { runThrownAway } = await import('./throw-away-run.js');
    const { env, workspace } = options;
    const { privateFolder, ...parts } = await jailParts(options, true);
    const jail = await findLayerJail(parts);
    return async (request, signal) =>
      await runThrownAway({ ...request, workspace, env }, jail, privateFolder, signal);
  }
  return () => (searching ??= find());
}

/** The parts of a jail with a private folder of its own. */
async function jailParts(options: JailOptions, writesHome: boolean) {
  const { env, workspace, paths, instructionFolders } = options;
  const { makePrivateFolder } = await import('./process-jail.js');
  const privateFolder = await makePrivateFolder();
  process.once('exit', () => removeQuietly(privateFolder));

  const credentials = await untrackedCredentials(workspace, env);
  // A command could have replaced a program in any folder that commands can write.
  const home = isAllowed(WITH_HOME, options) ? [env['HOME'] || homedir()] : [];
  const programs = safePrograms(env['PATH'], [workspace, ...home]);
  const run = { env, workspace, paths, instructionFolders, privateFolder, writesHome, credentials };
  return { env, programs, places: () => jailPlaces(run), privateFolder };
}

/** A command can leave folders there that nobody may remove; that must not cost the run its end. */
function removeQuietly(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch {
    // The system empties the folder around it in time.
  }
}

/** Says where commands can do more, or less, than people would think. */
function noticesOf({ network }: CommandJail, options: JailOptions): readonly Warning[] {
  return [
    ...(options.toolsAllowed.includes(WITH_HOME) ? [HOME_IS_WRITABLE] : []),
    ...(network === 'machine' && !isAllowed(WITH_NETWORK, options) ? [NETWORK_IS_REACHED] : []),
    ...(network === 'none' ? [NO_LOOPBACK] : []),
  ];
}

function noProcessJail(reason: string): Warning {
  return {
    code: 'tool-not-available',
    message: `The tool \`${RUN_COMMAND}\` was withheld: this machine has no process jail, so a command could read the secrets of this step. Use a Linux runner that allows user namespaces or \`sudo\` without a password. No jail could be built: ${reason}`,
  };
}

const HOME_IS_WRITABLE: Warning = {
  code: 'home-writable',
  message: `Commands write the home folder, since \`tools-allowed\` names \`${WITH_HOME}\`: they can change what programs of later steps read there. Name \`${RUN_COMMAND}\` if they need not.`,
};

const NETWORK_IS_REACHED: Warning = {
  code: 'commands-network',
  message: `\`${RUN_COMMAND}\` counts as \`${WITH_NETWORK}\`: this machine cannot take the network away from commands, so they reach the internet and services of the machine. Use a Linux runner that allows network namespaces.`,
};

const NO_LOOPBACK: Warning = {
  code: 'commands-network',
  message: `Commands have no network, and not even \`localhost\`: programs that listen there fail. Install \`ip\` (iproute2) on the runner, or name \`${WITH_NETWORK}\` in \`tools-allowed\`.`,
};
