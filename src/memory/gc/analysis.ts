import { AxeError } from '../../lib/errors.js';
import { textId } from '../units.js';

export interface GcReply {
  readonly text: string;
  /** Why the model stopped, in the words of the provider packages (`stop`, `length`, `content-filter`, …). */
  readonly finish: string;
}

/**
 * Why nothing may be trimmed after a reply, or undefined for a whole analysis: it must have an end of its own and say
 * something. axe trims all the same (axe-behaviour §20.9).
 */
export function brokenAnalysis({ text, finish }: GcReply): AxeError | undefined {
  const another = 'with another model: `--model`, in a workflow the input `model`.';
  if (finish === 'length') return broken('the analysis was cut off', `Run it again, or ${another}`);
  if (finish === 'content-filter') return broken('the model refused the analysis', `Run it ${another}`);
  if (finish !== 'stop') return broken(`the analysis did not come to an end (${finish})`, 'Run it again.');
  return text.trim() === '' ? broken('the analysis is empty', `Run it again, or ${another}`) : undefined;
}

function broken(what: string, remedy: string): AxeError {
  return new AxeError(`${what}, so nothing was trimmed`, { remedy });
}

/** What the model is told of its work; byte for byte axe's (axe-behaviour §19). */
export const ANALYST_PROMPT = `You are a memory analyst for an AI agent. You will receive a log of the agent's past tasks and results. Analyze the entries and provide a structured report.

Your report MUST contain exactly these three sections with these exact headings:

## Patterns Found
Identify recurring themes, common task types, or behavioral patterns across the entries. If no patterns exist, state "No clear patterns detected."

## Repeated Work
Identify any tasks that appear to be duplicated or that the agent has done multiple times with the same or similar inputs. If no repetition is found, state "No repeated work detected."

## Recommendations
Based on the patterns and repetitions found, suggest concrete actions the user could take to improve the agent's configuration, skill, or workflow. If no recommendations apply, state "No specific recommendations."

Be concise. Reference specific entries by their timestamps when relevant.`;

/** The last section that the analyst is asked for; the whole text where it has no such heading. */
function recommendationsOf(analysis: string): string {
  const [, section] = /(?:^|\n)#{1,6} Recommendations[^\n]*\n([\s\S]*)$/i.exec(analysis) ?? [];
  return (section ?? analysis).trim();
}

/** Whether an analysis recommends something. */
export function hasRecommendations(analysis: string): boolean {
  return !/^[-*_\s]*no specific recommendations\.?[*_\s]*$/i.test(recommendationsOf(analysis));
}

/** The same for recommendations of the same words, whatever their spacing and case. */
export function recommendationsDigest(analysis: string): string {
  return textId(recommendationsOf(analysis).toLowerCase().replace(/\s+/g, ' ')).slice(2);
}
