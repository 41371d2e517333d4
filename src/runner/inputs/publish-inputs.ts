import { ConfigError } from '../../lib/errors.js';
import { isLanguage } from '../../prompt/system.js';
import { flag, oneOf } from './input-values.js';

/** What the inputs say of where else an answer goes, and of its language. */
export interface PublishInputs {
  /**
   * Where the answer goes of a run that is about no issue and no pull request, and what `mode: gc` suggests; empty for the
   * summary alone. A pull request can only hold suggestions.
   */
  readonly reportTo: '' | 'issue' | 'pull-request';
  /** Whether findings become a check of the commit. */
  readonly checkRun: boolean;
  /** A name or a code of a language; empty leaves it to the agent. */
  readonly language: string;
}

/** Name and default of every input about where else an answer goes, as `action.yml` has them. */
export const PUBLISH_INPUT_DEFAULTS = {
  'report-to': '',
  'check-run': 'false',
  language: '',
} as const;

/** The inputs about where else an answer goes, checked. Throws a ConfigError that names the input. */
export function readPublishInputs(
  read: (name: keyof typeof PUBLISH_INPUT_DEFAULTS) => string,
): PublishInputs {
  return {
    reportTo:
      read('report-to') === '' ? '' : oneOf(['issue', 'pull-request'], read('report-to'), 'report-to'),
    checkRun: flag(read('check-run'), 'check-run'),
    language: language(read('language')),
  };
}

/** It becomes a part of the system prompt, so it is a name and nothing like a sentence. */
function language(value: string): string {
  if (value === '' || isLanguage(value)) return value;
  throw new ConfigError(`the input \`language\` is not a language: ${JSON.stringify(value)}`, {
    remedy: 'Write its name or its code, for example `German`, `Deutsch`, `de` or `pt-BR`.',
  });
}
