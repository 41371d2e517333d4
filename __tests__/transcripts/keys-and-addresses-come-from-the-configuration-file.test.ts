import { describe, expect, it } from '@jest/globals';
import { type ModelServer, startModelServer, text } from '../helpers/model-server.js';
import { runCli } from '../helpers/run-cli.js';
import { tempDir, writeFiles } from '../helpers/temp.js';

const config = (model: ModelServer, key: string) =>
  `[providers.anthropic]\napi_key = "${key}"\nbase_url = "${model.url}"\n`;

async function run(toml: (model: ModelServer) => string, env: Readonly<Record<string, string>> = {}) {
  const model = await startModelServer([text('Hello.')]);
  const home = tempDir('home');
  writeFiles(home, { 'axe/config.toml': toml(model) });
  const result = await runCli(['run', 'builtin/ask'], { env: { XDG_CONFIG_HOME: home, ...env } });
  return { result, keys: model.requests().map(({ headers }) => headers['x-api-key']) };
}

describe('config.toml', () => {
  it('provides the key and the address', async () => {
    const { result, keys } = await run((model) => config(model, 'sk-ant-from-file'));
    expect(result).toMatchObject({ exitCode: 0, stdout: 'Hello.', stderr: '' });
    expect(keys).toEqual(['sk-ant-from-file']);
  });

  it('is overridden by the environment', async () => {
    const { keys } = await run((model) => config(model, 'sk-ant-from-file'), {
      ANTHROPIC_API_KEY: 'sk-ant-from-env',
    });
    expect(keys).toEqual(['sk-ant-from-env']);
  });

  it('that is broken is reported with line and column, and no model is called', async () => {
    const { result, keys } = await run((model) => `${config(model, 'k')}[providers.openai\n`);
    expect(result).toMatchObject({ exitCode: 2, stdout: '' });
    expect(result.stderr).toMatch(/config\.toml:4:\d+/);
    expect(keys).toEqual([]);
  });
});
