import { readdirSync } from 'node:fs';
import { tryRead, until } from '../adapters/mcp/scene.js';
import type { CopilotServer } from '../helpers/copilot-server.js';

/** What leads the action to the installed SDK and to the test's service. Throws if no SDK is installed. */
export function sdkEnv(server: Pick<CopilotServer, 'url'>): Readonly<Record<string, string>> {
  const folder = process.env['AXE_COPILOT_SDK'] ?? '';
  if (folder === '') throw new Error('there is no SDK to test with: run `npm run test:copilot`');
  return { AXE_COPILOT_SDK: folder, AXE_COPILOT_BASE_URL: server.url };
}

/** Ids of the runtimes that are started for this service. */
export function runtimesOf({ url }: Pick<CopilotServer, 'url'>): readonly number[] {
  const ids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return ids
    .filter((id) => tryRead(`/proc/${id}/environ`).split('\0').includes(`COPILOT_API_URL=${url}`))
    .map(Number);
}

/** Waits until none of them is left. */
export async function untilNoneIsLeft(server: Pick<CopilotServer, 'url'>): Promise<void> {
  await until(() => runtimesOf(server).length === 0);
}
