import type { LoadedAgent } from '../../core/agent/agent-source.js';
import type { Dependencies } from '../../core/dependencies.js';
import { AxeError } from '../../core/errors.js';
import { hasRecommendations, recommendationsDigest } from '../../core/gc/analysis.js';
import {
  type ClosedProposal,
  PROPOSAL_PROMPT,
  type ProposalResult,
  type Proposals,
  proposalMessage,
  readProposal,
} from '../../core/gc/proposal.js';
import type { GcOutcome } from './gc.js';
import type { Suggestion } from './gc-result.js';

/** What becomes of the recommendations of an analysis. */
export interface Suggesting {
  readonly as: 'pull-request' | 'issue';
  readonly proposals: Proposals;
}

/** What suggestions are made of. */
interface SuggestParts {
  readonly agent: LoadedAgent;
  readonly collected: Extract<GcOutcome, { readonly kind: 'collected' }>;
  readonly suggesting: Suggesting;
}

/**
 * Puts the recommendations up for people: as an issue, or as a pull request that changes the agent's own files and that
 * somebody has to merge. Trouble is a warning; what was analysed is in the summary anyway.
 */
export async function suggest(parts: SuggestParts, deps: Dependencies): Promise<Suggestion> {
  try {
    return await publish(parts, deps);
  } catch (thrown) {
    const { signal } = deps.deadline;
    // Memory is trimmed by now, so that time is up is no reason to call it a failure.
    const cause: unknown = signal.aborted ? signal.reason : thrown;
    if (!(cause instanceof AxeError)) throw cause;
    return failed(cause, { as: parts.suggesting.as }, deps);
  }
}

async function publish(parts: SuggestParts, deps: Dependencies): Promise<Suggestion> {
  const { agent, collected, suggesting } = parts;
  if (!hasRecommendations(collected.analysis.text)) return { kind: 'none' };
  if (suggesting.as === 'issue') return await publishIssue(parts, undefined, deps);
  if (!suggesting.proposals.isHere(agent)) return await publishIssue(parts, ELSEWHERE, deps);
  return await publishPullRequest(parts, deps);
}

const ELSEWHERE = 'The agent is kept in another repository, so there is no pull request here.';

async function publishIssue(
  parts: SuggestParts,
  because: string | undefined,
  deps: Dependencies,
): Promise<Suggestion> {
  const { agent, collected, suggesting } = parts;
  const { signal } = deps.deadline;
  const analysis = collected.analysis.text;
  const digest = recommendationsDigest(analysis);
  const before = closedBefore(await suggesting.proposals.readClosed(agent.name, 'issue', signal), digest);
  if (before !== undefined) return before;
  const proposal = { analysis, digest, ...(because === undefined ? {} : { because }) };
  const result = await suggesting.proposals.openIssue(agent.name, proposal, signal);
  return asSuggestion(result, { as: 'issue' }, deps);
}

async function publishPullRequest(parts: SuggestParts, deps: Dependencies): Promise<Suggestion> {
  const { agent, collected, suggesting } = parts;
  const { proposals } = suggesting;
  const { signal } = deps.deadline;
  const { analysis, analysed } = collected;
  const as = 'pull-request';
  const own = await proposals.readOwn(agent, signal);
  if (own === undefined) return failed({ message: NO_FILES }, { as }, deps);
  const closed = await proposals.readClosed(agent.name, as, signal);
  const { text: answer, finish } = await analysed.ask(
    PROPOSAL_PROMPT,
    proposalMessage(analysis.text, own, closed),
  );
  if (finish !== 'stop')
    return failed({ message: 'the proposal did not come to an end' }, { as, answer }, deps);
  const read = readProposal(answer, own);
  if (read.kind === 'none') return read;
  if (read.kind === 'refused') return failed({ message: read.reason }, { as, answer }, deps);
  const before = closedBefore(closed, read.proposal.digest);
  if (before !== undefined) return before;
  return asSuggestion(
    await proposals.openPullRequest(agent.name, read.proposal, signal),
    { as, answer },
    deps,
  );
}

const NO_FILES = 'the default branch has no file of the agent that could be changed';

function closedBefore(closed: readonly ClosedProposal[], digest: string): Suggestion | undefined {
  const same = closed.find((each) => each.digest === digest);
  return same === undefined ? undefined : { kind: 'closed-before', url: same.url };
}

/** What was to be put up. */
interface Attempt {
  readonly as: Suggesting['as'];
  /** Of the model. */
  readonly answer?: string;
}

function asSuggestion(result: ProposalResult, attempt: Attempt, deps: Dependencies): Suggestion {
  return result.kind === 'failed' ? failed(result, attempt, deps) : { ...result, as: attempt.as };
}

function failed(
  { message, remedy }: { readonly message: string; readonly remedy?: string | undefined },
  { as, answer = '' }: Attempt,
  { reporter }: Dependencies,
): Suggestion {
  const what = as === 'issue' ? 'an issue' : 'a pull request';
  const text = `the suggestions of gc did not become ${what}: ${message}`;
  reporter.warn({ code: 'publish-failed', message: text, remedy: remedy ?? BY_HAND });
  return { kind: 'failed', message, ...(answer.trim() === '' ? {} : { answer }) };
}

const BY_HAND = 'Change the agent by hand if you agree with the analysis; it is in the job summary.';
