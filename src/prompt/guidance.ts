import type { AgentLibrary, LoadedAgent } from '../agent/agent-source.js';
import type { ContextFile } from '../agent/context-files.js';
import type { TriggerContext } from '../event/context.js';
import type { Repository, Trigger } from '../event/trigger.js';
import { MAX_GUIDANCE_BYTES } from '../lib/defaults.js';
import { AxeError, type Warning } from '../lib/errors.js';
import { cutToBytes, utf8Bytes } from '../lib/text/bytes.js';
import { parseDiff } from '../lib/text/diff.js';
import { cleanLine, count } from '../lib/text/format.js';
import { foldersAbove, selectPaths } from '../lib/text/glob.js';
import type { LocalChange } from './diff-policy.js';

/** How a project wants to be worked on; the first that is there counts. */
const GENERAL = ['AGENTS.md', 'CLAUDE.md', '.github/copilot-instructions.md'];
const OF_REVIEWS = 'REVIEW.md';

/** Folders that are looked into, those of the first files of a change. */
const MAX_FOLDERS = 50;

/**
 * What a project says to those who work on it, as the base has it and never the head: no pull
 * request may steer its own review. axe reads none, so on a terminal only built-in agents do, and
 * those that ask for it. A failure to read it is a warning. `paths` are where the files that count
 * are, or would be: what a pull request changes there is its own instruction.
 */
export async function readGuidance(
  agent: LoadedAgent,
  about: {
    readonly trigger: Trigger;
    readonly context: TriggerContext | undefined;
    /** On this machine. */
    readonly change: LocalChange | undefined;
    readonly isReview: boolean;
  },
  agents: AgentLibrary,
): Promise<{
  readonly files: readonly ContextFile[];
  readonly paths: readonly string[];
  readonly warnings: readonly Warning[];
}> {
  const { trigger, context, change, isReview } = about;
  const isLocal = trigger.kind === 'local';
  // Without GitHub nobody knows whose files a job has checked out.
  const isBaseKnown = isLocal || context !== undefined;
  const isWanted = agent.config.guidance ?? (!isLocal || agent.source === 'built-in');
  if (!isBaseKnown || !isWanted) return { files: [], paths: [], warnings: [] };
  const fetched = context === undefined || context.kind === 'none' ? [] : context.files;
  const changed = (change === undefined ? fetched : parseDiff(change.diff)).map(({ path }) => path);
  const paths = guidancePaths(changed, isReview);
  try {
    const found = await (change === undefined
      ? agents.loadGuidance(paths, agent)
      : change.readBase?.(paths));
    const { files, warnings } = pickGuidance(found ?? [], isReview);
    const { files: patterns, review, workdir } = agent.config;
    // What the agent names itself is in its prompt already; its patterns count from its working
    // directory.
    const named = workdir === '' ? selectPaths([...patterns, review.instructions], paths) : [];
    const general = files.find(({ path }) => GENERAL.includes(path));
    const passedOver =
      general === undefined ? [] : GENERAL.slice(GENERAL.indexOf(general.path) + 1);
    return {
      paths: paths.filter((path) => !passedOver.includes(path)),
      files: files.filter(({ path }) => !named.includes(path)),
      warnings,
    };
  } catch (thrown) {
    if (!(thrown instanceof AxeError)) throw thrown;
    const message = `the guidance of the project (${GENERAL.join(', ')}): ${thrown.message}`;
    return {
      files: [],
      paths: [],
      warnings: [{ code: 'context-unread', message, remedy: thrown.remedy }],
    };
  }
}

/** Those of the root, and one in each folder that a change touches. */
export function guidancePaths(changed: readonly string[], isReview: boolean): readonly string[] {
  const folders = new Set(changed.flatMap(foldersAbove));
  const nested = [...folders].slice(0, MAX_FOLDERS).map((folder) => `${folder}/AGENTS.md`);
  return [...GENERAL, ...(isReview ? [OF_REVIEWS] : []), ...nested];
}

/**
 * What of these files goes into the prompt: the general one first, the nearest to the change last,
 * which has room first where there is too much. They are words alone: what they import or link to
 * is not read.
 */
