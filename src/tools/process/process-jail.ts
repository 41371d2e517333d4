import { existsSync, rmdirSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readlink, realpath, rm, writeFile } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import type { Environment } from '../../lib/environment.js';
import { AxeError, messageOf } from '../../lib/errors.js';
import {
  type JailMount,
  makeReserved,
  planLayers,
  planMounts,
  sharedFolders,
} from './jail-mounts.js';
import type { JailPlaces } from './jail-places.js';
import {
  KEPT_VIEW,
  LAYER_LIMITS,
  LAYER_TRIAL,
  LOOPBACK,
  PROBE,
  PROOF,
  SETUP,
} from './jail-scripts.js';
import { isNetworkVariable, type Programs, scrubEnv } from './programs.js';
import { type CommandJail, type ProcessJail, type Program, runProgram } from './shell.js';

const TRIAL = { timeoutMs: 20_000, maxOutputBytes: 10_000 };

/**
 * Finds the jail of a run's commands. If the system refuses user namespaces, the password-less
 * `sudo` of GitHub's runners builds it. A trial shows that it holds. Without `hasNetwork` commands
 * have a network of their own, unless the machine can build jails only with its own network. Throws
 * an AxeError that says in one line why there is no jail.
 */
export async function findCommandJail(
  parts: JailParts,
  ways: readonly JailWay[] = waysFor(parts),
): Promise<CommandJail> {
  if (process.platform !== 'linux') throw new AxeError(`there is none on ${process.platform}`);
  return await firstThatHolds(ways, async (way) => {
    const network = await tryJail(way, parts);
    const made = await makeReserved(parts.places());
    process.once('exit', () => removeEmpty(made));
    return { enter: createCommandJail(way, parts.programs, parts.places), network };
  });
}

/**
 * Finds the jail of throw-away runs: what their commands write goes into layers that end with them,
 * and they never have the machine's network. `additions` is a folder whose files lie over those of
 * the workspace. Throws an AxeError that says in one line why there is none.
 */
export async function findLayerJail(
  parts: Omit<JailParts, 'hasNetwork'>,
  ways: readonly JailWay[] = waysFor({ ...parts, hasNetwork: false }),
): Promise<(additions: string) => ProcessJail> {
  if (process.platform !== 'linux') throw new AxeError(`there is none on ${process.platform}`);
  const alone = ways.filter(({ hasNetwork }) => !hasNetwork);
  return await firstThatHolds(alone, async (way) => {
    await tryJail(way, { ...parts, hasNetwork: false }, 'in layers');
    return (additions) => createCommandJail(way, parts.programs, parts.places, additions);
  });
}

/** Takes the first way that does not throw. Throws an AxeError with the reasons of all. */
async function firstThatHolds<T>(
  ways: readonly JailWay[],
  build: (way: JailWay) => Promise<T>,
): Promise<T> {
  const reasons = new Set<string>();
  for (const way of ways) {
    try {
      return await build(way);
    } catch (thrown) {
      reasons.add(messageOf(thrown));
    }
  }
  throw new AxeError([...reasons].join('; '));
}

/** Removes inner folders first, and leaves those that somebody has put something in. */
function removeEmpty(folders: readonly string[]): void {
  for (const folder of folders.toReversed()) {
    try {
      rmdirSync(folder);
    } catch {
      // Somebody uses it.
    }
  }
}

interface JailParts {
  readonly env: Environment;
  /** The programs that build it. */
  readonly programs: Programs;
  readonly places: () => JailPlaces;
  /** Commands have the machine's network. */
  readonly hasNetwork: boolean;
}

/**
 * `sudo` is used on runners only: nobody expects it of a program that reads a repository on a
 * laptop.
 */
function waysFor({ env, hasNetwork }: JailParts): readonly JailWay[] {
  const [uid, gid] = [process.getuid?.() ?? 0, process.getgid?.() ?? 0];
  const hasSudo = env['GITHUB_ACTIONS'] === 'true';
  const kinds: readonly JailWay['kind'][] =
    uid === 0 ? ['root'] : ['user-namespace', ...(hasSudo ? ['sudo' as const] : [])];
  const networks = hasNetwork ? [true] : [false, true];
  return networks.flatMap((network) =>
    kinds.map((kind) => ({ kind, uid, gid, hasNetwork: network })),
  );
}

