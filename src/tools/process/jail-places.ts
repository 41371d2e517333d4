import { existsSync, readdirSync } from 'node:fs';
import { mkdir, readdir, realpath, stat } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { basename, dirname, isAbsolute, join, sep } from 'node:path';
import type { Environment } from '../../lib/environment.js';
import { runGit } from '../../lib/git.js';
import { isInside } from '../../lib/user-files.js';
import type { ProtectedPaths } from '../../safety/path-rules.js';
import { CREDENTIAL_PLACES, isSecretPath, PROTECTED_PLACES } from '../../safety/path-rules.js';
import { pathFolders } from './programs.js';

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
const GIT_CONFIGURATION = ['.git/config', '.git/config.worktree', '.git/commondir', '.git/hooks'];

/** The places that the jail of a run hides or protects. */
export function jailPlaces({
  env,
  workspace,
  paths,
  instructionFolders,
  home,
  credentials,
}: {
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
}): JailPlaces {
  const commandFolders = paths.denied
    .map(dirname)
    .filter((path) => basename(path) === '_runner_file_commands');
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
      // Rust's programs are found by their folders. Git trusts somebody else's checkout by the real
      // home's file alone.
      ...(home !== undefined && {
        HOME: home,
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

function absolute(...paths: readonly (string | undefined)[]): readonly string[] {
  return paths.filter((path) => path !== undefined).filter(isAbsolute);
}

/** Where programs keep credentials in a home folder; a link to somewhere else is followed. */
function credentialsIn(home: string): readonly string[] {
  const names = readdirSync(home).filter((name) => isSecretPath([name]));
  return [...names, ...CREDENTIAL_PLACES].map((name) => join(home, name));
}

/** Folders of package managers: certificates for everybody. */
const PACKAGES = /(?:^|\/)(?:node_modules|site-packages|vendor)\//;

/**
 * Files with credentials that an earlier step put in the workspace, absolute. What git tracks is no
 * secret in its repository, and is needed to build it; without git the names at the top are looked
 * at.
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

/** What a command sees differently. All paths are absolute; what does not exist is left out. */
export interface JailPlaces {
  /** The folder commands work in. It stays visible where it lies in `temporary`. */
  readonly workspace: string;
  /** What can be written besides `workspace` and `temporary`; everything else is read-only. */
  readonly writable: readonly string[];
  /** A folder that is empty and can be written. Undefined for none. */
  readonly temporary: string | undefined;
  /** Variables that commands have besides what is let through, or in its place. */
  readonly env: Readonly<Record<string, string>>;
  /** Files and folders that look empty. */
  readonly hidden: readonly string[];
  /** Files and folders that cannot be written although they lie where commands write. */
  readonly readOnly: readonly string[];
  /**
   * Folders of `hidden` and `readOnly` that are made for as long as the run goes on, so that no
   * command makes them.
   */
  readonly reserved: readonly string[];
}

/**
 * A step of building the jail: a mount, or for `hold` the folder that a later `keep` shows again.
 */
export interface JailMount {
  readonly kind:
    | 'pin'
    | 'writable'
    | 'read-only'
    | 'hidden-folder'
    | 'hidden-file'
    | 'temporary'
    | 'keep'
    | 'hold';
  /** Without links. */
  readonly path: string;
}

/**
 * Plans the mounts: outer folders before what lies in them, and every folder that could be renamed
 * held in its place.
 */
export async function planMounts(places: JailPlaces): Promise<readonly JailMount[]> {
  const workspace = await realpath(places.workspace);
  const kinds = new Map<string, JailMount['kind']>();
  const add = async (paths: readonly string[], kind: JailMount['kind'], kindOfFile = kind) => {
    for (const path of paths) {
      const [real, stats] = await Promise.all([realpath(path), stat(path)]).catch(() => []);
      if (real !== undefined) kinds.set(real, stats?.isDirectory() ? kind : kindOfFile);
    }
  };
  /**
   * Whether a path lies in a folder that looks empty, and not in the workspace that is shown again
   * there.
   */
  const isHidden = (path: string) =>
    [...kinds].some(([folder, kind]) => {
      const looksEmpty = kind === 'hidden-folder' || kind === 'temporary';
      const isShown = isInside(folder, workspace) && isInside(workspace, path);
      return looksEmpty && path !== folder && isInside(folder, path) && !isShown;
    });
  await add([...places.writable, workspace], 'writable');
  const writable = [...kinds.keys()];
  const isWritable = (path: string) => writable.some((folder) => isInside(folder, path));
  await add(places.readOnly, 'read-only');
  await add(places.hidden, 'hidden-folder', 'hidden-file');
  if (places.temporary !== undefined) await add([places.temporary], 'temporary');
  const mounts = new Map(
    [...kinds].filter(([path, kind]) => {
      if (kind === 'hidden-folder' && isInside(path, workspace)) return false;
      return !isHidden(path) && (kind !== 'read-only' || isWritable(path));
    }),
  );
  for (const path of movable([...mounts.keys()], isWritable))
    if (!mounts.has(path) && !isHidden(path)) mounts.set(path, 'pin');
  const depth = ({ path }: JailMount) => path.split(sep).length;
  const sorted = [...mounts]
    .map(([path, kind]) => ({ kind, path }))
    .sort((a, b) => depth(a) - depth(b));
  return keepWorkspace(sorted, workspace);
}

/** Makes the reserved folders that are missing in the workspace; returns them, outer ones first. */
export async function makeReserved({
  reserved,
  workspace,
}: JailPlaces): Promise<readonly string[]> {
  const made: string[] = [];
  for (const folder of reserved) {
    if (folder === workspace || !isInside(workspace, folder)) continue;
    const missing: string[] = [];
    for (let at = folder; at !== workspace && !existsSync(at); at = dirname(at)) missing.push(at);
    for (const path of missing.toReversed()) {
      try {
        await mkdir(path);
        made.push(path);
      } catch {
        break;
      }
    }
  }
  return made;
}

/**
 * The paths and the folders around them that could be renamed, which would move them out from under
 * a mount.
 */
function movable(
  paths: readonly string[],
  isWritable: (path: string) => boolean,
): ReadonlySet<string> {
  const found = new Set<string>();
  for (const path of paths) {
    for (let at = path; dirname(at) !== at && !found.has(at); at = dirname(at)) {
      if (isWritable(dirname(at))) found.add(at);
    }
  }
  return found;
}

/**
 * Shows the workspace again after the folder around it was hidden, before anything in it is
 * mounted.
 */
function keepWorkspace(mounts: readonly JailMount[], workspace: string): readonly JailMount[] {
  const at = mounts.findIndex(
    ({ kind, path }) => kind === 'temporary' && isInside(path, workspace),
  );
  if (at < 0) return mounts;
  return [
    { kind: 'hold', path: workspace },
    ...mounts.slice(0, at + 1),
    { kind: 'keep', path: workspace },
    ...mounts.slice(at + 1).filter(({ kind, path }) => path !== workspace || kind === 'read-only'),
  ];
}
