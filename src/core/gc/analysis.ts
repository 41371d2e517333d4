import { AxeError } from '../errors.js';
import { textId } from '../memory/units.js';

/** A reply to the question for an analysis. */
export interface AnalysisReply {
  readonly text: string;
  /** Why the model stopped, in the words of the provider packages (`stop`, `length`, `content-filter`, …). */
  readonly finish: string;
}

/** Why nothing may be trimmed after a reply. */
export interface BrokenAnalysis {
  /** The model ran out of room; what it had said by then can be read. */
  readonly isCut: boolean;
  readonly error: AxeError;
}

/**
 * Why a reply is not an analysis that anything may be trimmed after, or undefined if it is one: it must have an end of its
 * own and say something. axe trims all the same (axe-behaviour §20.9).
 */
export function brokenAnalysis({ text, finish }: AnalysisReply): BrokenAnalysis | undefined {
  if (finish === 'length')
    return { isCut: text.trim() !== '', error: broken('the analysis was cut off', AGAIN) };
  if (finish === 'content-filter')
    return { isCut: false, error: broken('the model refused the analysis', ANOTHER) };
  if (finish !== 'stop') {
    return {
      isCut: false,
      error: broken(`the analysis did not come to an end (${finish})`, 'Run it again.'),
    };
  }
  return text.trim() === '' ? { isCut: false, error: broken('the analysis is empty', AGAIN) } : undefined;
}

const ANOTHER = 'Ask another model: `--model`, in a workflow the input `model`.';
const AGAIN = 'Run it again, or with another model: `--model`, in a workflow the input `model`.';

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

/** What is behind {@link ANALYST_PROMPT} where the log is read in parts. */
export function partPrompt(part: number, parts: number): string {
  return `${ANALYST_PROMPT}\n\nThe log is too long to be read at once. This is part ${part} of ${parts}, in the order of time; your report on it will be joined with those on the other parts, so say how often you saw what you report.`;
}

/** The same where the reports on the parts are made into one. */
export const JOIN_PROMPT = `${ANALYST_PROMPT}\n\nThe log was too long to be read at once. Instead of it you receive the reports on its parts, in the order of time. Join them into one report with the same three sections: add up what several of them found, and keep the timestamps that matter.`;

/** The reports as the question that joins them holds them. */
export function reportsMessage(reports: readonly string[]): string {
  return reports
    .map((report, index) => `--- Report ${index + 1} of ${reports.length} ---\n${report.trim()}`)
    .join('\n\n');
}

/** The last section that the analyst is asked for (see `ANALYST_PROMPT`); the whole text where it has no such heading. */
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
