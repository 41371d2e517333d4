import { AxeError } from '../lib/errors.js';
import {
  bearer,
  type FreshCredential,
  type KeylessPorts,
  keepFresh,
  NO_KEY,
  readStatement,
  requestAccessToken,
  withAuth,
} from './keyless.js';
import {
  checkedUrl,
  firstNonBlank,
  notConfigured,
  resolveKey,
  type SettingSources,
} from './settings.js';
import { type OpenedModel, type OpenRequest, openTransport } from './transport.js';

/**
 * A deployment of Azure OpenAI (v1 interface), with a key or with Microsoft Entra. Throws an
 * AxeError for settings that are missing or wrong.
 */
export async function openAzure({
  ref,
  provider,
  wire,
  sources,
  ports,
}: OpenRequest): Promise<OpenedModel> {
  const address = findAddress(sources);
  const apiKey = resolveKey(provider, sources);
  const auth =
    apiKey === undefined ? bearer(findEntraToken(ports)) : async () => ({ 'api-key': apiKey });
  const model = await openTransport({
    wire: wire === 'openai-responses' ? wire : 'openai',
    name: 'azure',
    model: ref.model,
    apiKey: NO_KEY,
    baseUrl: withAzurePath(checkedUrl(address, provider)),
    fetch: withAuth(ports.fetch, auth),
  });
  return { model, secrets: apiKey === undefined ? [] : [apiKey] };
}

function findAddress({ env, config }: SettingSources): string {
  const address = firstNonBlank(
    env['AXE_AZURE_BASE_URL'],
    env['AZURE_OPENAI_ENDPOINT'],
    config['azure']?.baseUrl,
  );
  if (address !== undefined) return address;
  const resource = firstNonBlank(env['AZURE_RESOURCE_NAME']);
  if (resource === undefined) {
    const remedy = 'Set `AZURE_RESOURCE_NAME`, `AZURE_OPENAI_ENDPOINT` or `AXE_AZURE_BASE_URL`.';
    throw notConfigured('the address of provider "azure" is', 'AZURE_RESOURCE_NAME', remedy);
  }
  // The name becomes part of a host: nothing but a DNS label may.
  if (!/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i.test(resource)) {
    throw new AxeError('`AZURE_RESOURCE_NAME` is not the name of a resource', {
      exitCode: 2,
      remedy:
        'Give the name alone: letters, digits and hyphens; for a whole address use `AXE_AZURE_BASE_URL`.',
    });
  }
  return `https://${resource}.openai.azure.com`;
}

/** `https://x.openai.azure.com` is asked at `/openai/v1`; a path that names its version is kept. */
function withAzurePath(address: string): string {
  const trimmed = address.replace(/\/+$/, '');
  if (/\/v\d+$/.test(trimmed)) return trimmed;
  return trimmed.endsWith('/openai') ? `${trimmed}/v1` : `${trimmed}/openai/v1`;
}

/**
 * Access tokens of Azure OpenAI without a key: `AZURE_OPENAI_AD_TOKEN` as it is, or those of an
 * application (`AZURE_TENANT_ID`, `AZURE_CLIENT_ID`) that trusts GitHub's statement. Throws an
 * AxeError (exit 2) where neither is set.
 */
function findEntraToken(ports: KeylessPorts): FreshCredential<string> {
  const { env, fetch } = ports;
  const fixed = firstNonBlank(env['AZURE_OPENAI_AD_TOKEN']);
  if (fixed !== undefined) return async () => fixed;
  const tenantId = firstNonBlank(env['AZURE_TENANT_ID']);
  const clientId = firstNonBlank(env['AZURE_CLIENT_ID']);
  if (tenantId === undefined || clientId === undefined) {
    throw notConfigured(
      'credentials for provider "azure" are',
      'AZURE_OPENAI_API_KEY, or AZURE_CLIENT_ID and AZURE_TENANT_ID',
      'Without a key: add `id-token: write` to the `permissions:` of the job, and `AZURE_CLIENT_ID` and `AZURE_TENANT_ID` to the `env:` of the step, ' +
        'of an application with a federated credential for the repository.',
    );
  }
  const url = `https://login.microsoftonline.com/${encodeURIComponent(tenantId)}/oauth2/v2.0/token`;
  return keepFresh(async (signal) => {
    const statement = await readStatement(ports, 'api://AzureADTokenExchange');
    const form = {
      client_id: clientId,
      scope: 'https://cognitiveservices.azure.com/.default',
      grant_type: 'client_credentials',
      client_assertion: statement,
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    };
    const request = { service: 'Microsoft Entra', url, form, secret: statement };
    return await requestAccessToken(request, fetch, signal);
  });
}
