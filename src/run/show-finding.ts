import { VERIFIER } from '../agent/built-in.js';
import { NO_PUBLICATIONS } from '../findings/buffered-publications.js';
import { describeClaims, type FindingVerdict } from '../findings/decide/second-look.js';
import type { KnownFinding } from '../findings/known-finding.js';
import { testBlock } from '../findings/post/test-block.js';
import { formatLookEnd } from '../findings/post/test-command-text.js';
import { AxeError } from '../lib/errors.js';
import { parseDiff } from '../lib/text/diff.js';
import { paragraphs } from '../lib/text/format.js';
import type { AgentConversation, ConversationResult, LiveRun } from './conversation.js';
import { demonstrationsOf } from './demonstrate.js';
import { cleanFor } from './outbound.js';
import { verifyClaims } from './verify.js';

/**
 * Has a verifier show one finding of an earlier run by a test, and answers with the test or with the
 * reason why there is none. Throws an AxeError if the verifier could not be asked.
 */
export async function showFinding(
  conversation: AgentConversation,
  run: LiveRun,
): Promise<ConversationResult> {
  const { request, change, publications, deps } = run;
  const scope = publications?.scopeOfReview;
  if (request.toShow === undefined || scope === undefined)
    throw new Error('there is no finding to show, or no change');
  const { finding, bench } = request.toShow;
  const demonstrations = demonstrationsOf([finding], bench, conversation, run);
  const surroundings = { files: parseDiff(change?.diff ?? ''), shownFiles: scope.shown };
  const claim = { ids: [finding.id], ...describeClaims([finding], surroundings) };
  const reviewer = { reviewer: conversation, demonstrations };
  const { verdicts, stats, lost } = await verifyClaims([claim], VERIFIER, reviewer, run);

  const [spent] = stats;
  const [error = new AxeError('the model was not asked')] = lost;
  if (spent === undefined) throw error;
  const verdict = verdicts.get(finding.id);
  if (verdict === undefined) {
    const failed = { kind: 'failed', error, stats: spent } as const;
    return { outcome: failed, buffered: NO_PUBLICATIONS, unread: [] };
  }

  const looked = { ...finding, confidence: confidenceAfter(finding, verdict) };
  const shown = demonstrations.withTest(looked);
  const tested = demonstrations.tested([{ finding: shown }]);
  const clean = cleanFor(conversation.plan.reading.word, { secrets: deps.secrets.values });
  const keptAnswer = formatLookEnd(finding.handle, tested[0]?.why, verdict);
  const answer = paragraphs([keptAnswer, testBlock(shown, clean)]);
  const shownNow = shown.test === undefined ? [] : [{ id: finding.id, test: shown.test }];
  return {
    outcome: { kind: 'completed', answer, keptAnswer, stats: spent },
    buffered: { ...NO_PUBLICATIONS, tested, shownNow },
    unread: [],
  };
}

function confidenceAfter(
  { confidence }: KnownFinding,
  { kind }: FindingVerdict,
): KnownFinding['confidence'] {
  if (kind === 'holds') return 'confirmed';
  return confidence === 'confirmed' ? 'likely' : confidence;
}
