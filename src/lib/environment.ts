import { posix, win32 } from 'node:path';
import { ConfigError } from './errors.js';

/** Variables of the environment by name; one that is not set is undefined. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * axe's configuration folder: `$XDG_CONFIG_HOME/axe`, or `axe` in the user's configuration folder
 * of the platform. Nothing is created. Throws a ConfigError without a home.
 */
export function configDir(env: Environment, platform: string = process.platform): string {
  const join = platform === 'win32' ? win32.join : posix.join;
  if (env['XDG_CONFIG_HOME']) return join(env['XDG_CONFIG_HOME'], 'axe');
  if (platform === 'win32') return join(required(env, 'AppData', '%AppData%', 'config'), 'axe');
  if (platform === 'darwin') {
    return join(required(env, 'HOME', '$HOME', 'config'), 'Library', 'Application Support', 'axe');
  }
  if (!env['HOME']) throw undetermined('config', 'neither $XDG_CONFIG_HOME nor $HOME are defined');
  return join(env['HOME'], '.config', 'axe');
}

/**
 * axe's data folder: `$XDG_DATA_HOME/axe`, or `.local/share/axe` in the home folder on every
 * platform. Nothing is created. Throws a ConfigError without a home.
 */
export function dataDir(env: Environment, platform: string = process.platform): string {
  const isWindows = platform === 'win32';
  const join = isWindows ? win32.join : posix.join;
  if (env['XDG_DATA_HOME']) return join(env['XDG_DATA_HOME'], 'axe');
  const home = isWindows
    ? required(env, 'USERPROFILE', '%userprofile%', 'data')
    : required(env, 'HOME', '$HOME', 'data');
  return join(home, '.local', 'share', 'axe');
}

/** Expands `~`, `$NAME` and `${NAME}` in a path of an agent or a flag, as axe does. */
export function expandPath(path: string, env: Environment): string {
  const expanded = path.replace(
    /\$(?:\{(\w+)\}|(\w+))/g,
    (_, braced, plain) => env[braced ?? plain] ?? '',
  );
  const home = env['HOME'] || env['USERPROFILE'] || '~';
  return expanded.replace(/^~(?=$|[\\/])/, () => home);
}

type Purpose = 'config' | 'data';

function required(env: Environment, variable: string, shown: string, purpose: Purpose): string {
  const value = env[variable];
  if (!value) throw undetermined(purpose, `${shown} is not defined`);
  return value;
}

function undetermined(purpose: Purpose, reason: string): ConfigError {
  return new ConfigError(`unable to determine ${purpose} directory: ${reason}`, {
    remedy: `Set \`XDG_${purpose.toUpperCase()}_HOME\` to an absolute path.`,
  });
}
