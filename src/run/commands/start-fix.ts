import type { CommentTrigger } from '../../event/trigger.js';
import { DEFAULT_ADMISSION_POLICY } from '../../event/trust.js';
import { refusal } from '../../memory/commands/command-session.js';
import { isOpen } from '../../review/finding.js';
import type { KnownFinding } from '../../review/seen.js';
import type { Dependencies } from '../dependencies.js';
import type { RunRequest } from '../records.js';
import { findMeant, forAll, raisedByOthers, readPullFindings } from './end-finding.js';
import type { AgentMemory, CommandAnswer } from './open-agent-memory.js';
import type { FixCommand } from './read-command.js';

/** The open findings that `/axe fix` is about, worst first, or why nothing is fixed. */
export async function findToFix(
  command: FixCommand,
  opened: AgentMemory,
  deps: Dependencies,
): Promise<readonly KnownFinding[] | CommandAnswer> {
  const read = await readPullFindings(command, opened, deps);
  if ('result' in read) return read;
  const { ledger, change } = read;
  const { trigger, isAll } = command;
  const meant = isAll ? ledger.open : findMeant(command, ledger);
  if ('result' in meant) return meant;
  const open = meant.filter(isOpen);
  if (open.length === 0) {
    if (isAll && raisedByOthers(ledger).length > 0)
      return { result: refusal('not-found', 'the findings belong to another agent'), isSilent: true };
    const handles = meant.map(({ handle }) => handle).join(', ');
    return forAll(refusal('refused', isAll ? 'no finding is open' : `${handles} is not open`));
  }
  if (trigger.isClosed === true)
    return { result: refusal('refused', `pull request #${trigger.number} is closed`) };
  if (change === undefined) return { result: refusal('unreadable', 'the pull request could not be read') };
  if (change.isFork)
    return {
      result: refusal('refused', 'the pull request comes from a fork, and its branch is not pushed to'),
    };
  // A commit rests on the words of the comment: those of another workflow may be a stranger's.
  const posted = ledger.context.memory?.posted;
  const isOurs = ({ said, thread }: KnownFinding) =>
    said === undefined || [said.comment, thread?.reviewId ?? 0].some((id) => posted?.has(id) === true);
  if (deps.changes !== undefined)
    return open.map((one) => (isOurs(one) ? one : { ...one, lane: 'untrusted' as const }));
  const remedy =
    'Add the files that it may change to the `with:` of the step, as in `changes-allowed: src/**`, and `contents: write` under `permissions:` of the job.';
  return { result: refusal('refused', 'this workflow lets runs change nothing', remedy) };
}

/**
 * The run that fixes findings. It is shown them and nothing else of the pull request: whose words a title, a description or a
 * comment are does not matter then.
 */
export function fixRequest(
  request: RunRequest,
  trigger: CommentTrigger,
  findings: readonly KnownFinding[],
): RunRequest {
  const handles = findings.map(({ handle }) => handle).join(', ');
  const prompt = `Fix ${findings.length === 1 ? 'the finding' : 'the findings'} ${handles} of pull request #${trigger.number}`;
  return {
    ...request,
    trigger: {
      ...trigger,
      title: '',
      description: '',
      body: '',
      subjectAuthor: trigger.author,
      isFork: false,
      place: undefined,
    },
    admissionPolicy: DEFAULT_ADMISSION_POLICY,
    prompt:
      findings.length === 1
        ? prompt
        : `${prompt}, one after the other, with a commit for each whose message has its name`,
    // The answer is for a person, whatever the workflow reads of a review.
    outputSchema: '',
    toFix: findings,
  };
}
