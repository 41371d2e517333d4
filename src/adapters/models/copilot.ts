import { APICallError } from '@ai-sdk/provider';
import type { ModelRef } from '../../core/agent/model-ref.js';
import { AxeError, ProviderError } from '../../core/errors.js';
import type { ReadOnlyCause } from '../../core/event/read-only-token.js';
import { type CopilotProtocol, type OfferedModel, offeredProtocol } from './copilot-list.js';
import type { CopilotPorts } from './copilot-ports.js';
import { type CopilotRuntime, createCopilotRuntime } from './copilot-runtime.js';
import { findCopilotSdk, loadCopilotSdk } from './copilot-sdk.js';
import { toProviderError } from './errors.js';
import type { OpenedModel, OpenRequest } from './opened-model.js';
import { openTransport } from './protocols.js';
import { NO_KEY } from './request-auth.js';
import { checkedUrl, configuredUrl, firstSet, type SettingSources } from './settings.js';

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
      if (isRefused && offered.length > 0 && find(model) === undefined) throw notOffered(model, offered);
      return response;
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

function checkToken(sources: SettingSources, ports: CopilotPorts): void {
  if (ownToken(sources) === undefined && ports.readOnly !== undefined) throw readOnlyError(ports.readOnly);
}

/** The input `api-key` belongs to models that have keys, so it is never sent as a token. */
function findToken(sources: SettingSources, ports: CopilotPorts): string {
  const own = ownToken(sources);
  if (own !== undefined) return own;
  checkToken(sources, ports);
  const token = ports.token.trim();
  if (token === '') throw missingToken();
  const server = firstSet([sources.env['GITHUB_SERVER_URL']]);
  const isElsewhere = server !== undefined && server.replace(/\/+$/, '') !== 'https://github.com';
  // The runtime asks github.com's Copilot, which another server's token must not reach.
  if (isElsewhere && firstSet([sources.env['AXE_COPILOT_BASE_URL']]) === undefined) throw elsewhere(server);
  return token;
}

function ownToken({ env, config }: SettingSources): string | undefined {
  return firstSet([env['COPILOT_GITHUB_TOKEN'], config['copilot']?.apiKey]);
}

function missingToken(): AxeError {
  return new AxeError('there is no token for models of `copilot`', {
    exitCode: 3,
    remedy:
      'In a workflow, leave the input `github-token` as it is and give the job `permissions: { copilot-requests: write }`. ' +
      'Elsewhere set `COPILOT_GITHUB_TOKEN`.',
  });
}

function readOnlyError(cause: ReadOnlyCause): AxeError {
  const who = cause === 'fork' ? 'a pull request from a fork' : 'Dependabot';
  return new AxeError(`models of \`copilot\` cannot be asked here: GitHub gives ${who} a read-only token`, {
    exitCode: 3,
    remedy:
      'Use a model with a key for such runs, or start them by a comment or label with `pull_request_target`, without a checkout. ' +
      'If the repository gives such jobs write permissions, set `COPILOT_GITHUB_TOKEN: ${{ github.token }}` for the step.',
  });
}

function elsewhere(server: string): AxeError {
  return new AxeError(`models of \`copilot\` are asked at github.com, and this is ${server}`, {
    exitCode: 3,
    remedy: 'Set `COPILOT_GITHUB_TOKEN` to a token of github.com, or `AXE_COPILOT_BASE_URL` to your Copilot.',
  });
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
