import type { LoadedAgent } from '../agent/agent-source.js';
import type { Repository, Trigger } from '../event/trigger.js';
import type { Trust } from '../event/trust.js';
import type { Warning } from '../lib/errors.js';
import { cleanLine } from '../lib/text/format.js';
import { selectPaths } from '../lib/text/glob.js';
import type { ContextFile, Remark, Surroundings, TriggerContext } from './context.js';

export interface Instructions {
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
 * Tells that a pull request changes what the run takes its instructions from, and which version was used: the base's,
 * so nobody wonders why the change has no effect yet (D21, memory-and-security C6 81). Undefined where it changes none of it.
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

/** A bare name is a folder with a `SKILL.md`; both lie below a folder that is not known here (D4). */
function isSkill(skill: string, path: string): boolean {
  if (skill === '') return false;
  const isPath = skill.includes('/') || skill.endsWith('.md');
  return isBelow(path, isPath ? skill.replace(/^(?:\.\/)+/, '') : `skills/${skill}/SKILL.md`);
}

/** Whether a path of the repository is this one below some folder of it. */
function isBelow(path: string, relative: string): boolean {
  return path === relative || path.endsWith(`/${relative}`);
}

/**
 * The surroundings as the agent's state knows them: of what bears our mark, only what it has posted is ours, since every
 * workflow of a repository posts under one account. The rest is a stranger's.
 */
export function knowOwnRemarks<Context extends Surroundings>(
  context: Context,
  posted: ReadonlySet<number>,
): Context {
  const known = (remark: Remark): Remark =>
    posted.has(remark.id) || posted.has(remark.reviewId ?? 0) ? remark : { ...remark, isOurs: false };
  const { comments, threads } = context;
  return {
    ...context,
    comments: comments?.map(known),
    threads: threads?.map((thread) => ({ ...thread, remarks: thread.remarks.map(known) })),
  };
}

export function isHeardByTrusted({ isOurs, lane, mayWrite }: Remark): boolean {
  return mayWrite || (isOurs && lane !== 'untrusted');
}

/** Whether it is then shown words of a run that had read strangers' text. */
export function hasTaintedRemarks({ comments = [], threads = [] }: Surroundings): boolean {
  const remarks = [...comments, ...threads.flatMap((thread) => thread.remarks)];
  return remarks.some(({ isOurs, lane }) => isOurs && lane === 'tainted');
}

/** Whether only the fetched context says if the change comes from a fork: events of plain comments do not. */
export function isForkUnknown(trigger: Trigger, { level }: Trust): boolean {
  return (
    level === 'trusted' &&
    trigger.kind === 'comment' &&
    trigger.on === 'pull_request' &&
    trigger.isFork === undefined
  );
}

/** The trust of a run that is given the diff of a pull request, once it is known where its head lies (D19). */
export function trustOfDiff(trust: Trust, trigger: Trigger, context: TriggerContext | undefined): Trust {
  if (trigger.kind === 'local') return trust;
  if (context?.kind !== 'pull_request') return untrusted('the pull request could not be read');
  if (context.pinned === undefined) return trust;
  const { owner, name } = trigger.repository;
  const from = context.pinned.head.repository;
  if (from?.toLowerCase() === `${owner}/${name}`.toLowerCase()) return trust;
  return untrusted('the pull request comes from a fork');
}

function untrusted(reason: string): Trust {
  return { level: 'untrusted', lane: 'untrusted', reason };
}
