import { ToolError } from '../../lib/errors.js';
import { VERDICT_KINDS, type Verdicts } from '../../review/claims.js';
import { EFFECTS, REACHES } from '../../review/finding.js';
import { defineTool, readChoice } from '../define.js';
import type { Tool } from '../tool.js';
import { EVIDENCE_ITEM, IMPACT, publishedText } from './review-tools.js';

/**
 * `give_verdict`: what a second look at a finding came to. The verdict is the first argument: a model that writes its reason
 * first decides for what it has just argued. No agent can be given this tool.
 */
export function createGiveVerdict(verdicts: Verdicts): Tool {
  return defineTool({
    name: 'give_verdict',
    effect: 'publish',
    description:
      'Your decision on a claim, once for each claim. `refuted` needs the line that refutes it in `evidence`, copied as it is: it is looked up among what you were shown.',
    shape: {
      verdict: {
        type: 'string',
        description:
          '`holds`: you have followed it from its trigger to its effect. `refuted`: a line makes it impossible or untrue. `unclear`: you could not see what decides it.',
        required: true,
        choices: VERDICT_KINDS,
      },
      claim: { type: 'integer', description: 'Number of the claim. Default: the only one.', minimum: 1 },
      evidence: {
        type: 'list',
        description: 'For `refuted`: the lines that refute it, up to 5.',
        item: EVIDENCE_ITEM,
      },
      line: {
        type: 'integer',
        description: 'The line where it would be fixed, if the claim names another one.',
        minimum: 1,
      },
      ...IMPACT,
      suggestion_fixes: {
        type: 'boolean',
        description: 'False if the suggestion does not fix it, or breaks something else. Default: true.',
      },
      reason: { type: 'string', description: 'One or two sentences.', required: true },
    },
    async run({ suggestion_fixes: suggestionFixes, verdict, ...input }) {
      // No word gives no verdict.
      if (verdict.trim() === '') throw new ToolError('`verdict` is empty');
      const given = {
        ...input,
        suggestionFixes,
        kind: readChoice('verdict', verdict, VERDICT_KINDS),
        // A word that is none corrects nothing: the verdict is worth more than it.
        effect: EFFECTS.find((one) => one === input.effect?.trim().toLowerCase()),
        reach: REACHES.find((one) => one === input.reach?.trim().toLowerCase()),
      };
      return publishedText(verdicts.give(given));
    },
  });
}
