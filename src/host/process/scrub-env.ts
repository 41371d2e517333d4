/** Variables that programs need and that hold no secret; everything else of the environment stays with us. */
const ALLOWED = new Set(['PATH', 'HOME', 'LANG', 'LANGUAGE', 'TZ', 'TMPDIR', 'TERM', 'USER', 'LOGNAME']);

/**
 * The environment of a program that is started for a model: where programs, home and temporary folder are, language and
 * terminal. Never keys and tokens, and nothing of the runner's (`GITHUB_*`, `ACTIONS_*`, `RUNNER_*`, `INPUT_*`): the list
 * names what may pass, so that a secret of any name stays out (memory-and-security C7 91).
 */
export function scrubEnv(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const allowed = Object.entries(env).flatMap(([name, value]) =>
    value !== undefined && (ALLOWED.has(name) || /^LC_[A-Z]+$/.test(name)) ? [[name, value] as const] : [],
  );
  return Object.fromEntries(allowed);
}
