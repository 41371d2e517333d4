import { type PublicationAnswer, parseNameList } from '../../findings/buffered-publications.js';
import { VERDICT_KINDS, type VerdictCollector } from '../../findings/decide/second-look.js';
import { CATEGORIES, EFFECTS, REACHES } from '../../findings/finding.js';
import { SETTLEMENT_KINDS } from '../../findings/known-finding.js';
import type { PublicationBuffer } from '../../findings/publication-buffer.js';
import { REACTIONS } from '../../github/posting/issues.js';
import { ToolError } from '../../lib/errors.js';
import {
  type ArgumentShape,
  defineTool,
  findChoice,
  type InputOf,
  readChoice,
  type Tool,
  type ToolArgument,
} from '../tool.js';

/** The names of the tools that publish, in the order in which every model sees them. */
export const REVIEW_TOOL_NAMES: readonly string[] = [
  'add_review_comment',
  'settle_finding',
  'submit_review',
  'set_labels',
  'create_issue',
  'open_pull_request',
  'push_to_pull_request',
  'react',
];

/** All the tools that publish, in a fixed order. They write to the buffer of one run. */
export function createReviewTools(publications: PublicationBuffer): readonly Tool[] {
  return [
    createAddReviewComment(publications),
    publishing(
      'settle_finding',
      'Ends one of your open findings. `fixed` needs the line that fixes it; `wrong` takes it back; `dismissed` needs the person who decided so in its conversation. The last call on a finding counts.',
      {
        finding: { type: 'string', description: 'Its name, such as `FQ7K2`.', required: true },
        how: {
          type: 'string',
          description: 'What ends it.',
          required: true,
          choices: SETTLEMENT_KINDS,
        },
        reason: {
          type: 'string',
          description: 'One sentence, at most 300 characters.',
          required: true,
        },
        evidence: {
          ...EVIDENCE,
          description:
            'For `fixed`: the changed lines that fix it, copied as they are; a removed line counts where nothing was added.',
        },
        by: { type: 'string', description: 'For `dismissed`: the login of the person.' },
      },
      ({ finding, how, reason, evidence = [], by }) =>
        publications.settle({
          finding,
          how: readChoice('how', how, SETTLEMENT_KINDS),
          reason,
          evidence,
          by,
        }),
    ),
    publishing(
      'submit_review',
      'Sets the summary of your review; the last call counts. The review is posted when the run ends, with the comments that were added. Whether it asks for changes is decided by its findings; it never approves.',
      {
        summary: {
          type: 'string',
          description:
            'A few sentences in markdown, at most 8192 bytes. Do not repeat the comments.',
          required: true,
        },
      },
      ({ summary }) => publications.submitReview(summary),
    ),
    publishing(
      'set_labels',
      'Adds labels to the issue or pull request of this run, and removes labels, when the run ends. Only labels that the workflow allows are accepted; the answer names them.',
      {
        add: { type: 'string', description: 'Labels to add, separated by commas.' },
        remove: { type: 'string', description: 'Labels to remove, separated by commas.' },
      },
      ({ add, remove }) =>
        publications.setLabels({ add: parseNameList(add), remove: parseNameList(remove) }),
    ),
    publishing(
      'create_issue',
      'Opens an issue in this repository when the run ends. A run can open very few: only for something that people must act on and that does not fit in your answer. Calling again with the same title changes the issue.',
      {
        title: {
          type: 'string',
          description: 'One line of at most 200 characters.',
          required: true,
        },
        body: { type: 'string', description: 'Markdown, at most 32768 bytes.', required: true },
        labels: {
          type: 'string',
          description:
            'Labels, separated by commas; only those that the workflow allows are accepted.',
        },
      },
      ({ title, body, labels }) =>
        publications.createIssue({ title, body, labels: parseNameList(labels) }),
    ),
    publishing(
      'open_pull_request',
      'Opens a pull request for the files that you have written, edited or deleted in this run, when the run ends. An earlier one of yours for the same task is brought up to date. The last call counts.',
      {
        title: {
          type: 'string',
          description: 'One line of at most 200 characters.',
          required: true,
        },
        body: { type: 'string', description: 'What changes and why, in markdown.', required: true },
        base: {
          type: 'string',
          description: 'Branch to merge into. Default: the one whose files you were given.',
        },
      },
      ({ title, body, base }) =>
        publications.openPullRequest({ title, body, base: base || undefined }),
    ),
    publishing(
      'push_to_pull_request',
      'Makes a commit on the branch of the pull request of this run, when the run ends: of the files that you have written, edited or deleted since the last call. Call it once for each commit.',
      {
        message: {
          type: 'string',
          description: 'One line of at most 200 characters.',
          required: true,
        },
      },
      ({ message }) => publications.pushToPullRequest(message),
    ),
    publishing(
      'react',
      'Reacts to the comment, issue or pull request that this run is about, when the run ends; the last call counts.',
      {
        reaction: {
          type: 'string',
          description: `One of: ${REACTIONS.join(', ')}.`,
          required: true,
        },
      },
      ({ reaction }) => publications.react(reaction),
    ),
  ];
}

