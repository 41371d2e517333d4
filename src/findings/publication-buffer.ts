import { REACTIONS } from '../github/posting/issues.js';
import { cleanLine, count, quoteLine } from '../lib/text/format.js';
import {
  acceptedAnswer,
  type BufferedPublications,
  type IssueDraft,
  NO_PUBLICATIONS,
  nameOnAllowList,
  type PublicationAnswer,
  type PublishRules,
  type PullRequestDraft,
  type RefusedPublication,
  refusedAnswer,
  sizeProblem,
  TEXT_LIMITS,
} from './buffered-publications.js';
import type { PlacedFinding } from './change/diff-lines.js';
import { isRequestedAgain, isSameFinding } from './decide/duplicates.js';
import type { ShownLines } from './decide/evidence.js';
import {
  type CommentRequest,
  type FindingContext,
  isPlaceQuestion,
  type Question,
  takeFinding,
} from './decide/take-finding.js';
import { type SettleRequest, takeSettlement } from './decide/take-settlement.js';
import { compareSeverity, type Finding } from './finding.js';
import { withoutSuggestions } from './post/comment-text.js';

/** The targets and limits of what a run publishes. */
interface PublishScope {
  readonly rules: PublishRules;
  /** The pull request; undefined if the run is about none, or its diff is not known. */
  readonly review: FindingContext | undefined;
  /** The issue or pull request that gets labels and reactions. */
  readonly subject: number | undefined;
  /** Nothing is posted: the review is printed on this machine. */
  readonly isLocal?: boolean;
  /** The edits of the run to the repository; left out if it is not allowed to edit. */
  readonly changes?: ProposableChanges;
  /** The run is about an open pull request, on whose branch its changes can be committed. */
  readonly isOnPull?: boolean;
  /**
   * The findings that the run fixes, each with a commit of its own; left out: the run has another
   * purpose.
   */
  readonly toFix?: readonly Pick<Finding, 'handle' | 'title'>[];
}

/** The edits of a run so far. */
interface ProposableChanges {
  /** The reason why they cannot be committed, as a clause; undefined if they can. */
  problem(): string | undefined;
  /** The reason why the run commits nothing itself, as a clause; undefined if it does. */
  whyOnlyPatch(): string | undefined;
  /** Ends a commit and returns its number: the previous one if nothing was edited since. */
  endCommit(): number;
}

/**
 * Collects what the tools of a run want published, within the rules; nothing leaves during the run.
 * Each answer is for the model, and every refusal is kept for the summary.
 */
export class PublicationBuffer {
  private state: BufferedPublications = NO_PUBLICATIONS;
  /** Calls that were answered with a question to the model. */
  private questioned: readonly Question[] = [];
  /** The questions that the model has not answered yet. */
  private unanswered: readonly Question[] = [];

  constructor(private readonly scope: PublishScope) {}

  /**
   * The publications so far. A finding with an unanswered question counts as a new one, so that
   * none is lost.
   */
  get buffered(): BufferedPublications {
    return this.unanswered.reduce((state, { request }) => {
      return this.withFinding({ ...request, isNew: true }, state).state;
    }, this.state);
  }

  /** Undefined if there is nothing to review. */
  get scopeOfReview(): (FindingContext & Pick<PublishScope, 'rules'>) | undefined {
    const { review, rules } = this.scope;
    return review === undefined ? undefined : { ...review, rules };
  }

