import { relative, resolve } from 'node:path';
import type { PullRequestTrigger, TriggerPlace } from '../event/trigger.js';
import {
  checkEvidence,
  linesOfDiff,
  ShownFiles,
  type ShownLines,
} from '../findings/decide/evidence.js';
import type { GitHubClient } from '../github/client/client.js';
import {
  type BaseCode,
  type FetchedCode,
  fetchBaseCode,
  fetchRenamedPath,
} from '../github/reading/contents.js';
import { createQueue } from '../lib/clock.js';
import type { Environment } from '../lib/environment.js';
import { AxeError, ToolError } from '../lib/errors.js';
import { codeAtHead, findRepositoryRoot, readOrigin, renamedPath } from '../lib/git.js';
import { parseDiff } from '../lib/text/diff.js';
import {
  type Citation,
  citeLine,
  completeCitations,
  countLine,
  formatCitation,
  type ReadBase,
} from '../memory/citations.js';
import { projectSlug } from '../memory/paths.js';
import { showHidden } from '../safety/hidden.js';
import { sanitize } from '../safety/sanitize.js';
import type { Dependencies } from './dependencies.js';
import { codeNotRead } from './notes.js';
import type { ReviewedChange, RunNotes } from './records.js';

/**
 * Records the lines of files that a conversation is shown, and completes the citations of a note
 * from them. `cite` throws a ToolError for a line that was not shown. `workdir` is the absolute
 * folder of the file tools.
 */
export function createCiter(
  notes: RunNotes | undefined,
  change: ReviewedChange | undefined,
  workdir: string,
  { secrets, readBase, cwd, reporter, deadline: { signal } }: Dependencies,
) {
  const changedFiles = notes === undefined || change === undefined ? [] : parseDiff(change.diff);
  const shownFiles = new ShownFiles(linesOfDiff(changedFiles));
  const relativePath = (path: string) =>
    relative(workdir, resolve(workdir, path)).replaceAll('\\', '/');

  /** Undefined if no such line was shown. */
  function findShown(citation: Citation) {
    const path = relativePath(citation.path);
    const lines = (shownFiles.of(path, 'RIGHT') ?? shownFiles.of(path, 'LEFT'))?.lines;
    const code = citation.code || (lines?.get(citation.line) ?? '');

    const check = checkEvidence({ ...citation, path, code }, shownFiles);
    if (typeof check === 'string') return undefined;
    const { side: _, ...place } = check;
    return { ...place, lines: [...(lines?.values() ?? [])] };
  }

  /** A path of a file tool starts at the tool's folder, one of a GitHub tool at the root. */
  async function readAtBase(shown: Citation) {
    const root = (await findRepositoryRoot(workdir)) ?? cwd;
    const folder = relative(root, workdir).replaceAll('\\', '/');
    const paths = folder === '' ? [shown.path] : [`${folder}/${shown.path}`, shown.path];
    const places = paths.map((path) => ({ ...shown, path }));
    const base = await readBase?.(places, signal).catch((thrown: unknown) => {
      if (!(thrown instanceof AxeError)) throw thrown;
      reporter.warn(codeNotRead(thrown));
      return undefined;
    });
    const isAtBase = ({ path, code }: Citation) => countLine(base?.files.get(path), code) > 0;
    const isChanged = ({ path }: Citation) => changedFiles.some((file) => file.path === path);
    const [candidate, ...others] = paths.length === 1 ? places : places.filter(isChanged);
    // If neither file has the line at the base and both are changed, either could be the one.
    const place = places.find(isAtBase) ?? (others.length === 0 ? candidate : undefined);
    return { base, place: place ?? shown, head: place && change?.head };
  }

  async function cite(citation: Citation): Promise<string | undefined> {
    const { path, line } = citation;
    const shown = findShown(citation);
    if (shown === undefined) {
      const checkedCitation = notes?.checked.find(path, citation.code);
      if (checkedCitation !== undefined) return formatCitation({ ...checkedCitation, line });
      // `(example.com:443)` is not a citation.
      if (!path.includes('/') || path.includes('//')) return undefined;
      throw new ToolError(
        `line ${line} of ${path} was not shown to you in this run. Read it with \`read_file\` or \`github_file\`, or leave \`(${path}:${line})\` out.`,
      );
    }
    const { base, place, head } = await readAtBase(shown);
    const clean = (code: string) => showHidden(sanitize(code, 'memory', secrets.values));
    return citeLine(place, { lines: shown.lines, base, head, clean });
  }

  return {
    show(shown: readonly ShownLines[]): void {
      shownFiles.show(shown.map((lines) => ({ ...lines, path: relativePath(lines.path) })));
    },
    cite: (content: string): Promise<string> => completeCitations(content, cite),
  };
}

