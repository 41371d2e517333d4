import { AxeError } from '../../core/errors.js';
import type { Change } from '../../core/memory/change.js';
import type { MemoryStore } from '../../core/memory/store.js';
import { type MemoryCommandResult, refusal } from './command-session.js';

/** Memory in a checkout, and the branch that it is pushed to. */
export interface CheckedOutMemory {
  /** The folder, for people: `.axe/memory`. */
  readonly folder: string;
  readonly branch: string;
  /** Files that are not as they were checked out, by their paths in the folder; an empty text stands for no file. */
  readonly changed: ReadonlyMap<string, { readonly before: string; readonly now: string }>;
  /** The folder on the branch. */
  readonly store: MemoryStore;
}

const MAX_NAMED = 10;

/**
 * Pushes what a job has changed of its memory. When somebody else pushed in between, both sides are merged by entry, fact
 * and line, and it is pushed again, by the same loop that saves to the memory branch.
 */
export async function pushMemory(
  { folder, branch, changed, store }: CheckedOutMemory,
  signal: AbortSignal,
): Promise<MemoryCommandResult> {
  if (changed.size === 0) return nothingToPush(folder);
  const changes = [...changed].map(
    ([path, { before, now }]): Change => ({ kind: 'unite', path, base: before, text: now }),
  );
  const saved = await store.write(changes, signal);
  if (saved.kind === 'failed') {
    return refusal('not-saved', `the memory was not pushed: ${saved.message}`, saved.remedy);
  }
  if (saved.attempts === 0) return done([`\`${branch}\` already has what \`${folder}\` holds.`], false);
  const again = `Others pushed at the same time; both sides were merged (${saved.attempts} attempts).`;
  return done(
    [`Pushed to \`${branch}\`:`, listed(folder, [...changed.keys()]), ...(saved.attempts > 1 ? [again] : [])],
    true,
  );
}

/** What is told where a job has changed nothing. */
export function nothingToPush(folder: string): MemoryCommandResult {
  return done([`Nothing to push: \`${folder}\` has no changes.`], false);
}

function listed(folder: string, paths: readonly string[]): string {
  const lines = paths.slice(0, MAX_NAMED).map((path) => `- \`${folder}/${path}\``);
  const more = paths.length > MAX_NAMED ? [`- and ${paths.length - MAX_NAMED} more`] : [];
  return [...lines, ...more].join('\n');
}

function done(parts: readonly string[], changed: boolean): MemoryCommandResult {
  return { kind: 'done', text: parts.join('\n\n'), headline: parts[0] ?? '', changed, warnings: [] };
}

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
