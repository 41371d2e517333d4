import type { GcOutcome } from '../commands/gc/gc.js';
import { hasRemoved, type Trim } from '../commands/gc/gc-result.js';
import type { RunStats } from '../core/outcome.js';
import { usd } from '../core/text/usd.js';

/** What became of an agent's memory, in axe's words where it has some (axe-behaviour §19). */
export function endLines(collected: GcOutcome, agent: string): readonly string[] {
  const { days, untrusted } = collected.removed;
  const rest = hasRemoved(collected.removed) ? '' : ' Nothing to do.';
  const end =
    collected.kind === 'empty' ? `No memory entries for agent "${agent}".${rest}` : trimLine(collected.trim);
  return [
    end,
    ...(days === 0
      ? []
      : [`Removed: ${days} daily ${days === 1 ? 'log' : 'logs'} older than retention_days.`]),
    ...(untrusted === 0
      ? []
      : [
          `Removed: ${untrusted} ${untrusted === 1 ? 'entry' : 'entries'} of the untrusted lane older than max_age_days.`,
        ]),
  ];
}

function trimLine(trim: Trim): string {
  switch (trim.kind) {
    case 'dry-run':
    case 'not-asked':
      return 'Dry run: no entries trimmed.';
    case 'not-analysed':
      return 'No entries trimmed: `offline/rules` makes no analysis. Name a model with --model.';
    case 'indivisible':
      return `No trimming possible: the newest entry counts as ${trim.entries}, by its lines that start with "## ", and the limit is ${trim.target}. An entry is never split.`;
    case 'no-target':
      return 'No trim target configured (last_n and max_entries are both 0). Skipping trim.';
    case 'within':
      if (trim.target === 0) return 'No trimming needed: no entry is older than max_age_days.';
      return `No trimming needed: ${trim.entries} entries within limit (${trim.target}).`;
    case 'trimmed':
      return `Trimmed: ${trim.removed} entries removed, ${trim.kept} entries kept.`;
  }
}

/** What the questions took. */
export function usageLine({ turns, inputTokens, outputTokens, costUsd }: RunStats): string {
  const questions = `${turns} ${turns === 1 ? 'question' : 'questions'}`;
  const cost = costUsd === undefined ? '' : `, ${usd(costUsd)}`;
  return `Used: ${questions}, ${inputTokens} input and ${outputTokens} output tokens${cost}.`;
}
