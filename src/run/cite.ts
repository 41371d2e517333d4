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
import { sanitize } from '../safety/sanitize.js';
import { escapeHidden } from '../tools/tool.js';
import type { Dependencies } from './dependencies.js';
import { codeNotRead } from './notes.js';
import type { ReviewedChange, RunNotes } from './records.js';

/**
 * Keeps what a conversation is shown of files, and gives a note with the lines that it names as
 * they were shown, or throws a ToolError for one that was not. `workdir` is the absolute folder of
 * the file tools.
 */
export function createCiter(
  notes: RunNotes | undefined,
  change: ReviewedChange | undefined,
  workdir: string,
  { secrets, readBase, cwd, reporter, deadline: { signal } }: Dependencies,
) {
  const changed = notes === undefined || change === undefined ? [] : parseDiff(change.diff);
  const shownFiles = new ShownFiles(linesOfDiff(changed));
  const pathOf = (path: string) => relative(workdir, resolve(workdir, path)).replaceAll('\\', '/');

  /** Undefined where no such line was shown. */
  function find(named: Citation) {
    const path = pathOf(named.path);
    const lines = (shownFiles.of(path, 'RIGHT') ?? shownFiles.of(path, 'LEFT'))?.lines;
    const code = named.code || (lines?.get(named.line) ?? '');
    const check = checkEvidence({ ...named, path, code }, shownFiles);
    if (typeof check === 'string') return undefined;
    const { side: _, ...place } = check;
    return { ...place, lines: [...(lines?.values() ?? [])] };
  }

  /**
   * The line at the base. File tools name a path from their own folder, those on GitHub from the
   * root.
   */
  async function readAtBase(found: Citation) {
    const folder = relative((await findRepositoryRoot(workdir)) ?? cwd, workdir).replaceAll(
      '\\',
      '/',
    );
    const paths = folder === '' ? [found.path] : [`${folder}/${found.path}`, found.path];
    const places = paths.map((path) => ({ ...found, path }));
    const base = await readBase?.(places, signal).catch((thrown: unknown) => {
      if (!(thrown instanceof AxeError)) throw thrown;
      reporter.warn(codeNotRead(thrown));
      return undefined;
    });
    const isAtBase = ({ path, code }: Citation) => countLine(base?.files.get(path), code) > 0;
    const isChanged = ({ path }: Citation) => changed.some((file) => file.path === path);
    const [only, ...others] = paths.length === 1 ? places : places.filter(isChanged);
    // Of a line that neither file at the base has, nobody knows which of the two is meant if both
    // are changed.
    const place = places.find(isAtBase) ?? (others.length === 0 ? only : undefined);
    return { base, place: place ?? found, head: place && change?.head };
  }

  async function cite(named: Citation): Promise<string | undefined> {
    const { path, line } = named;
    const found = find(named);
    if (found === undefined) {
      const known = notes?.checked.find(path, named.code);
      if (known !== undefined) return formatCitation({ ...known, line });
      // `(example.com:443)` names no file.
      if (!path.includes('/') || path.includes('//')) return undefined;
      throw new ToolError(
        `line ${line} of ${path} was not shown to you in this run. Read it with \`read_file\` or \`github_file\`, or leave \`(${path}:${line})\` out.`,
      );
    }
    const { base, place, head } = await readAtBase(found);
    const clean = (code: string) => escapeHidden(sanitize(code, 'memory', secrets));
    return citeLine(place, found.lines, base, head, clean);
  }

  return {
    show(shown: readonly ShownLines[]): void {
      shownFiles.show(shown.map((lines) => ({ ...lines, path: pathOf(lines.path) })));
    },
    cite: (content: string): Promise<string> => completeCitations(content, cite),
  };
}

/** Files that are read, and commits that are looked for, at a time. */
const MAX_LOOKED_AT = 50;

/**
 * Reads the base that notes are held against: on an event the branch that a pull request goes into
 * or the default branch, through the API, since a checkout may have been written to by anybody. On
 * somebody's own machine it is HEAD. Each file is read once in a run.
 */
export function createBaseReader(
  trigger: Trigger,
  client: GitHubClient | undefined,
  cwd: string,
  env: Environment,
): ReadBase {
  const inTurn = createQueue();
  /** Paths and commits that were answered. */
  const asked = new Set<string>();
  const notAsked = (all: readonly string[]) =>
    [...new Set(all)].filter((one) => !asked.has(one)).slice(0, MAX_LOOKED_AT);
  let root: string | undefined;
  let own: string | undefined;
  let base: BaseCode | undefined;

  /** Undefined where nobody can read it. */
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
    own ??= await nameOfRepository();
    const here = lines.filter(
      ({ path, repository = own }) =>
        own !== undefined &&
        repository?.toLowerCase() === own.toLowerCase() &&
        // No part of it leads anywhere else, whoever wrote it.
        !/[\\\p{Cc}]/u.test(path) &&
        path.split('/').every((part) => !['', '.', '..'].includes(part)),
    );
    if (own === undefined || here.length === 0) return undefined;
    const paths = notAsked(here.map(({ path }) => path));
    const commits = notAsked(here.flatMap(({ commit = [] }) => commit));
    if (paths.length + commits.length === 0) return base;
    const branch = trigger.kind === 'pull_request' ? trigger.base.ref : undefined;
    const found =
      trigger.kind === 'local' || client === undefined
        ? {
            repository: own,
            ...(await codeAtHead(paths, commits, { cwd: root ?? cwd, env, signal })),
          }
        : await fetchBaseCode(client, trigger.repository, branch, paths, commits, signal);
    for (const one of [...paths, ...commits]) asked.add(one);
    if (found === undefined) return base;
    const files = new Map([...(base?.files ?? []), ...found.files]);
    base = { ...found, files, history: new Set([...(base?.history ?? []), ...found.history]) };
    return base;
  }

  // In turn, since a second caller needs what the first one still waits for.
  return (lines, signal) => inTurn(() => read(lines, signal));
}