/**
 * Tries a jail around all places, and around a folder with something to see and to write. Returns
 * the network that commands have in it. Throws unless it holds.
 */
async function tryJail(
  way: JailWay,
  { env, programs, places }: JailParts,
  kind?: 'in layers',
): Promise<CommandJail['network']> {
  const privateFolder = await makePrivateFolder();
  try {
    const folder = join(privateFolder, 'trial');
    const additions = join(privateFolder, 'additions');
    if (kind !== undefined) await mkdir(additions);
    const [hidden = '', file = '', readOnly = ''] = ['hidden', 'file', 'read-only'].map((name) =>
      join(folder, name),
    );
    for (const path of [hidden, readOnly]) {
      await mkdir(path, { recursive: true });
      await writeFile(join(path, 'canary'), 'canary');
    }
    await writeFile(file, 'canary');
    const now = places();
    const all = {
      ...now,
      privateFolder,
      writable: [...now.writable, folder],
      hidden: [...now.hidden, hidden, file],
      readOnly: [...now.readOnly, readOnly],
    };
    const workspace = await realpath(all.workspace);
    const planned = await planMounts(all);
    const mounts = kind === undefined ? planned : planLayers(planned, workspace, additions);
    const steps = mounts.filter((mount) => CHECKED.has(mount.kind));
    const checked = [...steps, ...SYSTEM.map((path) => ({ kind: 'read-only', path }))];
    const processes = await readlink('/proc/self/ns/pid');
    const network = way.hasNetwork ? '' : await readlink('/proc/self/ns/net');
    const probe = [programs.find('sh'), '-c', PROBE, 'probe', processes, network];
    const enter = createCommandJail(
      way,
      programs,
      () => all,
      kind === undefined ? undefined : additions,
    );
    const jailed = await enter({
      program: [...probe, ...checked.flatMap((mount) => [mount.kind, mount.path])],
      cwd: all.workspace,
      env: { ...scrubEnv(env), PATH: programs.path },
    });
    const { exitCode, output } = await runProgram(jailed, TRIAL, new AbortController().signal);
    if (exitCode !== 0 || !output.includes(PROOF))
      throw new AxeError(output.trim().split('\n').at(-1) || 'no answer');
    if (steps.some(({ path }) => existsSync(join(path, LAYER_TRIAL))))
      throw new AxeError('what commands write does not stay in their layer');
    if (way.hasNetwork) return 'machine';
    return output.includes(LOOPBACK) ? 'loopback' : 'none';
  } finally {
    await rm(privateFolder, { recursive: true, force: true });
  }
}

/** Folders that root could write without a jail. */
const SYSTEM = ['/', '/usr', '/bin', '/lib', '/etc', '/opt', '/var', '/proc/sys', '/sys'];

const CHECKED = new Set<JailMount['kind']>([
  'hidden-folder',
  'hidden-file',
  'read-only',
  'sealed',
  'layer',
]);

/**
 * Makes the folder that holds the `/tmp` and `/var/tmp` of a run's commands. It lies in one of the
 * real ones, so that commands don't see the folder itself.
 */
export async function makePrivateFolder(): Promise<string> {
  const shared = sharedFolders();
  const [parent = '/tmp'] = shared;
  const folder = await mkdtemp(join(parent, 'axe-action-'));
  await mkdir(join(folder, KEPT_VIEW));
  for (const path of shared) {
    await mkdir(join(folder, path), { recursive: true });
    await chmod(join(folder, path), 0o1777);
  }
  await mkdir(join(folder, parent, 'home'));
  return folder;
}

