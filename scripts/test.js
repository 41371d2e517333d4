// Runs jest on the Node that runs this script (npm puts the installed Node 24 first) and says which it is.
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';

const jest = createRequire(import.meta.url).resolve('jest/bin/jest');
const args = process.argv.slice(2);
process.stdout.write(`Tests run on Node ${process.version}\n`);
const result = spawnSync(process.execPath, ['--experimental-vm-modules', '--no-warnings', jest, ...args], {
  stdio: 'inherit',
});
process.exit(result.status ?? 1);
