import { cleanLine, shown } from '../lib/text/cut.js';
import { count } from '../lib/text/number.js';
import { type Buffered, type IssueDraft, NOTHING_BUFFERED, type PullRequestDraft } from './buffered.js';
import { withoutOffers } from './comment-text.js';
import type { ShownLines } from './evidence.js';
import type { Finding } from './finding.js';
import {
  allowedName,
  type PublicationAnswer,
  type PublishRules,
  REACTIONS,
  refused,
  sizeProblem,
  TEXT_LIMITS,
  taken,
} from './publish-rules.js';
import { type SettleRequest, type SettleScope, takeSettlement } from './settle.js';
import { type CommentRequest, type FindingScope, takeFinding } from './take-finding.js';

/** What a run publishes to. */
interface PublishScope {
  readonly rules: PublishRules;
  /** The pull request; undefined where the run is about none, or its diff is not known. */
  readonly review: ReviewScope | undefined;
  /** The issue or pull request that is labelled and reacted to. */
  readonly subject: number | undefined;
  /** Nothing is posted: the review is printed on this machine. */
  readonly isLocal?: boolean;
  /** What the run changes in the repository; left out where it may change nothing. */
  readonly changes?: ProposableChanges | undefined;
  /** The run is about an open pull request, on whose branch its changes can be committed. */
  readonly isOnPull?: boolean;
  /** The findings that the run fixes, each with a commit of its own; left out: it is for something else. */
  readonly toFix?: readonly Pick<Finding, 'handle' | 'title'>[] | undefined;
}

/** What a run has changed so far. */
interface ProposableChanges {
  /** Why it cannot be committed, in half a sentence; undefined if it can. */
  problem(): string | undefined;
  /** Why the run commits nothing itself, in half a sentence; undefined if it does. */
  whyOnlyPatch(): string | undefined;
  /** Ends a commit; its number is that of the one before where nothing was edited since. */
  endCommit(): number;
}

/** A pull request that a run can review. */
interface ReviewScope extends FindingScope, SettleScope {}

/**
 * Collects what the tools of a run want published, within the rules; nothing leaves during the run (D23). Each answer is
 * for the model, and every refusal is kept for the summary.
 */
export class Publications {
  private state: Buffered = NOTHING_BUFFERED;
  /** Findings about which the model was asked whether they are an earlier one, and has not said. */
  private unanswered: readonly CommentRequest[] = [];

  constructor(private readonly scope: PublishScope) {}

  /** What was collected so far. A finding that a question was left open about counts as another one: none is lost. */
  get buffered(): Buffered {
    return this.unanswered.reduce((state, request) => {
      return this.withFinding({ ...request, isNew: true }, state).state;
    }, this.state);
  }

  /** What findings are held against; undefined where there is nothing to review. */
  get scopeOfReview(): (ReviewScope & Pick<PublishScope, 'rules'>) | undefined {
    const { review, rules } = this.scope;
    return review === undefined ? undefined : { ...review, rules };
  }

  /** Whether there is anything that a tool of this name could publish to. */
  isOpenTo(tool: string): boolean {
    switch (tool) {
      case 'add_review_comment':
      case 'submit_review':
        return this.scope.review !== undefined;
      case 'settle_finding':
        return (this.scope.review?.ledger.open.length ?? 0) > 0;
      case 'set_labels':
      case 'react':
        return this.scope.subject !== undefined;
      case 'open_pull_request':
        return this.scope.changes !== undefined;
      case 'push_to_pull_request':
        return this.scope.changes !== undefined && this.scope.isOnPull === true;
      default:
        return !this.isLocal;
    }
  }

  get isLocal(): boolean {
    return this.scope.isLocal === true;
  }

  /** Whether there is any label that may be set. */
  get allowsLabels(): boolean {
    return this.scope.rules.labels.length > 0;
  }

  /** A comment on lines of the change. */
  addComment(request: CommentRequest): PublicationAnswer {
    if (this.scope.review === undefined) return this.refuse('add_review_comment', NO_PULL_REQUEST);
    const { state, answer } = this.withFinding(request, this.state);
    const isQuestion = state.questioned.size > this.state.questioned.size;
    this.state = state;
    if (isQuestion) this.unanswered = [...this.unanswered, request];
    else if (answer.kind === 'taken')
      this.unanswered = this.unanswered.filter((one) => !isOfOneLine(one, request));
    return isQuestion ? answer : this.kept('add_review_comment', answer);
  }

  private withFinding(request: CommentRequest, before: Buffered) {
    const { review, rules } = this.scope;
    if (review === undefined) return { state: before, answer: refused(NO_PULL_REQUEST) };
    return takeFinding(request, before, review, rules);
  }

  /** What a tool has shown to the model, which may be named as evidence. */
  show(shown: readonly ShownLines[]): void {
    for (const lines of shown) this.scope.review?.shown.show(lines);
  }

  /** The end of an earlier finding; the last one on each counts. */
  settle(request: SettleRequest): PublicationAnswer {
    const { review } = this.scope;
    if (review === undefined) return this.refuse('settle_finding', NO_PULL_REQUEST);
    const { answer, settlements } = takeSettlement(request, this.state.settlements, review);
    this.state = { ...this.state, settlements };
    return this.kept('settle_finding', answer);
  }

