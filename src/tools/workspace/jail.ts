import { lstat, realpath } from 'node:fs/promises';
import { join, relative, resolve, sep } from 'node:path';
import type { Environment } from '../../lib/environment.js';
import { ToolError } from '../../lib/errors.js';
import { errorCode, fileError } from '../../lib/files.js';
import { shown } from '../../lib/text/format.js';
import { isInside } from '../../lib/user-files.js';
import { IS_MEMORY } from '../../memory/log-path.js';
import { isSecretPath, isWriteProtected, parsePath } from '../files/path-rules.js';

/** A folder that paths must not lead out of, and what in it is out of bounds. */
export interface Jail extends Required<ProtectedPaths> {
  /** Absolute, as it was given. */
  readonly root: string;
  /** The same folder without links. */
  readonly realRoot: string;
}

/** What a path is wanted for: writing is refused in more places. */
type Purpose = 'read' | 'write';

/** Opens the jail. Throws a ToolError if the folder does not exist. */
export async function createJail(
  folder: string,
  { denied, readOnly, memory = [], readOnlyNow = () => [] }: ProtectedPaths,
): Promise<Jail> {
  const root = resolve(folder);
  const realRoot = await realpath(root).catch(() => undefined);
  if (realRoot === undefined) throw new ToolError(`the working directory ${shown(folder)} does not exist`);
  return {
    root,
    realRoot,
    denied: await withReal(denied),
    readOnly: await withReal(readOnly),
    memory: await withReal(memory),
    readOnlyNow,
  };
}

/** The paths as they are and with their links followed. */
async function withReal(paths: readonly string[]): Promise<readonly string[]> {
  const real = await Promise.all(paths.map((path) => realpath(path).catch(() => path)));
  return [...paths, ...real];
}

/** The parts of a path below the root. Throws a ToolError for one that is malformed or out of bounds by its text. */
export function segmentsOf(jail: Jail, path: string, purpose: Purpose): readonly string[] {
  const { segments, refusal } = parsePath(relativeTo(jail, path));
  if (refusal !== undefined) throw new ToolError(`${shown(path)}: ${refusal}`);
  refuse(jail, join(jail.realRoot, ...segments), path, purpose);
  return segments;
}

/**
 * Where a path leads with every link followed; undefined if nothing is there. Throws a ToolError if that is outside of
 * the jail or out of bounds, and as the file system does.
 */
export async function realInside(jail: Jail, path: string, purpose: Purpose): Promise<string | undefined> {
  const target = join(jail.realRoot, ...segmentsOf(jail, path, purpose));
  try {
    const real = await realpath(target);
    refuse(jail, real, path, purpose);
    return real;
  } catch (thrown) {
    if (errorCode(thrown) !== 'ENOENT') throw thrown;
    const isLink = (await lstat(target).catch(() => undefined))?.isSymbolicLink();
    if (isLink) throw new ToolError(`${shown(path)} is a broken link`);
    return undefined;
  }
}

/** Throws a ToolError unless a path without links lies in the jail and within bounds (D22). */
export function refuse(
  { realRoot, denied, readOnly, memory, readOnlyNow }: Jail,
  real: string,
  path: string,
  purpose: Purpose,
): void {
  const segments = real.split(sep).filter((segment) => segment !== '');
  const isOutside = !isInside(realRoot, real);
  const isSystem = SYSTEM.some((folder) => isInside(folder, real));
  if (isOutside || isSystem) throw new ToolError(`${shown(path)} leads out of the working directory`);
  if (isSecretPath(segments) || denied.some((folder) => isInside(folder, real))) {
    throw new ToolError(`${shown(path)} is out of bounds: credentials may be kept there`);
  }
  if (memory.some((folder) => isInside(folder, real))) throw new ToolError(`${shown(path)} ${IS_MEMORY}`);
  if (purpose === 'read') return;
  const isReadOnly = [...readOnly, ...readOnlyNow()].some((folder) => isInside(folder, real));
  if (isReadOnly || isWriteProtected(segments)) {
    throw new ToolError(`${shown(path)} cannot be written: only people change workflows, actions and agents`);
  }
}

/** What an operating system's error says to the model: its text without absolute paths. */
export function toToolError(path: string, thrown: unknown): unknown {
  if (thrown instanceof ToolError || errorCode(thrown) === undefined) return thrown;
  return new ToolError(`${shown(path)}: ${fileError('', '', thrown).reason}`);
}

/** Kernel interfaces: processes with their environment, devices, the machine's settings. */
const SYSTEM = ['/proc', '/sys', '/dev'];

/** An absolute path is taken if it lies inside by its text. */
function relativeTo({ root, realRoot }: Jail, path: string): string {
  const folder = [root, realRoot].find((one) => path.startsWith('/') && isInside(one, path));
  return folder === undefined ? path : relative(folder, path) || '.';
}

/** Absolute paths that are out of bounds for the file tools, each with all that lies below it. */
export interface ProtectedPaths {
  /** Neither read nor written. */
  readonly denied: readonly string[];
  /** Not written. */
  readonly readOnly: readonly string[];
  /** Memory, which has tools of its own: neither read nor written. Left out: none. */
  readonly memory?: readonly string[];
  /** More that is not written, asked at each use: files that the run has read its instructions from. */
  readonly readOnlyNow?: () => readonly string[];
}

/** Variables that name a file or folder of the runner's, or one with credentials. */
const VARIABLES = [
  'RUNNER_TEMP',
  'GITHUB_EVENT_PATH',
  'GITHUB_ENV',
  'GITHUB_PATH',
  'GITHUB_OUTPUT',
  'GITHUB_STATE',
  'GITHUB_STEP_SUMMARY',
  'GOOGLE_APPLICATION_CREDENTIALS',
  'GOOGLE_GHA_CREDS_PATH',
  'AWS_SHARED_CREDENTIALS_FILE',
  'AWS_WEB_IDENTITY_TOKEN_FILE',
  'AZURE_FEDERATED_TOKEN_FILE',
  'KUBECONFIG',
  'NPM_CONFIG_USERCONFIG',
  'NETRC',
];

/**
 * What the environment says must be kept from the file tools although it could lie in the workspace: the runner's
 * temporary folder, which holds tokens and the files that steer later steps, credentials, and, against writing, the
 * action itself where it is checked out in the workspace (memory-and-security C7 86, 90).
 */
export function protectedPaths(env: Environment): ProtectedPaths {
  const action = env['GITHUB_ACTION_PATH'] ?? '';
  return {
    denied: VARIABLES.map((name) => env[name] ?? '').filter(isAbsolutePath),
    readOnly: [action].filter(isAbsolutePath),
  };
}

function isAbsolutePath(path: string): boolean {
  return path.startsWith('/') || /^[A-Za-z]:[\\/]/.test(path);
}
