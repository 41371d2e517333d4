import { laneOfWords, whyOnlyPatch } from '../event/trust.js';
import { type Buffered, NOTHING_BUFFERED } from '../review/buffered.js';
import { applyActs, type Ledger } from '../review/ledger.js';
import { type MarksOnPull, markFacts, marksOf } from '../review/state-facts.js';
import type { Skipped } from './admit.js';
import type { Dependencies, FindingsToTell } from './dependencies.js';
import { pullOf, readAgain, readFindings } from './learn.js';
import type { Admitted, Conversed, Published, Restored, RunReport, RunRequest } from './records.js';
import { entriesOf, factsChange, keepInJournal, UNSTOPPED } from './save.js';
import { needsFindings, postsReviews } from './scope.js';

/** An entry that is set before anything is posted, or of a run that posts nothing, says nothing of a comment. */
export const UNPUBLISHED: Published = { line: undefined, url: undefined };

/**
 * The fifth step: puts what the agent wants to the findings as they are now, then posts it and the answer. What a run that is
 * killed here would lose is in the journal before anything is posted. Trouble is a warning.
 */
export async function publish(conversed: Conversed, deps: Dependencies): Promise<Published> {
  const { plan, buffered, change, learned, taint } = conversed;
  const unpublished = { ...conversed, published: UNPUBLISHED, facts: [] };
  await keepInJournal(unpublished, entriesOf(unpublished, deps), deps);
  const lane = laneOfWords(plan.trust, taint);
  const pull = pullOf(plan.trigger);
  const { ledger: before } = learned;
  let findings: FindingsToTell | undefined;
  if (pull !== undefined && before !== undefined && change !== undefined) {
    const ledger = await readAgain(before, { pull, isTrusted: lane === 'trusted' }, deps);
    findings = withActs(ledger, pull, buffered, new Set(before.findings.map(({ id }) => id)));
  }
  const others = learned.others
    .map((one) => withActs(one.ledger, one.pull))
    .filter(({ news }) => news.ended.length + news.back.length > 0);
  const onlyPatch = whyOnlyPatch(plan.trust, taint);
  return await deps.publisher.publish({ ...conversed, findings, others, lane, onlyPatch });
}

/** The findings after what is to be done with them, and what is to be told. */
export function withActs(
  ledger: Ledger,
  pull: number,
  buffered: Buffered = NOTHING_BUFFERED,
  knew: ReadonlySet<string> = new Set(),
): FindingsToTell {
  const news = applyActs(ledger, buffered, knew);
  return { pull, ledger, news };
}

/**
 * Tells what is open on a pull request whose run is skipped: a step that is green because nothing was new must not hide what
 * was found before, and 👎 and *Resolve* start no run of their own. Nothing is read for whoever may start no run.
 */
export async function tellSkipped(
  { at, ...skipped }: Skipped,
  { trigger, dryRun }: RunRequest,
  deps: Dependencies,
): Promise<Extract<RunReport, { kind: 'skipped' }>> {
  const { message } = skipped.decision;
  const { unchangedSince: since } = skipped;
  if (at === undefined || dryRun || trigger.kind !== 'pull_request') return skipped;
  const { agent } = at.basis;
  const facts = (await at.memory)?.facts ?? [];
  if (!postsReviews(agent) && marksOf(facts).length === 0) {
    const review = { open: [], isBlocking: false, unposted: [] };
    const about = { repository: trigger.repository, headSha: trigger.head.sha, name: agent.name };
    await deps.progress?.tell({ ...about, review, skipped: { message, since } });
    return skipped;
  }
  const answer = await deps.github?.change(deps.deadline.signal);
  const change = answer?.kind === 'read' ? answer : undefined;
  const { ledger, trouble } = await readFindings(
    trigger.number,
    {
      agent: agent.name,
      trigger,
      permission: at.facts.permission,
      facts,
      isTrusted: laneOfWords(at.basis.trust, at.taint) === 'trusted',
      change,
      isFork: trigger.isFork,
    },
    deps,
  );
  const findings = withActs(ledger, trigger.number);
  const told = await deps.publisher.tellFindings({
    ...findings,
    trigger,
    agent: agent.name,
    head: change?.head ?? trigger.head.sha,
    answered: new Set(),
    skipped: { message, since },
  });
  await keepMarks(told.marks ?? [], at, deps);
  if (trouble !== undefined) {
    // What memory has of findings is the least that is open.
    const message = `what is open on #${trigger.number} could not be read: ${trouble} We count what memory knows of it.`;
    deps.reporter.warn({ code: 'context-incomplete', message });
  }
  return { ...skipped, reviewResult: told.reviewResult };
}

/** Keeps what was said of findings. Trouble is a warning. */
async function keepMarks(
  told: readonly MarksOnPull[],
  { basis: { memory: plan, agent }, memory }: Admitted,
  { clock, reporter }: Dependencies,
): Promise<void> {
  const store = (await memory)?.store;
  const facts = told.flatMap(({ pull, marks }) => markFacts(marks, pull));
  if (plan === undefined || store === undefined || plan.lane === 'none' || facts.length === 0) return;
  const saved = await store.write([factsChange(plan.path, facts, clock.now())], UNSTOPPED);
  if (saved.kind === 'saved') return;
  const message = `what became of findings could not be kept for "${agent.name}": ${saved.message}`;
  reporter.warn({ code: 'memory-save-failed', message, remedy: saved.remedy });
}

/**
 * A review that does not know what is open would say it twice, and settle nothing: no model is asked, and nothing posted but
 * the check. Undefined where findings are known, or where the run is no review.
 */
export async function refuseUnread(
  { plan, change, learned: { ledger, trouble } }: Restored,
  deps: Dependencies,
): Promise<RunReport | undefined> {
  const { trigger, agent } = plan;
  const pull = pullOf(trigger);
  if (trouble === undefined || ledger === undefined || !needsFindings(plan)) return undefined;
  if (pull === undefined || trigger.kind === 'local') return undefined;
  const message = `What is open on #${pull} could not be read, so nothing was reviewed: ${trouble.replace(/\.$/, '')}`;
  const { reviewResult } = await deps.publisher.tellFindings({
    ...withActs(ledger, pull),
    trigger,
    agent: agent.name,
    head: change?.head ?? ledger.seen?.head ?? '',
    answered: new Set(),
    skipped: { message, since: undefined },
  });
  const decision = {
    kind: 'skip',
    reason: 'findings-unread',
    message,
    remedy: 'Start the run again.',
  } as const;
  return { kind: 'skipped', decision, isIncomplete: true, reviewResult };
}
