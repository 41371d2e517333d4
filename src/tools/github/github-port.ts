import type { DiffFile } from '../../lib/text/diff.js';
import type { Warning } from '../../lib/warning.js';

/**
 * The repository of the event on GitHub, as the event's commits have it; no other can be named. Every method throws a
 * ToolError with the remedy for whatever goes wrong, and the signal's reason if it aborts.
 */
export interface GitHubReader {
  /** The issue or pull request of the event; undefined where it is about none. */
  readonly number: number | undefined;
  /** What the pull request, or the push, changes. */
  change(signal: AbortSignal): Promise<ChangeOnGitHub>;
  file(at: FilePlace, signal: AbortSignal): Promise<PathOnGitHub>;
  /** The newest commits that changed a file, from page 1 on. */
  history(
    request: {
      readonly side: DiffSide;
      readonly path: string;
      readonly limit: number;
      readonly page: number;
    },
    signal: AbortSignal,
  ): Promise<HistoryOnGitHub>;
  /** What was said about an issue or pull request. */
  discussion(number: number, signal: AbortSignal): Promise<Discussion>;
  /** The checks of the head. */
  checks(request: LogRequest, signal: AbortSignal): Promise<ChecksOnGitHub>;
  /** Files of the default branch. */
  searchCode(request: GitHubSearchRequest, signal: AbortSignal): Promise<FoundOnGitHub<CodeOnGitHub>>;
  searchIssues(
    request: GitHubSearchRequest & { readonly kind: 'issue' | 'pull_request' },
    signal: AbortSignal,
  ): Promise<FoundOnGitHub<IssueOnGitHub>>;
  /** Whether each of these accounts is known to have write access; false for bots, whose words are nobody's. */
  areWriters(logins: readonly string[], signal: AbortSignal): Promise<boolean>;
}

/** The two commits an event is about; without a change both are the default branch. */
export type DiffSide = 'head' | 'base';

/** A change with its files. */
export interface ChangeOnGitHub {
  /** The commit is a fork's, or that could not be told: anybody may have made it (D19). */
  readonly isForeign: boolean;
  readonly files: readonly DiffFile[];
  /** False where GitHub does not list all files. */
  readonly isComplete: boolean;
}

/** A path on one side. */
export interface FilePlace {
  readonly side: DiffSide;
  readonly path: string;
  readonly maxBytes: number;
}

/** What is at a path. Links that lead to a file of the same commit are followed, others are refused. */
export type PathOnGitHub = { readonly isForeign: boolean } & (
  | { readonly kind: 'file'; readonly bytes: Uint8Array }
  | { readonly kind: 'folder'; readonly names: readonly string[] }
);

/** Commits of a file, newest first. */
export interface HistoryOnGitHub {
  readonly isForeign: boolean;
  readonly commits: readonly {
    readonly sha: string;
    readonly message: string;
    /** As git or GitHub names the author; it proves nothing. */
    readonly author: string;
    readonly date: string;
  }[];
}

/** What was said about an issue or pull request, oldest first; conversations on lines stand behind it. */
export interface Discussion {
  readonly title: string;
  readonly isPullRequest: boolean;
  readonly isOpen: boolean;
  readonly posts: readonly DiscussionPost[];
  /** False where there is more than was read. */
  readonly isComplete: boolean;
}

/** What somebody wrote: their words. */
export interface DiscussionPost {
  /** What it is, in words of ours: `description`, `comment`, `review (changes requested)`. */
  readonly what: string;
  readonly author: string;
  /** ISO 8601. */
  readonly at: string;
  readonly isEdited: boolean;
  readonly body: string;
}

/** How much of which logs. */
export interface LogRequest {
  /** Only the check of this name; empty for all. */
  readonly name: string;
  readonly maxLogLines: number;
  readonly maxLogs: number;
}

/** The checks of a commit. */
export interface ChecksOnGitHub {
  readonly failed: readonly {
    readonly name: string;
    readonly conclusion: string;
    readonly summary: string;
    /** The end of the log, or why there is none; undefined where none was asked for. */
    readonly log:
      | { readonly kind: 'tail'; readonly text: string; readonly linesTotal: number }
      | { readonly kind: 'unavailable'; readonly message: string }
      | undefined;
  }[];
  /** Those that succeeded, were skipped, or are not done. */
  readonly others: readonly { readonly name: string; readonly state: string }[];
  readonly isComplete: boolean;
  /** What could not be read. */
  readonly problems: readonly Pick<Warning, 'message' | 'remedy'>[];
}

/** What to look for, in GitHub's search syntax. */
interface GitHubSearchRequest {
  readonly query: string;
  readonly limit: number;
}

/** What a search found. */
export interface FoundOnGitHub<Item> {
  readonly items: readonly Item[];
  readonly isComplete: boolean;
}

/** A file with the pieces of it that match. */
export interface CodeOnGitHub {
  readonly path: string;
  readonly fragments: readonly string[];
}

/** An issue or pull request with its author's words for a title. */
export interface IssueOnGitHub {
  readonly number: number;
  readonly title: string;
  readonly isOpen: boolean;
  readonly author: string;
  readonly updatedAt: string;
}
