import { relative, resolve } from 'node:path';
import type { Trigger } from '../event/trigger.js';
import {
  checkEvidence,
  linesOfDiff,
  ShownFiles,
  type ShownLines,
} from '../findings/decide/evidence.js';
import type { GitHubClient } from '../github/client/client.js';
import { type BaseCode, fetchBaseCode } from '../github/reading/contents.js';
import { createQueue } from '../lib/clock.js';
import type { Environment } from '../lib/environment.js';
import { AxeError, ToolError } from '../lib/errors.js';
import { codeAtHead, findRepositoryRoot, readOrigin } from '../lib/git.js';
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

/**
 * Creates the reader of the code that notes cite. For an event that is the target branch of the
 * pull request, or the default branch, read by API because anybody might have written to the
 * checkout. On a developer's machine it is HEAD. Each file is read once in a run.
 */
export function createBaseReader(
  trigger: Trigger,
  client: GitHubClient | undefined,
  cwd: string,
  env: Environment,
): ReadBase {
  const inTurn = createQueue();
  /** Paths and commits that were read. */
  const readIds = new Set<string>();
  const notYetRead = (ids: readonly string[]) =>
    [...new Set(ids)].filter((id) => !readIds.has(id)).slice(0, MAX_READ_AT_ONCE);
  let root: string | undefined;
  let ownRepository: string | undefined;
  let base: BaseCode | undefined;

  /** Undefined if the repository cannot be read. */
  async function nameOfRepository(): Promise<string | undefined> {
    if (trigger.kind !== 'local')
      return client && `${trigger.repository.owner}/${trigger.repository.name}`;
    root = await findRepositoryRoot(cwd);
    const origin =
      root && (await readOrigin(root, env['GITHUB_SERVER_URL'] || 'https://github.com'));
    return origin ? `${origin.owner}/${origin.name}` : root && projectSlug(root);
  }

  async function read(
    lines: readonly Citation[],
    signal: AbortSignal,
  ): Promise<BaseCode | undefined> {
    ownRepository ??= await nameOfRepository();
    const ownName = ownRepository;
    const ownLines = lines.filter(
      ({ path, repository = ownName }) =>
        ownName !== undefined &&
        repository?.toLowerCase() === ownName.toLowerCase() &&
        isPlainPath(path),
    );
    if (ownName === undefined || ownLines.length === 0) return undefined;

    const paths = notYetRead(ownLines.map(({ path }) => path));
    const commits = notYetRead(ownLines.flatMap(({ commit = [] }) => commit));
    if (paths.length + commits.length === 0) return base;
    const branch = trigger.kind === 'pull_request' ? trigger.base.ref : undefined;
    const newlyRead =
      trigger.kind === 'local' || client === undefined
        ? {
            repository: ownName,
            ...(await codeAtHead(paths, commits, { cwd: root ?? cwd, env, signal })),
          }
        : await fetchBaseCode(
            client,
            { repository: trigger.repository, branch, paths, commits },
            signal,
          );
    for (const id of [...paths, ...commits]) readIds.add(id);
    if (newlyRead === undefined) return base;

    const files = new Map([...(base?.files ?? []), ...newlyRead.files]);
    const history = new Set([...(base?.history ?? []), ...newlyRead.history]);
    base = { ...newlyRead, files, history };
    return base;
  }

  // In turn, since a second caller may need lines that the first one is still reading.
  return (lines, signal) => inTurn(() => read(lines, signal));
}

/** Anybody could have written the path, so no part of it is allowed to lead elsewhere. */
function isPlainPath(path: string): boolean {
  if (/[\\\p{Cc}]/u.test(path)) return false;
  return path.split('/').every((part) => !['', '.', '..'].includes(part));
}
