import { AxeError } from '../errors.js';

/** A reply to the question for an analysis. */
export interface AnalysisReply {
  readonly text: string;
  /** Why the model stopped, in the words of the provider packages (`stop`, `length`, `content-filter`, …). */
  readonly finish: string;
}

/**
 * Why a reply is no analysis that anything may be trimmed after, or undefined if it is one: it must have an end of its
 * own and say something. axe trims all the same (axe-behaviour §20.9).
 */
export function brokenAnalysis({ text, finish }: AnalysisReply): AxeError | undefined {
  if (finish === 'length') {
    return new AxeError('the analysis was cut off, so nothing was trimmed', {
      remedy: 'Run it again, or with another model: `--model`, in a workflow the input `model`.',
    });
  }
  if (finish === 'content-filter')
    return new AxeError('the model refused the analysis, so nothing was trimmed');
  if (finish !== 'stop') {
    return new AxeError(`the analysis did not come to an end (${finish}), so nothing was trimmed`, {
      remedy: 'Run it again.',
    });
  }
  if (text.trim() !== '') return undefined;
  return new AxeError('the analysis is empty, so nothing was trimmed', {
    remedy: 'Run it again, or with another model: `--model`, in a workflow the input `model`.',
  });
}
