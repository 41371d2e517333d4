import { ProviderError } from '../../core/errors.js';
import { field, parseJson } from './json.js';
import { type KeylessPorts, readNamedFile, readStatement } from './keyless.js';
import { requestToken, textField } from './token-request.js';

const WHO = 'the source of the identity token';

/**
 * The token of the outside identity that an `external_account` exchanges: from a file, an address (GitHub's, in the
 * file that `google-github-actions/auth` writes), or, in a credential of our own making, from GitHub for an audience.
 */
export async function readSubjectToken(
  source: unknown,
  ports: KeylessPorts,
  signal: AbortSignal | undefined,
): Promise<string> {
  const audience = field(source, 'audience');
  if (typeof audience === 'string') return await readStatement(ports, { file: undefined, audience });
  const text = await readSource(source, ports, signal);
  const format = field(source, 'format');
  if (field(format, 'type') !== 'json') return text.trim();
  return textField(parseJson(text), textField(format, 'subject_token_field_name', WHO), WHO);
}

async function readSource(
  source: unknown,
  { fetch, readTextFile }: KeylessPorts,
  signal: AbortSignal | undefined,
): Promise<string> {
  const file = field(source, 'file');
  if (typeof file === 'string') return await readNamedFile(readTextFile, file);
  const url = field(source, 'url');
  if (typeof url !== 'string' || !URL.canParse(url)) {
    throw new ProviderError('auth', 'the credential file has a `credential_source` that is not supported', {
      remedy: 'Supported are `file` and `url`; programs (`executable`) and AWS roles are not.',
    });
  }
  const headers = headersOf(field(source, 'headers'));
  const secrets = Object.values(headers);
  return await requestToken({ fetch, who: WHO, url, body: undefined, headers, secrets, signal });
}

function headersOf(value: unknown): Readonly<Record<string, string>> {
  if (typeof value !== 'object' || value === null) return {};
  return Object.fromEntries(
    Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}
