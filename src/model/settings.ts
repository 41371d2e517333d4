import { parse, TomlError } from 'smol-toml';
import * as v from 'valibot';
import { PLACEHOLDER_MODEL } from '../agent/scaffold.js';
import { closestWord } from '../agent/suggest.js';
import { isObject } from '../lib/data.js';
import { DEFAULT_MODEL } from '../lib/defaults.js';
import type { Environment } from '../lib/environment.js';
import { AxeError, ConfigError } from '../lib/errors.js';
import { KEY_PROVIDERS, PROVIDER_IDS, type Provider } from './catalog.js';

/** `[providers.<name>]` of config.toml. */
export interface ProviderConfig {
  readonly apiKey: string;
  readonly baseUrl: string;
  /** For Bedrock and Vertex. */
  readonly region?: string;
}

/** Sources of a key and a base URL. */
export interface SettingSources {
  readonly env: Environment;
  /** By provider name; empty where there is no config.toml. */
  readonly config: Readonly<Record<string, ProviderConfig>>;
  /** The key given for the main model in particular (input `api-key`); first of all. */
  readonly apiKey?: string;
}

/**
 * Key (empty for none) and base URL, with its version path, by precedence: the input, a non-empty
 * environment variable, config.toml, the default; and the headers that the provider takes from the
 * environment. Throws an AxeError: exit 2 for a missing key, 3 for an unusable one, 1 for a
 * provider without base URL, 2 for a wrong one.
 */
export function resolveSettings(provider: Provider, sources: SettingSources) {
  const baseUrl = resolveBaseUrl(provider, sources);
  const apiKey = resolveKey(provider, sources);
  const isElsewhere = provider.needsKey === 'at home' && baseUrl !== provider.defaultBaseUrl;
  if (apiKey === undefined && provider.needsKey !== false && !isElsewhere)
    throw missingKey(provider, sources.env);
  return {
    apiKey: apiKey ?? '',
    baseUrl: withVersionPath(checkedUrl(baseUrl, provider), provider),
    headers: resolveHeaders(provider, sources.env),
  };
}

/**
 * The base URL that is set, without a slash at the end; undefined for none. Throws an AxeError if it
 * cannot be used.
 */
export function ownBaseUrl(
  provider: Provider,
  { env, config }: SettingSources,
): string | undefined {
  const address = firstNonBlank(env[provider.baseUrlVariable], config[provider.id]?.baseUrl);
  return address && checkedUrl(address, provider).replace(/\/+$/, '');
}

/** Says that a setting is missing, as axe does; `subject` ends with "is" or "are". */
export function notConfigured(subject: string, variables: string, remedy: string): AxeError {
  return new AxeError(`${subject} not configured (set ${variables})`, { exitCode: 2, remedy });
}

/**
 * A region, which becomes part of a host. Throws an AxeError for a text that could make another one
 * of it.
 */
export function checkedRegion(region: string, variable: string): string {
  if (/^[a-z0-9-]+$/.test(region)) return region;
  throw new AxeError(`\`${variable}\` is not the name of a region`, { exitCode: 2 });
}

/**
 * The base URL by the same precedence, as it is written. Throws an AxeError for a provider that has
 * none.
 */
export function resolveBaseUrl(provider: Provider, sources: SettingSources): string {
  const { env, config } = sources;
  const address = firstNonBlank(env[provider.baseUrlVariable], config[provider.id]?.baseUrl);
  const baseUrl = address ?? provider.defaultBaseUrl;
  if (baseUrl === undefined) throw unsupportedProvider(provider);
  return baseUrl;
}

/**
 * The key by the same precedence, trimmed; undefined where there is none. Throws an AxeError for an
 * unusable one.
 */
