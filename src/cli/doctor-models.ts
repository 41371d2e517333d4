import { readConfigFile } from '../adapters/host/config-file.js';
import { createFetch } from '../adapters/host/net/http.js';
import { findProvider } from '../adapters/models/catalog.js';
import { createModels } from '../adapters/models/create.js';
import { keyState } from '../adapters/models/key-state.js';
import { type ProbeResult, probeModel } from '../adapters/models/probe-model.js';
import type { ProviderConfig } from '../adapters/models/settings.js';
import type { Check } from '../commands/doctor/check.js';
import { allFaults, type Validation } from '../commands/validate/validation.js';
import { formatModelRef, type ModelRef, parseModelRef } from '../core/agent/model-ref.js';
import { AxeError } from '../core/errors.js';
import type { Trigger } from '../core/event/trigger.js';
import type { Terminal } from './terminal.js';

/** What models are checked with. */
interface ModelChecks {
  readonly validation: Validation;
  readonly config: Readonly<Record<string, ProviderConfig>>;
  readonly trigger: Trigger;
  readonly terminal: Terminal;
  readonly isOnline: boolean;
  readonly signal: AbortSignal;
}

/** Workflows may have the key in their secrets, which nobody can read from here. */
const SECRETS_UNSEEN = 'A key that is only a secret of the repository cannot be seen here.';

/** Whether the models of all agents can be asked, each once. */
export async function checkModels(options: ModelChecks): Promise<readonly Check[]> {
  const { env } = options.terminal;
  const { trigger, config, signal } = options;
  const fetch = createFetch(env);
  const sources = { env, config };
  const models = createModels({ env, readTextFile: readConfigFile, fetch, loadConfig: async () => config });
  const checks: Check[] = [];
  const reported = new Set(allFaults(options.validation).map(({ message }) => message));
  for (const ref of usedModels(options.validation)) {
    const name = formatModelRef(ref);
    const state = keyState(ref, sources);
    if (state.kind === 'missing') {
      const { message, remedy } = state.error;
      // A model that no run could open is a fault of its agent already.
      if (reported.has(message)) continue;
      const isSet = (env[findProvider(ref).keyVariable] ?? '') !== '';
      const hint = isSet || trigger.kind !== 'local' ? [] : [SECRETS_UNSEEN];
      const next = [...(remedy === undefined ? [] : [remedy]), ...hint].join(' ');
      checks.push({ group: 'Models', status: 'error', message: `${name}: ${message}`, remedy: next });
      continue;
    }
    const isTried = options.isOnline && ref.provider !== 'offline';
    if (!isTried) {
      const remedy = state.kind === 'unseen' ? state.remedy : undefined;
      const status = state.kind === 'unseen' ? 'unchecked' : 'ok';
      checks.push({ group: 'Models', status, message: `${name}: ${state.what}`, remedy });
      continue;
    }
    const result = await probeModel(ref, { models, sources, fetch, signal });
    checks.push(probeCheck(name, state.what, result));
  }
  return checks;
}

function probeCheck(name: string, what: string, result: ProbeResult): Check {
  switch (result.kind) {
    case 'accepted': {
      const cost = result.cost === 'free' ? '' : ', at the price of a few tokens';
      return { group: 'Models', status: 'ok', message: `${name}: ${what}, and was accepted${cost}` };
    }
    case 'refused': {
      const { message, remedy } = result.error;
      return { group: 'Models', status: 'error', message: `${name}: ${message}`, remedy };
    }
  }
}

/** A reference that is not one is a fault of its agent. */
function usedModels({ agents }: Validation): readonly ModelRef[] {
  const named = agents.flatMap(({ raw }) => [raw?.model ?? '', raw?.review.verify_model ?? '']);
  return [...new Set(named)].flatMap((model) => {
    try {
      return model === '' ? [] : [parseModelRef(model)];
    } catch (thrown) {
      if (thrown instanceof AxeError) return [];
      throw thrown;
    }
  });
}
