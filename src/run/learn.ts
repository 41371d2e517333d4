import { MAX_ANSWERERS, MAX_LEARNED_PULLS } from '../core/defaults.js';
import type { Dependencies, GitHub } from '../core/dependencies.js';
import type { Permission } from '../core/event/permission.js';
import type { Trigger } from '../core/event/trigger.js';
import type { Lane } from '../core/event/trust.js';
import { forgottenIds } from '../core/memory/state.js';
import {
  newlyWithdrawn,
  type OwnThread,
  openFindings,
  ownThreads,
  peopleToAsk,
  pullsToAsk,
  unanswered,
  withdrawnHere,
} from '../core/review/answers.js';
import { readDiffLines } from '../core/review/diff-lines.js';
import { formatLessons } from '../core/review/lessons.js';
import type { Raised } from '../core/review/state-facts.js';
import { lastReviewed } from '../core/review/state-sums.js';
import { askPermission, permissionOf } from './access.js';
import type { ReviewedDiff } from './change.js';
import type { Learned, Memory } from './request.js';

/** What a run learns from. */
export interface LearningParts {
  /** Name of the agent: each learns from the answers to its own findings. */
  readonly agent: string;
  readonly trigger: Trigger;
  readonly lane: Lane;
  readonly memory: Memory | undefined;
}

/** Nothing was said, or there is nothing it could be about. */
const NOTHING_LEARNT: Learned = { withdrawn: [], open: [], withdrawnHere: [] };

/**
 * Reads what became of the findings that memory keeps, on the pull requests where they were raised last, and on the
 * run's own. Nothing is asked where no finding waits for its answer. Trouble is in the result; rejects only for an
 * aborted signal.
 */
export async function learnAnswers(
  { agent, trigger, lane, memory }: LearningParts,
  deps: Dependencies,
): Promise<Learned> {
  const own = pullOf(trigger);
  const { github } = deps;
  if (own === undefined || github === undefined || memory === undefined) return NOTHING_LEARNT;
  if (memory.restored.kind === 'failed') return NOTHING_LEARNT;
  const { facts } = memory;
  const forgotten = forgottenIds(memory.restored.state ?? '');
  const raised = unanswered({ facts, forgotten });
  // Of a run that is not trusted only the commit is kept that it reviewed.
  const asksOwn = lane !== 'trusted' && lastReviewed(facts, own) !== undefined;
  const pulls = pullsToAsk(raised, { own, asksOwn, limit: MAX_LEARNED_PULLS });
  const asked = await Promise.all(pulls.map((pull) => readThreads({ github, pull, agent, raised }, deps)));
  const here = asked.filter(({ pull }) => pull === own).flatMap((one) => one.threads);
  const threads = asked.flatMap((one) => one.threads).filter((one) => here.includes(one) || one.raised);
  const permissions = await permissionsOf(peopleToAsk(threads).slice(0, MAX_ANSWERERS), deps);
  const trouble = asked.find((one) => one.trouble !== undefined)?.trouble;
  return {
    withdrawn: newlyWithdrawn({ threads, permissions, facts, now: deps.clock.now() }),
    open: openFindings(here),
    withdrawnHere: withdrawnHere(here, permissions).filter((one) => !forgotten.has(one)),
    ...(trouble === undefined ? {} : { trouble }),
  };
}

/** The pull request a run is about. */
function pullOf(trigger: Trigger): number | undefined {
  if (trigger.kind === 'pull_request') return trigger.number;
  return trigger.kind === 'comment' && trigger.on !== 'issue' ? trigger.number : undefined;
}

interface Asking {
  readonly github: GitHub;
  readonly pull: number;
  readonly agent: string;
  readonly raised: readonly Raised[];
}

interface Asked {
  readonly pull: number;
  readonly threads: readonly OwnThread[];
  readonly trouble?: string;
}

async function readThreads(
  { github, pull, agent, raised }: Asking,
  { deadline }: Dependencies,
): Promise<Asked> {
  const answer = await github.threads(pull, deadline.signal);
  if (answer.kind === 'unread') return { pull, threads: [], trouble: answer.message };
  const here = { agent, raised: raised.filter((one) => one.pull === pull) };
  return { pull, threads: ownThreads(answer.threads, here) };
}

async function permissionsOf(
  logins: readonly string[],
  deps: Dependencies,
): Promise<ReadonlyMap<string, Permission | 'unknown'>> {
  const asked = logins.map(
    async (login) => [login.toLowerCase(), permissionOf(await askPermission(login, deps))] as const,
  );
  return new Map(await Promise.all(asked));
}

/** What the model is taught from. */
export interface Teaching {
  readonly trigger: Trigger;
  readonly memory: Memory | undefined;
  readonly learned: Learned;
  readonly change: ReviewedDiff | undefined;
}

/** What was learnt about the files of the change, to stand at the end of the user message; undefined for nothing. */
export function lessonsFor({ trigger, memory, learned, change }: Teaching): string | undefined {
  const pull = pullOf(trigger);
  const facts = [...(memory?.facts ?? []), ...learned.withdrawn];
  const isTaught = facts.some(({ kind }) => kind === 'withdrawn') || learned.open.length > 0;
  if (pull === undefined || change === undefined || !isTaught) return undefined;
  return formatLessons({ facts, pull, lines: readDiffLines(change.diff), open: learned.open });
}
