import {
  type FatedFinding,
  findingStats,
  formatStatsChart,
  formatStatsTables,
} from '../../core/findings/stats.js';
import { statePath } from '../../core/memory/state.js';
import { type FindingLife, livesOf } from '../../core/review/finding-facts.js';
import { parseReviewFacts } from '../../core/review/state-facts.js';
import type { CommandSession, MemoryDone } from './command-session.js';
import type { MemoryLook } from './look.js';

/** A finding that nobody has answered for so long has no answer, in milliseconds. */
const UNANSWERED_MS = 14 * 24 * 60 * 60 * 1000;

/** What of a memory says what became of findings. */
interface StatsView extends Pick<MemoryLook, 'tree' | 'location' | 'warnings'> {
  readonly trusted: Pick<MemoryLook['trusted'], 'path'>;
}

/** What people made of an agent's findings, by category and by month, from its state file; no model is asked. */
export function memoryStats(view: StatsView, { clock }: Pick<CommandSession, 'clock'>): MemoryDone {
  const facts = parseReviewFacts(view.tree.get(statePath(view.trusted.path)) ?? '');
  const now = clock.now();
  const fated = [...livesOf(facts).values()].flatMap((life) => fateOf(life, now) ?? []);
  const stats = findingStats(fated);
  const text =
    fated.length === 0
      ? `No finding in ${view.location} has an answer yet.`
      : [
          `What people made of ${stats.all.total} findings, by the state in ${view.location}:`,
          formatStatsTables(stats),
          formatStatsChart(stats),
          NOTE,
        ].join('\n\n');
  return { kind: 'done', text, changed: false, warnings: view.warnings };
}

const NOTE =
  '*Acted on*: fixed, or the line was changed. *Unanswered*: no answer for 14 days. A finding that was only resolved counts for neither.';

/** Undefined for one whose story goes on, or that says nothing. */
function fateOf({ raised, ended }: FindingLife, now: Date): FatedFinding | undefined {
  if (ended === undefined) {
    const isOld = raised !== undefined && now.getTime() - raised.at.getTime() > UNANSWERED_MS;
    return isOld ? { category: raised.category, fate: 'unanswered', at: raised.at } : undefined;
  }
  const { category, how, why } = ended;
  const at = raised?.at ?? ended.at;
  switch (how) {
    case 'dismissed':
      return { category, fate: 'dismissed', at };
    case 'settled':
      return why === 'closed' || why === 'command' ? undefined : { category, fate: 'acted-on', at };
    case 'outdated':
      return { category, fate: 'acted-on', at };
    case 'withdrawn':
      return undefined;
  }
}
