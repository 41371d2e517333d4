import type { LoadedAgent } from '../agent/loaded-agent.js';
import type { ClosedProposal, FileProposal, OwnFiles } from './proposal.js';

/** What became of suggestions that were put up for people. */
export type ProposalResult =
  | { readonly kind: 'published'; readonly url: string; readonly created: boolean }
  | { readonly kind: 'failed'; readonly message: string; readonly remedy?: string };

/** Recommendations as they go into an issue. */
export interface IssueProposal {
  /** The whole analysis. */
  readonly analysis: string;
  /** The same for the same recommendations. */
  readonly digest: string;
  /** Why it is not a pull request although one was asked for, in a sentence. */
  readonly because?: string;
}

/** Where recommendations are put up for people. Throws an AxeError only for what cannot be read. */
export interface Proposals {
  /** Whether the agent is kept in the repository of the run, whose files a pull request of its own may change. */
  isHere(agent: LoadedAgent): boolean;
  /** The agent's own files as the default branch has them; undefined for an agent that is built in or not there. */
  readOwn(agent: LoadedAgent, signal: AbortSignal): Promise<OwnFiles | undefined>;
  /** The newest pull requests, or issues, that people closed without merging. */
  readClosed(
    agent: string,
    as: 'pull-request' | 'issue',
    signal: AbortSignal,
  ): Promise<readonly ClosedProposal[]>;
  /** A pull request with the change, the one that is open brought up to date. */
  openPullRequest(agent: string, proposal: FileProposal, signal: AbortSignal): Promise<ProposalResult>;
  /** An issue with the analysis, the one that is open brought up to date. */
  openIssue(agent: string, proposal: IssueProposal, signal: AbortSignal): Promise<ProposalResult>;
}
