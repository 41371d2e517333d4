import { readdirSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { basename, dirname, isAbsolute, join, sep } from 'node:path';
import { isInside } from '../../lib/confine.js';
import type { Environment } from '../../lib/environment.js';
import { runGit } from '../../lib/git.js';
import { CREDENTIAL_PLACES } from '../files/credential-files.js';
import { isSecretPath, PROTECTED_PLACES } from '../files/path-rules.js';
import type { ProtectedPaths } from '../workspace/jail.js';
import type { JailPlaces } from './jail-mounts.js';
import { pathFolders } from './programs.js';

interface JailOptions {
  readonly env: Environment;
  /** Absolute. */
  readonly workspace: string;
  readonly paths: ProtectedPaths;
  /** Folders of agents and skills, absolute. */
  readonly instructionFolders: readonly string[];
  /** The empty folder that commands have as `HOME`; undefined if they may write the real one. */
  readonly home: string | undefined;
  /** Files with credentials in the workspace, absolute. */
  readonly credentials: readonly string[];
}

const COMMAND_FILES_FOLDER = '_runner_file_commands';

/** Sockets of services that start programs for who asks them, out of the jail, some as root. */
const SERVICES = [
  '/run/docker.sock',
  '/var/run/docker.sock',
  '/run/containerd',
  '/run/buildkit',
  '/run/podman',
  '/run/crio',
  '/run/snapd.socket',
  '/run/dbus',
  '/run/systemd/private',
  '/run/user',
];

/** What git runs by itself, and what says so. */
const GIT_CONFIGURATION = ['.git/config', '.git/config.worktree', '.git/hooks'];

/** The places that the jail of a run hides or protects (D50). */
export function jailPlaces({
  env,
  workspace,
  paths,
  instructionFolders,
  home,
  credentials,
}: JailOptions): JailPlaces {
  const commandFolders = paths.denied.map(dirname).filter((path) => basename(path) === COMMAND_FILES_FOLDER);
  const memory = paths.memory ?? [];
  const configuration = PROTECTED_PLACES.map((names) => join(workspace, ...names));
  const temporary = absolute(env['RUNNER_TEMP'])[0];
  const realHome = env['HOME'] || homedir();
  return {
    workspace,
    temporary,
    writable: [tmpdir(), '/tmp', '/var/tmp', home ?? realHome],
    env: {
      ...(temporary === undefined ? {} : { TMPDIR: temporary }),
      ...(home === undefined ? {} : environmentOf(home, env, realHome, workspace)),
    },
    hidden: [
      ...commandFolders,
      ...paths.denied,
      ...memory,
      ...SERVICES,
      ...credentials,
      ...credentialsIn(realHome),
    ],
    readOnly: [
      ...configuration,
      ...GIT_CONFIGURATION.map((name) => join(workspace, name)),
      ...paths.readOnly,
      ...(paths.readOnlyNow?.() ?? []),
      ...instructionFolders,
      ...(home === undefined ? [] : [realHome]),
      ...pathFolders(env['PATH']).filter((folder) => !isInside(workspace, folder)),
      ...absolute(
        env['RUNNER_TOOL_CACHE'],
        env['AGENT_TOOLSDIRECTORY'],
        env['CARGO_HOME'],
        env['RUSTUP_HOME'],
      ),
      ...RUNNER_FOLDERS.flatMap((name) => upTo(name, process.execPath, ...paths.readOnly)),
    ],
    reserved: [...configuration.filter((path) => !isActionFile(path)), ...instructionFolders, ...memory],
  };
}

/** The runner's folders of all actions of the job, whose `post` steps are still to come, and of the programs it runs them with. */
const RUNNER_FOLDERS = ['_actions', 'externals'];

/** The folder of this name around each of the paths. */
function upTo(name: string, ...paths: readonly string[]): readonly string[] {
  return paths.flatMap((path) => {
    const names = path.split(sep);
    const at = names.lastIndexOf(name);
    return at < 0 ? [] : [names.slice(0, at + 1).join(sep)];
  });
}

function absolute(...paths: readonly (string | undefined)[]): readonly string[] {
  return paths.filter((path) => path !== undefined).filter(isAbsolute);
}

/** Rust's programs are found by their folders. Git trusts a checkout of somebody else's by the real home's file alone. */
function environmentOf(
  home: string,
  env: Environment,
  realHome: string,
  workspace: string,
): Readonly<Record<string, string>> {
  return {
    HOME: home,
    RUSTUP_HOME: env['RUSTUP_HOME'] || join(realHome, '.rustup'),
    CARGO_HOME: env['CARGO_HOME'] || join(realHome, '.cargo'),
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: 'safe.directory',
    GIT_CONFIG_VALUE_0: workspace,
  };
}

/** Where programs keep credentials in a home folder; a link to somewhere else is followed. */
function credentialsIn(home: string): readonly string[] {
  const names = readdirSync(home).filter((name) => isSecretPath([name]));
  return [...names, ...CREDENTIAL_PLACES].map((name) => join(home, name));
}

function isActionFile(path: string): boolean {
  return /\.ya?ml$/.test(path);
}

/** Folders of package managers: certificates for everybody. */
const PACKAGES = /(?:^|\/)(?:node_modules|site-packages|vendor)\//;

/**
 * Files with credentials that an earlier step put in the workspace, absolute. What git tracks is no secret in its
 * repository, and is needed to build it; without git the names at the top are looked at.
 */
export async function untrackedCredentials(workspace: string, env: Environment): Promise<readonly string[]> {
  const signal = new AbortController().signal;
  const end = await runGit(['ls-files', '--others', '-z'], { cwd: workspace, env, signal });
  const paths =
    end.kind === 'ok' ? end.stdout.toString('utf8').split('\0') : await readdir(workspace).catch(() => []);
  return paths
    .filter((path) => path !== '' && path !== '.git' && !PACKAGES.test(path) && isSecretPath(path.split('/')))
    .map((path) => join(workspace, path));
}
