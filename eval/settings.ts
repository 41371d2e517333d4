import { parseModelRef } from '../src/agent/config.js';
import type { Environment } from '../src/lib/environment.js';
import { createFetch } from '../src/lib/net/http.js';
import { findProvider } from '../src/model/catalog.js';
import { findPrice } from '../src/model/model-facts.js';
import { resolveSettings } from '../src/model/settings.js';
import { UsageError } from './case.js';
import type { Gateway, Source } from './gateway.js';
import type { Seen } from './observe.js';
import type { Setting } from './play.js';

/** What scripted answers are sent for: the model of the built-in agent. */
const SCRIPTED_MODEL = 'anthropic/claude-sonnet-5-5';

/** A key that is none: nothing leaves this machine. */
const NO_KEY = 'eval-no-key-0123456789';

const FREE = { inputs: () => ({}), onRun: () => undefined, mayGoOn: () => true };

/** Answers that stand in the cases. */
export function scriptedSetting(gateway: Gateway): Setting {
  return {
    name: 'scripted answers',
    model: SCRIPTED_MODEL,
    ...FREE,
    env: { ANTHROPIC_API_KEY: NO_KEY, AXE_ANTHROPIC_BASE_URL: gateway.url },
    source: ({ answers, verdicts }, run) => ({
      kind: 'script',
      script: { turns: answers[run] ?? [], verdicts },
    }),
  };
}

/** The rules that come with the product and ask no model. */
export function offlineSetting(): Setting {
  return {
    name: 'offline/rules',
    model: 'offline/rules',
    ...FREE,
    env: {},
    source: () => undefined,
  };
}

/** What a run with a model may cost, and has cost so far. */
export interface Purse {
  readonly capUsd: number;
  spentUsd: number;
}

/** The model itself, with a person's own key. Throws an AxeError where there is none. */
export function liveSetting(
  gateway: Gateway,
  model: string,
  env: Environment,
  purse: Purse,
): Setting {
  const provider = findProvider(parseModelRef(model));
  const { baseUrl } = resolveSettings(provider, { env, config: {} });
  const source: Source = { kind: 'live', baseUrl, fetch: createFetch(env) };
  const names = [provider.keyVariable, ...provider.otherKeyVariables];
  const given = names.flatMap((name) =>
    env[name] === undefined ? [] : [[name, env[name]] as const],
  );
  return {
    name: model,
    model,
    inputs: () => ({
      // A run that crosses it ends with the reply that does.
      'max-cost-usd': Math.max(0.0001, purse.capUsd - purse.spentUsd).toFixed(4),
    }),
    env: { ...Object.fromEntries(given), [provider.baseUrlVariable]: gateway.url },
    source: () => source,
    onRun: ({ usage }: Seen) => {
      purse.spentUsd += usage.costUsd;
    },
    mayGoOn: () => purse.spentUsd < purse.capUsd,
  };
}

/**
 * Throws for a model that is not reached at an address of its own with a key, and for one without a
 * known price.
 */
export function checkModel(model: string): void {
  const ref = parseModelRef(model);
  const { access, baseUrlVariable } = findProvider(ref);
  if (access !== 'direct' || baseUrlVariable === '') {
    throw new UsageError(
      `${model} cannot be evaluated: only providers that are reached directly, with a key, can`,
    );
  }
  if (findPrice(ref) !== undefined) return;
  throw new UsageError(
    `the price of ${model} is not in the price table, so no cap could hold; choose a model that is in docs/models.md`,
  );
}
