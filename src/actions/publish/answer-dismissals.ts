import type { GitHubClient } from '../../adapters/github/client/client.js';
import { answerFindings } from '../../adapters/github/posting/end-threads.js';
import type { Reporter } from '../../core/dependencies.js';
import type { Repository } from '../../core/event/trigger.js';
import type { MarkLane } from '../../core/sanitize/mark.js';
import { type Dismissal, dismissedText } from '../../review/acknowledge.js';
import { answerMark, framedBody } from '../../review/publication.js';
import { withGitHub } from './with-github.js';

/** Dismissals that people are told were understood. */
interface DismissalsToAnswer {
  readonly repository: Repository;
  readonly agent: string;
  readonly dismissed: readonly Dismissal[];
  /** Markdown below each answer. */
  readonly footer: string;
  /** Of a run that read strangers' text nothing is resolved. */
  readonly lane: MarkLane;
}

/** Answers each dismissal once, in its conversation. Trouble is a warning. */
export async function answerDismissals(
  { repository, agent, dismissed, footer, lane }: DismissalsToAnswer,
  { client, reporter }: { readonly client: GitHubClient | undefined; readonly reporter: Reporter },
): Promise<void> {
  if (client === undefined) return;
  for (const number of new Set(dismissed.map(({ pull }) => pull))) {
    const answers = dismissed
      .filter(({ pull }) => pull === number)
      .map(({ id }) => {
        const mark = answerMark(`${agent}/dismissed-${id}`, lane);
        return { id, mark, body: framedBody({ mark, text: dismissedText(id), footer }) };
      });
    const place = { repository, number, answers, resolves: lane === 'trusted' };
    const response = await withGitHub((signal) => answerFindings(client, place, signal), REMEDY);
    const result = response.kind === 'failed' ? response : response.answer;
    if (result.kind !== 'failed') continue;
    const message = `answers to findings on #${number} were not acknowledged: ${result.message}. ${REMEDY}`;
    reporter.warn({ code: 'publish-failed', message });
  }
}

const REMEDY = 'What they say is kept all the same.';
