import type { Publications } from '../../review/buffer.js';
import { REACTIONS } from '../../review/publish-rules.js';
import { defineTool } from '../define.js';
import type { Tool } from '../tool.js';
import { publishedText } from './published.js';

/** `react`: a reaction to what the run is about. */
export function createReact(publications: Publications): Tool {
  return defineTool({
    name: 'react',
    effect: 'publish',
    description:
      'Reacts to the comment, issue or pull request that this run is about, when the run ends; the last call counts.',
    shape: {
      reaction: { type: 'string', description: `One of: ${REACTIONS.join(', ')}.`, required: true },
    },
    async run({ reaction }) {
      return publishedText(publications.react(reaction));
    },
  });
}
