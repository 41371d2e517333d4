import { field, parseJson } from './json.js';
import { type Fresh, type KeylessPorts, keepFresh, readStatement } from './keyless.js';
import { firstSet } from './settings.js';
import { expiryOf, requestToken, textField } from './token-request.js';

const WHO = 'Microsoft Entra';
const AUDIENCE = 'api://AzureADTokenExchange';
const SCOPE = 'https://cognitiveservices.azure.com/.default';
const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

/**
 * Access tokens of Azure OpenAI without a key: `AZURE_OPENAI_AD_TOKEN` as it is, or an application
 * (`AZURE_TENANT_ID`, `AZURE_CLIENT_ID`) that proves itself with `AZURE_CLIENT_SECRET`, the token in
 * `AZURE_FEDERATED_TOKEN_FILE`, or GitHub's. Undefined where none of these is set.
 */
export function findEntraToken(ports: KeylessPorts): Fresh<string> | undefined {
  const { env } = ports;
  const fixed = firstSet([env['AZURE_OPENAI_AD_TOKEN']]);
  if (fixed !== undefined) return async () => fixed;
  const tenantId = firstSet([env['AZURE_TENANT_ID']]);
  const clientId = firstSet([env['AZURE_CLIENT_ID']]);
  if (tenantId === undefined || clientId === undefined) return undefined;
  const host = firstSet([env['AZURE_AUTHORITY_HOST']]) ?? 'https://login.microsoftonline.com';
  const url = `${host.replace(/\/+$/, '')}/${encodeURIComponent(tenantId)}/oauth2/v2.0/token`;
  return keepFresh(async (signal) => {
    const proof = await proofOf(ports);
    const text = await requestToken({
      fetch: ports.fetch,
      who: WHO,
      url,
      body: new URLSearchParams({
        client_id: clientId,
        scope: SCOPE,
        grant_type: 'client_credentials',
        ...proof,
      }),
      secrets: Object.values(proof),
      signal,
    });
    const answer = parseJson(text);
    const expiresAtMs = expiryOf(field(answer, 'expires_in'), Date.now());
    return { value: textField(answer, 'access_token', WHO), expiresAtMs };
  });
}

async function proofOf(ports: KeylessPorts): Promise<Readonly<Record<string, string>>> {
  const secret = firstSet([ports.env['AZURE_CLIENT_SECRET']]);
  if (secret !== undefined) return { client_secret: secret };
  const file = firstSet([ports.env['AZURE_FEDERATED_TOKEN_FILE']]);
  const statement = await readStatement(ports, { file, audience: AUDIENCE });
  return { client_assertion: statement, client_assertion_type: ASSERTION_TYPE };
}
