/** All commands, in the order of the help. */
export const COMMAND_NAMES: readonly string[] = [
  'init',
  'run',
  'demo',
  'doctor',
  'gc',
  'memory',
  'agents',
  'config',
  'version',
  'help',
];
