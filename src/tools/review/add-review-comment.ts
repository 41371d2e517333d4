import { ToolError } from '../../lib/errors.js';
import { shown } from '../../lib/text/cut.js';
import type { Publications } from '../../review/buffer.js';
import { CATEGORIES, EFFECTS, REACHES, type Side } from '../../review/terms.js';
import { defineTool, needChoice } from '../define.js';
import type { Tool } from '../tool.js';
import { EVIDENCE_ITEM, IMPACT } from './finding-arguments.js';
import { publishedText } from './published.js';

/** `add_review_comment`: a finding for the review, on lines of the change. */
export function createAddReviewComment(publications: Publications): Tool {
  return defineTool({
    name: 'add_review_comment',
    effect: 'publish',
    description:
      'Adds a finding to your review, as a comment on a line or a range of lines; nothing is posted before the run ends. Report a fault once. Copy `code` and `evidence` as they are: they are looked up. The severity is worked out from `effect` and `reach`.',
    shape: {
      path: { type: 'string', description: 'Path of the file as the diff names it.', required: true },
      line: {
        type: 'integer',
        description: 'Number of the line in the file, not in the diff; of a range, the last one.',
        required: true,
        minimum: 1,
      },
      code: { type: 'string', description: 'The text of that line, copied from the diff.', required: true },
      title: {
        type: 'string',
        description: 'The fault in one line of at most 80 characters, without its place and severity.',
        required: true,
      },
      body: {
        type: 'string',
        description: 'What happens and why, in markdown: one paragraph, at most 4096 bytes.',
        required: true,
      },
      category: { type: 'string', description: 'What it is about.', required: true, choices: CATEGORIES },
      effect: { ...IMPACT.effect, required: true },
      reach: { ...IMPACT.reach, required: true },
      trigger: {
        type: 'string',
        description: 'The input, state or order that brings it about; at most 300 characters.',
      },
      evidence: {
        type: 'list',
        description: 'Up to 5 lines that prove it, above all those outside of the diff.',
        item: EVIDENCE_ITEM,
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
          'The lines to put in place of the whole range, with their indentation and without a fence. Only where they are the whole fix.',
      },
      sure: {
        type: 'boolean',
        description: 'False if data or safety may be lost and you cannot settle whether. Default: true.',
      },
      same_as: { type: 'string', description: 'Name of an earlier finding (`FQ7K2`) that you mean again.' },
      new: {
        type: 'boolean',
        description: 'True if you were asked, and it is none of the earlier findings.',
      },
      replaces: {
        type: 'integer',
        description: 'Number of an earlier comment of this run that this one takes the place of.',
        minimum: 1,
      },
    },
    async run({ start_line: startLine, same_as: sameAs, new: isNew, ...input }) {
      const request = {
        ...input,
        startLine,
        sameAs,
        isNew,
        side: readSide(input.side),
        category: needChoice('category', input.category, CATEGORIES),
        effect: needChoice('effect', input.effect, EFFECTS),
        reach: needChoice('reach', input.reach, REACHES),
      };
      return publishedText(publications.addComment(request));
    },
  });
}

function readSide(side: string | undefined): Side | undefined {
  const word = side?.trim().toUpperCase() ?? '';
  if (word === '') return undefined;
  if (word === 'LEFT' || word === 'RIGHT') return word;
  throw new ToolError(
    `Not taken: \`side\` is RIGHT (the new version) or LEFT (a removed line), not ${shown(side ?? '')}.`,
  );
}
