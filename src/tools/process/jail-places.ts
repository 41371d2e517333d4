import { lstatSync, readdirSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, delimiter, dirname, isAbsolute, join } from 'node:path';
import type { Environment } from '../../lib/environment.js';
import { runGit } from '../../lib/git.js';
import { isInside } from '../../lib/user-files.js';
import type { ProtectedPaths } from '../../safety/path-rules.js';
import { CREDENTIAL_PLACES, isSecretPath, PROTECTED_PLACES } from '../../safety/path-rules.js';
import { certificatePaths, pathFolders, realName } from './programs.js';
import { machineSockets } from './sockets.js';

/** Parts of `.git` with programs that git starts by itself, or with their names. */
const GIT_CONFIGURATION = ['config', 'config.worktree', 'commondir', 'hooks', 'modules'];

/** The places that the jail of a run hides or protects. */
export function jailPlaces({
  env,
  workspace,
  paths,
  instructionFolders,
  privateFolder,
  writesHome,
  credentials,
}: {
  readonly env: Environment;
  /** Absolute. */
  readonly workspace: string;
  readonly paths: ProtectedPaths;
  /** Folders of agents and skills, absolute. */
  readonly instructionFolders: readonly string[];
  /** See {@link JailPlaces}. */
  readonly privateFolder: string;
  /** Commands have the real home folder as `HOME` and can write it. */
  readonly writesHome: boolean;
  /** Files with credentials in the workspace, absolute. */
  readonly credentials: readonly string[];
}): JailPlaces {
  const commandFolders = paths.denied
    .map(dirname)
    .filter((path) => basename(path) === '_runner_file_commands');
  const memory = paths.memory ?? [];
  const configuration = PROTECTED_PLACES.map((names) => join(workspace, ...names));
  const realHome = env['HOME'] || homedir();
  const tools = absolute(
    env['RUNNER_TOOL_CACHE'],
    env['AGENT_TOOLSDIRECTORY'],
    env['CARGO_HOME'],
    env['RUSTUP_HOME'],
  );
  const programs = pathFolders(env['PATH']);
  return {
    workspace,
    privateFolder,
    empty: ['/run', ...absolute(env['RUNNER_TEMP'])],
    shown: [
      ...programs.flatMap(withLibraries),
      ...tools,
      ...certificatePaths(env),
      '/etc/resolv.conf',
      realHome,
    ],
    writable: writesHome ? [realHome] : [],
    env: {
      TMPDIR: '/tmp',
      // A name can lead through a link in a folder that looks empty.
      ...(env['PATH'] && { PATH: env['PATH'].split(delimiter).map(realName).join(delimiter) }),
      // Rust's programs are found by their folders. Git trusts somebody else's checkout by the real
      // home's file alone.
      ...(!writesHome && {
        HOME: '/tmp/home',
        RUSTUP_HOME: env['RUSTUP_HOME'] || join(realHome, '.rustup'),
        CARGO_HOME: env['CARGO_HOME'] || join(realHome, '.cargo'),
        GIT_CONFIG_COUNT: '1',
        GIT_CONFIG_KEY_0: 'safe.directory',
        GIT_CONFIG_VALUE_0: workspace,
      }),
    },
    hidden: [
      ...commandFolders,
      ...paths.denied,
      ...memory,
      ...machineSockets(),
      ...credentials,
      ...credentialsIn(realHome),
    ],
    readOnly: [
      ...configuration,
      ...gitPlaces(workspace),
      ...paths.readOnly,
      ...(paths.readOnlyNow?.() ?? []),
      ...instructionFolders,
      ...(writesHome ? [] : [realHome]),
      ...programs.filter((folder) => !isInside(workspace, folder)),
      ...tools,
      ...[process.execPath, ...paths.readOnly].flatMap(
        (path) => RUNNER_FOLDER.exec(path)?.[0] ?? [],
      ),
    ],
    reserved: [
      ...configuration.filter((path) => !/\.ya?ml$/.test(path)),
      ...instructionFolders,
      ...memory,
    ],
  };
}

/**
 * The runner's folders of all actions of the job, whose `post` steps are still to come, and of the
 * programs it runs them with.
 */
const RUNNER_FOLDER = /^.*\/(?:_actions|externals)(?=\/)/;

/** A `.git` that is a file leads git to its folder, and so to its configuration. */
function gitPlaces(workspace: string): readonly string[] {
  const git = join(workspace, '.git');
  if (lstatSync(git, { throwIfNoEntry: false })?.isFile()) return [git];
  return GIT_CONFIGURATION.map((name) => join(git, name));
}

/** Libraries and modules of programs lie next to their `bin`. */
function withLibraries(folder: string): readonly string[] {
  return /^s?bin$/.test(basename(folder)) ? [dirname(folder), folder] : [folder];
}

function absolute(...paths: readonly (string | undefined)[]): readonly string[] {
  return paths.filter((path) => path !== undefined).filter(isAbsolute);
}

/** Paths of credentials in a home folder; links to other folders are followed. */
function credentialsIn(home: string): readonly string[] {
  const names = readdirSync(home).filter((name) => isSecretPath([name]));
  return [...names, ...CREDENTIAL_PLACES].map((name) => join(home, name));
}

/** Folders of package managers: certificates for everybody. */
const PACKAGES = /(?:^|\/)(?:node_modules|site-packages|vendor)\//;

/**
 * Files with credentials that an earlier step put in the workspace, absolute. Files that git tracks
 * are not secret in their repository, and are needed to build it. Without git only the names at the
 * top are looked at.
 */
export async function untrackedCredentials(
  workspace: string,
  env: Environment,
): Promise<readonly string[]> {
  const signal = new AbortController().signal;
  const paths = await runGit(['ls-files', '--others', '-z'], { cwd: workspace, env, signal }).then(
    (listed) => listed.split('\0'),
    () => readdir(workspace).catch(() => []),
  );
  return paths
    .filter(
      (path) =>
        path !== '' && path !== '.git' && !PACKAGES.test(path) && isSecretPath(path.split('/')),
    )
    .map((path) => join(workspace, path));
}

/** The view of a command. All paths are absolute; those that don't exist are ignored. */
export interface JailPlaces {
  /** The folder commands work in. */
  readonly workspace: string;
  /** The folder that holds `/tmp` and `/var/tmp` of commands, see `makePrivateFolder`. */
  readonly privateFolder: string;
  /** Folders that look empty, as `/dev` does but for a few devices. */
  readonly empty: readonly string[];
  /** Paths that commands see even in `/tmp`, `/var/tmp`, `/dev` and a folder of `empty`. */
  readonly shown: readonly string[];
  /** Paths that commands see and write besides `workspace`. Everything else is read-only. */
  readonly writable: readonly string[];
  /** Variables that commands get in addition, or with other values. */
  readonly env: Readonly<Record<string, string>>;
  /** Files and folders that look empty, even if other lists name them too. */
  readonly hidden: readonly string[];
  /** Files and folders that cannot be written although they lie where commands write. */
  readonly readOnly: readonly string[];
  /**
   * Folders of `hidden` and `readOnly` that exist for the duration of the run, so that no command
   * makes them.
   */
  readonly reserved: readonly string[];
}
