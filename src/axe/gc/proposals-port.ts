import type { LoadedAgent } from '../agent/loaded-agent.js';
import type { FileProposal, OwnFiles } from './proposal.js';

/** What became of suggestions that were put up for people. */
export type ProposalResult =
  | { readonly kind: 'published'; readonly url: string; readonly created: boolean }
  | { readonly kind: 'failed'; readonly message: string; readonly remedy?: string };

/** Where recommendations are put up for people. Throws an AxeError only for what cannot be read. */
export interface Proposals {
  /** The agent's own files as the default branch has them; undefined for an agent that is built in or not there. */
  readOwn(agent: LoadedAgent, signal: AbortSignal): Promise<OwnFiles | undefined>;
  /** A pull request with the change, the one that is open brought up to date. */
  openPullRequest(agent: string, proposal: FileProposal, signal: AbortSignal): Promise<ProposalResult>;
  /** An issue with the analysis, the one that is open brought up to date. */
  openIssue(agent: string, analysis: string, signal: AbortSignal): Promise<ProposalResult>;
}
