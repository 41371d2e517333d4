import { describe, expect, it } from '@jest/globals';
import { ConfigError, formatError } from '../../src/lib/errors.js';
import { parseProvidersConfig } from '../../src/model/settings.js';

const FILE = '/home/octocat/.config/axe/config.toml';

function errorOf(toml: string): ConfigError {
  try {
    parseProvidersConfig(toml, FILE);
  } catch (thrown) {
    if (thrown instanceof ConfigError) return thrown;
    throw thrown;
  }
  throw new Error('nothing was thrown');
}

describe('config.toml (axe-behaviour §3)', () => {
  it('has keys and base URLs by provider', () => {
    const toml = `
      [providers.openai]
      api_key = "sk-1"
      base_url = "http://h"
      [providers.bedrock]
      region = "eu-central-1"
      [providers.anthropic]
    `;
    expect(parseProvidersConfig(toml, FILE)).toEqual({
      openai: { apiKey: 'sk-1', baseUrl: 'http://h' },
      bedrock: { apiKey: '', baseUrl: '', region: 'eu-central-1' },
      anthropic: { apiKey: '', baseUrl: '' },
    });
  });

  it.each([
    ['nothing', ''],
    ['no providers', '[providers]\n'],
    ['tables of other programs', '[other]\nkey = 1\n[[list]]\nx = 2020-01-01\n'],
  ])('can hold %s', (_, toml) => {
    expect(parseProvidersConfig(toml, FILE)).toEqual({});
  });

  it.each([
    ['CRLF', '[providers.openai]\r\napi_key = "k"\r\n'],
    ['a byte order mark', '\uFEFF[providers.openai]\napi_key = "k"\n'],
    ['keys of other programs', '[providers.openai]\napi_key = "k"\norganization = 7\n'],
  ])('can be written with %s', (_, toml) => {
    expect(parseProvidersConfig(toml, FILE)).toEqual({ openai: { apiKey: 'k', baseUrl: '' } });
  });

  it.each([
    ['[providers.\n', 1],
    ['[providers.openai]\napi_key = sk-secret\n', 2],
    ['[providers.openai]\napi_key = "sk-secret"x\n', 2],
    ['[providers.openai]\napi_key = "a"\napi_key = "sk-secret"\n', 3],
  ])('that is not TOML is refused with its place, and no value is shown: %j', (toml, line) => {
    const error = errorOf(toml);
    expect(error.message).toMatch(/^failed to parse config file: \S/);
    expect(error).toMatchObject({ exitCode: 2, at: { file: FILE, line } });
    expect(formatError(error)).not.toContain('secret');
  });

  it.each([
    ['[providers.openai]\napi_key = 12345\n', 'providers.openai.api_key must be string'],
    ['[providers.openai]\nbase_url = ["sk-secret"]\n', 'providers.openai.base_url must be string'],
    ['[providers]\nopenai = "sk-secret"\n', 'providers.openai must be Object'],
    ['providers = "sk-secret"\n', 'providers must be Object'],
  ])('with a wrong type is refused with the key, not the value: %j', (toml, text) => {
    const error = errorOf(toml);
    expect(error.message).toBe(`failed to parse config file: ${text}`);
    expect(error).toMatchObject({ exitCode: 2, at: { file: FILE } });
    expect(formatError(error)).not.toMatch(/secret|12345/);
  });

  it('does not read from prototypes', () => {
    parseProvidersConfig('[providers.__proto__]\napi_key = "k"\n', FILE);
    expect(Reflect.get({}, 'apiKey')).toBeUndefined();
    expect(Reflect.get({}, 'api_key')).toBeUndefined();
  });
});
