import type { Publications } from '../../review/buffer.js';
import { SETTLE_WAYS } from '../../review/settle.js';
import { defineTool, needChoice } from '../define.js';
import type { Tool } from '../tool.js';
import { EVIDENCE_ITEM } from './finding-arguments.js';
import { publishedText } from './published.js';

/** `settle_finding`: the end of an earlier finding of the agent's. */
export function createSettleFinding(publications: Publications): Tool {
  return defineTool({
    name: 'settle_finding',
    effect: 'publish',
    description:
      'Ends one of your open findings. `fixed` needs the line that fixes it; `wrong` takes it back; `dismissed` needs the person who decided so in its conversation. The last call on a finding counts.',
    shape: {
      finding: { type: 'string', description: 'Its name, such as `FQ7K2`.', required: true },
      how: { type: 'string', description: 'What ends it.', required: true, choices: SETTLE_WAYS },
      reason: {
        type: 'string',
        description: 'One sentence, at most 300 characters.',
        required: true,
      },
      evidence: {
        type: 'list',
        description:
          'For `fixed`: the changed lines that fix it, copied as they are; a removed line counts where nothing was added.',
        item: EVIDENCE_ITEM,
      },
      by: { type: 'string', description: 'For `dismissed`: the login of the person.' },
    },
    async run({ finding, how, reason, evidence = [], by }) {
      const request = { finding, how: needChoice('how', how, SETTLE_WAYS), reason, evidence, by };
      return publishedText(publications.settle(request));
    },
  });
}
