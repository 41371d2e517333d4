import { basename, dirname, join, sep } from 'node:path';
import type { Environment } from '../../../core/environment.js';
import { PROTECTED_PLACES } from '../../../core/tools/files/path-rules.js';
import type { ProtectedPaths } from '../workspace/protected-paths.js';
import type { JailPlaces } from './jail-mounts.js';

/** What a run keeps from its commands. */
interface JailOptions {
  readonly env: Environment;
  /** Absolute. */
  readonly workspace: string;
  readonly paths: ProtectedPaths;
  /** Folders of agents and skills, absolute. */
  readonly instructionFolders: readonly string[];
  /** Our own code. */
  readonly ownFolder: string;
}

/** Files of the runner that steer later steps or describe this one. */
const RUNNER_FILES = [
  'GITHUB_ENV',
  'GITHUB_PATH',
  'GITHUB_OUTPUT',
  'GITHUB_STATE',
  'GITHUB_STEP_SUMMARY',
  'GITHUB_EVENT_PATH',
];

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
const GIT_CONFIGURATION = ['.git/config', '.git/hooks'];

/** The places that the jail of a run hides or protects (D50). */
export function jailPlaces({
  env,
  workspace,
  paths,
  instructionFolders,
  ownFolder,
}: JailOptions): JailPlaces {
  const runnerFiles = RUNNER_FILES.map((name) => env[name] ?? '').filter((path) => path.startsWith('/'));
  const commandFolders = runnerFiles.map(dirname).filter((path) => basename(path) === COMMAND_FILES_FOLDER);
  const memory = paths.memory ?? [];
  const configuration = PROTECTED_PLACES.map((names) => join(workspace, ...names));
  const temp = env['RUNNER_TEMP'] ?? '';
  return {
    workspace,
    temporary: temp.startsWith('/') ? temp : undefined,
    hidden: [...commandFolders, ...runnerFiles, ...memory, ...SERVICES],
    readOnly: [
      ...configuration,
      ...GIT_CONFIGURATION.map((name) => join(workspace, name)),
      ...paths.readOnly,
      ...(paths.readOnlyNow?.() ?? []),
      ...instructionFolders,
      downloadedActions(ownFolder),
    ],
    reserved: [...configuration.filter((path) => !isActionFile(path)), ...instructionFolders, ...memory],
  };
}

/** The runner's folder of all actions of the job, whose `post` steps are still to come; else our own folder. */
function downloadedActions(ownFolder: string): string {
  const names = ownFolder.split(sep);
  const at = names.indexOf('_actions');
  return at < 0 ? ownFolder : names.slice(0, at + 1).join(sep);
}

function isActionFile(path: string): boolean {
  return /\.ya?ml$/.test(path);
}
