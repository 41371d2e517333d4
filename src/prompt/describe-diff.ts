import { cleanLine } from '../lib/text/cut.js';
import { count, grouped } from '../lib/text/number.js';
import type { Warning } from '../lib/warning.js';
import { fence } from '../safety/fence.js';
import type { DiffPolicy } from './context.js';
import type { Parts } from './describe-text.js';
import { type NotShown, type PackedDiff, packDiff } from './diff-pack.js';

/** How the source of a fence begins that holds a diff. */
export const DIFF_SOURCE = 'diff of ';

/** Names listed before a list says how many more there are. */
const MAX_LISTED = 300;
/** Code points of a name. */
const MAX_NAME = 200;

export interface DiffDescription {
  readonly source: string;
  readonly policy: DiffPolicy;
  /** Tokens of the policy's that another diff of the same task has taken. */
  readonly taken?: number;
  /** The command line asks for it, with a range. */
  readonly isLocal?: boolean;
}

/**
 * The diff in a fence, as much of it as the policy allows, and a list of what is not shown with its sizes: what the
 * model has not seen is never "clean" (memory-and-security C5 68).
 */
export function describeDiff(diff: string, description: DiffDescription): Parts {
  const { source, policy } = description;
  if (diff.trim() === '') return { blocks: [`The ${source} is empty.`] };
  const packed = packDiff(diff, { ...policy, maxTokens: leftOf(description) });
  const blocks = packed.text === '' ? [] : [fence(packed.text.replace(/\n$/, ''), { source })];
  if (packed.notShown.length > 0) {
    blocks.push(fence(listOf(packed.notShown.map(formatNotShown)), { source: 'files not shown' }));
  }
  if (packed.notShown.length > 0 || packed.isCut) blocks.push(adviceOn(packed, policy));
  const unseen = packed.notShown.flatMap(({ file, why }) => (why === 'size' ? [file.path] : []));
  return { blocks, warnings: warningsOf(packed, description), unseen };
}

/** Never 0, which is not a limit. */
function leftOf({ policy: { maxTokens }, taken = 0 }: DiffDescription): number {
  return maxTokens === 0 ? 0 : Math.max(1, maxTokens - taken);
}

/** One line each, at most as many as anybody reads. */
export function listOf(lines: readonly string[]): string {
  const listed = lines.slice(0, MAX_LISTED);
  if (lines.length > listed.length) listed.push(`… and ${lines.length - listed.length} more`);
  return listed.join('\n');
}

function formatNotShown({ file, why, hunksShown, tokens }: NotShown): string {
  const size = `${file.status} ${cleanLine(file.path, MAX_NAME)} +${file.additions} -${file.deletions}, about ${count(tokens, 'token')}`;
  if (why !== 'size') return `${size}, left out by \`paths\``;
  return hunksShown === 0 ? size : `${size}, ${hunksShown} of ${count(file.hunks.length, 'hunk')} shown`;
}

/** A tool may have the rest; an agent without it can only say what it has not seen. */
function adviceOn({ text, notShown, isCut }: PackedDiff, { tool }: DiffPolicy): string {
  const ask =
    tool === undefined
      ? 'If you have a tool that gives the diff of a file, ask it for those that matter.'
      : `Read those that matter with \`${tool}\`.`;
  if (isCut) return `Only the beginning of the diff is shown. ${JUDGE_NOT}`;
  const seen =
    text === ''
      ? 'Nothing of the diff is shown to you, so you have not seen the change'
      : `${count(notShown.length, 'file')} of the diff ${notShown.length === 1 ? 'is' : 'are'} not shown, or not whole; the list names them`;
  return `${seen}. ${ask} ${JUDGE_NOT}`;
}

const JUDGE_NOT = 'Say in your answer what you have not seen, and do not judge it.';

function warningsOf(
  { shown, notShown, isCut, text }: PackedDiff,
  description: DiffDescription,
): readonly Warning[] {
  const { source } = description;
  const tooMuch = notShown.filter(({ why }) => why === 'size');
  if (isCut || tooMuch.length > 0) {
    const names = tooMuch.slice(0, 5).map(({ file }) => cleanLine(file.path, MAX_NAME));
    const more = tooMuch.length > names.length ? ', …' : '';
    const files = isCut
      ? 'its beginning is shown'
      : `${count(shown.length, 'file')} ${shown.length === 1 ? 'is' : 'are'} shown whole, ${tooMuch.length} ${tooMuch.length === 1 ? 'is' : 'are'} not (${names.join(', ')}${more})`;
    const { limit, remedy } = limitOf(description);
    return [
      { code: 'context-truncated', message: `the ${source} is larger than ${limit}: ${files}`, remedy },
    ];
  }
  if (text !== '') return [];
  const message = `nothing of the ${source} is shown to the model: \`paths\` leaves out all its files`;
  const remedy = 'Change these inputs if the agent should see some of them.';
  return [{ code: 'context-truncated', message, remedy }];
}

/** The command line has no inputs. */
function limitOf({ policy: { maxTokens }, taken = 0, isLocal }: DiffDescription): {
  readonly limit: string;
  readonly remedy: string;
} {
  const tokens = `${grouped(maxTokens)} tokens it may take`;
  if (isLocal === true) return { limit: `the ${tokens}`, remedy: 'Name a smaller range.' };
  return {
    limit: `${taken > 0 ? 'what is left of ' : ''}the ${tokens}`,
    remedy: 'Raise `max-diff-tokens`, take a model with a larger window, or leave files out with `paths`.',
  };
}