export function resolveKey(
  provider: Provider,
  { env, config, apiKey }: SettingSources,
): string | undefined {
  const variables = [provider.keyVariable, ...provider.otherKeyVariables].map((name) => env[name]);
  const key = firstNonBlank(apiKey, ...variables, config[provider.id]?.apiKey);
  if (key !== undefined && !/^[\x20-\x7e]*$/.test(key)) {
    // Refused here, since the error of a header that cannot be sent would show it.
    throw new AxeError(
      `the API key for provider "${provider.id}" cannot be used: it holds a line break or another character that a header cannot carry`,
      {
        exitCode: 3,
        remedy: `Copy the key into \`${provider.keyVariable}\` once more, alone and on one line.`,
      },
    );
  }
  return key;
}

/** The first value that is not blank, trimmed. */
export function firstNonBlank(...values: readonly (string | undefined)[]): string | undefined {
  return values.map((value) => value?.trim()).find((value) => value !== undefined && value !== '');
}

/** Headers by which OpenRouter knows whose requests these are, as axe sends them. */
function resolveHeaders({ id }: Provider, env: Environment): Readonly<Record<string, string>> {
  if (id !== 'openrouter') return {};
  const headers = [
    ['HTTP-Referer', firstNonBlank(env['AXE_OPENROUTER_REFERER'])],
    ['X-OpenRouter-Title', firstNonBlank(env['AXE_OPENROUTER_TITLE'])],
    ['X-OpenRouter-Categories', firstNonBlank(env['AXE_OPENROUTER_CATEGORIES'])],
  ];
  // One that a header cannot carry would end every request.
  return Object.fromEntries(
    headers.filter(([, value]) => value !== undefined && /^[\x20-\x7e]*$/.test(value)),
  );
}

/**
 * axe keeps a trailing slash and asks for `//v1/…`; we do not. A URL that names its version already
 * is kept.
 */
function withVersionPath(baseUrl: string, { versionPath }: Provider): string {
  const trimmed = baseUrl.replace(/\/+$/, '');
  const version = versionPath === '/v1' ? /\/v\d+$/ : /\/v\d+(?:beta\d*)?$/;
  return version.test(trimmed) ? trimmed : `${trimmed}${versionPath}`;
}

/**
 * The address as it is. Throws an AxeError (exit 2), which does not show it, if it is not one that
 * may be used.
 */
