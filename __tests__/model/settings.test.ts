import { describe, expect, it } from '@jest/globals';
import { AxeError, formatError } from '../../src/lib/errors.js';
import { findProvider } from '../../src/model/catalog.js';
import {
  parseProvidersConfig,
  resolveSettings,
  type SettingSources,
} from '../../src/model/settings.js';

const NONE: SettingSources = { env: {}, config: {} };

function resolve(provider: string, sources: Partial<SettingSources> = {}) {
  return resolveSettings(findProvider({ provider, model: 'm' }), { ...NONE, ...sources });
}

function errorOf(provider: string, sources: Partial<SettingSources> = {}): AxeError {
  return thrownBy(() => resolve(provider, sources));
}

function thrownBy(work: () => unknown): AxeError {
  try {
    work();
  } catch (thrown) {
    if (thrown instanceof AxeError) return thrown;
    throw thrown;
  }
  throw new Error('nothing was thrown');
}

describe('the key of a provider', () => {
  const env = { OPENAI_API_KEY: 'env-key' };
  const config = { openai: { apiKey: 'file-key', baseUrl: '' } };

  it.each([
    ['the input', { env, config, apiKey: 'input-key' }, 'input-key'],
    ['the environment', { env, config, apiKey: '' }, 'env-key'],
    [
      'config.toml, if the environment is blank',
      { env: { OPENAI_API_KEY: ' \n' }, config },
      'file-key',
    ],
    ['the environment, trimmed', { env: { OPENAI_API_KEY: '  env-key\r\n' } }, 'env-key'],
  ])('comes from %s', (_, sources, key) => {
    expect(resolve('openai', sources).apiKey).toBe(key);
  });

  it.each([
    ['anthropic', 'ANTHROPIC_API_KEY'],
    ['openai', 'OPENAI_API_KEY'],
  ])(
    "C1 14: of %s is reported as missing in axe's words, with exit status 2",
    (provider, variable) => {
      const error = errorOf(provider);
      expect(error.message).toBe(
        `API key for provider "${provider}" is not configured (set ${variable} or add to config.toml)`,
      );
      expect(error.exitCode).toBe(2);
      expect(error.remedy).toBe(`Set it with \`export ${variable}=…\`.`);
      const inJob = errorOf(provider, { env: { GITHUB_ACTIONS: 'true' } });
      expect(inJob.message).toBe(
        `API key for provider "${provider}" is not configured (set ${variable})`,
      );
      expect(inJob.remedy).toBe(
        `Add a repository secret \`${variable}\` and give it to the step with \`${variable}: \${{ secrets.${variable} }}\` under its \`env:\`; forks get no secrets.`,
      );
    },
  );

  it('C1 14: of another provider is named if the right one is missing, since the model might be wrong', () => {
    const { remedy } = errorOf('openai', {
      env: { ANTHROPIC_API_KEY: 'sk-ant-1', GROQ_API_KEY: ' ' },
    });
    expect(remedy).toMatch(/^`ANTHROPIC_API_KEY` is set, for models of `anthropic`\. Set it with /);
    expect(remedy).not.toContain('sk-ant-1');
  });

  it('C1 14: is not needed for Ollama, and one of another provider is not used', () => {
    expect(resolve('ollama', { env: { OPENAI_API_KEY: 'x' } }).apiKey).toBe('');
  });

  it.each([
    ['a line break', 'sk-secret-part\nsk-other'],
    ['a letter that no header can carry', 'sk-secret-part-ключ'],
    ['a control character', 'sk-secret-part\u0000'],
  ])('C1 14: with %s inside is refused without being shown', (_, key) => {
    const error = errorOf('openai', { env: { OPENAI_API_KEY: key } });
    expect(error.message).toBe(
      'the API key for provider "openai" cannot be used: it holds a line break or another character that a header cannot carry',
    );
    expect(error.exitCode).toBe(3);
    expect(formatError(error)).not.toContain('secret-part');
  });
});

