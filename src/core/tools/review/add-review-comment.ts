import type { Publications } from '../../review/buffer.js';
import type { Side } from '../../review/finding.js';
import { shown } from '../../text/shown.js';
import { ToolError } from '../../tool-error.js';
import { defineTool } from '../define.js';
import type { Tool } from '../tool.js';
import { publishedText } from './published.js';

/** `add_review_comment`: a finding for the review, on lines of the change. */
export function createAddReviewComment(publications: Publications): Tool {
  return defineTool({
    name: 'add_review_comment',
    effect: 'publish',
    description:
      'Adds a comment on a line, or a range of lines, of the pull request to your review. Nothing is posted before the run ends. Report a thing once, the most important first, and leave out what harms nobody. Copy the line into `code`, so that the comment stands in the right place even if you miscount.',
    shape: {
      path: { type: 'string', description: 'Path of the file as the diff names it.', required: true },
      line: {
        type: 'integer',
        description: 'Number of the line in the file, not in the diff; of a range, the last one.',
        required: true,
        minimum: 1,
      },
      body: {
        type: 'string',
        description:
          'What is wrong and why, in markdown: the point first, one paragraph if possible, at most 4096 bytes.',
        required: true,
      },
      code: { type: 'string', description: 'The text of that line, copied from the diff.' },
      rule: {
        type: 'string',
        description:
          'The kind of finding, short and in kebab-case, such as `sql-injection` or `unchecked-error`; always the same name for the same kind, since repeated findings are known by it. Default: general.',
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
          'The lines that should stand in place of the whole range, with their indentation and without a fence. Leave out if you have none.',
      },
      replaces: {
        type: 'integer',
        description: 'Number of an earlier comment of this run that this one takes the place of.',
        minimum: 1,
      },
    },
    async run({ path, line, body, code, rule, start_line: startLine, side, suggestion, replaces }) {
      const request = { path, line, body, code, rule, startLine, suggestion, replaces, side: readSide(side) };
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