  /** The summary of the review; the last one counts. */
  submitReview(summary: string): PublicationAnswer {
    const tool = 'submit_review';
    if (this.scope.review === undefined) return this.refuse(tool, NO_PULL_REQUEST);
    const problem = sizeProblem('summary', summary, TEXT_LIMITS.summaryBytes);
    if (problem !== undefined) return this.refuse(tool, `Not accepted: ${problem}.`);
    const again = this.state.review === undefined ? '' : ' in place of the one before';
    this.state = { ...this.state, review: { summary: withoutOffers(summary).trim() } };
    const size = count(this.state.findings.length, 'finding');
    return taken(`The review is recorded${again}, with ${size}. It is posted when the run ends.`);
  }

  /** Labels to add and to take off; the last word on each label counts. */
  setLabels(requested: {
    readonly add: readonly string[];
    readonly remove: readonly string[];
  }): PublicationAnswer {
    const tool = 'set_labels';
    if (this.scope.subject === undefined) return this.refuse(tool, NO_SUBJECT);
    const { labels: patterns, maxLabels: max } = this.scope.rules;
    if (patterns.length === 0) return this.refuse(tool, 'Not accepted: this workflow allows no labels.');
    const before = this.state.labels;
    const kept = withoutNames(before.add, requested.remove);
    const add = pickNames(requested.add, { patterns, max, before: kept });
    const removed = withoutNames(before.remove, add.names);
    const remove = pickNames(requested.remove, { patterns, max, before: removed });
    const labels = { add: withoutNames(add.names, remove.names), remove: remove.names };
    this.state = { ...this.state, labels };
    const noun = `Labels that may be set: ${patterns.map(shown).join(', ')}; at most ${max} a run.`;
    return this.partly(tool, [...add.picked, ...remove.picked], [...add.left, ...remove.left], noun);
  }

  /** An issue to open; one of the same title takes the place of the earlier one. */
  createIssue({ title, body, labels }: IssueDraft): PublicationAnswer {
    const tool = 'create_issue';
    const { maxIssues, labels: patterns, maxLabels: max } = this.scope.rules;
    const line = cleanLine(title, TEXT_LIMITS.titleCodePoints);
    const problem =
      sizeProblem('title', line, TEXT_LIMITS.issueBytes) ?? sizeProblem('body', body, TEXT_LIMITS.issueBytes);
    if (problem !== undefined) return this.refuse(tool, `Not accepted: ${problem}.`);
    const others = this.state.issues.filter((issue) => issue.title !== line);
    if (others.length >= maxIssues) return this.refuse(tool, tooManyIssues(maxIssues));
    const { names, left } = pickNames(labels, { patterns, max, before: [] });
    this.state = { ...this.state, issues: [...others, { title: line, body: body.trim(), labels: names }] };
    const note =
      left.length === 0
        ? ''
        : ` Without these labels, which this workflow does not allow: ${left.map(shown).join(', ')}.`;
    return taken(`The issue ${shown(line)} is recorded.${note} It is opened when the run ends.`);
  }

  /** A pull request for what the file tools have changed, also after this; the last one counts. */
  openPullRequest({ title, body, base }: PullRequestDraft): PublicationAnswer {
    const tool = 'open_pull_request';
    const { changes } = this.scope;
    if (changes === undefined) return this.refuse(tool, NO_CHANGES);
    const line = cleanLine(title, TEXT_LIMITS.titleCodePoints);
    const problem =
      sizeProblem('title', line, TEXT_LIMITS.issueBytes) ??
      sizeProblem('body', body, TEXT_LIMITS.issueBytes) ??
      changes.problem();
    if (problem !== undefined) return this.refuse(tool, `Not accepted: ${problem}.`);
    const instead = this.state.commits.length > 0 ? ' It replaces the commits.' : '';
    this.state = { ...this.state, pullRequest: { title: line, body: body.trim(), base }, commits: [] };
    const onlyPatch = changes.whyOnlyPatch();
    return taken(
      onlyPatch === undefined
        ? `The pull request ${shown(line)} is recorded.${instead} It is opened when the run ends.`
        : `No pull request is opened, because ${onlyPatch}. ${ONLY_PATCH}`,
    );
  }