describe('the key of a seller without an API of its own', () => {
  const missing = 'API key for provider "groq" is not configured';

  it('is wanted at its own address', () => {
    expect(errorOf('groq').message).toContain(missing);
    const env = { GROQ_API_KEY: 'k' };
    expect(resolve('groq', { env })).toMatchObject({
      apiKey: 'k',
      baseUrl: 'https://api.groq.com/openai/v1',
    });
  });

  it('is not wanted at another address', () => {
    const env = { AXE_GROQ_BASE_URL: 'http://127.0.0.1:9' };
    expect(resolve('groq', { env })).toMatchObject({ apiKey: '' });
  });

  it('can be under another name', () => {
    expect(resolve('zai', { env: { ZHIPU_API_KEY: 'k' } })).toMatchObject({
      apiKey: 'k',
      baseUrl: 'https://api.z.ai/api/paas/v4',
    });
    expect(resolve('alibaba', { env: { DASHSCOPE_API_KEY: 'q' } }).apiKey).toBe('q');
    expect(resolve('huggingface', { env: { HF_TOKEN: 'h' } }).apiKey).toBe('h');
  });
});

describe('the base URL of a provider', () => {
  const key = { OPENAI_API_KEY: 'k', ANTHROPIC_API_KEY: 'k' };
  const config = { openai: { apiKey: '', baseUrl: 'http://file.example' } };

  it.each([
    ['the environment', { AXE_OPENAI_BASE_URL: 'http://env.example' }, 'http://env.example/v1'],
    [
      'config.toml, if the environment is empty',
      { AXE_OPENAI_BASE_URL: '' },
      'http://file.example/v1',
    ],
  ])('comes from %s', (_, env, baseUrl) => {
    expect(resolve('openai', { env: { ...key, ...env }, config }).baseUrl).toBe(baseUrl);
  });

  it.each([
    ['http://h', 'http://h/v1'],
    ['http://h///', 'http://h/v1'],
    ['http://h/v1', 'http://h/v1'],
    ['http://h/v2', 'http://h/v2'],
    ['http://h/prefix', 'http://h/prefix/v1'],
    ['http://h/openai/v1', 'http://h/openai/v1'],
    ['http://h/v1beta', 'http://h/v1beta/v1'],
    ['  http://h:8080 \n', 'http://h:8080/v1'],
    ['http://[::1]:8080', 'http://[::1]:8080/v1'],
  ])('%j results in requests to %s', (written, baseUrl) => {
    expect(resolve('openai', { env: { ...key, AXE_OPENAI_BASE_URL: written } }).baseUrl).toBe(
      baseUrl,
    );
  });

  it.each([
    'https://user:pass@h',
    'https://user@h',
    'ftp://h',
    'not a url',
    '//h',
    'https://h/?token=pass',
    'https://h/#pass',
  ])('C1 13: %s is refused without being shown', (written) => {
    const error = errorOf('openai', { env: { ...key, AXE_OPENAI_BASE_URL: written } });
    expect(error).toMatchObject({ message: 'invalid base URL for provider "openai"', exitCode: 2 });
    expect(error.remedy).toContain('`AXE_OPENAI_BASE_URL`');
    expect(formatError(error)).not.toContain('pass@');
    expect(formatError(error)).not.toContain(written);
  });

  it.each([
    ['my_lab', 'MY_LAB'],
    ['my-gate.way', 'MY_GATE_WAY'],
    ['constructor', 'CONSTRUCTOR'],
  ])('is required for a provider that is not in the catalog: %s', (provider, variable) => {
    const error = errorOf(provider);
    expect(error.message).toBe(
      `unsupported provider "${provider}": supported providers are anthropic, openai, ollama, opencode, google, minimax, bedrock, openrouter, requesty, atlascloud, edenai, xai, deepseek, mistral, moonshot, zai, groq, cerebras, together, fireworks, alibaba, huggingface, vertex, azure, offline`,
    );
    expect(error.exitCode).toBe(1);
    expect(error.remedy).toContain(`\`AXE_${variable}_BASE_URL\``);
    const env = { [`AXE_${variable}_BASE_URL`]: 'https://g/openai', [`${variable}_API_KEY`]: 'k' };
    expect(resolve(provider, { env })).toEqual({
      apiKey: 'k',
      baseUrl: 'https://g/openai/v1',
      headers: {},
    });
  });

  it('is also required if the name looks mistyped, or is the placeholder of a new agent', () => {
    expect(errorOf('antropic').remedy).toMatch(
      /^Did you mean `anthropic`\? .*`AXE_ANTROPIC_BASE_URL`/,
    );
    expect(errorOf('provider').remedy).toMatch(
      /^`provider\/model-name` is the placeholder of `agents init`\./,
    );
  });

  it.each([
    ['kimi', 'moonshot'],
    ['glm', 'zai'],
    ['qwen', 'alibaba'],
    ['grok', 'xai'],
    ['claude', 'anthropic'],
    ['mistrall', 'mistral'],
  ])('is also required for %s, with the hint that %s may be meant', (provider, meant) => {
    expect(errorOf(provider).remedy).toContain(`Did you mean \`${meant}\`?`);
  });

  it('C1 5: is not read from a prototype', () => {
    expect(errorOf('__proto__').message).toContain('unsupported provider "__proto__"');
  });

  it('is checked after the key: a missing key is reported first, as in axe', () => {
    expect(errorOf('openai', { env: { AXE_OPENAI_BASE_URL: 'nonsense' } }).message).toContain(
      'API key',
    );
  });
});