export function pickGuidance(
  found: readonly ContextFile[],
  isReview: boolean,
): { readonly files: readonly ContextFile[]; readonly warnings: readonly Warning[] } {
  const texts = found.filter(isText);
  const general = GENERAL.flatMap((path) => texts.filter((file) => file.path === path)).slice(0, 1);
  const nested = texts
    .filter(({ path }) => path.endsWith('/AGENTS.md'))
    .toSorted((a, b) => a.path.split('/').length - b.path.split('/').length);
  const reviews = texts.filter(({ path }) => isReview && path === OF_REVIEWS);
  const wanted = [...general, ...nested, ...reviews].map((file) =>
    isReview && file.path.endsWith('AGENTS.md')
      ? { ...file, content: reviewPart(file.content) }
      : file,
  );
  const warnings: Warning[] = [];
  let left = MAX_GUIDANCE_BYTES;
  const files = wanted.toReversed().map(({ path, content }) => {
    const { text, leftOutBytes } = cutToBytes(content, left);
    left -= utf8Bytes(text);
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

/** Where a link is not followed, its text is the path that it leads to. */
function isText({ content }: ContextFile): boolean {
  return content.trim() !== '' && !content.includes('\0') && !/^\S+$/.test(content);
}

const REVIEW_GUIDELINES = /^ {0,3}#{1,6}[ \t]+review guidelines[ \t#]*$/i;

/** The section `Review guidelines` where a file has one, else all of it. */
function reviewPart(text: string): string {
  const lines = text.split('\n');
  const start = lines.findIndex((line) => REVIEW_GUIDELINES.test(line.trimEnd()));
  if (start < 0) return text;
  const level = levelOf(lines[start]);
  const length = lines.slice(start + 1).findIndex((line) => levelOf(line) <= level);
  return lines.slice(start, length < 0 ? undefined : start + 1 + length).join('\n');
}

/** Of a heading; of any other line more than a heading can have. */
function levelOf(line = ''): number {
  return /^ {0,3}(#{1,6})(?=[ \t])/.exec(line)?.[1]?.length ?? 7;
}

interface Instructions {
  readonly agent: LoadedAgent;
  /** As the agent names it; empty for none. */
  readonly skill: string;
  readonly files: readonly ContextFile[];
  /** Where the project's guidance was looked for. */
  readonly guidance: readonly string[];
  /** The pull request's own; left out where it is not known. */
  readonly repository?: Pick<Repository, 'owner' | 'name'>;
}

/**
 * Tells that a pull request changes what the run takes its instructions from, and which version was
 * used: the base's, so nobody wonders why the change has no effect yet (D21, memory-and-security C6
 * 81). Undefined where it changes none of it.
 */
export function warnOfOwnChanges(
  { agent, skill, files, guidance, repository }: Instructions,
  context: TriggerContext | undefined,
): Warning | undefined {
  if (context?.kind !== 'pull_request') return undefined;
  const changed = context.files.flatMap(({ path, previousPath }) =>
    previousPath === undefined ? [path] : [path, previousPath],
  );
  const matching = new Set(selectPaths(agent.config.files, changed));
  const isElsewhere = isOfAnother(agent.source, repository);
  const own = changed.filter(
    (path) =>
      // The source names repository and ref before the path.
      (!isElsewhere && (`:${agent.source}`.endsWith(`:${path}`) || isSkill(skill, path))) ||
      matching.has(path) ||
      guidance.includes(path) ||
      files.some((file) => isBelow(path, file.path)),
  );
  if (own.length === 0) return undefined;
  const named = [...new Set(own)].map((path) => `\`${cleanLine(path, MAX_NAME)}\``);
  const rest = named.length > MAX_NAMED ? ` and ${named.length - MAX_NAMED} more` : '';
  return {
    code: 'agent-changed-in-pull-request',
    message: `the pull request changes ${named.slice(0, MAX_NAMED).join(', ')}${rest}, which this run takes its instructions from. The version of the base branch was used; the change takes effect once it is merged.`,
  };
}

const MAX_NAMED = 5;
const MAX_NAME = 200;

/** An agent of `agents-repo` is none that the pull request could change. */
function isOfAnother(source: string, repository: Instructions['repository']): boolean {
  if (repository === undefined || !/^[^/@:]+\/[^/@:]+@/.test(source)) return false;
  return !source.toLowerCase().startsWith(`${repository.owner}/${repository.name}@`.toLowerCase());
}

/**
 * A bare name is a folder with a `SKILL.md`; both lie below a folder that is not known here (D4).
 */
function isSkill(skill: string, path: string): boolean {
  if (skill === '') return false;
  const isPath = skill.includes('/') || skill.endsWith('.md');
  return isBelow(path, isPath ? skill.replace(/^(?:\.\/)+/, '') : `skills/${skill}/SKILL.md`);
}

/** Whether a path of the repository is this one below some folder of it. */
function isBelow(path: string, relative: string): boolean {
  return path === relative || path.endsWith(`/${relative}`);
}