/** Maximum files, and maximum commits, that one call reads. */
const MAX_READ_AT_ONCE = 50;
/** Maximum files of a run that are followed to another path, and the renames of each. */
const MAX_FOLLOWED = 5;
const MAX_RENAMES = 5;

interface BaseOptions {
  readonly client: GitHubClient | undefined;
  readonly cwd: string;
  readonly env: Environment;
  /** The memory is that of the run's repository alone, as in a workflow without `memory-repo`. */
  readonly isOnlyRepository?: boolean;
}

/** The code of one repository at its base. */
interface CodeSource {
  /** `owner/name`, or the name of a checkout without one. */
  readonly name: string;
  /** Another branch can lack a line that the default one has, so it calls none outdated. */
  readonly isDefaultBranch: boolean;
  /** Undefined if the base is not there. */
  read(
    paths: readonly string[],
    commits: readonly string[],
    signal: AbortSignal,
  ): Promise<FetchedCode | undefined>;
  /** The path that a missing file was renamed to; undefined if it was deleted. */
  renamedPath(path: string, signal: AbortSignal): Promise<string | undefined>;
}

/**
 * Creates the reader of the code that notes cite. For an event that is the target branch of the
 * pull request, or the default branch, read by API because anybody might have written to the
 * checkout. On a developer's machine it is HEAD. Each file is read once in a run, and commits only
 * for lines that are not there. The newest facts come first.
 */
