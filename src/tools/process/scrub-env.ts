import type { Environment } from '../../lib/environment.js';

/** Variables that programs need; everything else of the environment stays with us. */
const ALLOWED = new Set(['PATH', 'HOME', 'LANG', 'LANGUAGE', 'TZ', 'TMPDIR', 'TERM', 'USER', 'LOGNAME']);

/**
 * How programs reach the network behind a proxy, and whose certificates they trust; proxies' names are read in both cases.
 * A password in a proxy's address goes with it: without it nothing is reached.
 */
const NETWORK = new Set([
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'FTP_PROXY', 'NO_PROXY'].flatMap((name) => [
    name,
    name.toLowerCase(),
  ]),
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'NODE_EXTRA_CA_CERTS',
  'NODE_USE_ENV_PROXY',
  'NODE_USE_SYSTEM_CA',
  'REQUESTS_CA_BUNDLE',
  'CURL_CA_BUNDLE',
  'PIP_CERT',
  'GIT_SSL_CAINFO',
  'GIT_SSL_CAPATH',
  'AWS_CA_BUNDLE',
  'CARGO_HTTP_CAINFO',
  'DENO_CERT',
]);

/**
 * The environment of a program that is started for a model: where programs, home and temporary folder are, language and
 * terminal, proxies and certificates. Never keys and tokens, and nothing of the runner's (`GITHUB_*`, `ACTIONS_*`, `RUNNER_*`, `INPUT_*`): the list
 * names what may pass, so that a secret of any name stays out (memory-and-security C7 91).
 */
export function scrubEnv(env: Environment): Record<string, string> {
  const allowed = Object.entries(env).flatMap(([name, value]) =>
    value !== undefined && (ALLOWED.has(name) || NETWORK.has(name) || /^LC_[A-Z]+$/.test(name))
      ? [[name, value] as const]
      : [],
  );
  return Object.fromEntries(allowed);
}

/** Whether a variable says how the network is reached; such a one may hold a password. */
export function isNetworkVariable(name: string): boolean {
  return NETWORK.has(name);
}
