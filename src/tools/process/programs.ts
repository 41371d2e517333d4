import { spawn } from 'node:child_process';
import { accessSync, closeSync, constants, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import type { Environment } from '../../lib/environment.js';
import { AxeError } from '../../lib/errors.js';
import { isInside } from '../../lib/user-files.js';

/** The programs that we start ourselves while tools may write. */
export interface Programs {
  /** Their folders, as a `PATH`. */
  readonly path: string;
  /** The absolute path of one. Throws an AxeError where there is none. */
  find(name: string): string;
}

/**
 * Programs from the folders of a `PATH` that no tool can write: none in the given folders, with
 * every link followed. The jail keeps commands from writing the other folders.
 */
export function safePrograms(path: string | undefined, writable: readonly string[]): Programs {
  const written = writable.map(realName);
  const isSafe = (real: string): boolean => !written.some((folder) => isInside(folder, real));
  const folders = pathFolders(path).filter(isSafe);
  return {
    path: folders.join(delimiter),
    find(name) {
      const files = folders.map((folder) => join(folder, name));
      const program = files.find((file) => isExecutable(file) && isSafe(realName(file)));
      if (program !== undefined) return program;
      throw new AxeError(`\`PATH\` has no \`${name}\` in a folder that commands cannot write`);
    },
  };
}

/** The folders of a `PATH` that exist, without links. */
export function pathFolders(path = ''): readonly string[] {
  const folders = path.split(delimiter).filter(isAbsolute).map(realName);
  return [...new Set(folders)].filter(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** A path without links, or the path as it is where nothing exists. */
export function realName(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/** Variables that programs need; everything else of the environment stays with us. */
const ALLOWED = new Set(
  'PATH HOME LANG LANGUAGE TZ TMPDIR TERM USER LOGNAME AXE_ARTIFACT_DIR'.split(' '),
);

/**
 * Variables of proxies, which programs read in upper and lower case, and of certificates. A proxy's
 * address can hold a password, and without it nothing is reached.
 */
const PROXIES = 'HTTP_PROXY HTTPS_PROXY ALL_PROXY FTP_PROXY NO_PROXY';
const CERTIFICATES =
  'SSL_CERT_FILE SSL_CERT_DIR NODE_EXTRA_CA_CERTS NODE_USE_ENV_PROXY NODE_USE_SYSTEM_CA REQUESTS_CA_BUNDLE CURL_CA_BUNDLE PIP_CERT GIT_SSL_CAINFO GIT_SSL_CAPATH AWS_CA_BUNDLE CARGO_HTTP_CAINFO DENO_CERT';
const NETWORK = new Set(`${PROXIES} ${PROXIES.toLowerCase()} ${CERTIFICATES}`.split(' '));

/**
 * The environment of a program that is started for a model: where programs, home and temporary
 * folder are, language and terminal, proxies and certificates. Never keys and tokens, and nothing
 * of the runner's (`GITHUB_*`, `ACTIONS_*`, `RUNNER_*`, `INPUT_*`): the list names the variables
 * that pass, so that a secret of any name stays out.
 */
export function scrubEnv(env: Environment): Record<string, string> {
  const allowed = Object.entries(env).flatMap(([name, value]) =>
    value !== undefined && (ALLOWED.has(name) || NETWORK.has(name) || /^LC_[A-Z]+$/.test(name))
      ? [[name, value] as const]
      : [],
  );
  return Object.fromEntries(allowed);
}

/** The files and folders of certificates that the environment names for programs. */
export function certificatePaths(env: Environment): readonly string[] {
  return CERTIFICATES.split(' ')
    .flatMap((name) => env[name]?.split(delimiter) ?? [])
    .filter(isAbsolute);
}

/** Variables that say how to reach the network can hold a password. */
export function isNetworkVariable(name: string): boolean {
  return NETWORK.has(name);
}

/**
 * Closes descriptors that this process was started with, since a program would inherit them and
 * could use them. Node opens its own ones so that nobody inherits them.
 */
export function closeInherited(): void {
  if (process.platform !== 'linux') return;
  const descriptors = readdirSync('/proc/self/fd').filter((name) => Number(name) > 2);
  for (const descriptor of descriptors.filter(isInherited)) closeSync(Number(descriptor));
}

function isInherited(descriptor: string): boolean {
  try {
    const details = readFileSync(`/proc/self/fdinfo/${descriptor}`, 'utf8');
    const flags = /^flags:\s*(\d+)$/m.exec(details)?.[1];
    return flags !== undefined && (Number.parseInt(flags, 8) & CLOSE_ON_EXEC) === 0;
  } catch {
    // It was open only to list the descriptors.
    return false;
  }
}

const CLOSE_ON_EXEC = 0o2000000;

/**
 * Reads a word from us. If the pipe closes without one, this process is gone, however it went: then
 * it kills the group.
 */
const SCRIPT = `
read -r word
[ "$word" = done ] || kill -s KILL -- "-$1" 2>/dev/null`;

/**
 * Has a shell of its own end a process group when this process is gone, even if it was killed. Not
 * on Windows.
 */
export function guardGroup(id: number): { dismiss(): void } {
  if (process.platform === 'win32') return { dismiss: () => undefined };
  const guard = spawn('/bin/sh', ['-c', SCRIPT, 'sh', String(id)], {
    env: {},
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  guard.on('error', () => undefined);
  guard.stdin.on('error', () => undefined);
  guard.unref();
  if ('unref' in guard.stdin && typeof guard.stdin.unref === 'function') guard.stdin.unref();
  return { dismiss: () => void guard.stdin.end('done\n') };
}

/**
 * Sends a signal to a process group, which its leader's id names. A group that is gone, or another
 * user's, is left alone.
 */
export function killGroup(id: number, signal: NodeJS.Signals): void {
  if (process.platform === 'win32') {
    spawn('taskkill', ['/pid', String(id), '/T', '/F'], { stdio: 'ignore' }).on(
      'error',
      () => undefined,
    );
    return;
  }
  try {
    process.kill(-id, signal);
  } catch {
    // Nothing is left that could be ended.
  }
}
