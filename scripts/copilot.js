// Runs the tests of models of `copilot` with GitHub's own SDK: `npm run test:copilot [-- --sdk VERSION]`. The SDK has
// 128 MB, so it is no dependency: it is installed into a temporary folder, without install scripts, in the version that
// messages and examples name. With AXE_COPILOT_SDK set, the one in that folder is used. Needs a built dist/.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const ROOT = join(import.meta.dirname, '..');
const { values } = parseArgs({ options: { sdk: { type: 'string', default: testedVersion() } } });
const given = process.env.AXE_COPILOT_SDK ?? '';
const temporary = given === '' ? mkdtempSync(join(tmpdir(), 'copilot-sdk-')) : undefined;
try {
  if (temporary !== undefined) install(temporary, values.sdk);
  process.exitCode = test(temporary ?? given);
} finally {
  if (temporary !== undefined) rmSync(temporary, { recursive: true, force: true });
}

function testedVersion() {
  const source = readFileSync(join(ROOT, 'src/adapters/models/copilot-sdk.ts'), 'utf8');
  return /TESTED_VERSION = '([^']+)'/.exec(source)[1];
}

function install(folder, version) {
  const options = ['--ignore-scripts', '--no-save', '--no-audit', '--no-fund', '--prefix', folder];
  const { status } = spawnSync('npm', ['install', ...options, `@github/copilot-sdk@${version}`], {
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
  if (status !== 0) throw new Error(`@github/copilot-sdk@${version} cannot be installed`);
}

function test(folder) {
  const env = { ...process.env, AXE_COPILOT_SDK: folder };
  const words = [join(ROOT, 'scripts/test.js'), '__tests__/copilot'];
  return spawnSync(process.execPath, words, { stdio: 'inherit', cwd: ROOT, env }).status ?? 1;
}
