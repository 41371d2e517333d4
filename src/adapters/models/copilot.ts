import { APICallError } from '@ai-sdk/provider';
import type { ModelRef } from '../../core/agent/model-ref.js';
import { ProviderError } from '../../core/errors.js';
import { type CopilotProtocol, type OfferedModel, offeredProtocol } from './copilot-list.js';
import { type CopilotRuntime, createCopilotRuntime } from './copilot-runtime.js';
import { findCopilotSdk, loadCopilotSdk } from './copilot-sdk.js';
import { type CopilotPorts, checkToken, findToken } from './copilot-token.js';
import { toProviderError } from './errors.js';
import type { OpenedModel, OpenRequest } from './opened-model.js';
import { openTransport } from './protocols.js';
import { NO_KEY } from './request-auth.js';
import { checkedUrl, configuredUrl, type SettingSources } from './settings.js';

/** Models of GitHub Copilot, which share one runtime. */
export interface Copilot {
  /** Throws an AxeError for an event whose token cannot ask Copilot, unless there is a token of its own. */
  check(sources: SettingSources): void;
  /** Throws an AxeError for what is missing, and a ProviderError for a token that is refused. */
  open(request: OpenRequest): Promise<OpenedModel>;
  /** What GitHub's list says of a model that was opened. */
  windowTokens(ref: ModelRef): number | undefined;
  /** Ends the runtime. */
  close(): Promise<void>;
}

/** The address that packages are given; {@link CopilotRuntime.send} replaces it. */
const NO_HOST = 'https://copilot.invalid';

/** Models over the SDK that the workflow installed; nothing is started until one is opened. */
export function createCopilot(ports: CopilotPorts): Copilot {
  let runtime: Promise<CopilotRuntime> | undefined;
  let offered: readonly OfferedModel[] = [];
  const find = (model: string) => offered.find(({ id }) => id === model);

  async function open(request: OpenRequest): Promise<OpenedModel> {
    const { ref, provider } = request;
    const token = findToken(request.sources, ports);
    runtime ??= startRuntime(request, token, ports);
    const running = await runtime;
    const listing = await running.list();
    if (listing.kind === 'refused' && (listing.status === 401 || listing.status === 403)) {
      const { status: statusCode, text: responseBody } = listing;
      const details = { message: '', url: NO_HOST, requestBodyValues: {}, statusCode, responseBody };
      throw toProviderError(new APICallError(details), provider, token);
    }
    // Any other trouble is met again with the first request, which is retried.
    offered = listing.kind === 'listed' ? listing.models : [];
    const wire = offeredProtocol(find(ref.model)) ?? protocolByName(request);
    const model = await openTransport({
      wire,
      name: wire === 'openai-responses' ? 'openai' : provider.id,
      model: ref.model,
      apiKey: NO_KEY,
      baseUrl: wire === 'anthropic' ? `${NO_HOST}/v1` : NO_HOST,
      fetch: throughRuntime(running, ref.model),
    });
    return { model, wire, secrets: [token] };
  }

  function throughRuntime(running: CopilotRuntime, model: string): typeof globalThis.fetch {
    return async (input, init) => {
      const { pathname } = new URL(input instanceof Request ? input.url : input);
      const response = await running.send(model, pathname, init ?? {});
      const isRefused = response.status === 400 || response.status === 404;
      if (!isRefused || offered.length === 0 || find(model) !== undefined) return response;
      await response.body?.cancel();
      throw notOffered(model, offered);
    };
  }

  return {
    check: (sources) => checkToken(sources, ports),
    open,
    windowTokens: ({ model }) => find(model)?.windowTokens,
    async close() {
      const running = await runtime?.catch(() => undefined);
      await running?.close();
    },
  };
}

async function startRuntime(
  { provider, sources, ports: { env, fetch, readTextFile } }: OpenRequest,
  token: string,
  ports: CopilotPorts,
): Promise<CopilotRuntime> {
  const { isInWorkspace } = ports;
  const readText = readTextFile ?? (async () => undefined);
  const module = await findCopilotSdk({ env, readTextFile: readText, isInWorkspace });
  const address = configuredUrl(provider, sources);
  const baseUrl = address === undefined ? undefined : checkedUrl(address, provider);
  return createCopilotRuntime({ sdk: await loadCopilotSdk(module), token, baseUrl, fetch, ports });
}

/** Where the list says nothing of a model, its maker's usual form. */
function protocolByName({ wire }: OpenRequest): CopilotProtocol {
  return wire === 'openai-responses' ? wire : 'openai-compatible';
}

/** Most models that a message names. */
const MAX_NAMED = 20;

function notOffered(model: string, offered: readonly OfferedModel[]): ProviderError {
  const names = offered.slice(0, MAX_NAMED).map(({ id }) => `\`${id}\``);
  return new ProviderError('bad_request', `Copilot does not offer \`${model}\` to this token`, {
    status: 400,
    remedy: `It offers ${names.join(', ')}. The policies of the organization decide which.`,
  });
}
