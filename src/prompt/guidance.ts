import type { AgentLibrary, LoadedAgent } from '../agent/agent-source.js';
import type { ContextFile } from '../agent/context-files.js';
import type { TriggerContext } from '../event/context.js';
import type { Repository, Trigger } from '../event/trigger.js';
import {
  CHECKS_FILE,
  type Check,
  type CheckProblem,
  describeProblems,
  parseChecks,
} from '../findings/checks.js';
import { MAX_GUIDANCE_BYTES } from '../lib/defaults.js';
import { AxeError, type Warning } from '../lib/errors.js';
import { compareBytes, cutToBytes, utf8Bytes } from '../lib/text/bytes.js';
import { parseDiff, pathsOf } from '../lib/text/diff.js';
import { cleanLine, count } from '../lib/text/format.js';
import { foldersAbove, selectPaths } from '../lib/text/glob.js';
import type { LocalChange } from './diff-policy.js';
import {
  INSTRUCTIONS_FOLDER,
  isPathInstructions,
  pickPathInstructions,
} from './path-instructions.js';

/** A project's general guidance; only the first existing file is used. */
const GENERAL = ['AGENTS.md', 'CLAUDE.md', '.github/copilot-instructions.md'];
const OF_REVIEWS = 'REVIEW.md';

/** Maximum folders that are searched, starting with those of a change's first files. */
const MAX_FOLDERS = 50;

/**
 * Reads a project's guidance for those who work on it, at the base and never at the head: a pull
 * request must not steer its own review. axe reads none, so on a terminal only built-in agents do,
 * and agents that ask for it. A failure to read it is a warning. `paths` has the paths of all files
 * that count, existing or not: a pull request that changes one changes its own instructions.
 */
export async function readGuidance(
  agent: LoadedAgent,
  {
    trigger,
    changedPaths,
    change,
    isReview,
  }: {
    readonly trigger: Trigger;
    /** None if there is no change; undefined where nobody has asked GitHub for one. */
    readonly changedPaths: readonly string[] | undefined;
    /** A change on this machine. */
    readonly change: LocalChange | undefined;
    readonly isReview: boolean;
  },
  agents: AgentLibrary,
): Promise<{
  readonly files: readonly ContextFile[];
  readonly paths: readonly string[];
  readonly warnings: readonly Warning[];
  /** The project's checks, if they could be read; none for an agent that does not review. */
  readonly checks: readonly Check[] | 'unread';
}> {
  const isLocal = trigger.kind === 'local';
  // Without GitHub's context, a job's checkout can be the head as well as the base.
  const isBaseKnown = isLocal || changedPaths !== undefined;
  const isWanted = agent.config.guidance ?? (!isLocal || agent.source === 'built-in');
  const asksChecks = isWanted && agent.config.tools.includes('submit_review');
  const unread = asksChecks ? 'unread' : [];
  if (!isBaseKnown || !isWanted) return { files: [], paths: [], warnings: [], checks: unread };

  const localPaths = change && parseDiff(change.diff).flatMap(pathsOf);
  const changed = localPaths ?? changedPaths ?? [];
  const paths = [...guidancePaths(changed, isReview), ...(asksChecks ? [CHECKS_FILE] : [])];

  try {
    const existing = await (change === undefined
      ? agents.loadGuidance(paths, agent)
      : change.readBase?.(paths));
    const { files, warnings } = pickGuidance(existing ?? [], { changed, isReview });
    const checksFile = existing?.find(({ path }) => asksChecks && path === CHECKS_FILE);
    const { checks, problems } = checksFile ? parseChecks(checksFile.content) : NO_CHECKS;

    const { files: patterns, review, workdir } = agent.config;
    // Files that the agent names are in its prompt already; its patterns are relative to `workdir`.
    const named = workdir === '' ? selectPaths([...patterns, review.instructions], paths) : [];
    const general = files.find(({ path }) => GENERAL.includes(path));
    const unused = general === undefined ? [] : GENERAL.slice(GENERAL.indexOf(general.path) + 1);
    return {
      paths: [
        ...paths.filter((path) => !unused.includes(path) && path !== INSTRUCTIONS_FOLDER),
        ...changed.filter(isPathInstructions),
      ],
      files: files.filter(({ path }) => !named.includes(path)),
      checks,
      warnings: problems.length === 0 ? warnings : [...warnings, warnOfChecks(problems)],
    };
  } catch (thrown) {
    if (!(thrown instanceof AxeError)) throw thrown;
    const message = `the guidance of the project (${GENERAL.join(', ')}): ${thrown.message}`;
    return {
      files: [],
      paths: [],
      checks: unread,
      warnings: [{ code: 'context-unread', message, remedy: thrown.remedy }],
    };
  }
}

const NO_CHECKS: ReturnType<typeof parseChecks> = { checks: [], problems: [] };

function warnOfChecks(problems: readonly CheckProblem[]): Warning {
  return { code: 'checks-invalid', message: describeProblems(problems) };
}

/**
 * The paths of the root's guidance, the folder of path instructions, and a path in each folder that
 * a change touches.
 * @internal
 */
export function guidancePaths(changed: readonly string[], isReview: boolean): readonly string[] {
  const folders = new Set(changed.flatMap(foldersAbove));
  const nested = [...folders].slice(0, MAX_FOLDERS).map((folder) => `${folder}/AGENTS.md`);
  return [...GENERAL, ...(isReview ? [OF_REVIEWS] : []), INSTRUCTIONS_FOLDER, ...nested];
}

/**
 * Picks the files for the prompt: the general one first, then path instructions that match the
 * change, the nearest to the change last. If there is too much, the last ones keep their room. Files that they import or link to are not read.
 * @internal
 */