/** `add_review_comment`: a finding for the review, on lines of the change. */
function createAddReviewComment(publications: PublicationBuffer): Tool {
  return publishing(
    'add_review_comment',
    'Adds a finding to your review, as a comment on a line or a range of lines; nothing is posted before the run ends. Report a fault once. Copy `code` and `evidence` unchanged: they are checked. The severity is worked out from `effect` and `reach`.',
    {
      path: {
        type: 'string',
        description: 'Path of the file as the diff names it.',
        required: true,
      },
      line: {
        type: 'integer',
        description:
          'Number of the line as the diff shows it; of a range, the last one; of a removed line, the next one that is shown.',
        required: true,
        minimum: 1,
      },
      code: {
        type: 'string',
        description: 'The text of that line; of a range, all its lines, copied.',
        required: true,
      },
      title: {
        type: 'string',
        description:
          'The fault in one line of at most 80 characters, without its place and severity.',
        required: true,
      },
      body: {
        type: 'string',
        description: 'What happens and why, in markdown: one paragraph, at most 4096 bytes.',
        required: true,
      },
      category: {
        type: 'string',
        description: 'What it is about.',
        required: true,
        choices: CATEGORIES,
      },
      effect: { ...IMPACT.effect, required: true },
      reach: { ...IMPACT.reach, required: true },
      trigger: {
        type: 'string',
        description: 'The input, state or order that causes it; at most 300 characters.',
      },
      evidence: {
        ...EVIDENCE,
        description: 'Up to 5 lines that prove it, especially those outside the diff.',
      },
      start_line: { type: 'integer', description: 'The first line of a range.', minimum: 1 },
      side: {
        type: 'string',
        description:
          'RIGHT for the new version of the file, LEFT for a line that was removed. Default: RIGHT.',
      },
      suggestion: {
        type: 'string',
        description:
          'The lines to put in place of the whole range, with their indentation and without a fence. Only where they are the whole fix. For a range of several lines copy all of them into `code`, or it is shown without a button.',
      },
      sure: {
        type: 'boolean',
        description:
          'False if data or safety may be at risk and you cannot tell for certain. Default: true.',
      },
      same_as: {
        type: 'string',
        description: 'Name of the finding (`FQ7K2`) that it repeats.',
      },
      new: {
        type: 'boolean',
        description: 'True if you were asked, and it is another finding.',
      },
    },
    ({ start_line: startLine, same_as: sameAs, new: isNew, ...input }) =>
      publications.addComment({
        ...input,
        startLine,
        sameAs,
        isNew,
        side: readChoice('side', input.side, ['RIGHT', 'LEFT'], 'RIGHT'),
        // It decides no severity, as the effect does, so that an unknown word costs nothing.
        category: findChoice(input.category, CATEGORIES) ?? 'other',
        effect: readChoice('effect', input.effect, EFFECTS),
        reach: readChoice('reach', input.reach, REACHES),
      }),
  );
}

