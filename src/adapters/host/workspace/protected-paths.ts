import type { Environment } from '../../../core/environment.js';

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
  const named = VARIABLES.map((name) => env[name] ?? '').filter(isAbsolutePath);
  const action = env['GITHUB_ACTION_PATH'] ?? '';
  return {
    denied: named,
    readOnly: isAbsolutePath(action) ? [action] : [],
  };
}

function isAbsolutePath(path: string): boolean {
  return path.startsWith('/') || /^[A-Za-z]:[\\/]/.test(path);
}