  /** A commit of what was edited since the last one; where that is nothing, its message is another one now. */
  pushToPullRequest(message: string): PublicationAnswer {
    const tool = 'push_to_pull_request';
    const { changes } = this.scope;
    if (changes === undefined || !this.isOpenTo(tool)) return this.refuse(tool, NO_CHANGES);
    const line = cleanLine(message, TEXT_LIMITS.titleCodePoints);
    const problem = sizeProblem('message', line, TEXT_LIMITS.issueBytes) ?? changes.problem();
    if (problem !== undefined) return this.refuse(tool, `Not accepted: ${problem}.`);
    const { toFix = [] } = this.scope;
    const named = toFix.length === 1 ? toFix : toFix.filter(({ handle }) => message.includes(handle));
    const [fixes] = named;
    if (toFix.length > 0 && named.length !== 1) {
      const handles = toFix.map(({ handle }) => handle).join(', ');
      return this.refuse(
        tool,
        `Not accepted: \`message\` has to name the one finding that the commit fixes: ${handles}.`,
      );
    }
    const number = changes.endCommit();
    const same = this.state.commits.find((commit) => commit.number === number);
    if (same !== undefined && same.fixes?.handle !== fixes?.handle)
      return this.refuse(tool, `Not accepted: no file was edited since ${shown(same.message)}.`);
    const others = this.state.commits.filter((commit) => commit !== same);
    const instead = this.state.pullRequest === undefined ? '' : ' It replaces the pull request.';
    this.state = {
      ...this.state,
      pullRequest: undefined,
      commits: [...others, { message: line, number, fixes }],
    };
    const onlyPatch = changes.whyOnlyPatch();
    return taken(
      onlyPatch === undefined
        ? `The commit ${shown(line)} is recorded.${instead} It is pushed when the run ends.`
        : `Nothing is pushed, because ${onlyPatch}. ${ONLY_PATCH}`,
    );
  }

  /** A reaction; the last one counts. */
  react(content: string): PublicationAnswer {
    const tool = 'react';
    if (this.scope.subject === undefined) return this.refuse(tool, NO_SUBJECT);
    const allowed = REACTIONS.filter((one) => this.scope.rules.reactions.includes(one));
    const reaction = allowed.find((one) => one === content.trim().toLowerCase());
    if (reaction === undefined) {
      const names = allowed.length === 0 ? 'none' : allowed.map(shown).join(', ');
      return this.refuse(
        tool,
        `Not accepted: the reaction ${shown(content)} is not one of those allowed here: ${names}.`,
      );
    }
    this.state = { ...this.state, reaction };
    return taken(`The reaction ${shown(reaction)} is recorded. It is added when the run ends.`);
  }

  private partly(
    tool: string,
    picked: readonly string[],
    left: readonly string[],
    noun: string,
  ): PublicationAnswer {
    if (picked.length === 0 && left.length === 0)
      return this.refuse(tool, `Not accepted: no name was given. ${noun}`);
    const refusal = left.length === 0 ? '' : `Not accepted: ${left.map(shown).join(', ')}. ${noun}`;
    if (picked.length === 0) return this.refuse(tool, refusal);
    if (refusal !== '') this.note(tool, refusal);
    return taken(`Taken: ${picked.map(shown).join(', ')}. ${refusal}`.trimEnd());
  }

  private refuse(tool: string, why: string): PublicationAnswer {
    return this.kept(tool, refused(why));
  }

  private kept(tool: string, answer: PublicationAnswer): PublicationAnswer {
    if (answer.kind === 'refused') this.note(tool, answer.text);
    return answer;
  }

  private note(tool: string, why: string): void {
    this.state = { ...this.state, refusals: [...this.state.refusals, { tool, why }] };
  }
}

const NO_PULL_REQUEST =
  'Not accepted: this run has no pull request whose diff is known. Put what you have to say in your answer.';
const ONLY_PATCH = 'When the run ends, its patch is in the job summary, where a person can apply it.';
const NO_CHANGES = 'Not accepted: this run cannot change anything in the repository.';
const NO_SUBJECT = 'Not accepted: this run is not about an issue or a pull request.';
/** The model answers by calling again for the same line, where it may say the finding in other words. */
function isOfOneLine(one: CommentRequest, other: CommentRequest): boolean {
  return (
    one.path === other.path &&
    (one.line === other.line || (one.code !== undefined && one.code === other.code))
  );
}

function tooManyIssues(max: number): string {
  if (max === 0) return 'Not accepted: this workflow does not let runs open issues. Put it in your answer.';
  return `Not accepted: a run may open ${count(max, 'issue')}, and that many are waiting. Send the same title again to change one.`;
}

/** Names that were held against an allow-list. */
interface Picked {
  /** All that hold now. */
  readonly names: readonly string[];
  readonly picked: readonly string[];
  readonly left: readonly string[];
}

/** The allowed ones of some names, as many as there is room for. */
export function pickNames(
  requested: readonly string[],
  {
    patterns,
    max,
    before,
  }: { readonly patterns: readonly string[]; readonly max: number; readonly before: readonly string[] },
): Picked {
  const names = [...before];
  const picked: string[] = [];
  const left: string[] = [];
  for (const one of requested) {
    const name = allowedName(one, patterns);
    const isThere = name !== undefined && withoutNames([name], names).length === 0;
    if (name === undefined || (!isThere && names.length >= max)) left.push(one);
    else {
      picked.push(name);
      if (!isThere) names.push(name);
    }
  }
  return { names, picked, left };
}

/** The names that are not among the others; case counts for nothing. */
export function withoutNames(names: readonly string[], others: readonly string[]): readonly string[] {
  const removed = new Set(others.map((name) => name.toLowerCase()));
  return names.filter((name) => !removed.has(name.toLowerCase()));
}