const FILE = '/home/octocat/.config/axe/config.toml';

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

  const own = { openai: { apiKey: 'k', baseUrl: '' } };
  it.each([
    ['nothing in it', '', {}],
    ['no providers', '[providers]\n', {}],
    ['tables of other programs', '[other]\nkey = 1\n[[list]]\nx = 2020-01-01\n', {}],
    ['CRLF', '[providers.openai]\r\napi_key = "k"\r\n', own],
    ['a byte order mark', '\uFEFF[providers.openai]\napi_key = "k"\n', own],
    ['keys in any case, as axe reads them', '[Providers.openai]\nAPI_Key = "k"\n', own],
    ['keys of other programs', '[providers.openai]\napi_key = "k"\norganization = 7\n', own],
  ])('can be written with %s', (_, toml, config) => {
    expect(parseProvidersConfig(toml, FILE)).toEqual(config);
  });

  it.each([
    ['[providers.\n', 1],
    ['[providers.openai]\napi_key = sk-secret\n', 2],
    ['[providers.openai]\napi_key = "sk-secret"x\n', 2],
    ['[providers.openai]\napi_key = "a"\napi_key = "sk-secret"\n', 3],
  ])('that is not TOML is refused with its place, and no value is shown: %j', (toml, line) => {
    const error = thrownBy(() => parseProvidersConfig(toml, FILE));
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
    const error = thrownBy(() => parseProvidersConfig(toml, FILE));
    expect(error.message).toBe(`failed to parse config file: ${text}`);
    expect(error).toMatchObject({ exitCode: 2, at: { file: FILE } });
    expect(formatError(error)).not.toMatch(/secret|12345/);
  });

  it('distinguishes providers that differ in case, since their names are not our keys', () => {
    const toml = '[providers.OpenAI]\napi_key = "a"\n[providers.openai]\napi_key = "b"\n';
    expect(Object.keys(parseProvidersConfig(toml, FILE))).toEqual(['OpenAI', 'openai']);
  });

  it('does not read from prototypes', () => {
    parseProvidersConfig('[providers.__proto__]\napi_key = "k"\n', FILE);
    expect(Reflect.get({}, 'apiKey')).toBeUndefined();
    expect(Reflect.get({}, 'api_key')).toBeUndefined();
  });
});
