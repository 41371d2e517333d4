import { MAX_ANSWERERS, MAX_LEARNED_PULLS } from '../core/defaults.js';
import type { Dependencies, GitHub } from '../core/dependencies.js';
import type { Permission } from '../core/event/permission.js';
import type { Trigger } from '../core/event/trigger.js';
import type { Lane } from '../core/event/trust.js';
import { forgottenIds } from '../memory/state.js';
import { type OwnThread, ownThreads, peopleToAsk, pullsToAsk, unanswered } from '../review/answers.js';
import { readDiffLines } from '../review/diff-lines.js';
import { formatKnown } from '../review/format-known.js';
import { knowFindings } from '../review/known.js';
import { lastReviewed, type ReviewFact } from '../review/state-facts.js';
import { askPermission, permissionOf } from './access.js';
import type { ReviewedDiff } from './change.js';
import type { Learned, Memory } from './request.js';

/** What a run learns from. */
interface LearningParts {
  /** Name of the agent: each learns from the answers to its own findings. */
  readonly agent: string;
  readonly trigger: Trigger;
  readonly lane: Lane;
  /** The run reads strangers' words anyway. */
  readonly isUntrusted: boolean;
  readonly memory: Memory | undefined;
}

/** Nothing was said, or there is nothing it could be about. */
const NOTHING_LEARNT: Learned = { facts: [], known: [] };

/**
 * Reads what became of the findings that memory keeps, on the pull requests where they were raised last, and on the
 * run's own. Nothing is asked where no finding waits for its answer. Trouble is in the result; rejects only for an
 * aborted signal.
 */
export async function learnAnswers(
  { agent, trigger, lane, isUntrusted, memory }: LearningParts,
  deps: Dependencies,
): Promise<Learned> {
  const own = pullOf(trigger);
  const { github } = deps;
  if (own === undefined || github === undefined || memory === undefined) return NOTHING_LEARNT;
  if (memory.restored.kind === 'failed') return NOTHING_LEARNT;
  const { facts } = memory;
  const forgotten = forgottenIds(memory.restored.state ?? '');
  const raised = unanswered(facts, forgotten);
  // A first review has nothing to know of; of a run that is not trusted only the commit is kept that it reviewed.
  const asksOwn = hasFindings(facts, own) || (lane !== 'trusted' && lastReviewed(facts, own) !== undefined);
  const pulls = pullsToAsk(raised, { own, asksOwn, limit: MAX_LEARNED_PULLS });
  const answers = await Promise.all(pulls.map((pull) => readThreads(github, pull, deps)));
  const waiting = new Set(raised.map(({ id, pull }) => `${id}/${pull}`));
  const relevant = answers.map(({ pull, threads }) => ({
    pull,
    threads: pull === own ? threads : threads.filter(({ marker: { id } }) => waiting.has(`${id}/${pull}`)),
  }));
  const people = peopleToAsk(relevant.flatMap(({ threads }) => threads)).slice(0, MAX_ANSWERERS);
  const permissions = await permissionsOf(people, deps);
  const now = deps.clock.now();
  const read = relevant.map(({ pull, threads }) => ({
    pull,
    ...knowFindings({ threads, agent, pull, facts, permissions, forgotten, now, isUntrusted }),
  }));
  const trouble = answers.find((one) => one.trouble !== undefined)?.trouble;
  return {
    facts: read.flatMap((one) => one.facts),
    known: read.flatMap(({ pull, known }) => (pull === own ? known : [])),
    ...(trouble === undefined ? {} : { trouble }),
  };
}

function hasFindings(facts: readonly ReviewFact[], pull: number): boolean {
  return facts.some((fact) => fact.kind === 'finding' && fact.pull === pull);
}

/** The pull request a run is about. */
function pullOf(trigger: Trigger): number | undefined {
  if (trigger.kind === 'pull_request') return trigger.number;
  return trigger.kind === 'comment' && trigger.on !== 'issue' ? trigger.number : undefined;
}

interface ReadThreads {
  readonly pull: number;
  readonly threads: readonly OwnThread[];
  readonly trouble?: string;
}

async function readThreads(github: GitHub, pull: number, { deadline }: Dependencies): Promise<ReadThreads> {
  const answer = await github.threads(pull, deadline.signal);
  return answer.kind === 'unread'
    ? { pull, threads: [], trouble: answer.message }
    : { pull, threads: ownThreads(answer.threads) };
}

async function permissionsOf(
  logins: readonly string[],
  deps: Dependencies,
): Promise<ReadonlyMap<string, Permission | 'unknown'>> {
  const pending = logins.map(
    async (login) => [login.toLowerCase(), permissionOf(await askPermission(login, deps))] as const,
  );
  return new Map(await Promise.all(pending));
}

/** What the model is taught from. */
interface Teaching {
  readonly trigger: Trigger;
  readonly memory: Memory | undefined;
  readonly learned: Learned;
  readonly change: ReviewedDiff | undefined;
  /** Without write access nobody's words may reach the model through ours: places and kinds alone are shown. */
  readonly isUntrusted: boolean;
}

/** What was learnt about the files of the change, to be at the end of the user message; undefined for nothing. */
export function lessonsFor(teaching: Teaching): string | undefined {
  const { trigger, memory, learned, change, isUntrusted } = teaching;
  const pull = pullOf(trigger);
  if (pull === undefined || change === undefined) return undefined;
  return formatKnown({
    known: learned.known,
    facts: [...(memory?.facts ?? []), ...learned.facts],
    pull,
    lines: readDiffLines(change.diff),
    isUntrusted,
  });
}
