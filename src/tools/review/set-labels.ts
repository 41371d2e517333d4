import { splitNames } from '../../review/allow-list.js';
import type { Publications } from '../../review/buffer.js';
import { defineTool } from '../define.js';
import type { Tool } from '../tool.js';
import { publishedText } from './published.js';

/** `set_labels`: labels to add to the issue or pull request, and to take off. */
export function createSetLabels(publications: Publications): Tool {
  return defineTool({
    name: 'set_labels',
    effect: 'publish',
    description:
      'Adds labels to the issue or pull request of this run, and takes labels off, when the run ends. Only labels that the workflow allows are taken; the answer names them.',
    shape: {
      add: { type: 'string', description: 'Labels to add, separated by commas.' },
      remove: { type: 'string', description: 'Labels to take off, separated by commas.' },
    },
    async run({ add, remove }) {
      return publishedText(publications.setLabels({ add: splitNames(add), remove: splitNames(remove) }));
    },
  });
}
