import type { Posted } from '../../github/posting/posted.js';
import { capitalized, codeBlock, count, formatInteger } from '../../lib/text/format.js';
import type { ChangePatch, PublicationResult, UnpublishedChange } from '../../run/records.js';
import { describePull, describePush } from '../../run/views/published.js';
import { footer, writtenBy } from './comment.js';

type Publications = Pick<PublicationResult, 'posts' | 'change'>;

/** The text of a pull request that a run opens. */
export function pullRequestBody(
  body: string,
  {
    agent,
    subjectNo,
    runUrl,
  }: { readonly agent: string; readonly subjectNo: number | undefined; readonly runUrl: string },
): string {
  const subject = subjectNo === undefined ? '' : ` for #${subjectNo}`;
  return `${body}\n\n${footer(`${writtenBy(agent)}${subject}`, { runUrl })}`;
}

/**
 * Sentences about the changed files for the people who asked; empty for nothing to say. `hasAnswer`:
 * the answer may well say that all is done, so it is corrected.
 */
export function changeNote({ posts, change }: Publications, hasAnswer: boolean): string {
  const unpublished = change?.unpublished;
  const isTold = unpublished !== undefined && (hasAnswer || unpublished.kind !== 'unasked');
  return [...madeOf(posts).map(describeMade), ...(isTold ? [unpublishedNote(unpublished)] : [])]
    .filter((sentence) => sentence !== '')
    .join(' ');
}

function unpublishedNote(unpublished: UnpublishedChange): string {
  const { kind, cause, patch } = unpublished;
  const place = patch === undefined ? '' : ` ${formatPatchPlace(patch)}`;
  return `${formatCause(kind, cause)}${place}`;
}

/** The changed files in the job summary, as markdown; empty for none. */
export function changeDetails({ posts, change }: Publications): readonly string[] {
  const links = madeOf(posts).map(({ number, url }) => {
    const waits = change?.isByJob === true ? `. ${WAITS}` : '';
    return `[Pull request #${number}](${url})${waits}`;
  });
  const unpublished = change?.unpublished;
  return [...links, ...(unpublished === undefined ? [] : [unpublishedDetails(unpublished)])];
}

function unpublishedDetails({ kind, cause, files, patch }: UnpublishedChange): string {
  const isUnasked = kind === 'unasked' && patch !== undefined;
  const sentence = isUnasked
    ? `The agent changed ${count(files, 'file')} but did not ask for a pull request.`
    : formatCause(kind, cause);
  return patch === undefined ? sentence : `${sentence} ${formatPatchText(patch)}`;
}

type Made = Extract<Posted, { readonly kind: 'pull-request' | 'commits' }>;

function madeOf(posts: readonly Posted[]): readonly Made[] {
  return posts.filter((posted) => posted.kind === 'pull-request' || posted.kind === 'commits');
}

function describeMade(made: Made): string {
  return made.kind === 'commits' ? `${describePush(made)}.` : `${describePull(made)}.`;
}

/** The change that is missing, as an error says it. */
export const MISSING: Readonly<Record<UnpublishedChange['kind'], string>> = {
  'pull-request': 'no pull request was opened',
  commits: 'nothing was pushed',
  rest: 'the rest was not pushed',
  unasked: 'nothing was committed',
};

/** The missing part and the reason, in sentences. */
function formatCause(kind: UnpublishedChange['kind'], cause: UnpublishedChange['cause']): string {
  const missing = capitalized(MISSING[kind]);
  if (cause === 'unfinished') return `${missing}: the run did not finish.`;
  if (cause === 'not-asked') return `${missing}: the agent did not ask for it.`;
  return 'limited' in cause
    ? `${missing}. The run could only make a patch, because ${cause.limited}.`
    : `${missing}: ${cause.message}.`;
}

const WAITS =
  "Its workflows wait for a person's approval, because the job's own token made the commit. With the token of a GitHub App (`github-token`) they start at once.";

/** One sentence on where the patch is, or why it is nowhere. */
export function formatPatchPlace(patch: ChangePatch): string {
  switch (patch.kind) {
    case 'shown':
      return 'The patch is in the job summary.';
    case 'too-large':
      return `Its patch has ${formatInteger(patch.bytes)} bytes, too many for the job summary. Ask for a smaller change.`;
    case 'unclean':
      return 'Its patch cannot be shown: the files have line breaks of another kind, characters that readers cannot see, or what looks like a secret.';
  }
}

function formatPatchText(patch: ChangePatch): string {
  if (patch.kind !== 'shown') return formatPatchPlace(patch);
  return `Read the patch first, then apply it with this command:\n\n${patchCommand(patch.diff)}`;
}

/** No line of a patch is the last word: each begins with a mark or a word of git's. */
export function patchCommand(diff: string): string {
  return codeBlock(`git apply <<'END_OF_PATCH'\n${diff}END_OF_PATCH`, 'sh');
}