/** Builds a jail in the given way around every program. @internal */
export function createCommandJail(
  way: JailWay,
  programs: Programs,
  placesNow: () => JailPlaces,
  /** The folder of files that lie over those of the workspace, for a throw-away run. */
  additions?: string,
): ProcessJail {
  return async ({ program, cwd, env }) => {
    const places = placesNow();
    // On a terminal an agent can work outside of the folder that it was started in.
    const folders = [cwd, env['AXE_ARTIFACT_DIR'] ?? ''].filter(isAbsolute);
    const planned = await planMounts({ ...places, writable: [...places.writable, ...folders] });
    const mounts =
      additions === undefined ? planned : planLayers(planned, await realpath(cwd), additions);
    const inside = { ...env, ...places.env };
    const start = { program, cwd: await realpath(cwd), env: inside };
    return { program: jailedCommand(way, start, mounts, programs), cwd, env: inside };
  };
}

/** The user that a command runs as, and the way to get the rights to build a jail. @internal */
export interface JailWay {
  /**
   * A user namespace of our own, the rights of root that we have already, or `sudo` without a
   * password.
   */
  readonly kind: 'user-namespace' | 'root' | 'sudo';
  readonly uid: number;
  readonly gid: number;
  /** Commands have the machine's network, and not one of their own. */
  readonly hasNetwork: boolean;
}

/**
 * The command line that builds a jail and starts a program in it. Throws an AxeError if one of
 * `programs` is missing.
 */
function jailedCommand(
  { kind, uid, gid, hasNetwork }: JailWay,
  { program, cwd, env }: Program,
  mounts: readonly JailMount[],
  { path, find }: Programs,
): readonly string[] {
  const isOwn = kind === 'user-namespace';
  const [first] = mounts;
  const isLimited = first?.kind === 'limits';
  const all = hasNetwork ? mounts : [...mounts, { kind: 'interface', path: 'lo' }];
  const steps = all.flatMap((mount) => [mount.kind, mount.path]);
  const jail = [
    '--mount',
    '--propagation',
    'private',
    ...(hasNetwork ? [] : ['--net']),
    '--ipc',
    '--pid',
    '--fork',
    '--kill-child',
    '--mount-proc',
  ];
  // Everybody can read a command line, so variables that can hold a password are passed on.
  const passed = `--preserve-env=${Object.keys(env).filter(isNetworkVariable).join(',')}`;
  // A second user namespace has no power over the mounts of the first, and files keep their owner.
  const back = [find('unshare'), '--user', `--map-user=${uid}`, `--map-group=${gid}`, '--'];
  // Groups go too, since that of a container service is as good as root.
  const ids = [`--reuid=${uid}`, `--regid=${gid}`, '--clear-groups'];
  const boundary = isOwn && uid !== 0 ? [] : ['--bounding-set=-all'];
  return [
    ...(kind === 'sudo' ? [find('sudo'), '-n', passed, '--'] : []),
    ...[find('unshare'), ...(isOwn ? ['--user', '--map-root-user'] : []), ...jail, '--'],
    ...[find('sh'), '-c', SETUP, 'jail', path, ...steps, 'run', cwd],
    ...(isOwn ? back : []),
    ...[
      find('setpriv'),
      ...(isOwn ? [] : ids),
      '--no-new-privs',
      '--inh-caps=-all',
      ...boundary,
      '--',
    ],
    ...(isLimited ? [find('prlimit'), ...limitsOf(uid), '--'] : []),
    ...[find('env'), ...plainEnvironment(env), ...program],
  ];
}

/** Root's processes are not limited by a number of its own, see {@link SETUP}. */
function limitsOf(uid: number): readonly string[] {
  const { fileBytes, processes } = LAYER_LIMITS;
  return ['--core=0', `--fsize=${fileBytes}`, ...(uid === 0 ? [] : [`--nproc=${processes}`])];
}

/** `sudo` sets some variables and leaves others out, and the setup has a `PATH` of its own. */
function plainEnvironment(env: Readonly<Record<string, string>>): readonly string[] {
  const ours = ['SUDO_COMMAND', 'SUDO_USER', 'SUDO_UID', 'SUDO_GID', 'MAIL'].flatMap((name) => [
    '-u',
    name,
  ]);
  const plain = Object.entries(env).filter(([name]) => !isNetworkVariable(name));
  return [...ours, ...plain.map(([name, value]) => `${name}=${value}`)];
}