export function checkedUrl(baseUrl: string, provider: Provider): string {
  // Without a user name, a password, a query and a fragment.
  if (!URL.canParse(baseUrl) || !/^https?:\/\/[^@?#]+$/i.test(baseUrl)) {
    throw new AxeError(`invalid base URL for provider "${provider.id}"`, {
      exitCode: 2,
      remedy: `Set \`${provider.baseUrlVariable}\` to an http or https address without user name, password and query.`,
    });
  }
  return baseUrl;
}

/** Families of models that people take for the name of their provider. */
const FAMILIES: ReadonlyMap<string, string> = new Map([
  ['claude', 'anthropic'],
  ['gpt', 'openai'],
  ['gemini', 'google'],
  ['grok', 'xai'],
  ['kimi', 'moonshot'],
  ['glm', 'zai'],
  ['zhipu', 'zai'],
  ['qwen', 'alibaba'],
]);

/** axe's message, with our providers in it. */
function unsupportedProvider({ id, baseUrlVariable }: Provider): AxeError {
  const guessedId = FAMILIES.get(id) ?? closestWord(id, PROVIDER_IDS);
  const guess = guessedId === undefined ? '' : `Did you mean \`${guessedId}\`? `;
  return new AxeError(
    `unsupported provider "${id}": supported providers are ${PROVIDER_IDS.join(', ')}`,
    {
      exitCode: 1,
      remedy: PLACEHOLDER_MODEL.startsWith(`${id}/`)
        ? `\`${PLACEHOLDER_MODEL}\` is the placeholder of \`agents init\`. Write a provider and a model, for example \`${DEFAULT_MODEL}\`.`
        : `${guess}For an OpenAI-compatible endpoint set its address in \`${baseUrlVariable}\`.`,
    },
  );
}

/** The remedy is for where the run is. */
function missingKey({ id, keyVariable }: Provider, env: Environment): AxeError {
  const isJob = env['GITHUB_ACTIONS'] === 'true';
  // An expression that names a secret that is not there gives an empty text.
  const isEmpty = isJob && env[keyVariable] !== undefined;
  const emptyNote = isEmpty ? `\`${keyVariable}\` is passed on, but empty. ` : '';
  const remedy = isJob
    ? `${emptyNote}Add a repository secret \`${keyVariable}\` and give it to the step with \`${keyVariable}: \${{ secrets.${keyVariable} }}\` under its \`env:\`; forks get no secrets.`
    : `Set it with \`export ${keyVariable}=…\`.`;
  // A job reads no `config.toml`.
  const variables = isJob ? keyVariable : `${keyVariable} or add to config.toml`;
  return notConfigured(`API key for provider "${id}" is`, variables, `${otherKeys(env)}${remedy}`);
}

/**
 * Names of other providers' keys that are there: the model, and not the key, may be what is wrong.
 */
function otherKeys(env: Environment): string {
  const others = KEY_PROVIDERS.filter(
    ({ keyVariable }) => firstNonBlank(env[keyVariable]) !== undefined,
  );
  if (others.length === 0) return '';
  const names = others.map(
    ({ id, keyVariable }) => `\`${keyVariable}\` is set, for models of \`${id}\``,
  );
  return `${names.join(', and ')}. `;
}

const text = v.optional(v.string(), '');

/** Only what is read; other tables and keys are left to other programs, as axe does. */
const ProviderTable = v.pipe(
  v.object({ api_key: text, base_url: text, region: v.optional(v.string()) }),
  v.transform(({ api_key, base_url, region }) => ({ apiKey: api_key, baseUrl: base_url, region })),
);
const ConfigFile = v.object({ providers: v.optional(v.record(v.string(), ProviderTable), {}) });

/**
 * `[providers.<name>]` of config.toml. Throws a ConfigError with axe's prefix; a wrong value is
 * never quoted, since it may be a key.
 */
export function parseProvidersConfig(
  toml: string,
  file: string,
): Readonly<Record<string, ProviderConfig>> {
  const result = v.safeParse(ConfigFile, withLowerKeys(parseToml(toml, file)));
  if (!result.success) {
    const [issue] = result.issues;
    throw new ConfigError(
      `failed to parse config file: ${v.getDotPath(issue) ?? 'the file'} must be ${issue.expected}`,
      {
        at: { file },
        remedy:
          'Write `[providers.<name>]` with `api_key = "…"`, `base_url = "…"` and `region = "…"`.',
      },
    );
  }
  return result.output.providers;
}

/** axe reads keys in any case. The names of providers are values for it, and keep their case. */
function withLowerKeys(config: unknown): unknown {
  const { providers, ...others } = lowerKeys(config);
  if (!isObject(providers)) return { ...others, providers };
  const tables = Object.entries(providers).map(
    ([name, table]) => [name, isObject(table) ? lowerKeys(table) : table] as const,
  );
  return { ...others, providers: Object.fromEntries(tables) };
}

function lowerKeys(table: unknown): Readonly<Record<string, unknown>> {
  const entries = Object.entries(isObject(table) ? table : {});
  return Object.fromEntries(entries.map(([key, value]) => [key.toLowerCase(), value]));
}

function parseToml(toml: string, file: string): unknown {
  try {
    return parse(toml);
  } catch (thrown) {
    if (!(thrown instanceof TomlError)) throw thrown;
    const [reason = ''] = thrown.message.split('\n');
    throw new ConfigError(`failed to parse config file: ${reason}`, {
      at: { file, line: thrown.line, column: thrown.column },
      remedy: 'Fix the TOML there, or remove the file. Keys can also come from the environment.',
    });
  }
}
