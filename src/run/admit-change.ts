import { type ChangeFacts, decideAdmission } from '../event/admission.js';
import { subjectNumber, type Trigger } from '../event/trigger.js';
import { AxeError } from '../lib/errors.js';
import { createPathFilter, type TriggerContext } from '../prompt/context.js';
import { reviewCommand } from '../review/command.js';
import { filesWithoutLines } from '../review/coverage.js';
import type { Scope } from '../review/scope.js';
import type { Admitted, RunReport, RunRequest } from './records.js';

/** What is known of a change once it was fetched. */
interface FetchedFacts {
  readonly context: TriggerContext | undefined;
  readonly scope: Scope | undefined;
}

/**
 * The end of admission: whether the change holds anything to read. Asked once the change is there, and before a model is.
 * Only what an event on a pull request, or `/axe review`, is about can be empty: a question has an answer all the same.
 * Throws an AxeError for a change of which nothing could be read (D40).
 */
export function admitChange(
  request: RunRequest,
  { facts }: Admitted,
  fetched: FetchedFacts,
): Extract<RunReport, { kind: 'skipped' }> | undefined {
  refuseUnread(request, fetched);
  const change = changeFacts(request, fetched);
  if (change === undefined) return undefined;
  const decision = decideAdmission({ ...facts, change });
  if (decision.kind === 'run') return undefined;
  const since = decision.reason === 'nothing-new' ? change.nothingNewSince : undefined;
  return { kind: 'skipped', decision, unchangedSince: since };
}

/** A run that has seen nothing can only make something up. What could not be read is a warning of the context. */
function refuseUnread({ trigger }: RunRequest, { context }: FetchedFacts): void {
  if (!isReview(trigger) || context === undefined || context.kind !== 'none') return;
  const unread = context.warnings.find(({ code }) => code === 'context-incomplete');
  if (unread === undefined) return;
  const text = `nothing of pull request #${subjectNumber(trigger)} could be read: ${unread.message}`;
  throw new AxeError(text, { remedy: unread.remedy });
}

function isReview(trigger: Trigger): boolean {
  return trigger.kind === 'pull_request' || reviewCommand(trigger) !== undefined;
}

function changeFacts(
  { trigger, diffPolicy }: RunRequest,
  { context, scope }: FetchedFacts,
): ChangeFacts | undefined {
  const number = subjectNumber(trigger);
  if (!isReview(trigger) || number === undefined || context?.kind !== 'pull_request') return undefined;
  const filter = createPathFilter(diffPolicy);
  const isInScope = ({ path }: { readonly path: string }) => filter(path) === undefined;
  return {
    number,
    unreadable: whyUnreadable(context, isInScope),
    nothingNewSince: scope?.kind === 'since' && !hasNew(scope, isInScope) ? scope.from : undefined,
  };
}

type PullContext = Extract<TriggerContext, { readonly kind: 'pull_request' }>;

/** Files that GitHub does not list may be wanted, and what it shows no lines of can be read by a tool. */
function whyUnreadable(
  context: PullContext,
  isInScope: (file: { readonly path: string }) => boolean,
): string | undefined {
  const { files, filesTotal } = context;
  if (filesTotal === 0) return 'it changes no file';
  if (filesTotal > files.length) return undefined;
  const inScope = files.filter(isInScope);
  if (inScope.length === 0) return '`paths` leaves out every file that it changes';
  const bare = new Set(filesWithoutLines(context));
  const isBinary = inScope.every(
    ({ path, additions, deletions }) => bare.has(path) && additions + deletions === 0,
  );
  return isBinary ? 'its changed files are binary' : undefined;
}

function hasNew(
  { change, before }: Extract<Scope, { kind: 'since' }>,
  isInScope: (file: { readonly path: string }) => boolean,
): boolean {
  return change.files.some(isInScope) || (before.unseen ?? []).length > 0;
}