/** The argument for the lines that prove a finding or its end. */
const EVIDENCE = {
  type: 'list',
  item: {
    path: { type: 'string', description: 'Path of the file.', required: true },
    line: {
      type: 'integer',
      description: 'Number of the line in the new version.',
      required: true,
      minimum: 1,
    },
    code: { type: 'string', description: 'The line, copied as it is.', required: true },
  },
  readText: readEvidence,
} as const satisfies Omit<ToolArgument, 'description'>;

/**
 * Evidence as models also write it: each piece begins with `path:line: code`, and further lines are
 * its code.
 */
function readEvidence(text: string): readonly object[] | undefined {
  const pieces = text.trim().split(/\n(?=\S[^\n]*?:\d+:)/);
  const evidence = pieces.map((piece) => EVIDENCE_TEXT.exec(piece)?.groups ?? {});
  return evidence.every(({ path }) => path !== undefined) ? evidence : undefined;
}

const EVIDENCE_TEXT = /^(?<path>[^\n]+?):(?<line>\d+):[ \t]?(?<code>.*)$/s;

/** The severity of a finding is computed from both. */
const IMPACT = {
  effect: {
    type: 'string',
    description:
      'What happens because of it: `breach` data or rights reach the wrong people; `data-loss`; `outage` it stops for all; `wrong-result`; `failure` an operation ends in an error; `degraded` slower or worse; `upkeep` harder to change.',
    choices: EFFECTS,
  },
  reach: {
    type: 'string',
    description: 'How often it happens where the code is used.',
    choices: REACHES,
  },
} as const satisfies Readonly<Record<string, ToolArgument>>;

/** A tool that puts a publication in the buffer. A refusal is a ToolError for the model. */
function publishing<const S extends ArgumentShape>(
  name: string,
  description: string,
  shape: S,
  publish: (input: InputOf<S>) => PublicationAnswer,
): Tool {
  return defineTool({
    name,
    effect: 'publish',
    description,
    shape,
    async run(input) {
      const { kind, text } = publish(input);
      if (kind === 'refused') throw new ToolError(text);
      return text;
    },
  });
}

/**
 * `give_verdict`: the result of a second look at a finding. The verdict is the first argument: a
 * model that writes its reason first decides for what it has just argued. Agents cannot have this
 * tool.
 */
export function createGiveVerdict(verdicts: VerdictCollector): Tool {
  return publishing(
    'give_verdict',
    'Your decision on a claim, once for each claim. `refuted` needs the line that refutes it in `evidence`, copied unchanged: it is checked against what you were shown.',
    {
      verdict: {
        type: 'string',
        description:
          '`holds`: you have followed it from its trigger to its effect. `refuted`: a line makes it impossible or untrue. `unclear`: you could not see what decides it.',
        required: true,
        choices: VERDICT_KINDS,
      },
      claim: {
        type: 'integer',
        description: 'Number of the claim. Default: the only one.',
        minimum: 1,
      },
      evidence: {
        ...EVIDENCE,
        description: 'For `refuted`: the lines that refute it, up to 5.',
      },
      ...IMPACT,
      suggestion_fixes: {
        type: 'boolean',
        description:
          'False if the suggestion does not fix it or breaks something else. Default: true.',
      },
      reason: { type: 'string', description: 'One or two sentences.', required: true },
    },
    ({ suggestion_fixes: suggestionFixes, verdict, ...input }) =>
      verdicts.give({
        ...input,
        suggestionFixes,
        kind: readChoice('verdict', verdict, VERDICT_KINDS),
        // An unknown word is ignored, so that it does not cost the verdict.
        effect: findChoice(input.effect, EFFECTS),
        reach: findChoice(input.reach, REACHES),
      }),
  );
}
