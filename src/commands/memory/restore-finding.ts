import { MIN_PREFIX } from '../../core/memory/commands/find.js';
import { noteForgotten } from '../../core/memory/commands/forget.js';
import { statePath } from '../../core/memory/state.js';
import { parseReviewFacts, type Withdrawn } from '../../core/review/state-facts.js';
import { withdrawnFindings } from '../../core/review/state-sums.js';
import {
  type CommandSession,
  type MemoryCommandResult,
  type MemoryView,
  saveChanges,
} from './command-session.js';

/** The withdrawn finding that an id, or its beginning, is the fingerprint of; undefined where that is none or several. */
export function findWithdrawn(id: string, { trusted, tree }: MemoryView): Withdrawn | undefined {
  if (id.length < MIN_PREFIX) return undefined;
  const facts = parseReviewFacts(tree.get(statePath(trusted.path)) ?? '');
  const found = withdrawnFindings(facts).filter(({ fingerprint }) => fingerprint.startsWith(id));
  return found.length === 1 ? found[0] : undefined;
}

/** Forgets that a finding was withdrawn, so that it may be raised again, and that no answer withdraws it once more. */
export async function restoreFinding(
  { fingerprint, path, rule }: Withdrawn,
  view: MemoryView,
  hand: CommandSession,
): Promise<MemoryCommandResult> {
  const failed = await saveChanges(noteForgotten(view.trusted.path, fingerprint, hand.clock.now()), hand);
  if (failed !== undefined) return failed;
  const what = `The finding \`${rule}\` in \`${path}\` is no longer withdrawn (\`${fingerprint}\`)`;
  const text = `${what}: it may be raised again, and answers to it no longer count.`;
  return { kind: 'done', text, changed: true, warnings: view.warnings };
}
