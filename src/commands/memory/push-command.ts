import { AxeError } from '../../core/errors.js';

/** A wish to push the memory of a checkout. */
export interface PushCommand {
  /** Empty for the branch that is checked out. */
  readonly branch: string;
}

/** How it is written. */
export const PUSH_USAGE = 'push [--branch <name>]';

/** The command that words stand for; undefined for another one. Throws an AxeError that says how it is written. */
export function parsePushCommand(words: readonly string[]): PushCommand | undefined {
  const [name, ...rest] = words;
  if (name !== 'push') return undefined;
  if (rest.length === 0) return { branch: '' };
  const [, given = ''] = /^--branch[= ](\S+)$/.exec(rest.join(' ')) ?? [];
  if (given !== '' && !given.startsWith('-')) return { branch: given };
  throw new AxeError(`\`push ${rest.join(' ')}\` is not understood`, {
    remedy: `Usage: \`${PUSH_USAGE}\`.`,
  });
}
