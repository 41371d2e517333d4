import { mapTexts, propertyOf } from '../../lib/data.js';
import { hideInBytes, hideValues } from '../../safety/redact.js';
import type { GitHubClient } from './client.js';

/**
 * A client for what models read: its answers hold no secret, and so none that is searched for,
 * counted or cut through later. Downloads are packed, so their secrets are hidden after unpacking.
 */
export function createMaskedClient(client: GitHubClient, secrets: readonly string[]): GitHubClient {
  return {
    async request(route, options) {
      const { body } = await client.request(route, options);
      return { body: hideInAnswer(body, secrets) };
    },
    graphql: async (query, options) => hideInAnswer(await client.graphql(query, options), secrets),
    download: (route, options) => client.download(route, options),
  };
}

function hideInAnswer(body: unknown, secrets: readonly string[]): unknown {
  const hide = (text: string) => hideValues(text, secrets);
  // Diffs and logs can come as bytes.
  if (body instanceof ArrayBuffer) return hide(new TextDecoder().decode(body));

  const masked = mapTexts(body, hide);
  const content = propertyOf(body, 'content');
  if (typeof content !== 'string' || propertyOf(body, 'encoding') !== 'base64') return masked;
  // A mask would break the encoding, so a file is masked as the bytes that it has.
  const bytes = hideInBytes(Buffer.from(content, 'base64'), secrets);
  return { ...Object(masked), content: Buffer.from(bytes).toString('base64') };
}