export function pickGuidance(
  existing: readonly ContextFile[],
  { changed, isReview }: { readonly changed: readonly string[]; readonly isReview: boolean },
): { readonly files: readonly ContextFile[]; readonly warnings: readonly Warning[] } {
  const texts = existing.filter(isText);
  const general = GENERAL.flatMap((path) => texts.filter((file) => file.path === path)).slice(0, 1);
  const nested = texts
    .filter(({ path }) => path.endsWith('/AGENTS.md'))
    .toSorted((a, b) => a.path.split('/').length - b.path.split('/').length);
  const ofPaths = pickPathInstructions(
    texts
      .filter(({ path }) => isPathInstructions(path))
      .toSorted((a, b) => compareBytes(a.path, b.path)),
    { changed, isReview },
  );
  const reviews = texts.filter(({ path }) => isReview && path === OF_REVIEWS);
  const wanted = [...general, ...ofPaths.files, ...nested, ...reviews].map((file) =>
    isReview && file.path.endsWith('AGENTS.md')
      ? { ...file, content: reviewPart(file.content) }
      : file,
  );

  const warnings: Warning[] = [...ofPaths.warnings];
  let freeBytes = MAX_GUIDANCE_BYTES;
  const files = wanted.toReversed().map(({ path, content }) => {
    const { text, leftOutBytes } = cutToBytes(content, freeBytes);
    freeBytes -= utf8Bytes(text);
    if (leftOutBytes === 0) return { path, content };

    const message = `the last ${count(leftOutBytes, 'byte')} of \`${path}\`, since a prompt holds ${MAX_GUIDANCE_BYTES / 1024} KiB of guidance`;
    warnings.unshift({ code: 'context-unread', message });
    return {
      path,
      content: `${text}\n\n[The last ${count(leftOutBytes, 'byte')} of this file are left out.]`,
    };
  });
  return { files: files.toReversed(), warnings };
}

/** The text of a link that is not followed is the path of its target. */
function isText({ content }: ContextFile): boolean {
  return content.trim() !== '' && !content.includes('\0') && !/^\S+$/.test(content);
}

const REVIEW_GUIDELINES = /^ {0,3}#{1,6}[ \t]+review guidelines[ \t#]*$/i;

/** The section `Review guidelines` if a file has one, or the whole file. */
function reviewPart(text: string): string {
  const lines = text.split('\n');
  const start = lines.findIndex((line) => REVIEW_GUIDELINES.test(line.trimEnd()));
  if (start < 0) return text;

  const level = levelOf(lines[start]);
  const length = lines.slice(start + 1).findIndex((line) => levelOf(line) <= level);
  return lines.slice(start, length < 0 ? undefined : start + 1 + length).join('\n');
}

/** The level of a heading; 7, more than a heading can have, for any other line. */
function levelOf(line = ''): number {
  return /^ {0,3}(#{1,6})(?=[ \t])/.exec(line)?.[1]?.length ?? 7;
}

interface Instructions {
  readonly agent: LoadedAgent;
  /** The skill's name or path in the agent; empty for none. */
  readonly skill: string;
  readonly files: readonly ContextFile[];
  /** The paths of the project's guidance, existing or not. */
  readonly guidance: readonly string[];
  /** The repository of the pull request, if it is known. */
  readonly repository?: Pick<Repository, 'owner' | 'name'>;
}

/**
 * Warns if a pull request changes files that the run takes its instructions from. The base's
 * version was used, and people should not wonder why their change has no effect yet.
 */
export function warnOfOwnChanges(
  { agent, skill, files, guidance, repository }: Instructions,
  context: TriggerContext | undefined,
): Warning | undefined {
  if (context?.kind !== 'pull_request') return undefined;

  const changed = context.files.flatMap(pathsOf);
  const matching = new Set(selectPaths(agent.config.files, changed));
  const isElsewhere = isOfAnother(agent.source, repository);
  const instructions = changed.filter(
    (path) =>
      // The source has repository and ref before the path.
      (!isElsewhere && (`:${agent.source}`.endsWith(`:${path}`) || isSkill(skill, path))) ||
      matching.has(path) ||
      guidance.includes(path) ||
      files.some((file) => isBelow(path, file.path)),
  );
  if (instructions.length === 0) return undefined;

  const named = [...new Set(instructions)].map((path) => `\`${cleanLine(path, MAX_NAME)}\``);
  const rest = named.length > MAX_NAMED ? ` and ${named.length - MAX_NAMED} more` : '';
  return {
    code: 'agent-changed-in-pull-request',
    message: `the pull request changes ${named.slice(0, MAX_NAMED).join(', ')}${rest}, which this run takes its instructions from. The version of the base branch was used; the change takes effect once it is merged.`,
  };
}

const MAX_NAMED = 5;
const MAX_NAME = 200;

/** The pull request cannot change an agent of `agents-repo`. */
function isOfAnother(source: string, repository: Instructions['repository']): boolean {
  if (repository === undefined || !/^[^/@:]+\/[^/@:]+@/.test(source)) return false;
  return !source.toLowerCase().startsWith(`${repository.owner}/${repository.name}@`.toLowerCase());
}

/** A bare name is a folder with a `SKILL.md`. The folder above is not known here. */
function isSkill(skill: string, path: string): boolean {
  if (skill === '') return false;
  const isPath = skill.includes('/') || skill.endsWith('.md');
  return isBelow(path, isPath ? skill.replace(/^(?:\.\/)+/, '') : `skills/${skill}/SKILL.md`);
}

/** True if the path ends with the relative one, so that it can be that file in any folder. */
function isBelow(path: string, relative: string): boolean {
  return path === relative || path.endsWith(`/${relative}`);
}
