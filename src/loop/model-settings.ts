import type { JSONObject, LanguageModelV4CallOptions } from '@ai-sdk/provider';
import { API_FORMS } from '../agent/choices.js';
import type { ModelParams } from '../agent/config.js';

/** What of `[params]` goes with each request, whoever is asked: models take of it what they know. */
export function modelSettings({
  effort,
  api,
  tables = {},
}: Pick<ModelParams, 'effort' | 'api' | 'tables'>): Pick<
  LanguageModelV4CallOptions,
  'reasoning' | 'providerOptions'
> {
  const options = Object.entries({ ...tables, ...(api && { [FORM_KEY]: { form: api } }) }).filter(isJson);
  return {
    reasoning: effort,
    providerOptions: options.length === 0 ? undefined : Object.fromEntries(options),
  };
}

const FORM_KEY = 'axe';

/** The form of OpenAI's interface that a request is to have; undefined where the agent does not say. */
export function formOf({ providerOptions }: LanguageModelV4CallOptions): ModelParams['api'] {
  return API_FORMS.find((form) => form === providerOptions?.[FORM_KEY]?.['form']);
}

/** Tables of TOML were made JSON when they were read. */
function isJson(entry: readonly [string, unknown]): entry is [string, JSONObject] {
  return typeof entry[1] === 'object';
}
