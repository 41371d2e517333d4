import type { Clock } from '../lib/clock.js';
import type { FileStat, OpenFile } from '../lib/files.js';
import type { GitHubReader } from './github/github-port.js';

/**
 * The folder an agent works in, and nothing outside of it. Paths are relative to it with `/` between the parts, `.` is
 * the folder itself; an absolute path is taken if it lies inside. Links are followed where they end inside. Whatever
 * the guard refuses (D22) and whatever goes wrong is a {@link ToolError} that names the path as it was given.
 */
export interface Workspace {
  /** What is at a path; undefined if nothing is. */
  stat(path: string): Promise<FileStat | undefined>;
  /** Opens a regular file for reading; the caller closes it. */
  open(path: string): Promise<OpenFile>;
  /** The first names of a folder in byte order; `leftOut` counts the rest. */
  list(path: string, maxEntries: number): Promise<Listing>;
  /**
   * The files and folders below a folder, in byte order, each folder before what is in it. Only folders that
   * `mayEnter` agrees to are opened; links are not followed, what cannot be read is left out.
   */
  walk(path: string, mayEnter: (path: string) => boolean): AsyncIterable<WalkEntry>;
  /**
   * Writes a whole file at once, with the folders it needs, keeping its mode. `change` gets the bytes that are there
   * now, or undefined, and may throw. Changes through one workspace happen one after the other.
   */
  update(path: string, change: (old: Uint8Array | undefined) => Uint8Array): Promise<void>;
}

/** Names in a folder. */
export interface Listing {
  readonly entries: readonly { readonly name: string; readonly kind: FileStat['kind'] }[];
  /** Names beyond the most that was asked for. */
  readonly leftOut: number;
}

/** A regular file or a folder on a walk, with its path relative to the workspace. */
export interface WalkEntry {
  readonly path: string;
  readonly kind: 'file' | 'directory';
}

/** Runs commands. What a command leaves running is ended with it. */
export interface Shell {
  /** Throws the signal's reason if it aborts, after everything was ended; a ToolError if nothing could be started. */
  run(request: CommandRequest, signal: AbortSignal): Promise<CommandResult>;
}

/** A command for `sh -c`. */
export interface CommandRequest {
  readonly command: string;
  /** Absolute. */
  readonly cwd: string;
  readonly timeoutMs: number;
  readonly maxOutputBytes: number;
}

/** What became of a command. */
export interface CommandResult {
  /** Null if a signal ended it. */
  readonly exitCode: number | null;
  /** Standard output and standard error as they came, the middle left out if they are too long. */
  readonly output: string;
  readonly truncated: boolean;
  readonly timedOut: boolean;
}

/** Fetches pages of the public web. */
export interface Web {
  /** Throws a ToolError for whatever is refused or fails; the signal's reason if it aborts. */
  fetchPage(url: string, options: PageOptions, signal: AbortSignal): Promise<Page>;
}

/** What a page may be. */
export interface PageOptions {
  /** As in the agent's `allowed_hosts`; empty for every public host. */
  readonly allowedHosts: readonly string[];
  readonly maxBytes: number;
  readonly timeoutMs: number;
}

/** A page as it was received. */
export interface Page {
  /** Where it was found in the end. */
  readonly url: string;
  readonly status: number;
  /** In lower case and without parameters: `text/html`; empty if the server named none. */
  readonly mediaType: string;
  readonly text: string;
  /** There was more than `maxBytes`. */
  readonly truncated: boolean;
  /** Something the reader should know of how the address was checked. */
  readonly note: string | undefined;
}

/** Sends JSON to an API of the user's choice and receives the answer; redirects are not followed. */
export type PostJson = (
  url: string,
  request: PostRequest,
  signal: AbortSignal,
) => Promise<{ readonly status: number; readonly text: string }>;

/** A request to an API; an answer longer than `maxBytes` is a ToolError, as is everything else that goes wrong. */
export interface PostRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly maxBytes: number;
  readonly timeoutMs: number;
}

/** What the tools are made of. */
export interface ToolPorts {
  readonly workspace: Workspace;
  readonly shell: Shell;
  readonly web: Web;
  readonly postJson: PostJson;
  readonly clock: Pick<Clock, 'now'>;
  /** The folder commands run in: absolute, the workspace's. */
  readonly workdir: string;
  /** The agent's `allowed_hosts`. */
  readonly allowedHosts: readonly string[];
  /** `TAVILY_API_KEY`; empty for none. */
  readonly searchKey: string;
  /** `AXE_WEB_SEARCH_BASE_URL`; empty for Tavily's own. */
  readonly searchBaseUrl: string;
  /** The repository of the event; absent without an event or a token. */
  readonly github?: GitHubReader;
}
