import { join } from 'node:path';
import { readConfigFile } from '../adapters/host/config-file.js';
import { parseProvidersConfig } from '../adapters/models/providers-config.js';

/** `[providers]` of config.toml in axe's configuration folder; empty where there is no such file. Throws an AxeError. */
export async function loadProvidersConfig(
  configDir: string,
): Promise<ReturnType<typeof parseProvidersConfig>> {
  const file = join(configDir, 'config.toml');
  const toml = await readConfigFile(file);
  return toml === undefined ? {} : parseProvidersConfig(toml, file);
}
