import { AxeError } from '../errors.js';

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
