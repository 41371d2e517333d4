import { parse, TomlError } from 'smol-toml';
import * as v from 'valibot';
import { ConfigError } from '../lib/errors.js';
import type { ProviderConfig } from './settings.js';

const text = v.optional(v.string(), '');

/** Only what is read; other tables and keys are left to other programs, as axe does. */
const ConfigFile = v.object({
  providers: v.optional(
    v.record(v.string(), v.object({ api_key: text, base_url: text, region: v.optional(v.string()) })),
    {},
  ),
});

/**
 * `[providers.<name>]` of config.toml (axe-behaviour §3). Throws a ConfigError with axe's prefix; a wrong value is
 * never quoted, since it may be a key.
 */
export function parseProvidersConfig(toml: string, file: string): Readonly<Record<string, ProviderConfig>> {
  const result = v.safeParse(ConfigFile, inOurCase(parseToml(toml, file)));
  if (!result.success) {
    const [issue] = result.issues;
    throw new ConfigError(
      `failed to parse config file: ${v.getDotPath(issue) ?? 'the file'} must be ${issue.expected}`,
      {
        at: { file },
        remedy: 'Write `[providers.<name>]` with `api_key = "…"`, `base_url = "…"` and `region = "…"`.',
      },
    );
  }
  return Object.fromEntries(
    Object.entries(result.output.providers).map(([name, { api_key, base_url, region }]) => [
      name,
      { apiKey: api_key, baseUrl: base_url, region },
    ]),
  );
}

/** Our own keys match in any case, as in axe (D3); the names of providers between them are taken as they are. */
function inOurCase(document: unknown): unknown {
  return mapEntries(document, (key, value) => {
    if (key.toLowerCase() !== 'providers') return [key, value];
    return ['providers', mapEntries(value, (name, table) => [name, mapEntries(table, ownKey)])];
  });
}

function ownKey(key: string, value: unknown): readonly [string, unknown] {
  const lower = key.toLowerCase();
  return [['api_key', 'base_url', 'region'].includes(lower) ? lower : key, value];
}

function mapEntries(
  table: unknown,
  change: (key: string, value: unknown) => readonly [string, unknown],
): unknown {
  if (typeof table !== 'object' || table === null || Array.isArray(table)) return table;
  return Object.fromEntries(Object.entries(table).map(([key, value]) => change(key, value)));
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
