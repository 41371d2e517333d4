import { AxeError } from '../axe/errors.js';
import { PROVIDER_IDS, type Provider } from './catalog.js';

/** `[providers.<name>]` of config.toml (axe-behaviour §3). */
export interface ProviderConfig {
  readonly apiKey: string;
  readonly baseUrl: string;
}

/** Where a key and a base URL may come from. */
export interface SettingSources {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** By provider name; empty where there is no config.toml. */
  readonly config: Readonly<Record<string, ProviderConfig>>;
  /** The key given for the main model in particular (input `api-key`); first of all. */
  readonly apiKey?: string;
}

/** What a provider package needs to be created. */
export interface ModelSettings {
  /** Trimmed; empty for providers that need none. */
  readonly apiKey: string;
  /** With the version path (`/v1`), without a slash at the end. */
  readonly baseUrl: string;
}

/**
 * Key and base URL by precedence: the input, a non-empty environment variable, config.toml, the default.
 * Throws an AxeError: exit 3 for a missing or unusable key, 1 for a provider without base URL, 2 for a wrong one.
 */
export function resolveSettings(provider: Provider, { env, config, apiKey }: SettingSources): ModelSettings {
  const own = config[provider.id];
  const baseUrl = firstSet([env[provider.baseUrlVariable], own?.baseUrl, provider.defaultBaseUrl]);
  if (baseUrl === undefined) throw unsupportedProvider(provider);
  const key = firstSet([apiKey, env[provider.keyVariable], own?.apiKey]);
  if (key === undefined && provider.needsKey) throw missingKey(provider);
  if (key !== undefined && !/^[\x20-\x7e]*$/.test(key)) throw unusableKey(provider);
  return { apiKey: key ?? '', baseUrl: withVersionPath(checkedUrl(baseUrl, provider)) };
}

function firstSet(values: readonly (string | undefined)[]): string | undefined {
  return values.map((value) => value?.trim()).find((value) => value !== undefined && value !== '');
}

/** axe keeps a trailing slash and asks for `//v1/…`; we do not. A URL that names its version already is kept. */
function withVersionPath(baseUrl: string): string {
  const trimmed = baseUrl.replace(/\/+$/, '');
  return /\/v\d+$/.test(trimmed) ? trimmed : `${trimmed}/v1`;
}

function checkedUrl(baseUrl: string, provider: Provider): string {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (
    url === undefined ||
    !['http:', 'https:'].includes(url.protocol) ||
    url.username !== '' ||
    url.password !== '' ||
    url.search !== '' ||
    url.hash !== ''
  ) {
    throw new AxeError(`invalid base URL for provider "${provider.id}"`, {
      exitCode: 2,
      remedy: `Set \`${provider.baseUrlVariable}\` to an http or https address without user name, password and query.`,
    });
  }
  return baseUrl;
}

/** axe's message (axe-behaviour §3), with our providers in it. */
function unsupportedProvider({ id, baseUrlVariable }: Provider): AxeError {
  return new AxeError(`unsupported provider "${id}": supported providers are ${PROVIDER_IDS.join(', ')}`, {
    exitCode: 1,
    remedy: `For an OpenAI-compatible endpoint set its address in \`${baseUrlVariable}\`.`,
  });
}

/** Refused here, since the error of a header that cannot be sent would show it. */
function unusableKey({ id, keyVariable }: Provider): AxeError {
  return new AxeError(
    `the API key for provider "${id}" cannot be used: it holds a line break or another character that a header cannot carry`,
    { exitCode: 3, remedy: `Copy the key into \`${keyVariable}\` once more, alone and on one line.` },
  );
}

/** axe's message and exit status, but not one of the provider's categories: nothing was asked yet. */
function missingKey({ id, keyVariable }: Provider): AxeError {
  const message = `API key for provider "${id}" is not configured (set ${keyVariable} or add to config.toml)`;
  return new AxeError(message, {
    exitCode: 3,
    remedy:
      `In a workflow: add a repository secret \`${keyVariable}\` and give it to the step with ` +
      `\`env: { ${keyVariable}: \${{ secrets.${keyVariable} }} }\`. Forks and Dependabot get no secrets.`,
  });
}
