import { NO_PUBLICATIONS } from '../../findings/buffered-publications.js';
import { withOverrule } from '../../findings/check-rows.js';
import { formatOverruled, formatUnknownCheck } from '../../findings/post/checks-text.js';
import type { Dependencies } from '../dependencies.js';
import { refusal } from '../memory-commands/command-session.js';
import type { RunRequest } from '../records.js';
import { warnUnsaved } from '../save.js';
import { type SettledFindings, settleFindings } from '../settle-findings.js';
import {
  type AgentMemory,
  type CheckCommand,
  type CommandAnswer,
  commandDone,
  DRY_RUN,
} from './command.js';
import { answerOnce, readPullFindings } from './findings.js';

/**
 * Carries out `/axe dismiss "…"` and `/axe reopen "…"`: a person overrules a check on this pull
 * request, or takes that back.
 */
export async function runCheckCommand(
  command: CheckCommand,
  opened: AgentMemory,
  { dryRun }: RunRequest,
  deps: Dependencies,
): Promise<CommandAnswer> {
  const pullFindings = await readPullFindings(command, opened, deps);
  if ('result' in pullFindings) return pullFindings;
  const { ledger, change } = pullFindings;
  const { trigger, check: name, verb } = command;
  const { login } = trigger.author;
  const word =
    verb === 'dismiss' ? { name, login, why: command.why, comment: trigger.commentId } : undefined;
  if (withOverrule(ledger.checks, name, word) === undefined) {
    const known = ledger.checks?.said.map((answered) => answered.name) ?? [];
    return answerOnce(refusal('not-found', formatUnknownCheck(name, known)));
  }
  if (dryRun) return { result: DRY_RUN };

  const { agent, memory } = opened;
  const head = change?.head ?? ledger.seen?.head ?? '';
  const { repository } = trigger;
  const run = { repository, agent: agent.name, head, word: 'own', memory } as const;
  const buffered = { ...NO_PUBLICATIONS, overruled: { name, word } };
  const decision = { pull: trigger.number, start: ledger, buffered, isOld: false };
  const findings = await settleFindings(decision, run, deps);
  // Unlike a word on a finding, nothing but the record holds it.
  const lost = whyLost(findings);
  if (lost !== undefined) {
    warnUnsaved(findings.save, agent.name, deps);
    return { result: refusal('not-saved', `the decision on the check was not saved: ${lost}`) };
  }
  const event = { trigger, agent: agent.name, head, skipped: undefined };
  const news = { ...findings, ...event, hasCheckWord: true };
  await deps.publisher.tellFindings({ ...news, answered: new Set() });
  return { result: commandDone(formatOverruled(name, verb === 'reopen'), true), among: 'for-all' };
}

function whyLost({ save, trouble }: SettledFindings): string | undefined {
  if (save.kind === 'failed') return save.failure.message;
  return save.kind === 'moved' ? 'other runs changed the record meanwhile' : trouble;
}
