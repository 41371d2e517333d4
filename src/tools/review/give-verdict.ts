import { ToolError } from '../../lib/errors.js';
import { EFFECTS, type FindingEffect, REACHES, type Reach } from '../../review/terms.js';
import { VERDICT_KINDS, type VerdictKind, type Verdicts } from '../../review/verdict.js';
import { defineTool, readChoice } from '../define.js';
import type { Tool } from '../tool.js';
import { EVIDENCE_ITEM, IMPACT } from './finding-arguments.js';
import { publishedText } from './published.js';

/** The name of the tool by which a verifier ends its work. */
const GIVE_VERDICT = 'give_verdict';

/**
 * `give_verdict`: what a second look at a finding came to. The verdict is the first argument: a model that writes its reason
 * first decides for what it has just argued. No agent can be given this tool.
 */
export function createGiveVerdict(verdicts: Verdicts): Tool {
  return defineTool({
    name: GIVE_VERDICT,
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
    async run({ suggestion_fixes: suggestionFixes, evidence = [], ...input }) {
      const request = {
        ...input,
        evidence,
        suggestionFixes,
        verdict: readVerdict(input.verdict),
        effect: readEffect(input.effect),
        reach: readReach(input.reach),
      };
      return publishedText(verdicts.give(request));
    },
  });
}

/** No word gives no verdict. */
function readVerdict(word: string): VerdictKind {
  if (word.trim() === '') throw new ToolError('`verdict` is empty');
  return readChoice('verdict', word, VERDICT_KINDS);
}

/** A word that is none corrects nothing: the verdict is worth more than it. */
function readEffect(word: string | undefined): FindingEffect | undefined {
  return EFFECTS.find((one) => one === word?.trim().toLowerCase());
}

function readReach(word: string | undefined): Reach | undefined {
  return REACHES.find((one) => one === word?.trim().toLowerCase());
}
