import type { LoadedAgent } from '../../axe/agent/loaded-agent.js';
import { AxeError } from '../../axe/errors.js';
import { PROPOSAL_PROMPT, proposalMessage, readProposal } from '../../axe/gc/proposal.js';
import type { ProposalResult, Proposals } from '../../axe/gc/proposals-port.js';
import type { World } from '../../axe/ports.js';
import type { Collected } from './collect.js';
import type { Suggestion } from './collection.js';

/** What becomes of the recommendations of an analysis. */
export interface Suggesting {
  readonly as: 'pull-request' | 'issue';
  readonly proposals: Proposals;
}

/** What suggestions are made of. */
export interface SuggestParts {
  readonly agent: LoadedAgent;
  readonly collected: Extract<Collected, { readonly kind: 'collected' }>;
  readonly suggesting: Suggesting;
}

/**
 * Puts the recommendations up for people: as an issue, or as a pull request that changes the agent's own files and that
 * somebody has to merge. Trouble is a warning; what was analysed is in the summary anyway.
 */
export async function suggest(parts: SuggestParts, world: World): Promise<Suggestion> {
  try {
    return await publish(parts, world);
  } catch (thrown) {
    const { signal } = world.deadline;
    // Memory is trimmed by now, so that time is up is no reason to call it a failure.
    const cause: unknown = signal.aborted ? signal.reason : thrown;
    if (!(cause instanceof AxeError)) throw cause;
    return failed(cause, parts, world);
  }
}

async function publish(parts: SuggestParts, world: World): Promise<Suggestion> {
  const { agent, collected, suggesting } = parts;
  const { as, proposals } = suggesting;
  const { signal } = world.deadline;
  const { analysis, analysed } = collected;
  if (as === 'issue') {
    return told(await proposals.openIssue(agent.name, analysis.text, signal), parts, world);
  }
  const own = await proposals.readOwn(agent, signal);
  if (own === undefined) return failed({ message: NO_FILES }, parts, world);
  const reply = await analysed.ask(PROPOSAL_PROMPT, proposalMessage(analysis.text, own));
  if (reply.finish !== 'stop')
    return failed({ message: 'the proposal did not come to an end' }, parts, world);
  const answer = readProposal(reply.text, own);
  if (answer.kind === 'none') return answer;
  if (answer.kind === 'refused') return failed({ message: answer.reason }, parts, world);
  return told(await proposals.openPullRequest(agent.name, answer.proposal, signal), parts, world);
}

const NO_FILES = 'the default branch has no file of the agent that could be changed';

function told(result: ProposalResult, parts: SuggestParts, world: World): Suggestion {
  if (result.kind === 'failed') return failed(result, parts, world);
  return { ...result, as: parts.suggesting.as };
}

function failed(
  { message, remedy }: { readonly message: string; readonly remedy?: string | undefined },
  { suggesting: { as } }: SuggestParts,
  { reporter }: World,
): Suggestion {
  const what = as === 'issue' ? 'an issue' : 'a pull request';
  const text = `the suggestions of gc did not become ${what}: ${message}.`;
  reporter.warn({ code: 'publish-failed', message: remedy === undefined ? text : `${text} ${remedy}` });
  return { kind: 'failed', message };
}
