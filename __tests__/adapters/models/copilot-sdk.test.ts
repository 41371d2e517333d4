import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { findCopilotSdk } from '../../../src/adapters/models/copilot-sdk.js';
import type { AxeError } from '../../../src/core/errors.js';

const ROOT = join(import.meta.dirname, '../../..');
const INSTALLED = /npm install --prefix "\$RUNNER_TEMP\/copilot".*?@github\/copilot-sdk@[\w.-]+/g;

it('the documentation and the example use the same line to install the Copilot SDK', async () => {
  const sources = { env: {}, readTextFile: async () => undefined, isInWorkspace: async () => false };
  const error = await findCopilotSdk(sources).then(
    () => undefined,
    (thrown: AxeError) => thrown,
  );
  const [line] = error?.remedy?.match(INSTALLED) ?? [];
  expect(line).toMatch(/@\d+\.\d+\.\d+$/);
  const files = [
    'docs/copilot.md',
    ...readdirSync(join(ROOT, 'examples/workflows')).map((name) => `examples/workflows/${name}`),
  ];
  const lines = files.flatMap((file) => readFileSync(join(ROOT, file), 'utf8').match(INSTALLED) ?? []);
  expect(lines).toEqual([line, line]);
});
