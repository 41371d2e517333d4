import type { Trigger } from '../event/trigger.js';
import { laneOfWords, mayWrite, type Permission } from '../event/trust.js';
import { MAX_ANSWERERS, MAX_LEARNED_PULLS } from '../lib/defaults.js';
import type { PublishRules } from '../review/buffered.js';
import { readDiffLines } from '../review/diff-lines.js';
import { compareSeverity, type Severity } from '../review/finding.js';
import type { Ledger } from '../review/ledger.js';
import { readLedger } from '../review/read-ledger.js';
import { lessonsOf } from '../review/same.js';
import { peopleToAsk, type Seen } from '../review/seen.js';
import { marksOf, pullMemory, type ReviewFact } from '../review/state-facts.js';
import { askPermission, permissionOf } from './admit.js';
import type { Dependencies } from './dependencies.js';
import type { Admitted, Learned } from './records.js';
import { changeOf, postsReviews } from './scope.js';

interface FindingsParts {
  /** Name of the agent: each has findings of its own. */
  readonly agent: string;
  readonly trigger: Trigger;
  /** What whoever caused the event may do. */
  readonly permission: Permission | 'unknown' | undefined;
  readonly facts: readonly ReviewFact[];
  /** Nobody without write access wrote what the run has read. */
  readonly isTrusted: boolean;
  /** Undefined where the diff is not known. */
  readonly change: { readonly diff: string } | undefined;
  readonly isFork: boolean;
  /** Adds what GitHub may not list yet. */
  readonly add?: (seen: Seen) => Seen;
}

/**
 * Reads what became of findings: on the run's own pull request, and on those others where the agent's state has some that
 * nobody has answered. Trouble is in the result; rejects only for an aborted signal.
 */
export async function learnAnswers(admitted: Admitted, deps: Dependencies): Promise<Learned> {
  const { agent, trigger, trust } = admitted.basis;
  const [memory, context] = await Promise.all([admitted.memory, admitted.context]);
  const facts = memory?.facts ?? [];
  const isAsked = postsReviews(agent) || marksOf(facts).length > 0;
  const own = pullOf(trigger);
  if (!isAsked || own === undefined || deps.github === undefined) return { ledger: undefined, others: [] };
  const parts = {
    agent: agent.name,
    trigger,
    permission: admitted.facts.permission,
    facts,
    isTrusted: laneOfWords(trust, admitted.taint) === 'trusted',
    change: changeOf(trigger, context),
    isFork: trigger.kind === 'pull_request' ? trigger.isFork : trust.level !== 'trusted',
  };
  const others = pullsWithOpen(facts)
    .filter((pull) => pull !== own)
    .slice(0, MAX_LEARNED_PULLS);
  const [{ ledger, trouble }, ...read] = await Promise.all([
    readFindings(own, parts, deps),
    // On another pull request only answers are looked for: its change is not known.
    ...others.map((pull) => readFindings(pull, { ...parts, change: undefined }, deps)),
  ]);
  const answered = read.flatMap((one, index) => {
    const pull = others[index];
    return pull === undefined || one.trouble !== undefined ? [] : [{ pull, ledger: one.ledger }];
  });
  return { ledger, others: answered, trouble };
}

/** The findings of a pull request as they are now; without a `seen` where GitHub could not be asked. */
export async function readFindings(
  pull: number,
  parts: FindingsParts,
  deps: Dependencies,
): Promise<{ readonly ledger: Ledger; readonly trouble?: string | undefined }> {
  const { agent, trigger, permission, facts, isTrusted, change, isFork, add } = parts;
  const answer = await deps.github?.said(pull, { isFresh: false }, deps.deadline.signal);
  const said = answer?.kind === 'read' ? answer.seen : undefined;
  const seen = said && add !== undefined ? add(said) : said;
  const isPush = trigger.kind === 'pull_request' && trigger.action === 'synchronize';
  const ledger = readLedger(seen, {
    agent,
    lines: change === undefined ? undefined : readDiffLines(change.diff),
    isFork,
    isTrusted,
    isPushByWriter: isPush && mayWrite(permission ?? 'unknown'),
    gate: gateOf(deps.publishRules),
    memory: pullMemory(facts, pull),
    lessons: lessonsOf(marksOf(facts)).filter((lesson) => lesson.pull !== pull),
    isWriter: await writersIn(seen, deps),
  });
  if (answer?.kind === 'read') return { ledger };
  return { ledger, trouble: answer?.message ?? 'there is no `github-token`.' };
}

/**
 * The same findings as they are now: people may have answered while the model was at work, and another run may have ended.
 * Where GitHub cannot be asked again, as they were.
 */
export async function readAgain(
  { context, seen: before }: Ledger,
  { pull, isTrusted }: { readonly pull: number; readonly isTrusted: boolean },
  deps: Dependencies,
): Promise<Ledger> {
  const answer = await deps.github?.said(pull, { isFresh: true }, deps.deadline.signal);
  const seen = answer?.kind === 'read' ? answer.seen : before;
  return readLedger(seen, { ...context, isTrusted, isWriter: await writersIn(seen, deps) });
}

/** Who of those whose word counts may write. */
async function writersIn(seen: Seen | undefined, deps: Dependencies): Promise<(login: string) => boolean> {
  const people = seen === undefined ? [] : peopleToAsk(seen).slice(0, MAX_ANSWERERS);
  const asked = people.map(
    async (login) => [login.toLowerCase(), permissionOf(await askPermission(login, deps))] as const,
  );
  const permissions = new Map(await Promise.all(asked));
  return (login) => mayWrite(permissions.get(login.toLowerCase()) ?? 'unknown');
}

/** The wider of the two gates: the milder severity; without both, `major`. */
function gateOf({ blockOn, failOn }: PublishRules): Severity {
  const gates = [blockOn, failOn].filter((gate) => gate !== undefined);
  return gates.toSorted((a, b) => compareSeverity(b, a))[0] ?? 'major';
}

/** The pull requests on which findings are open as far as is known, those of the newest first. */
function pullsWithOpen(facts: readonly ReviewFact[]): readonly number[] {
  const marks = marksOf(facts).toSorted((a, b) => a.at - b.at);
  const last = new Map(marks.map((mark) => [mark.id, mark]));
  const open = [...last.values()].filter(({ kind }) => kind !== 'ended').toSorted((a, b) => b.at - a.at);
  return [...new Set(open.map(({ pull }) => pull))];
}

/** The pull request a run is about. */
export function pullOf(trigger: Trigger): number | undefined {
  if (trigger.kind === 'pull_request') return trigger.number;
  return trigger.kind === 'comment' && trigger.on !== 'issue' ? trigger.number : undefined;
}
