import type { ListedAgent } from '../adapters/host/agents/agents-dir.js';
import { formatError } from '../core/errors.js';
import type { Terminal } from './terminal.js';

/** Warns of an agent file that cannot be used, with its line and what to do about it. */
export function warnLeftOut({ file, error }: ListedAgent, { stderr }: Terminal): void {
  if (error !== undefined) stderr.write(`Warning: ${file} is left out: ${formatError(error)}\n`);
}