export function createBaseReader(
  trigger: TriggerPlace,
  { client, cwd, env, isOnlyRepository = false }: BaseOptions,
): ReadBase {
  const inTurn = createQueue();
  /** Paths and commits that were read. */
  const readIds = new Set<string>();
  const notYetRead = (ids: readonly string[]) =>
    [...new Set(ids)].filter((id) => !readIds.has(id)).slice(0, MAX_READ_AT_ONCE);
  let source: CodeSource | undefined;
  let base: BaseCode | undefined;
  let followed = 0;

  async function openSource(): Promise<CodeSource | undefined> {
    return trigger.kind === 'local'
      ? await checkoutSource(cwd, env)
      : client && repositorySource(client, trigger);
  }

  async function add(
    opened: CodeSource,
    { paths, commits }: { readonly paths: readonly string[]; readonly commits: readonly string[] },
    signal: AbortSignal,
  ): Promise<BaseCode | undefined> {
    if (paths.length + commits.length === 0) return base;
    const fetched = await opened.read(paths, commits, signal);
    for (const id of [...paths, ...commits]) readIds.add(id);
    if (fetched === undefined) return base;

    const files = new Map([...(base?.files ?? []), ...fetched.files]);
    const history = new Set([...(base?.history ?? []), ...fetched.history]);
    const renamed = base?.renamed ?? new Map();
    const { commit } = fetched;
    base = { repository: opened.name, isOnlyRepository, commit, files, history, renamed };
    return base;
  }

  /** Follows a missing file to the path that exists, and reads it; undefined if it was deleted. */
  async function currentPath(
    opened: CodeSource,
    path: string,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    let formerPath = path;
    for (let step = 0; step < MAX_RENAMES; step += 1) {
      const next = await opened.renamedPath(formerPath, signal);
      if (next === undefined) return undefined;
      await add(opened, { paths: notYetRead([next]), commits: [] }, signal);
      if (base?.files.get(next) !== null) return next;
      formerPath = next;
    }
    return undefined;
  }

  /** Finds the current paths of missing files. */
  async function follow(
    opened: CodeSource,
    missing: readonly string[],
    signal: AbortSignal,
  ): Promise<void> {
    const renamed = new Map(base?.renamed);
    for (const path of missing.slice(0, MAX_FOLLOWED - followed)) {
      followed += 1;
      const current = await currentPath(opened, path, signal);
      if (current !== undefined) renamed.set(path, current);
    }
    if (base !== undefined) base = { ...base, renamed };
  }

  async function read(
    lines: readonly Citation[],
    signal: AbortSignal,
  ): Promise<BaseCode | undefined> {
    source ??= await openSource();
    const opened = source;
    if (opened === undefined) return undefined;
    const isOwn = ({ repository = opened.name }: Citation) =>
      isOnlyRepository || repository.toLowerCase() === opened.name.toLowerCase();
    const newestFirst = lines.filter((line) => isOwn(line) && isPlainPath(line.path)).toReversed();
    if (newestFirst.length === 0) return undefined;

    const paths = notYetRead(newestFirst.map(({ path }) => path));
    await add(opened, { paths, commits: [] }, signal);
    // A place without a commit is in no note yet.
    const noted = newestFirst.filter(({ path, commit }) => commit && paths.includes(path));
    const missing = noted.filter(({ path }) => base?.files.get(path) === null);
    await follow(opened, [...new Set(missing.map(({ path }) => path))], signal);

    if (!opened.isDefaultBranch) return base;
    const absent = newestFirst.filter(
      ({ path, code }) => countLine(base?.files.get(base.renamed.get(path) ?? path), code) === 0,
    );
    const commits = notYetRead(absent.flatMap(({ commit = [] }) => commit));
    return await add(opened, { paths: [], commits }, signal);
  }

  // In turn, since a second caller may need lines that the first one is still reading.
  return (lines, signal) => inTurn(() => read(lines, signal));
}

function repositorySource(
  client: GitHubClient,
  trigger: Exclude<TriggerPlace, { readonly kind: 'local' }>,
): CodeSource {
  const { repository } = trigger;
  const branch = trigger.kind === 'pull_request' ? trigger.base.ref : undefined;
  return {
    name: `${repository.owner}/${repository.name}`,
    isDefaultBranch: trigger.kind !== 'pull_request' || isIntoDefaultBranch(trigger),
    read: (paths, commits, signal) =>
      fetchBaseCode(client, { repository, branch, paths, commits }, signal),
    renamedPath: (path, signal) => fetchRenamedPath({ client, repository, branch }, path, signal),
  };
}

/** The name of the default branch is not in every event. */
function isIntoDefaultBranch({ base, repository }: PullRequestTrigger): boolean {
  return ['', base.ref].includes(repository.defaultBranch);
}

/** Undefined outside of a checkout. */
async function checkoutSource(cwd: string, env: Environment): Promise<CodeSource | undefined> {
  const root = await findRepositoryRoot(cwd);
  if (root === undefined) return undefined;
  const origin = await readOrigin(root, env['GITHUB_SERVER_URL'] || 'https://github.com');
  return {
    name: origin ? `${origin.owner}/${origin.name}` : projectSlug(root),
    isDefaultBranch: true,
    read: (paths, commits, signal) => codeAtHead(paths, commits, { cwd: root, env, signal }),
    renamedPath: (path, signal) => renamedPath(path, { cwd: root, env, signal }),
  };
}

/** Anybody could have written the path, so no part of it is allowed to lead elsewhere. */
function isPlainPath(path: string): boolean {
  if (/[\\\p{Cc}]/u.test(path)) return false;
  return path.split('/').every((part) => !['', '.', '..'].includes(part));
}
