import {
  capitalized,
  codeBlock,
  formatUsd,
  inlineCode,
  paragraphs,
} from '../../lib/text/format.js';
import { stripProvenance } from '../../memory/run-log.js';
import type { UnfinishedRun } from '../../runner/journal.js';
import type { Outputs } from './outputs.js';

/** Facts that a post step has about a main step that was killed. */
interface KilledRun {
  readonly run: Omit<UnfinishedRun, 'accepted'>;
  /** Location of what the post step saved; undefined if there was nothing, or it failed. */
  readonly savedTo: string | undefined;
  /** True if an entry or a note was saved. */
  readonly isRemembered: boolean;
  /** The reasons if something was not saved; empty if all was. */
  readonly saveError: string;
  /** Markdown about what was not saved. */
  readonly unsaved: string;
}

const KILLED = 'the run was killed before its end';

/** The outputs of a run that was killed, as far as they are known. */
export function outputsOfKilled({ run, isRemembered, saveError }: KilledRun): Outputs {
  return {
    conclusion: 'cancelled',
    reason: KILLED,
    'memory-saved': isRemembered || saveError !== '' ? String(isRemembered) : '',
    'memory-save-error': saveError || undefined,
    'cost-usd': run.costUsd?.toFixed(6),
    'comment-url': run.posted[0],
  };
}

/** The job summary of a run that was killed: what it posted, saved, cost and found. */
export function formatKilled({ run, savedTo, saveError, unsaved }: KilledRun): string {
  const { agent = 'axe-action', posted, costUsd, found } = run;
  const links = posted.map((url) => `[${url.replace(/^.*#/, '')}](${url})`);
  const saved = savedTo === undefined ? 'nothing saved' : `saved to ${savedTo} by the post step`;
  const facts = [
    `- Posted: ${links.length === 0 ? 'nothing known' : links.join(', ')}`,
    `- Memory: ${saveError === '' ? saved : `not everything was saved: ${saveError}`}`,
    `- Cost: ${costUsd === undefined ? 'not known' : formatUsd(costUsd)}`,
  ];
  return paragraphs([
    `### ${agent}: killed`,
    `${capitalized(KILLED)}.`,
    facts.join('\n'),
    found === '' ? '' : 'The run found this, and might not have posted it:',
    found,
    unsaved,
  ]);
}

/** The entries and notes of a killed main step that the post step could not save either. */
export function formatUnsavedChanges(
  entries: readonly { readonly id: string; readonly text: string }[],
  isHidden: boolean,
): string {
  const ids = [...new Set(entries.map(({ id }) => inlineCode(id)))].join(', ');
  const texts = entries.map(({ text }) => stripProvenance(text)).join('');
  let lines = ['The main step left this unsaved, so it is shown here:', codeBlock(texts.trimEnd())];
  if (isHidden) lines = [`What the main step left belongs to another repository: ${ids}.`];
  if (entries.length === 0) lines = ["Only the agent's state is missing, with cost and findings."];
  return paragraphs(lines);
}
