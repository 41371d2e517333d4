import { parseModelRef } from '../src/agent/model-ref.js';
import type { Environment } from '../src/lib/environment.js';
import { createFetch } from '../src/lib/net/http.js';
import type { Price } from '../src/loop/budget.js';
import { findProvider } from '../src/model/catalog.js';
import { findPrice } from '../src/model/model-table.js';
import { resolveSettings } from '../src/model/settings.js';
import { secretValues } from '../src/safety/secret-names.js';
import type { Gateway, Source } from './gateway.js';
import type { Seen } from './observe.js';
import type { Setting } from './play.js';
import { openRecordings } from './recordings.js';
import { UsageError } from './usage-error.js';

/** What scripted answers are sent for: the model of the built-in agent. */
const SCRIPTED_MODEL = 'anthropic/claude-sonnet-5-5';

/** A key that is none: nothing leaves this machine. */
const NO_KEY = 'eval-no-key-0123456789';

/** Answers that stand in the cases. */
export function scriptedSetting(gateway: Gateway): Setting {
  return {
    name: 'scripted answers',
    model: SCRIPTED_MODEL,
    inputs: () => ({}),
    env: { ANTHROPIC_API_KEY: NO_KEY, AXE_ANTHROPIC_BASE_URL: gateway.url },
    source: ({ answers, verdicts }, run) => ({
      kind: 'script',
      script: { turns: answers[run] ?? [], verdicts },
    }),
    onRun: () => undefined,
    mayGoOn: () => true,
  };
}

/** The rules that come with the product and ask no model. */
export function offlineSetting(): Setting {
  return {
    name: 'offline/rules',
    model: 'offline/rules',
    inputs: () => ({}),
    env: {},
    source: () => undefined,
    onRun: () => undefined,
    mayGoOn: () => true,
  };
}

/** What all settings with a model need. */
export interface ModelParts {
  readonly gateway: Gateway;
  readonly model: string;
  /** Where recorded answers are. */
  readonly recorded: string;
}

/** Answers that a model gave when they were recorded. */
export function recordedSetting(parts: ModelParts): Setting {
  const { gateway, model, recorded } = parts;
  const recordings = openRecordings(recorded, model, []);
  return {
    name: `${model}, recorded`,
    model,
    inputs: () => ({}),
    env: gatewayEnv(parts, { [findProvider(parseModelRef(model)).keyVariable]: NO_KEY }),
    source: () => ({ kind: 'recorded', recordings }),
    onRun: () => undefined,
    mayGoOn: () => gateway.misses() === 0,
  };
}

/** A purse that several settings share. */
export interface Purse {
  readonly capUsd: number;
  spentUsd: number;
}

/** The model itself, with a person's own key. Throws an AxeError where there is none. */
export function liveSetting(
  parts: ModelParts & { readonly env: Environment; readonly purse: Purse; readonly isRecording: boolean },
): Setting {
  const { model, recorded, env, purse, isRecording } = parts;
  const provider = findProvider(parseModelRef(model));
  const { baseUrl } = resolveSettings(provider, { env, config: {} });
  const source: Source = {
    kind: 'live',
    baseUrl,
    fetch: createFetch(env),
    recordings: isRecording ? openRecordings(recorded, model, secretValues(env)) : undefined,
  };
  const names = [
    provider.keyVariable,
    ...provider.otherKeyVariables,
    ...Object.values(provider.headerVariables),
  ];
  const given = names.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]] as const]));
  return {
    name: model,
    model,
    inputs: () => ({
      // A run that crosses it ends with the reply that does.
      'max-cost-usd': Math.max(0.0001, purse.capUsd - purse.spentUsd).toFixed(4),
    }),
    env: gatewayEnv(parts, Object.fromEntries(given)),
    source: () => source,
    onRun: ({ usage }: Seen) => {
      purse.spentUsd += usage.costUsd;
    },
    mayGoOn: () => purse.spentUsd < purse.capUsd,
  };
}

/** The price of a model. Throws where it is not known: no cap could hold then. */
export function priceOf(model: string): Price {
  const price = findPrice(parseModelRef(model));
  if (price === undefined) {
    throw new UsageError(
      `the price of ${model} is not in the price table, so no cap could hold; choose a model that is in docs/models.md`,
    );
  }
  return price;
}

/** Throws for a model that is not reached at an address of its own with a key. */
export function checkReach(model: string): void {
  const { access, baseUrlVariable } = findProvider(parseModelRef(model));
  if (access === 'direct' && baseUrlVariable !== '') return;
  throw new UsageError(
    `${model} cannot be evaluated: only providers that are reached directly, with a key, can`,
  );
}

function gatewayEnv({ gateway, model }: ModelParts, keys: Readonly<Record<string, string>>): Setting['env'] {
  return { ...keys, [findProvider(parseModelRef(model)).baseUrlVariable]: gateway.url };
}
