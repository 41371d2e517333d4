import type { Publications } from '../../../review/buffer.js';
import { defineTool } from '../define.js';
import type { Tool } from '../tool.js';
import { publishedText } from './published.js';

/** `submit_review`: summary and verdict of the review. */
export function createSubmitReview(publications: Publications): Tool {
  return defineTool({
    name: 'submit_review',
    effect: 'publish',
    description:
      'Sets the summary and the verdict of your review; the last call counts. The review is posted when the run ends, with the comments that were added. It cannot approve.',
    shape: {
      summary: {
        type: 'string',
        description: 'A few sentences in markdown, at most 8192 bytes. Do not repeat the comments.',
        required: true,
      },
      verdict: {
        type: 'string',
        description:
          '`comment`, or `request-changes` if the change must not be merged as it is. Default: comment.',
      },
    },
    async run({ summary, verdict = 'comment' }) {
      return publishedText(publications.submitReview({ summary, verdict }));
    },
  });
}