  /** True if the tool of this name has something to publish to. */
  isOpenTo(tool: string): boolean {
    switch (tool) {
      case 'add_review_comment':
      case 'submit_review':
        return this.scope.review !== undefined;
      case 'settle_finding':
        return this.scope.review?.ledger.open.some(({ rule }) => rule === undefined) === true;
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

  get allowsLabels(): boolean {
    return this.scope.rules.labels.length > 0;
  }

  /** Takes a comment on lines of the change. */
  addComment(request: CommentRequest): PublicationAnswer {
    const { state, answer, asked } = this.withFinding(request, this.state);
    this.state = state;
    const answered = answeredBy(request, this.unanswered);
    const others = this.unanswered.filter((question) => question !== answered);
    if (asked !== undefined) {
      const question = { about: asked, request };
      const isSamePlace = answered !== undefined && isPlaceQuestion(answered, request);
      this.questioned = [...this.questioned, question];
      this.unanswered = [...(isSamePlace ? others : this.unanswered), question];
      return answer;
    }
    if (answer.kind === 'taken') this.unanswered = others;
    return answer;
  }

  private withFinding(request: CommentRequest, before: BufferedPublications) {
    return takeFinding(request, before, this.review(), {
      rules: this.scope.rules,
      questioned: this.questioned,
    });
  }

  /** Throws only on a defect: a tool with nothing to publish to is not offered, see `isOpenTo`. */
  private review(): FindingContext {
    const { review } = this.scope;
    if (review === undefined)
      throw new Error('a review tool was used where there is nothing to review');
    return review;
  }

  /** Records lines that a tool has shown to the model, which it can then name as evidence. */
  show(shown: readonly ShownLines[]): void {
    this.scope.review?.shown.show(shown);
  }

  /** Takes the end of an earlier finding; the last call for each finding counts. */
  settle(request: SettleRequest): PublicationAnswer {
    const result = takeSettlement(request, this.state.settlements, this.review());
    this.state = { ...this.state, settlements: result.settlements };
    if (result.refusal !== undefined) this.note(result.refusal);
    return result.answer;
  }

  /** Takes the summary of the review; the last call counts. */
  submitReview(summary: string): PublicationAnswer {
    const problem = sizeProblem('summary', summary, TEXT_LIMITS.summaryBytes);
    if (problem !== undefined)
      return this.refuse({ tool: 'submit_review', code: 'size', detail: 'summary' }, `${problem}.`);
    this.state = { ...this.state, review: { summary: withoutSuggestions(summary).trim() } };
    const size = count(this.state.findings.length, 'finding');
    return acceptedAnswer(`The review is recorded, with ${size}. It is posted when the run ends.`);
  }

  /** Takes labels to add and to remove; the last call for each label counts. */
  setLabels(requested: {
    readonly add: readonly string[];
    readonly remove: readonly string[];
  }): PublicationAnswer {
    const { labels: patterns, maxLabels } = this.scope.rules;
    const { labels: before } = this.state;
    const withAllowed = (names: readonly string[], more: readonly string[]) => {
      const allowed = more.flatMap((name) => nameOnAllowList(name, patterns) ?? []);
      return [...names, ...withoutNames(allowed, names)].slice(0, maxLabels);
    };
    const add = withAllowed(withoutNames(before.add, requested.remove), requested.add);
    const remove = withAllowed(withoutNames(before.remove, add), requested.remove);
    const labels = { add: withoutNames(add, remove), remove };
    this.state = { ...this.state, labels };
    const all = [...requested.add, ...requested.remove];
    const refusedNames = withoutNames(withoutNames(all, labels.add), labels.remove);
    const picked = withoutNames(all, refusedNames);
    const rule = `Labels that may be set: ${patterns.map(quoteLine).join(', ') || 'none'}; at most ${maxLabels} a run.`;
    const listed = refusedNames.map(quoteLine).join(', ');
    const explanation = `${listed || 'no name was given'}. ${rule}`;
    const refusal = { tool: 'set_labels', code: 'label', detail: listed || undefined } as const;
    if (picked.length === 0) return this.refuse(refusal, explanation);
    if (refusedNames.length > 0) this.note(refusal);
    return acceptedAnswer(
      `Taken: ${picked.map(quoteLine).join(', ')}.${refusedNames.length === 0 ? '' : ` Not accepted: ${explanation}`}`,
    );
  }

  /** Takes an issue to open; it replaces an earlier one of the same title. */
  createIssue({ title, body, labels }: IssueDraft): PublicationAnswer {
    const refusal = { tool: 'create_issue', detail: cleanLine(title, TEXT_LIMITS.titleCodePoints) };
    const { maxIssues, labels: patterns, maxLabels } = this.scope.rules;
    const line = refusal.detail;
    const problem =
      sizeProblem('title', line, TEXT_LIMITS.issueBytes) ??
      sizeProblem('body', body, TEXT_LIMITS.issueBytes);
    if (problem !== undefined) return this.refuse({ ...refusal, code: 'size' }, `${problem}.`);
    const others = this.state.issues.filter((issueDraft) => issueDraft.title !== line);
    if (others.length >= maxIssues) {
      const most = `a run may open ${count(maxIssues, 'issue')} here`;
      return this.refuse(
        { ...refusal, code: 'issue-limit' },
        `${most}. Send the same title again to change one, or put it in your answer.`,
      );
    }
    const allowed = labels.flatMap((name) => nameOnAllowList(name, patterns) ?? []);
    const issue = { title: line, body: body.trim(), labels: allowed.slice(0, maxLabels) };
    this.state = { ...this.state, issues: [...others, issue] };
    const names = issue.labels.map(quoteLine).join(', ') || 'none';
    return acceptedAnswer(
      `The issue ${quoteLine(line)} is recorded, with these labels: ${names}. It is opened when the run ends.`,
    );
  }

  /**
   * Takes a pull request for all edits of the file tools, also those after this call. The last call
   * counts, and replaces commits.
   */
  openPullRequest({ title, body, base }: PullRequestDraft): PublicationAnswer {
    const changes = this.changes();
    const tool = 'open_pull_request';
    const line = cleanLine(title, TEXT_LIMITS.titleCodePoints);
    const unfit =
      sizeProblem('title', line, TEXT_LIMITS.issueBytes) ??
      sizeProblem('body', body, TEXT_LIMITS.issueBytes);
    if (unfit !== undefined)
      return this.refuse({ tool, code: 'size', detail: line || undefined }, `${unfit}.`);
    const problem = changes.problem();
    if (problem !== undefined)
      return this.refuse({ tool, code: 'no-change', detail: problem }, `${problem}.`);
    this.state = {
      ...this.state,
      pullRequest: { title: line, body: body.trim(), base },
      commits: [],
    };
    const onlyPatch = changes.whyOnlyPatch();
    return acceptedAnswer(
      onlyPatch === undefined
        ? `The pull request ${quoteLine(line)} is recorded. It is opened when the run ends.`
        : `No pull request is opened, because ${onlyPatch}. ${ONLY_PATCH}`,
    );
  }

  /**
   * Takes a commit of the edits since the last one; it replaces a pull request. If there are no new
   * edits, only the message of the last commit changes.
   */
  pushToPullRequest(message: string): PublicationAnswer {
    const tool = 'push_to_pull_request';
    const changes = this.changes();
    const line = cleanLine(message, TEXT_LIMITS.titleCodePoints);
    const unfit = sizeProblem('message', line, TEXT_LIMITS.issueBytes);
    if (unfit !== undefined) return this.refuse({ tool, code: 'size' }, `${unfit}.`);
    const problem = changes.problem();
    if (problem !== undefined)
      return this.refuse({ tool, code: 'no-change', detail: problem }, `${problem}.`);
    const { toFix = [] } = this.scope;
    const named =
      toFix.length === 1 ? toFix : toFix.filter(({ handle }) => message.includes(handle));
    const [fixes] = named;
    if (toFix.length > 0 && named.length !== 1) {
      const handles = toFix.map(({ handle }) => handle).join(', ');
      const explanation = `\`message\` has to name the one finding that the commit fixes: ${handles}`;
      const refusal = { tool, code: 'commit-names-no-finding', detail: handles } as const;
      return this.refuse(refusal, `${explanation}.`);
    }
    const number = changes.endCommit();
    const same = this.state.commits.find((commit) => commit.number === number);
    if (same !== undefined && same.fixes?.handle !== fixes?.handle)
      return this.refuse(
        { tool, code: 'no-edit', detail: quoteLine(same.message) },
        `no file was edited since ${quoteLine(same.message)}.`,
      );
    const others = this.state.commits.filter((commit) => commit !== same);
    const commits = [...others, { message: line, number, fixes }];
    this.state = { ...this.state, pullRequest: undefined, commits };
    const onlyPatch = changes.whyOnlyPatch();
    return acceptedAnswer(
      onlyPatch === undefined
        ? `The commit ${quoteLine(line)} is recorded. It is pushed when the run ends.`
        : `Nothing is pushed, because ${onlyPatch}. ${ONLY_PATCH}`,
    );
  }

  private changes(): ProposableChanges {
    const { changes } = this.scope;
    if (changes === undefined)
      throw new Error('a tool for changes was used where nothing may be changed');
    return changes;
  }

  /** Takes a reaction; the last call counts. */
  react(content: string): PublicationAnswer {
    const reaction = REACTIONS.find((allowed) => allowed === content.trim().toLowerCase());
    if (reaction === undefined) {
      const explanation = `the reaction ${quoteLine(content)} is not one of those allowed here`;
      const names = REACTIONS.map(quoteLine).join(', ');
      const detail = cleanLine(content, MAX_REACTION) || undefined;
      return this.refuse({ tool: 'react', code: 'reaction', detail }, `${explanation}: ${names}.`);
    }
    this.state = { ...this.state, reaction };
    return acceptedAnswer(
      `The reaction ${quoteLine(reaction)} is recorded. It is added when the run ends.`,
    );
  }

  private refuse(refusal: RefusedPublication, explanation: string): PublicationAnswer {
    this.note(refusal);
    return refusedAnswer(`Not accepted: ${explanation}`);
  }

  private note(refusal: RefusedPublication): void {
    this.state = { ...this.state, refusals: [...this.state.refusals, refusal] };
  }
}

/** Maximum code points of an unknown reaction in a refusal. */
const MAX_REACTION = 40;

const ONLY_PATCH =
  'When the run ends, its patch is in the job summary, where a person can apply it.';

/**
 * The question that a call answers: the model calls again for the same file, in similar words. A
 * question about this line comes first, since two faults of a file can have one title.
 */
function answeredBy(request: CommentRequest, questions: readonly Question[]): Question | undefined {
  const possible = questions.filter((question) => isRequestedAgain(question.request, request));
  return possible.find((question) => question.request.line === request.line) ?? possible[0];
}

/** The names that are not among the others; GitHub ignores case. */
function withoutNames(names: readonly string[], others: readonly string[]): readonly string[] {
  const removed = new Set(others.map((name) => name.toLowerCase()));
  return names.filter((name) => !removed.has(name.toLowerCase()));
}

/**
 * Joins the publications of several passes. A finding that two passes raised counts once. In doubt
 * both are published, because a lost fault costs more than a fault that is reported twice.
 */
export function mergePasses(
  passes: readonly BufferedPublications[],
  maxFindings: number,
): BufferedPublications {
  const raised: PlacedFinding[] = [];
  for (const { findings } of passes) {
    // Each pass has removed its own duplicates, so only findings of earlier passes are compared.
    const before = [...raised];
    raised.push(
      ...findings.filter(
        ({ finding }) => !before.some((earlier) => isSameFinding(earlier.finding, finding)),
      ),
    );
  }
  const worst = raised
    .toSorted(({ finding: a }, { finding: b }) => compareSeverity(a.severity, b.severity))
    .slice(0, maxFindings);
  const beyondLimit = raised
    .filter((placed) => !worst.includes(placed))
    .map(({ finding: { path, line, title } }) => ({ path, line, title, code: 'limit' as const }));
  const summaries = passes.flatMap(({ review }) => review?.summary ?? []);
  const repeated = passes.flatMap((pass) => pass.repeated);
  const heldBack = passes.flatMap((pass) => pass.heldBack);
  const settlements = passes.flatMap((pass) => pass.settlements);
  // Only the first pass was offered the tools that are not about the review.
  const [first = NO_PUBLICATIONS] = passes;
  return {
    ...first,
    findings: worst,
    preexisting: uniqueBy(
      passes.flatMap((pass) => pass.preexisting),
      ({ path, line, title }) => `${line} ${path} ${title}`,
    ),
    repeated: uniqueBy(repeated, ({ of }) => of.id),
    heldBack: uniqueBy(heldBack, ({ of }) => of.id),
    settlements: uniqueBy(settlements, ({ finding }) => finding.id),
    refusedFindings: [...passes.flatMap((pass) => pass.refusedFindings), ...beyondLimit],
    refusals: passes.flatMap(({ refusals }) => refusals),
    review: summaries.length === 0 ? undefined : { summary: summaries.join('\n\n') },
  };
}

function uniqueBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): readonly Item[] {
  return [...new Map(items.map((item) => [keyOf(item), item])).values()];
}
