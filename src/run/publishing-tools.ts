import type { LoadedAgent } from '../core/agent/loaded-agent.js';
import { subjectNumber, type Trigger } from '../core/event/trigger.js';
import { Publications } from '../core/review/buffer.js';
import { readDiffLines } from '../core/review/diff-lines.js';
import { DEFAULT_PUBLISH_RULES, type PublishRules } from '../core/review/publish-rules.js';
import { createReviewTools, REVIEW_TOOL_NAMES } from '../core/tools/review/review-tools.js';
import type { Tool } from '../core/tools/tool.js';
import type { Warning } from '../core/warning.js';
import type { ReviewedDiff } from './change.js';

/** What the agents of a run publish to, all of them together (D23); nothing without an event. */
export function openPublications(
  trigger: Trigger,
  change: ReviewedDiff | undefined,
  rules: PublishRules = DEFAULT_PUBLISH_RULES,
): Publications | undefined {
  if (trigger.kind === 'local') return undefined;
  const lines = change === undefined ? undefined : readDiffLines(change.diff);
  return new Publications({ rules, lines, subject: subjectNumber(trigger) });
}

/** The publishing tools of an agent, and the agent as its other tools are opened for. */
export interface PublishingTools {
  readonly agent: LoadedAgent;
  readonly tools: readonly Tool[];
  readonly warnings: readonly Warning[];
}

/** Makes the publishing tools an agent lists: those that have something to publish to (D22). */
export function publishingTools(agent: LoadedAgent, publications: Publications | undefined): PublishingTools {
  const { config } = agent;
  const isIdle = agent.source === 'built-in' && publications?.allowsLabels === false;
  // The triager that comes with the product suggests labels where it may set none.
  const wanted = REVIEW_TOOL_NAMES.filter(
    (name) => config.tools.includes(name) && !(isIdle && name === 'set_labels'),
  );
  if (!REVIEW_TOOL_NAMES.some((name) => config.tools.includes(name))) {
    return { agent, tools: [], warnings: [] };
  }
  const offered =
    publications === undefined
      ? []
      : createReviewTools(publications).filter(
          ({ name }) => wanted.includes(name) && publications.isOpenTo(name),
        );
  const missing = wanted.filter((name) => !offered.some((tool) => tool.name === name));
  const others = config.tools.filter((name) => !REVIEW_TOOL_NAMES.includes(name));
  return {
    agent: { ...agent, config: { ...config, tools: others } },
    tools: offered,
    warnings: warningsOf(agent.name, missing, publications),
  };
}

/**
 * A reviewer that runs on a push, a schedule or a laptop too answers there in words: nothing to warn of. Where there is a
 * pull request without a diff, or an agent of another kind, somebody expects something that will not happen.
 */
function warningsOf(
  agent: string,
  missing: readonly string[],
  publications: Publications | undefined,
): readonly Warning[] {
  if (publications === undefined) return [];
  const expected = publications.isOpenTo('react')
    ? missing
    : missing.filter((name) => name !== 'add_review_comment' && name !== 'submit_review');
  return expected.length === 0 ? [] : [notHere(agent, expected)];
}

function notHere(agent: string, names: readonly string[]): Warning {
  const listed = names.map((name) => `\`${name}\``).join(', ');
  const message = `agent "${agent}" asks for ${listed}, and this run has nothing to publish that to: a review needs a pull request whose diff is known, and the others an event about an issue or pull request. Run the agent on such an event, or remove these tools from it.`;
  return { code: 'tool-not-available', message };
}
